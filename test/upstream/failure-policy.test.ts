import { describe, expect, it } from 'vitest';
import { ERROR_TABLE, type ErrorCode } from '../../src/base/app-error.ts';
import { coolDown, nextStep, type Situation } from '../../src/upstream/failure-policy.ts';
import { fixedRandom } from '../support/fixed-random.ts';

const easy: Situation = { attempts: 1, timeLeftMs: 5_000, anyKeyInMs: 0, otherKeys: 1 };
const giveUp = { step: 'give-up' };

describe('next step', () => {
  it('tries again at once on any key after a 429, as often as others, and not on the retry budget', () => {
    const step = { step: 'retry', delayMs: 0, budget: 'free' };
    expect(nextStep('upstream_rate_limited', easy, fixedRandom())).toEqual(step);
    expect(nextStep('upstream_rate_limited', { ...easy, attempts: 2, otherKeys: 0 }, fixedRandom())).toEqual(
      step,
    );
    expect(nextStep('upstream_rate_limited', { ...easy, attempts: 3 }, fixedRandom())).toEqual(giveUp);
  });

  it('spreads the retries of an outage over 50 to 200 ms', () => {
    for (const code of ['upstream_unreachable', 'upstream_bad_audio'] as const) {
      expect(nextStep(code, easy, fixedRandom(0))).toEqual({ step: 'retry', delayMs: 50, budget: 'charged' });
      expect(nextStep(code, easy, fixedRandom(0.9999))).toMatchObject({ delayMs: 200 });
    }
    expect(nextStep('upstream_timeout', easy, fixedRandom())).toMatchObject({
      delayMs: 0,
      budget: 'charged',
    });
  });

  it('tries a refused key only on another one', () => {
    expect(nextStep('upstream_unauthorized', easy, fixedRandom())).toMatchObject({
      step: 'retry',
      budget: 'free',
    });
    expect(nextStep('upstream_unauthorized', { ...easy, otherKeys: 0 }, fixedRandom())).toEqual(giveUp);
  });

  it('gives up when the time does not suffice', () => {
    expect(nextStep('upstream_rate_limited', { ...easy, anyKeyInMs: 5_001 }, fixedRandom())).toEqual(giveUp);
    expect(nextStep('upstream_unreachable', { ...easy, timeLeftMs: 49 }, fixedRandom())).toEqual(giveUp);
    expect(nextStep('upstream_timeout', { ...easy, timeLeftMs: -1 }, fixedRandom())).toEqual(giveUp);
  });

  it('never tries again what cannot get better', () => {
    const tried = (Object.keys(ERROR_TABLE) as ErrorCode[]).filter(
      (code) => nextStep(code, easy, fixedRandom()).step === 'retry',
    );
    expect(tried.sort()).toEqual([
      'upstream_bad_audio',
      'upstream_rate_limited',
      'upstream_timeout',
      'upstream_unauthorized',
      'upstream_unreachable',
    ]);
  });
});

describe('cool-down', () => {
  const history = { rateLimited: 1, forbidden: 1, lastKey: false };

  it('believes a Retry-After, but rests a second at least', () => {
    expect(coolDown(429, 17_000, history)).toEqual({ kind: 'limited', ms: 17_000 });
    expect(coolDown(429, 0, history)).toEqual({ kind: 'limited', ms: 1_000 });
  });

  it('guesses gently without one, and longer each time up to a minute', () => {
    const ms = [1, 2, 3, 4, 5, 50].map(
      (rateLimited) => coolDown(429, undefined, { ...history, rateLimited })?.ms,
    );
    expect(ms).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it('rests 10 minutes for a 401, and for a 403 only at the third in a row', () => {
    expect(coolDown(401, undefined, history)).toEqual({ kind: 'refused', ms: 600_000 });
    expect(coolDown(403, undefined, { ...history, forbidden: 2 })).toBeUndefined();
    expect(coolDown(403, undefined, { ...history, forbidden: 3 })).toEqual({ kind: 'refused', ms: 600_000 });
  });

  it('never takes the last key out for a refusal', () => {
    expect(coolDown(401, undefined, { ...history, lastKey: true })).toBeUndefined();
    expect(coolDown(403, undefined, { ...history, forbidden: 9, lastKey: true })).toBeUndefined();
  });

  it('does not rest for what is not the key', () => {
    for (const status of [undefined, 400, 404, 500, 503, 200])
      expect(coolDown(status, 9, history)).toBeUndefined();
  });
});
