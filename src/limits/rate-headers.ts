// What an answer's headers say about the request limit: Retry-After, and four shapes: the lists, the dictionary and the
// separate fields that the IETF drafts had one after another (the last also with X-), and those that count requests
// beside tokens (X-RateLimit-Limit-Requests …). All of it is untrusted, and a wrong limit stops all speech or overuses the key, so
// values that are not plausible are dropped.

import { parseHttpDate, parseRetryAfter } from './retry-after.ts';

/** What headers say, after everything absurd has been dropped. */
export type RateAdvice = {
  /** Requests per window. */
  readonly limit?: number;
  readonly windowMs?: number;
  readonly remaining?: number;
  /** Until the window ends (RateLimit t, Retry-After). */
  readonly resetMs?: number;
  /** Requests that may run at once. */
  readonly concurrent?: number;
  /** What this request's text was counted as, in characters (ElevenLabs: half of them with some models). */
  readonly characterCost?: number;
};

/** Names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const MAX_WINDOW_MS = 3_600_000;
const MAX_REQUESTS = 1_000_000;
const MAX_CONCURRENT = 100_000;
const MINUTE_MS = 60_000;
/** Headers longer than this are no rate limits. */
const MAX_FIELD_LENGTH = 1024;
/** From here on a reset is not seconds from now but a time of day (2001 and later). */
const UNIX_SECONDS = 1_000_000_000;

const field = (headers: AnswerHeaders, name: string): string | undefined => {
  const value = headers[name];
  const text = typeof value === 'string' || value === undefined ? value : value.join(', ');
  return text !== undefined && text.length <= MAX_FIELD_LENGTH ? text.trim() : undefined;
};

/** Digits, perhaps with a fraction, between `least` and `most`. */
const numberIn = (text: string | undefined, least: number, most: number): number | undefined => {
  const value = text !== undefined && /^\d{1,16}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
};
const wholeIn = (text: string | undefined, least: number, most: number): number | undefined => {
  const value = numberIn(text, least, most);
  return value !== undefined && Number.isInteger(value) ? value : undefined;
};
const limitOf = (text: string | undefined) => wholeIn(text, 1, MAX_REQUESTS);
const remainingOf = (text: string | undefined) => wholeIn(text, 0, MAX_REQUESTS);
const secondsOf = (text: string | undefined, leastMs: number): number | undefined => {
  const seconds = numberIn(text, leastMs / 1000, MAX_WINDOW_MS / 1000);
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
};

/** What is known; `undefined` is not a value of an optional field. */
const adviceOf = (known: { readonly [K in keyof RateAdvice]: RateAdvice[K] | undefined }): RateAdvice =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));

// RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-08 and later): lists of structured items
// (RFC 9651), `"name";q=60;w=60` and `"name";r=12;t=34`.

type Item = { readonly name: string; readonly parameters: ReadonlyMap<string, string> };

const ITEM =
  /\s*(?:"([^"\\]*)"|([A-Za-z*][\w:/.*-]*))((?:;\s*[a-z*][\w.*-]*(?:=(?:"[^"\\]*"|[^\s;,"]*))?\s*)*)(?:,|$)/y;
const PARAMETER = /;\s*([a-z*][\w.*-]*)(?:=(?:"([^"\\]*)"|([^\s;,"]*)))?/g;

/** The items of a list; none at all when any of it is malformed, as RFC 9651 4.2 has it. */
function parseItems(text: string | undefined): readonly Item[] {
  const items: Item[] = [];
  if (text === undefined || text === '') return items;
  ITEM.lastIndex = 0;
  while (ITEM.lastIndex < text.length) {
    const match = ITEM.exec(text);
    if (match === null) return [];
    const parameters = new Map<string, string>();
    for (const [, key, quoted, plain] of match[3]!.matchAll(PARAMETER))
      parameters.set(key!, quoted ?? plain ?? '');
    items.push({ name: match[1] ?? match[2]!, parameters });
  }
  return items;
}

function readStructured(headers: AnswerHeaders): RateAdvice {
  const policies = parseItems(field(headers, 'ratelimit-policy'));
  const states = parseItems(field(headers, 'ratelimit'));
  const unitOf = ({ parameters }: Item) => parameters.get('qu') ?? 'requests';
  const counted = policies
    .filter((policy) => unitOf(policy) === 'requests')
    .map(({ name, parameters }) => ({
      name,
      limit: limitOf(parameters.get('q')),
      windowMs: secondsOf(parameters.get('w'), 1000),
      hasWindow: parameters.has('w'),
    }))
    // A window that is told but absurd is not a minute.
    .filter(
      ({ limit, windowMs, hasWindow }) => limit !== undefined && (windowMs !== undefined || !hasWindow),
    );
  const rate = ({ limit = 0, windowMs = MINUTE_MS }: (typeof counted)[number]) => limit / windowMs;
  const [tightest] = counted.sort((a, b) => rate(a) - rate(b));
  const state =
    tightest === undefined
      ? states.length === 1 && states[0]
      : states.find(({ name }) => name === tightest.name);
  const parameters = (state || undefined)?.parameters;
  const concurrency = policies.find((policy) => unitOf(policy) === 'concurrent-requests');
  return adviceOf({
    limit: tightest?.limit,
    windowMs: tightest?.windowMs,
    remaining: remainingOf(parameters?.get('r')),
    resetMs: secondsOf(parameters?.get('t'), 0),
    concurrent: wholeIn(concurrency?.parameters.get('q'), 1, MAX_CONCURRENT),
  });
}

/** RateLimit: limit=100, remaining=99, reset=60 with RateLimit-Policy: 100;w=60 (draft-07). */
function readDictionary(headers: AnswerHeaders): RateAdvice {
  const members = new Map<string, string>();
  for (const member of (field(headers, 'ratelimit') ?? '').split(',')) {
    const match = /^\s*(limit|remaining|reset)=(\d+)\s*$/.exec(member);
    if (match === null) return {};
    members.set(match[1]!, match[2]!);
  }
  const limit = members.get('limit');
  const window = windowOf(field(headers, 'ratelimit-policy'), limit);
  const windowMs = secondsOf(window, 1000);
  return adviceOf({
    limit: window !== undefined && windowMs === undefined ? undefined : limitOf(limit),
    windowMs,
    remaining: remainingOf(members.get('remaining')),
    resetMs: secondsOf(members.get('reset'), 0),
  });
}

const UNIT_MS = { h: 3_600_000, m: MINUTE_MS, s: 1000, ms: 1 } as const;

/** `6s`, `1m30s`, `250ms`, `2m59.56s`; without a unit seconds are meant. */
function durationOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d{1,9}(\.\d{1,9})?(h|ms|m|s))+$/.test(text)) return secondsOf(text, 0);
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(h|ms|m|s)/g))
    totalMs += Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return totalMs <= MAX_WINDOW_MS ? Math.ceil(totalMs) : undefined;
}

/** X-RateLimit-Limit-Requests, -Remaining-Requests and -Reset-Requests, of services that also count tokens. */
function readCountedRequests(headers: AnswerHeaders): RateAdvice {
  return adviceOf({
    limit: limitOf(field(headers, 'x-ratelimit-limit-requests')),
    remaining: remainingOf(field(headers, 'x-ratelimit-remaining-requests')),
    resetMs: durationOf(field(headers, 'x-ratelimit-reset-requests')),
  });
}

/** The window in seconds of the policy `limit;w=…`, as text. */
const windowOf = (policies: string | undefined, limit: string | undefined): string | undefined =>
  new RegExp(`(?:^|[,\\s])${limit ?? 'x'}\\s*;\\s*w=(\\d+)`).exec(policies ?? '')?.[1];

/** RateLimit-Limit, -Remaining and -Reset (drafts up to -06; the limit may be followed by policies), and X-RateLimit-*. */
function readSeparate(headers: AnswerHeaders, prefix: string): RateAdvice {
  const limitText = field(headers, `${prefix}-limit`);
  const first = /^\d+(?=\s*(?:[,;]|$))/.exec(limitText ?? '')?.[0];
  const window = windowOf(limitText, first);
  const resetText = field(headers, `${prefix}-reset`);
  const nowMs = parseHttpDate(field(headers, 'date'));
  const unixS = numberIn(resetText, UNIX_SECONDS, UNIX_SECONDS * 100);
  const untilMs = unixS === undefined || nowMs === undefined ? undefined : unixS * 1000 - nowMs;
  const resetMs =
    untilMs === undefined
      ? secondsOf(resetText, 0)
      : untilMs >= 0 && untilMs <= MAX_WINDOW_MS
        ? Math.ceil(untilMs)
        : undefined;
  const windowMs = secondsOf(window, 1000);
  const isStrange = window !== undefined && windowMs === undefined;
  return adviceOf({
    limit: isStrange ? undefined : limitOf(first),
    windowMs,
    remaining: remainingOf(field(headers, `${prefix}-remaining`)),
    resetMs,
  });
}

/** Without a word on the window a minute is meant; unless it ends later than a minute could. */
function withinItsWindow(advice: RateAdvice): RateAdvice {
  const { limit: _limit, remaining: _remaining, ...rest } = advice;
  const longestMs = (advice.windowMs ?? MINUTE_MS) + 1000;
  return advice.resetMs !== undefined && advice.resetMs > longestMs ? rest : advice;
}

/**
 * Never throws. Of several policies the tightest is told. Dropped: what is negative, no number, longer than an hour, a
 * limit of 0 or beyond a million, and a time of day without the answer's own Date to compare it with.
 */
export function readRateAdvice(headers: AnswerHeaders): RateAdvice {
  const shapes = [
    readStructured(headers),
    readDictionary(headers),
    readSeparate(headers, 'ratelimit'),
    readSeparate(headers, 'x-ratelimit'),
    readCountedRequests(headers),
  ];
  const told = withinItsWindow(
    shapes.find((shape) => shape.limit !== undefined || shape.resetMs !== undefined) ?? shapes[0]!,
  );
  const retryMs = parseRetryAfter(field(headers, 'retry-after'), field(headers, 'date'));
  // Whichever is longer: both must have passed.
  const resetMs = retryMs === undefined ? told.resetMs : Math.max(retryMs, told.resetMs ?? 0);
  const most = wholeIn(field(headers, 'maximum-concurrent-requests'), 1, MAX_CONCURRENT);
  const characterCost = wholeIn(field(headers, 'character-cost'), 0, MAX_REQUESTS);
  return { ...told, ...adviceOf({ resetMs, concurrent: most ?? told.concurrent, characterCost }) };
}
