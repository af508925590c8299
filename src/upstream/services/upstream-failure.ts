// Upstream failures as errors of our own. Everything in an answer is untrusted: it may repeat the request, so only a
// well-formed error id of it is passed on, and never a foreign error as `cause` (undici keeps the received bytes in it).

import { AppError, type ErrorCode } from '../../base/app-error.ts';
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

/** An answer other than 200. `secrets` (key, user id, spoken text) are never repeated. */
export function refusedError(answer: RefusedAnswer, secrets: readonly string[]): AppError {
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
  if (status >= 400)
    return new AppError('upstream_rejected', `The speech service rejected the request (${told}).`);
  if (status >= 300) {
    const message = `The speech service answered with a redirect (${told}), which is not followed; check VOXGATE_UPSTREAM_URL.`;
    return new AppError('upstream_rejected', message);
  }
  return new AppError('upstream_bad_audio', `The speech service answered without audio (${told}).`);
}

const MPEG_AUDIO = /^audio\/(mpeg|mp3)\s*(;|$)/i;

/** Why a 200 cannot be audio, from its headers; undefined when it can. */
export function badAudioError(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): AppError | undefined {
  if (!MPEG_AUDIO.test(contentType?.trim() ?? ''))
    return new AppError(
      'upstream_bad_audio',
      'The speech service answered with something other than audio/mpeg.',
    );
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity')
    return new AppError(
      'upstream_bad_audio',
      'The speech service compressed its audio, which was not asked for.',
    );
  return undefined;
}

/** A fault of the connection: `upstream_unreachable` before the first byte of audio, `upstream_broken` after it. */
export function brokenError(code: ErrorCode, thrown: unknown): AppError {
  const name = (thrown as { code?: unknown } | null)?.code;
  const known = typeof name === 'string' && /^[A-Z][A-Z0-9_]{2,59}$/.test(name) ? ` (${name})` : '';
  const told =
    code === 'upstream_broken'
      ? 'The connection to the speech service broke in mid-answer'
      : 'The speech service could not be reached';
  return new AppError(code, `${told}${known}.`);
}
