import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../../src/base/app-error.ts';
import { createConcurrencyCap, createPoolMember } from '../../../src/upstream/pool/pool-member.ts';

const failure = (code: ErrorCode, status?: number) => ({
  error: new AppError(code, 'failed'),
  status,
  advice: {},
});
const fault = failure('upstream_unreachable', 503);
const member = (name = 'a') => createPoolMember({ userId: name, apiKey: `key-${name}` }, 4);
const others = [member('b')];

/** One attempt from `atMs` that fails at once. */
function fail(one: ReturnType<typeof member>, atMs: number, met = fault) {
  const place = one.take(atMs);
  const rest = place.failed(met, atMs, others);
  place.release();
  return rest;
}

describe('the breaker', () => {
  it('opens at five faults in a row, and not when an answer came between them', () => {
    const one = member();
    for (let i = 0; i < 4; i++) expect(fail(one, i)).toBeUndefined();
    const good = one.take(4);
    good.answered({});
    good.release();
    for (let i = 5; i < 9; i++) expect(fail(one, i)).toBeUndefined();
    expect(fail(one, 9)).toEqual({ kind: 'broken', ms: 30_000 });
    expect([one.freeSlots(9), one.coolDownMs(10)]).toEqual([0, 29_999]);
  });

  it('lets one request try, opens for longer when it fails, and closes when it works', () => {
    const one = member();
    for (let i = 0; i < 5; i++) fail(one, 0);
    expect(one.freeSlots(29_999)).toBe(0);
    expect(one.freeSlots(30_000)).toBe(1);
    const trial = one.take(30_000);
    expect(one.freeSlots(30_000)).toBe(0);
    expect(trial.failed(fault, 31_000, others)).toEqual({ kind: 'broken', ms: 60_000 });
    trial.release();
    expect(one.freeSlots(91_000)).toBe(1);
    const second = one.take(91_000);
    second.answered({});
    expect(one.freeSlots(91_000)).toBe(3);
    second.release();
    for (let i = 0; i < 4; i++) expect(fail(one, 92_000)).toBeUndefined();
    expect(fail(one, 92_000)).toEqual({ kind: 'broken', ms: 30_000 });
  });

  it('takes a burst of failures for one', () => {
    const one = member();
    for (let i = 0; i < 4; i++) fail(one, i);
    const burst = [one.take(10), one.take(10), one.take(10)];
    expect(burst.map((place) => place.failed(fault, 20, others)?.ms)).toEqual([30_000, undefined, undefined]);
  });

  it('spares the last that works', () => {
    const [one, other] = [member(), member('b')];
    for (let i = 0; i < 5; i++) fail(other, 0);
    for (let i = 0; i < 20; i++) {
      const place = one.take(i);
      expect(place.failed(fault, i, [other])).toBeUndefined();
      place.release();
    }
    expect(one.freeSlots(20)).toBe(4);
  });

  it('does not count what the request was to blame for, or a 429', () => {
    const one = member();
    for (let i = 0; i < 4; i++) fail(one, i);
    expect(fail(one, 5, failure('upstream_rejected', 400))).toBeUndefined();
    expect(fail(one, 6)).toBeUndefined();
    for (let i = 0; i < 9; i++) fail(one, 10 + i, failure('upstream_rate_limited', 429));
    expect(one.coolDownMs(30)).toBe(0);
  });
});

describe('bodies that break', () => {
  /** One attempt whose body ends as told, after its first byte. */
  const stream = (one: ReturnType<typeof member>, atMs: number, end: 'whole' | 'broken') => {
    const place = one.take(atMs);
    place.answered({});
    const rest = end === 'broken' ? place.broke(atMs, others) : place.finished();
    place.release();
    return rest;
  };

  it('open the breaker at the fifth in a row, though each had answered', () => {
    const one = member();
    for (let i = 0; i < 4; i++) expect(stream(one, i, 'broken')).toBeUndefined();
    stream(one, 4, 'whole');
    for (let i = 5; i < 9; i++) expect(stream(one, i, 'broken')).toBeUndefined();
    expect(stream(one, 9, 'broken')).toEqual({ kind: 'broken', ms: 30_000 });
    expect(one.freeSlots(10)).toBe(0);
  });

  it('never make the last member rest', () => {
    const one = member();
    const other = member('b');
    for (let i = 0; i < 5; i++) fail(other, 0);
    for (let i = 0; i < 9; i++) {
      const place = one.take(i);
      place.answered({});
      expect(place.broke(i, [other])).toBeUndefined();
      place.release();
    }
  });
});

it('takes 403s for a refused key only when nothing else was answered between them', () => {
  const one = member();
  const statuses = [403, 422, 403, 503, 403, 403];
  const met = (status: number) =>
    status === 503 ? fault : failure(status === 403 ? 'upstream_unauthorized' : 'upstream_rejected', status);
  for (const [atMs, status] of statuses.entries()) expect(fail(one, atMs, met(status))).toBeUndefined();
  expect(fail(one, 9, met(403))).toEqual({ kind: 'refused', ms: 600_000 });
});

describe('after a 429', () => {
  it('sends one at a time until one works', () => {
    const one = member();
    const early = one.take(0);
    fail(one, 1, failure('upstream_rate_limited', 429));
    expect(one.freeSlots(2)).toBe(1);
    const trial = one.take(2);
    expect(one.freeSlots(3)).toBe(0);
    early.answered({});
    expect(one.freeSlots(4)).toBe(0);
    trial.answered({});
    expect(one.freeSlots(5)).toBe(2);
  });

  it('lets the next try when the trial was cancelled', () => {
    const one = member();
    fail(one, 1, failure('upstream_rate_limited', 429));
    one.take(2).release();
    expect(one.freeSlots(3)).toBe(1);
  });
});

describe('places', () => {
  it('are as many as the service says', () => {
    const one = member();
    const place = one.take(0);
    place.answered({ concurrent: 2 });
    expect([one.cap(0), one.freeSlots(0)]).toEqual([2, 1]);
    place.release();
    expect(one.freeSlots(0)).toBe(2);
  });

  it('sink to what else was under way when that was too much', () => {
    const one = member();
    for (let i = 0; i < 3; i++) one.take(0);
    one.crowded(0);
    expect([one.cap(0), one.freeSlots(0)]).toEqual([2, 0]);
  });

  it('are never fewer than none', () => {
    const one = member();
    for (let i = 0; i < 4; i++) one.take(0);
    one.told(1);
    expect(one.freeSlots(0)).toBe(0);
  });
});

it('shares its quota with members of the same API key, and its name with nobody', () => {
  const one = createPoolMember({ userId: 'x', apiKey: 'same' }, 1);
  const other = createPoolMember({ userId: 'y', apiKey: 'same' }, 1);
  expect(one.quota).toBe(other.quota);
  expect(one.quota).toMatch(/^[0-9a-f]{16}$/);
  expect(one.fingerprint).not.toBe(other.fingerprint);
});

describe('the cap on what is under way', () => {
  it('is the setting, or less when the service says so', () => {
    const cap = createConcurrencyCap(10);
    expect(cap.at(0)).toBe(10);
    cap.told(3);
    expect(cap.at(0)).toBe(3);
    cap.told(99);
    expect(cap.at(0)).toBe(10);
  });
  it('sinks to what else was under way, and rises by one every half minute', () => {
    const cap = createConcurrencyCap(10);
    cap.refused(4, 1_000);
    expect([1_000, 30_999, 31_000, 61_000, 9_999_999].map((atMs) => cap.at(atMs))).toEqual([4, 4, 5, 6, 10]);
    cap.refused(7, 31_000);
    expect(cap.at(31_000)).toBe(5);
    cap.refused(0, 31_000);
    expect(cap.at(31_000)).toBe(1);
  });
});
