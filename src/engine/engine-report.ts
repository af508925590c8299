// What the engine counted, for tests to compare with what a client promises: by key how many requests were accepted
// and refused, how many at once, how many in any 60 seconds; and the last requests one by one, without their text.
// A key is named by the beginning of its digest.

import type { Clock } from '../base/clock.ts';
import { RATE_WINDOW_MS } from '../limits/rate-window.ts';
import type { Caller } from './engine-access.ts';

/** `open` is still being answered, `complete` was sent to its end, `cut` was not. */
type Outcome = 'open' | 'complete' | 'cut';

/** Times are milliseconds since the engine started. */
export type ReportedRequest = {
  readonly key: string;
  readonly atMs: number;
  /** 0 until there is an answer; then when its head was sent. */
  readonly status: number;
  readonly answeredAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly outcome: Outcome;
  /** Of a request that was understood. */
  readonly seed: number | undefined;
  readonly characters: number | undefined;
  /** The faults that it met, by name. */
  readonly faults: readonly string[];
};

export type ReportedKey = {
  /** `k_` and 8 hex digits; `any` when the engine has no keys. */
  readonly key: string;
  /** Answered with 200, with 429, with anything else. */
  readonly accepted: number;
  readonly refused: number;
  readonly failed: number;
  readonly inFlight: number;
  readonly mostInFlight: number;
  /** The most that came within any 60 s and were accepted. */
  readonly mostAcceptedIn60s: number;
  /** By the minute of the wall clock (milliseconds since 1970 at its beginning), the last hour that had any. */
  readonly minutes: readonly {
    readonly unixMs: number;
    readonly accepted: number;
    readonly refused: number;
  }[];
};

export type EngineReport = {
  readonly keys: readonly ReportedKey[];
  /** In order of arrival, the last 10,000. */
  readonly requests: readonly ReportedRequest[];
};

export type RequestRecord = {
  met(faults: readonly string[]): void;
  understood(seed: number, characters: number): void;
  answered(status: number): void;
  ended(outcome: 'complete' | 'cut'): void;
};

export type EngineRecorder = {
  begin(caller: Caller): RequestRecord;
  report(): EngineReport;
};

const MAX_REQUESTS = 10_000;
const MAX_MINUTES = 60;

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Minute = Writable<ReportedKey['minutes'][number]>;
type Tally = {
  readonly told: Writable<Omit<ReportedKey, 'minutes'>> & { readonly minutes: Minute[] };
  readonly countRecent: (atMs: number) => number;
};

const nameOf = ({ keyNumber }: Caller): string =>
  keyNumber === 0 ? 'any' : `k_${keyNumber.toString(16).padStart(8, '0')}`;

/** Takes the times of arrival of what was accepted, nearly in order; answers how many of them lie within 60 s. */
function createRecentCount(): (atMs: number) => number {
  let times: number[] = [];
  let first = 0;
  return (atMs) => {
    let place = times.length;
    // A limit counts arrivals, and answers may come in another order.
    while (place > first && times[place - 1]! > atMs) place -= 1;
    times.splice(place, 0, atMs);
    while (times.at(-1)! - times[first]! >= RATE_WINDOW_MS) first += 1;
    if (first > times.length / 2) {
      times = times.slice(first);
      first = 0;
    }
    return times.length - first;
  };
}

function createTally(key: string): Tally {
  const none = { accepted: 0, refused: 0, failed: 0, inFlight: 0, mostInFlight: 0, mostAcceptedIn60s: 0 };
  return { told: { key, ...none, minutes: [] }, countRecent: createRecentCount() };
}

function minuteOf(minutes: Minute[], atUnixMs: number): Minute {
  const beginMs = atUnixMs - (atUnixMs % RATE_WINDOW_MS);
  const known = minutes.find(({ unixMs }) => unixMs === beginMs);
  if (known !== undefined) return known;
  const minute = { unixMs: beginMs, accepted: 0, refused: 0 };
  minutes.push(minute);
  if (minutes.length > MAX_MINUTES) minutes.shift();
  return minute;
}

export function createEngineRecorder(clock: Clock, unixMs: () => number): EngineRecorder {
  const startedAtMs = clock.now();
  const sinceStartMs = () => Math.round(clock.now() - startedAtMs);
  const tallies = new Map<string, Tally>();
  const requests: Writable<ReportedRequest>[] = [];

  const keep = (key: string): Writable<ReportedRequest> => {
    const nothing = { answeredAtMs: undefined, endedAtMs: undefined, seed: undefined, characters: undefined };
    const request: Writable<ReportedRequest> = {
      key,
      atMs: sinceStartMs(),
      status: 0,
      outcome: 'open',
      faults: [],
      ...nothing,
    };
    requests.push(request);
    // Old ones are dropped by the thousand, not one by one.
    if (requests.length > 2 * MAX_REQUESTS) requests.splice(0, MAX_REQUESTS);
    return request;
  };

  return {
    begin(caller) {
      const key = nameOf(caller);
      const { told, countRecent } = tallies.get(key) ?? createTally(key);
      tallies.set(key, { told, countRecent });
      const minute = minuteOf(told.minutes, unixMs());
      const request = keep(key);
      told.inFlight += 1;
      told.mostInFlight = Math.max(told.mostInFlight, told.inFlight);
      return {
        met(faults) {
          request.faults = faults;
        },
        understood(seed, characters) {
          Object.assign(request, { seed, characters });
        },
        answered(status) {
          Object.assign(request, { status, answeredAtMs: sinceStartMs() });
          if (status === 200) {
            minute.accepted += 1;
            told.accepted += 1;
            told.mostAcceptedIn60s = Math.max(told.mostAcceptedIn60s, countRecent(request.atMs));
          } else if (status === 429) {
            minute.refused += 1;
            told.refused += 1;
          } else told.failed += 1;
        },
        ended(outcome) {
          told.inFlight -= 1;
          Object.assign(request, { outcome, endedAtMs: sinceStartMs() });
        },
      };
    },
    report: () => ({
      keys: [...tallies.values()].map(({ told }) => structuredClone(told)),
      requests: requests.slice(-MAX_REQUESTS).map((request) => ({ ...request })),
    }),
  };
}
