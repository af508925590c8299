// The faults that the engine can be started with: one row each of its name, what its value may be, and what it does.
// The command's help, its errors and the documentation's table are this table.

import {
  dripFault,
  emptyReplyFault,
  endlessFault,
  firstByteFault,
  garbageFault,
  resetFault,
  shortFault,
  silentReplyFault,
  stallFault,
} from './body-faults.ts';
import type { Fault, FaultEffect } from './fault.ts';
import {
  inFlightFault,
  limitChangeFault,
  limitFault,
  quotaFault,
  RATE_HEADER_FORMS,
  RETRY_AFTER_FORMS,
  slowRefusalFault,
  staleSocketFault,
  statusFault,
  wrongTypeFault,
} from './gate-faults.ts';
import { modelUpdateFault, replacedSoundFault, seedIgnoredFault, seedPerKeyFault } from './job-faults.ts';
import { WINDOW_KINDS, type WindowKind } from './request-windows.ts';

type FaultRow = {
  /** `=VALUE` as it is typed; empty when there is none. */
  readonly value: string;
  readonly summary: string;
  /** The effect of a value's parts, which are separated by colons; undefined when they are not allowed. */
  readonly read: (parts: readonly string[]) => FaultEffect | undefined;
};

const MAX_NUMBER = 1_000_000_000;
const MAX_PER_MINUTE = 100_000;

/** A whole number of plain digits from `least` to `most`. */
function whole(text: string | undefined, least: number, most = MAX_NUMBER): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}

const oneNumber =
  (least: number, effect: (value: number) => FaultEffect, most = MAX_NUMBER): FaultRow['read'] =>
  ([text, ...more]) => {
    const value = whole(text, least, most);
    return value === undefined || more.length > 0 ? undefined : effect(value);
  };

const alone =
  (effect: FaultEffect): FaultRow['read'] =>
  (parts) =>
    parts.length === 0 ? effect : undefined;

const oneOf = <T extends string>(allowed: readonly T[], text: string | undefined): T | undefined =>
  allowed.find((one) => one === text);

function readLimit(parts: readonly string[]): FaultEffect | undefined {
  const [kindText, perMinuteText, retryText = 'seconds', headersText = 'none', ...more] = parts;
  const kind: WindowKind | undefined = oneOf(WINDOW_KINDS, kindText);
  const perMinute = whole(perMinuteText, 1, MAX_PER_MINUTE);
  const retryAfter = oneOf(RETRY_AFTER_FORMS, retryText);
  const headers = oneOf(RATE_HEADER_FORMS, headersText);
  if (!kind || !perMinute || !retryAfter || !headers || more.length > 0) return undefined;
  return limitFault({ kind, perMinute, retryAfter, headers });
}

function readStall([afterText, forText, ...more]: readonly string[]): FaultEffect | undefined {
  const afterMs = whole(afterText, 0);
  const forMs = forText === undefined ? Number.POSITIVE_INFINITY : whole(forText, 0);
  if (afterMs === undefined || forMs === undefined || more.length > 0) return undefined;
  return stallFault(afterMs, forMs);
}

function readLimitChange([afterText, perMinuteText, ...more]: readonly string[]): FaultEffect | undefined {
  const afterS = whole(afterText, 0);
  const perMinute = whole(perMinuteText, 1, MAX_PER_MINUTE);
  if (afterS === undefined || perMinute === undefined || more.length > 0) return undefined;
  return limitChangeFault(afterS * 1000, perMinute);
}

/** One number or none, then the fallback. */
const numberOr =
  (
    fallback: number,
    least: number,
    effect: (value: number) => FaultEffect,
    most = MAX_NUMBER,
  ): FaultRow['read'] =>
  (parts) =>
    parts.length === 0 ? effect(fallback) : oneNumber(least, effect, most)(parts);

const DEFAULT_TONE_HZ = 440;
const MAX_TONE_HZ = 4000;
/** Where `half-voice` falls silent. */
const DEFAULT_SPOKEN_MS = 1000;
/** As reported of a service that holds requests beyond its limit instead of refusing them. */
const SLOW_REFUSAL_MS = ['12000', '27000'] as const;

function readSlowRefusal(parts: readonly string[]): FaultEffect | undefined {
  const [fromText, toText = fromText, ...more] = parts.length === 0 ? SLOW_REFUSAL_MS : parts;
  const fromMs = whole(fromText, 0);
  const toMs = whole(toText, fromMs ?? 0);
  return fromMs === undefined || toMs === undefined || more.length > 0
    ? undefined
    : slowRefusalFault(fromMs, toMs);
}

const UPDATE_UNITS = ['seconds', 'requests'] as const;

function readModelUpdate([afterText, unitText = 'seconds', ...more]: readonly string[]):
  | FaultEffect
  | undefined {
  const after = whole(afterText, 0);
  const unit = oneOf(UPDATE_UNITS, unitText);
  if (after === undefined || unit === undefined || more.length > 0) return undefined;
  return modelUpdateFault(after, unit);
}

const LIMIT_VALUE = `=${WINDOW_KINDS.join('|')}:PER_MINUTE[:${RETRY_AFTER_FORMS.join('|')}[:${RATE_HEADER_FORMS.join('|')}]]`;

const FAULTS: Readonly<Record<string, FaultRow>> = {
  limit: {
    value: LIMIT_VALUE,
    summary:
      '429 above PER_MINUTE requests of a key: by the minute of the wall clock, in 60 s from the first request, in ' +
      'any 60 s, in any 60 s with refused requests counted, or by a token bucket; then the form of Retry-After, and ' +
      'of the header fields that tell the state: RateLimit of two drafts, or X-RateLimit',
    read: readLimit,
  },
  'limit-change': {
    value: '=AFTER_SECONDS:PER_MINUTE',
    summary: 'the limit of every `limit` becomes PER_MINUTE so long after the start, without a word',
    read: readLimitChange,
  },
  'in-flight': {
    value: '=MOST',
    summary:
      '429 above MOST requests of a key at once; each reply tells current- and maximum-concurrent-requests',
    read: oneNumber(1, inFlightFault),
  },
  status: {
    value: '=CODE',
    summary: 'an error, 400–599, in place of speech',
    read: oneNumber(400, statusFault, 599),
  },
  'wrong-type': { value: '', summary: '200 with a page of text/html', read: alone(wrongTypeFault) },
  'first-byte': {
    value: '=MS',
    summary: 'the reply begins so much later',
    read: oneNumber(0, firstByteFault),
  },
  stall: {
    value: '=AFTER_MS[:FOR_MS]',
    summary: 'after so much audio nothing comes for FOR_MS, or ever again',
    read: readStall,
  },
  drip: { value: '=BYTES', summary: 'so many bytes a second', read: oneNumber(1, dripFault) },
  reset: {
    value: '=BYTES',
    summary: 'the connection is reset after so many bytes',
    read: oneNumber(0, resetFault),
  },
  short: {
    value: '=BYTES',
    summary: 'the body ends properly after so many bytes',
    read: oneNumber(0, shortFault),
  },
  silent200: {
    value: '[=FOR_MS]',
    summary: '200 at once, and then nothing for FOR_MS, or ever',
    read: numberOr(Number.POSITIVE_INFINITY, 0, silentReplyFault),
  },
  'empty-success': { value: '', summary: '200 and a body without a byte', read: alone(emptyReplyFault) },
  silence: {
    value: '',
    summary: 'digital silence in place of the speech, as long as it',
    read: alone(replacedSoundFault(0, 0)),
  },
  tone: {
    value: '[=HZ]',
    summary: `a tone, ${DEFAULT_TONE_HZ} Hz by default, in place of the speech, as long as it`,
    read: numberOr(DEFAULT_TONE_HZ, 1, (hz) => replacedSoundFault(0, hz), MAX_TONE_HZ),
  },
  'half-voice': {
    value: '[=AFTER_MS]',
    summary: `stops speaking after so much, ${DEFAULT_SPOKEN_MS} ms by default, and goes on sending`,
    read: numberOr(DEFAULT_SPOKEN_MS, 0, (ms) => replacedSoundFault(ms, 0)),
  },
  quota401: {
    value: '',
    summary: '401 with `quota_exceeded`, as of an account whose characters are used up',
    read: alone(quotaFault),
  },
  'slow-refusal': {
    value: '[=FROM_MS[:TO_MS]]',
    summary: `429, but only after ${SLOW_REFUSAL_MS.join(' to ')} ms by default`,
    read: readSlowRefusal,
  },
  'stale-socket': {
    value: '',
    summary: 'a second request on a connection finds it reset',
    read: alone(staleSocketFault),
  },
  endless: { value: '', summary: 'the reply is repeated and never ends', read: alone(endlessFault) },
  garbage: { value: '', summary: 'noise in place of the audio, as long as it', read: alone(garbageFault) },
  'seed-ignored': {
    value: '',
    summary: 'speaks with another seed than the one asked for, whose name the reply bears',
    read: alone(seedIgnoredFault),
  },
  'seed-per-key': {
    value: '',
    summary: 'a seed gives each key bytes of its own',
    read: alone(seedPerKeyFault),
  },
  'model-update': {
    value: `=AFTER[:${UPDATE_UNITS.join('|')}]`,
    summary: 'after so many seconds or requests every seed gives other bytes than before',
    read: readModelUpdate,
  },
};

export type ReadFault =
  | { readonly ok: true; readonly fault: Fault }
  | { readonly ok: false; readonly wrong: string };

/** Reads `NAME[=VALUE][@SHARE]`; what is wrong is told in words that begin with what was given. */
export function readFault(given: string): ReadFault {
  const [, name = '', value, shareText] = /^([^=@]*)(?:=([^@]*))?(?:@(.*))?$/.exec(given) ?? [];
  const row = Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined;
  const wrong = (allowed: string): ReadFault => ({
    ok: false,
    wrong: `${JSON.stringify(given)}; allowed: ${allowed}`,
  });
  if (row === undefined) return wrong(`one of ${Object.keys(FAULTS).join(', ')}`);
  const share = shareText === undefined ? 1 : Number(shareText);
  if (shareText?.trim() === '' || !(share > 0 && share <= 1))
    return wrong('a share above 0 and at most 1 after @');
  const effect = row.read(value === undefined ? [] : value.split(':'));
  return effect === undefined ? wrong(name + row.value) : { ok: true, fault: { name, effect, share } };
}

/** What can be given and what it does, in the order of the documentation. */
export const FAULT_HELP: readonly { readonly syntax: string; readonly summary: string }[] = Object.entries(
  FAULTS,
).map(([name, { value, summary }]) => ({ syntax: name + value, summary }));
