// How a refusal shows what it was given: short, and never spoken text, a key or an address, which may hold one.

const MAX_SHOWN = 40;
/** Fields of all protocols that hold what is spoken, or a secret. */
const NEVER: ReadonlySet<string> = new Set([
  ...['text', 'input', 'inputs', 'transcript', 'dialogue', 'prompt', 'prompt2', 'instructions', 'greeting'],
  ...['written', 'spoken', 'turnPrefix', 'turnPrefix2', 'data', 'message', 'body'],
  ...['token', 'key', 'apiKey', 'api_key', 'authorization', 'sourceFileUrl', 'webHookUrl', 'url', 'callback'],
]);
/** Spoken text has blanks, or is in letters of other scripts; the names that are asked for have neither. */
const NAME_LIKE = /^[\x21-\x7e]*$/;

const characters = (text: string): string => {
  const count = text.length > 1_000_000 ? text.length : [...text].length;
  return `${count} character${count === 1 ? '' : 's'}`;
};

/**
 * Undefined where nothing can be shown that would help. `isSlip`: the field takes one of a few words, or no text at all; then a
 * short word without blanks is shown, of other texts how long they are.
 */
export function shownValue(
  value: unknown,
  { field, isSlip }: { readonly field: string; readonly isSlip: boolean },
): string | undefined {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string')
    return isSlip && !NEVER.has(field) && NAME_LIKE.test(value) ? shownName(value) : characters(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : undefined;
}

/** A name that callers choose, such as that of a voice. */
export const shownName = (name: string): string =>
  JSON.stringify(name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name);
