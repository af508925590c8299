// Upstream failures as errors of our own. Everything in an answer is untrusted: it may repeat the request, so only a
// well-formed error id of it is passed on, and never a foreign error as `cause` (undici keeps the received bytes in it).

import { typeRefusal } from '../../audio/bodies/body-type.ts';
import { AppError, type ErrorCode } from '../../base/app-error.ts';
import { type FieldFault, fieldMessage } from '../../base/check-fields.ts';
import { saysAccessIsLost } from '../../limits/lost-access.ts';
import { parseRetryAfter } from '../../limits/retry-after.ts';

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

/**
 * Fields of a request to a service whose values may be shown: names and numbers, no spoken text (interface 4.5; then those that
 * other vendors have other names for).
 */
const TOLD_FIELDS: readonly string[] = [
  ...['model', 'voice', 'voice2', 'outputFormat', 'speed', 'sampleRate', 'seed', 'temperature', 'language'],
  ...['voiceConditioningSeconds', 'voiceConditioningSeconds2'],
  ...['response_format', 'model_id', 'language_code', 'output_format', 'encoding', 'sample_rate'],
];
/** Those that hold spoken text: named, and never shown. */
const UNTOLD_FIELDS: readonly string[] = [
  ...['text', 'prompt', 'prompt2', 'turnPrefix', 'turnPrefix2'],
  ...['input', 'instructions', 'transcript'],
];

/** The fields that a request to a service has, those of its query included; what is no JSON has none. */
export function sentFields(path: string, body: string): Readonly<Record<string, unknown>> {
  const query = Object.fromEntries(new URLSearchParams(path.split('?', 2)[1] ?? ''));
  try {
    return { ...query, ...(JSON.parse(body) as object) };
  } catch {
    return query;
  }
}

/**
 * The field that a refusal is about, with the value that we have sent for it: the first word of its `errorMessage` or `message`
 * that is the name of a field. Nothing else of what a service says is repeated.
 */
function refusedField(body: string, sent: Readonly<Record<string, unknown>>): FieldFault | undefined {
  let said: unknown;
  try {
    const told = JSON.parse(body) as { errorMessage?: unknown; message?: unknown } | null;
    said = told?.errorMessage ?? told?.message;
  } catch {
    return undefined;
  }
  if (typeof said !== 'string') return undefined;
  for (const [word] of said.slice(0, MAX_SAID).matchAll(/[A-Za-z]\w*/g)) {
    const allowed = 'the service does not take what was sent';
    // A word of the sentence that names no field of this request is only a word.
    if (!Object.hasOwn(sent, word)) continue;
    if (UNTOLD_FIELDS.includes(word)) return { field: word, allowed };
    const given = sent[word];
    if (!TOLD_FIELDS.includes(word)) continue;
    if (typeof given === 'string') return { field: word, allowed, name: given };
    if (typeof given === 'number') return { field: word, allowed, given };
  }
  return undefined;
}
const MAX_SAID = 500;

/**
 * An answer other than 200. `secrets` (key, user id, spoken text) are never repeated; of `sent`, the request, the field that was
 * refused is told.
 */
export function refusedError(
  answer: RefusedAnswer,
  secrets: readonly string[],
  sent: Readonly<Record<string, unknown>> = {},
): AppError {
  const { status } = answer;
  const id = readErrorId(answer.body, secrets);
  const told = id === undefined ? `${status}` : `${status}, ${id}`;
  const isOut = status === 429 && saysAccessIsLost(answer.body);
  if (status === 429 && !isOut) {
    const retryAfterMs = parseRetryAfter(answer.retryAfter, answer.date);
    return new AppError(
      'upstream_rate_limited',
      `The speech service is over its request limit for this key (${told}).`,
      retryAfterMs === undefined ? {} : { retryAfterMs },
    );
  }
  if (isOut || status === 401 || status === 402 || status === 403) {
    return new AppError(
      'upstream_unauthorized',
      `The speech service refused the configured key (${told}); check VOXGATE_UPSTREAM_KEYS.`,
    );
  }
  if (status >= 500) return new AppError('upstream_unreachable', `The speech service failed (${told}).`);
  if (status >= 400) {
    const fault = refusedField(answer.body, sent);
    const what =
      fault === undefined
        ? '; check voice and fields, the service does not say which of them it is'
        : `: ${fieldMessage({ ...fault, todo: WHAT_HELPS[fault.field] ?? 'its own documents tell what it takes' })}`;
    const message = `The speech service rejected the request (${told})${what}`;
    const isLimit = isOwnLimit(status, answer.body, fault?.field);
    return new AppError('upstream_rejected', message, {
      isLimit,
      ...(fault === undefined ? {} : { field: fault.field }),
    });
  }
  if (status >= 300) {
    const message = `The speech service answered with a redirect (${told}), which is not followed; check VOXGATE_UPSTREAM_URL.`;
    return new AppError('upstream_rejected', message);
  }
  return new AppError('upstream_bad_audio', `The speech service answered without audio (${told}).`);
}

/** Fields of which each service has values of its own. */
const OWN_FIELDS: readonly (string | undefined)[] = [
  'model',
  'model_id',
  'voice',
  'voice2',
  'language',
  'language_code',
];
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
const WHAT_HELPS: Readonly<Record<string, string>> = { voice: VOICES_LISTED, voice2: VOICES_LISTED };

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

const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at VOXGATE_UPSTREAM_URL: start the service, or correct the address',
  ENOTFOUND: 'the host of VOXGATE_UPSTREAM_URL has no address: check its name',
  EAI_AGAIN: 'the host of VOXGATE_UPSTREAM_URL cannot be looked up now: check the name server',
  EHOSTUNREACH: 'the host of VOXGATE_UPSTREAM_URL cannot be reached: check the network',
  ENETUNREACH: 'the host of VOXGATE_UPSTREAM_URL cannot be reached: check the network',
  CERT_HAS_EXPIRED: 'the certificate of the service has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'the certificate of the service is signed by nobody known: NODE_EXTRA_CA_CERTS names a file of further ones',
};

/** A fault of the connection: `upstream_unreachable` before the first byte of audio, `upstream_broken` after it. */
export function brokenError(code: ErrorCode, thrown: unknown): AppError {
  const name = (thrown as { code?: unknown } | null)?.code;
  const known = typeof name === 'string' && /^[A-Z][A-Z0-9_]{2,59}$/.test(name) ? ` (${name})` : '';
  const told =
    code === 'upstream_broken'
      ? 'The connection to the speech service broke in mid-answer'
      : 'The speech service could not be reached';
  const remedy = typeof name === 'string' ? REMEDIES[name] : undefined;
  return new AppError(code, remedy === undefined ? `${told}${known}.` : `${told}${known}; ${remedy}.`);
}
