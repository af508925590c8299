// One sentence from a failed schema check: it names each field, what is allowed there, and what was given. The words of the schema
// library are replaced, because they name its own types. Pure.

import { shownValue } from './shown-value.ts';

/** As zod reports them with `reportInput` (its `$ZodIssue`), as far as something is made of it here. */
type Issue = {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly input?: unknown;
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly origin?: unknown;
  readonly format?: unknown;
  readonly discriminator?: unknown;
};

export type IssueNames = {
  /** What stands for all that was given, where no field of it is wrong: `message` by default. */
  readonly whole?: string;
  /** The fields that there are, told for one that there is not. */
  readonly fields?: readonly string[] | undefined;
};

const MAX_TOLD = 3;
/** Of what the caller names: fields have short names, and any text may stand where one is expected. */
const MAX_FIELD_NAME = 80;
const MAX_WORDS = 600;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};
const PARTS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

const counted = (origin: unknown): string => PARTS[String(origin)] ?? '';
const isOwnWording = (message: string): boolean =>
  !/^(Invalid|Too (big|small)|Unrecognized|No matching)/.test(message);

/** What is allowed, as a clause behind the name of the field. */
function allowed(issue: Issue): string {
  const { code, message, expected, values = [], minimum, maximum, origin, format } = issue;
  if (isOwnWording(message)) return message;
  const part = counted(origin);
  switch (code ?? '') {
    case 'invalid_type':
      return `must be ${KINDS[String(expected)] ?? String(expected)}`;
    case 'invalid_value':
      return values.length === 1
        ? `must be ${String(values[0])}`
        : `must be one of ${values.map(String).join(', ')}`;
    case 'too_small':
      if (part === '') return `must be at least ${String(minimum)}`;
      return Number(minimum) === 1 ? 'must not be empty' : `must have at least ${String(minimum)} ${part}`;
    case 'too_big':
      return part === ''
        ? `must be at most ${String(maximum)}`
        : `must have at most ${String(maximum)} ${part}`;
    case 'invalid_format':
      return format === 'url' ? 'must be an http:// or https:// address' : 'must have another form';
    default:
      return 'must be of another kind';
  }
}

/** A closed set of words, or another kind of value: then what was given is a slip that the caller wants to see. */
const isSlip = ({ code, expected }: Issue): boolean =>
  code === 'invalid_value' || code === 'invalid_union' || (code === 'invalid_type' && expected !== 'string');

/** Of several shapes that one field tells apart, the whole is given with the path of that field. */
const givenOf = ({ input, discriminator }: Issue): unknown =>
  typeof discriminator === 'string' && typeof input === 'object' && input !== null
    ? (input as Readonly<Record<string, unknown>>)[discriminator]
    : input;

function told(issue: Issue, { whole = 'message', fields }: IssueNames): string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const there = fields === undefined || path.length > 0 ? '' : `; there are ${fields.join(', ')}`;
    return (issue.keys ?? []).map(
      (key) => `${[...path, key].join('.').slice(0, MAX_FIELD_NAME)}: is no field here${there}`,
    );
  }
  const field = path.length === 0 ? whole : path.join('.').slice(0, MAX_FIELD_NAME);
  const words = allowed(issue).slice(0, MAX_WORDS);
  const given = givenOf(issue);
  if (given === undefined && issue.code !== 'custom') return [`${field}: ${words}; it is missing`];
  // What is wrong with a whole that is an object is told by its fields.
  if (issue.code === 'custom' && typeof given === 'object') return [`${field}: ${words}`];
  const shown = shownValue(given, { field: path.at(-1) ?? whole, isSlip: isSlip(issue) });
  return [`${field}: ${words}${shown === undefined ? '' : ` (got ${shown})`}`];
}

/** At most three faults are told, so that a hostile body stays small. */
export function formatIssues(issues: readonly Issue[], names: IssueNames = {}): string {
  const all = [...new Set(issues.flatMap((issue) => told(issue, names)))];
  const rest = all.length - MAX_TOLD;
  return all.slice(0, MAX_TOLD).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}
