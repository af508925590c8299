// Upstream failures as errors of our own. Everything in an answer is untrusted: it may repeat the request, so only a
// well-formed error id of it is passed on, and never a foreign error as `cause` (undici keeps the received bytes in it).

import { typeRefusal } from '../../audio/bodies/body-type.ts';
import { AppError } from '../../base/app-error.ts';
import { type FieldFault, fieldMessage } from '../../base/check-fields.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import { saysAccessIsLost } from '../../limits/lost-access.ts';
import { parseRetryAfter } from '../../limits/retry-after.ts';

/** What a service is called in messages, and how its address and its keys are set. */
export type CalledService = { readonly who: string; readonly url: string; readonly keys: string };

const THE_SERVICE: CalledService = {
  who: 'The speech service',
  url: 'VOXGATE_UPSTREAM_URL',
  keys: 'VOXGATE_UPSTREAM_KEYS',
};
/** One of several. */
export const namedService = (name: string): CalledService => ({
  who: `The speech service ${JSON.stringify(name)}`,
  url: `url of ${JSON.stringify(name)} in upstreams`,
  keys: `keys of ${JSON.stringify(name)} in upstreams`,
});

export type RefusedAnswer = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The answer's own `Date`, so that a Retry-After date is never compared with a clock of ours. */
  readonly date: string | undefined;
  /** The beginning of the body, as far as it was read. */
  readonly body: string;
};

const ERROR_ID = /^[A-Z][A-Z0-9_]{2,39}$/;

/** The `errorId` of an error body (interface 7), unless it is malformed or repeats one of `secrets`. */
export function readErrorId(body: string, secrets: readonly string[]): string | undefined {
  try {
    const { errorId } = JSON.parse(body) as { errorId?: unknown };
    if (typeof errorId !== 'string' || !ERROR_ID.test(errorId)) return undefined;
    return secrets.some((secret) => secret.includes(errorId) || errorId.includes(secret))
      ? undefined
      : errorId;
  } catch {
    return undefined;
  }
}

/** Fields of a request to a service whose values may be shown: names and numbers, no spoken text (interface 4.5). */
const TOLD_FIELDS: readonly string[] = [
  ...['voice', 'voice2', 'model', 'language', 'speed', 'outputFormat', 'sampleRate', 'seed', 'temperature'],
  ...['voiceConditioningSeconds', 'voiceConditioningSeconds2'],
];
/** Those that hold spoken text: named, and never shown. */
const UNTOLD_FIELDS: readonly string[] = ['text', 'prompt', 'prompt2', 'turnPrefix', 'turnPrefix2'];

export type SentFields = {
  /** By the names that they have here. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What the service calls them, where that is something else. */
  readonly names: FieldNames;
};
export type FieldNames = Readonly<Record<string, string>>;

/** The fields that a request to a service has, those of its query included, and of `asked` what stands elsewhere. */
export function sentFields(
  path: string,
  body: string,
  names: FieldNames = {},
  asked: Readonly<Record<string, unknown>> = {},
): SentFields {
  const query = Object.fromEntries(new URLSearchParams(path.split('?', 2)[1] ?? ''));
  const sent = { ...query, ...(parseJson(body)?.value as object | undefined) };
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    const field = fieldOf(name, names);
    if (field !== undefined) values[field] = isShown(value) ? value : (asked[field] ?? value);
  }
  // In the path, as the voice of some services.
  if (asked.voice != null) values.voice ??= asked.voice;
  return { values, names };
}

const isShown = (value: unknown) => typeof value === 'string' || typeof value === 'number';

function fieldOf(name: string, names: FieldNames): string | undefined {
  const field = Object.hasOwn(names, name) ? names[name]! : name;
  return TOLD_FIELDS.includes(field) || UNTOLD_FIELDS.includes(field) ? field : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What a refusal says in the forms that services have: its sentence, the field that it names by itself, and its own code. */
function toldBy(body: string): { said: string; field: string | undefined; code: string } {
  const answer = parseJson(body)?.value;
  if (!isJsonObject(answer)) return { said: '', field: undefined, code: '' };
  // `error` of OpenAI and those like it, `detail` of ElevenLabs, or of FastAPI: a list, each with the way to its field.
  const { error, detail } = answer;
  const [first] = Array.isArray(detail) ? (detail as unknown[]) : [detail];
  const inner = [error, first].find(isJsonObject) ?? {};
  const way = Array.isArray(inner.loc) ? inner.loc.findLast((step) => typeof step === 'string') : undefined;
  const said = [answer.errorMessage, inner.message, inner.msg, answer.message, answer.err_msg, error, detail];
  const codes = [inner.code, inner.status, answer.error_code, answer.err_code];
  return {
    said: said.map(textOf).find((text) => text !== undefined) ?? '',
    field: textOf(inner.param) ?? textOf(way),
    code: codes.map(textOf).find((text) => text !== undefined) ?? '',
  };
}

const FIRST_FIELD = /^\W{0,2}([A-Za-z]\w*)(?:\.\w+)*\W?:/;
const WORD = /[A-Za-z]\w*/g;

/**
 * The field that a refusal is about: the one that it names as such, the one that its sentence begins with, or that its code tells;
 * else the first word of the sentence that is the name of a field which was sent. `text` is a word of many sentences that are
 * about something else. Nothing else of what a service says is repeated.
 */
function refusedField(body: string, { values, names }: SentFields): FieldFault | undefined {
  const { said, field, code } = toldBy(body);
  const begin = said.slice(0, MAX_SAID);
  const named = [field, FIRST_FIELD.exec(begin)?.[1]].flatMap((name) =>
    name === undefined ? [] : (fieldOf(name, names) ?? []),
  );
  const words = [...begin.matchAll(WORD)].flatMap(([word]) => fieldOf(word, names) ?? []);
  const sent = words.filter((word) => values[word] !== undefined);
  const isOfText = (word: string) => UNTOLD_FIELDS.includes(word);
  const refused =
    named[0] ??
    CODES.find(([pattern]) => pattern.test(code))?.[1] ??
    (TOO_LONG.test(begin) ? sent.find(isOfText) : undefined) ??
    sent.find((word) => !isOfText(word)) ??
    sent[0];
  if (refused === undefined) return undefined;
  const given = values[refused];
  const allowed =
    given === undefined
      ? 'the service wants it, and none was given'
      : 'the service does not take what was sent';
  if (isOfText(refused)) return { field: refused, allowed };
  return typeof given === 'string'
    ? { field: refused, allowed, name: given }
    : { field: refused, allowed, given: numberOf(given) };
}
const MAX_SAID = 500;
const CODES: readonly (readonly [pattern: RegExp, field: string])[] = [
  [/voice/i, 'voice'],
  [/language/i, 'language'],
  [/model/i, 'model'],
  [/character|text/i, 'text'],
];
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/**
 * An answer other than 200. `secrets` (key, user id, spoken text) are never repeated; of `sent`, the request, the field that was
 * refused is told.
 */
export function refusedError(
  answer: RefusedAnswer,
  secrets: readonly string[],
  sent: SentFields = { values: {}, names: {} },
  { who, url, keys }: CalledService = THE_SERVICE,
): AppError {
  const { status } = answer;
  const id = readErrorId(answer.body, secrets);
  const told = id === undefined ? `${status}` : `${status}, ${id}`;
  const isOut = status === 429 && saysAccessIsLost(answer.body);
  if (status === 429 && !isOut) {
    const retryAfterMs = parseRetryAfter(answer.retryAfter, answer.date);
    return new AppError(
      'upstream_rate_limited',
      `${who} is over its request limit for this key (${told}).`,
      retryAfterMs === undefined ? {} : { retryAfterMs },
    );
  }
  if (isOut || status === 401 || status === 402 || status === 403) {
    const isSpent = status === 402 || MONEY.test(id ?? toldBy(answer.body).code);
    const message = isSpent
      ? `${who} says that the account of the configured key has nothing left (${told}); see to its plan, or set others as ${keys}.`
      : `${who} refused the configured key (${told}); check ${keys}.`;
    return new AppError('upstream_unauthorized', message);
  }
  if (status >= 500) return new AppError('upstream_unreachable', `${who} failed (${told}); ${retryAt(url)}.`);
  if (status >= 400) {
    const fault = refusedField(answer.body, sent);
    const what =
      fault === undefined
        ? '; check voice and fields, the service does not say which of them it is'
        : `: ${fieldMessage({ ...fault, todo: WHAT_HELPS[fault.field] ?? 'its own documents tell what it takes' })}`;
    const message = `${who} rejected the request (${told})${what}`;
    const isLimit = isOwnLimit(status, answer.body, fault?.field);
    return new AppError('upstream_rejected', message, {
      isLimit,
      ...(fault === undefined ? {} : { field: fault.field }),
    });
  }
  if (status >= 300) {
    const message = `${who} answered with a redirect (${told}), which is not followed; check ${url}.`;
    return new AppError('upstream_rejected', message);
  }
  return new AppError('upstream_bad_audio', `${who} answered without audio (${told}).`);
}

/** Names of errors that are about an account and not about its key. */
const MONEY = /quota|credit|billing|payment|funds|balance/i;
/** Fields of which each service has values of its own. */
const OWN_FIELDS: readonly (string | undefined)[] = ['model', 'voice', 'voice2', 'language'];
const TOO_LONG =
  /max_character|max_length|too[ _-]long|(?:exceeds?|over|more than)\b.{0,60}\b(?:characters|limit|length|maximum)/i;
const UNKNOWN_VOICE = /voice_not_found|voice_does_not_exist|unsupported_language|language_not_supported/i;

/** Whether a refusal is about what this service cannot do, not about the text: too long, its voices, its languages. */
const isOwnLimit = (status: number, body: string, field: string | undefined): boolean =>
  status === 413 ||
  (field !== undefined && OWN_FIELDS.includes(field)) ||
  TOO_LONG.test(body) ||
  UNKNOWN_VOICE.test(body);

const VOICES_LISTED = 'GET /api/v1/voices lists its voices, where it tells them';
const FORMAT_SET = 'the operator sets VOXGATE_UPSTREAM_SOUND, or sound of the service in upstreams';
const WHAT_HELPS: Readonly<Record<string, string>> = {
  voice: VOICES_LISTED,
  voice2: VOICES_LISTED,
  text: 'say it in other words, or in shorter turns',
  outputFormat: FORMAT_SET,
  sampleRate: FORMAT_SET,
};

/** `what` ends the sentence. */
export const wrongAudioError = (what: string): AppError =>
  new AppError('upstream_bad_audio', `The speech service ${what}.`);

/** Why a 200 cannot be audio, from its headers; undefined when it can. */
export function badAudioError(
  answer: Parameters<typeof typeRefusal>[0],
  contentEncoding: string | undefined,
): AppError | undefined {
  const what = typeRefusal(answer);
  if (what !== undefined) return wrongAudioError(what);
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity')
    return new AppError(
      'upstream_bad_audio',
      'The speech service compressed its audio, which was not asked for.',
    );
  return undefined;
}

const retryAt = (url: string) => `try again, the operator checks ${url} and the service`;

const REMEDIES: Readonly<Record<string, (url: string) => string>> = {
  ECONNREFUSED: (url) => `nothing listens at ${url}: start the service, or correct the address`,
  ENOTFOUND: (url) => `the host of ${url} has no address: check its name`,
  EAI_AGAIN: (url) => `the host of ${url} cannot be looked up now: check the name server`,
  EHOSTUNREACH: (url) => `the host of ${url} cannot be reached: check the network`,
  ENETUNREACH: (url) => `the host of ${url} cannot be reached: check the network`,
  CERT_HAS_EXPIRED: () => 'the certificate of the service has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: () =>
    'the certificate of the service is signed by nobody known: NODE_EXTRA_CA_CERTS names a file of further ones',
};

/** A fault of the connection: `upstream_unreachable` before the first byte of audio, `upstream_broken` after it. */
export function brokenError(
  code: 'upstream_unreachable' | 'upstream_broken',
  thrown: unknown,
  { who, url }: CalledService = THE_SERVICE,
): AppError {
  const name = (thrown as { code?: unknown } | null)?.code;
  const known = typeof name === 'string' && /^[A-Z][A-Z0-9_]{2,59}$/.test(name) ? ` (${name})` : '';
  if (code === 'upstream_broken') {
    const service = who.replace(/^The/, 'the');
    return new AppError(code, `The connection to ${service} broke in mid-answer${known}.`);
  }
  const remedy = typeof name === 'string' && Object.hasOwn(REMEDIES, name) ? REMEDIES[name]! : retryAt;
  return new AppError(code, `${who} could not be reached${known}; ${remedy(url)}.`);
}

export type Failures = {
  refused(...of: [RefusedAnswer, readonly string[], SentFields]): AppError;
  broken(code: 'upstream_unreachable' | 'upstream_broken', thrown: unknown): AppError;
  late(code: 'upstream_unreachable' | 'upstream_timeout', what: string, ms: number): AppError;
  /** In mid-answer. */
  silent(ms: number): AppError;
  tooFast(): AppError;
};

/** `name`: of one of several services. */
export function failuresOf(name: string | undefined): Failures {
  const called = name === undefined ? THE_SERVICE : namedService(name);
  const { who, url } = called;
  return {
    refused: (answer, secrets, sent) => refusedError(answer, secrets, sent, called),
    broken: (code, thrown) => brokenError(code, thrown, called),
    late: (code, what, ms) => new AppError(code, `${who} ${what} within ${ms} ms; ${retryAt(url)}.`),
    silent: (ms) => new AppError('upstream_timeout', `${who} sent nothing for ${ms} ms.`),
    tooFast: () => new AppError('upstream_broken', `${who} sends faster than can be taken, and closes.`),
  };
}
