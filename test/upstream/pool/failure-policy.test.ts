import { describe, expect, it } from 'vitest';
import { ERROR_TABLE, type ErrorCode } from '../../../src/base/app-error.ts';
import {
  coolDownAfter,
  isServiceFault,
  type MemberHistory,
  nextStep,
  type Situation,
} from '../../../src/upstream/pool/failure-policy.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

const easy: Situation = { attempts: 1, timeLeftMs: 5_000, otherKeys: 1 };
const giveUp = { step: 'give-up' };

describe('next step', () => {
  it('goes on at once after a 429, however often and however late, and not on the retry budget', () => {
    const step = { step: 'retry', delayMs: 0, on: 'any-key', budget: 'free' };
    expect(nextStep('upstream_rate_limited', easy, fixedRandom())).toEqual(step);
    expect(nextStep('upstream_rate_limited', { ...easy, attempts: 2, otherKeys: 0 }, fixedRandom())).toEqual(
      step,
    );
    expect(nextStep('upstream_rate_limited', { ...easy, attempts: 99 }, fixedRandom())).toEqual(step);
    const late = { attempts: 1, timeLeftMs: 0, otherKeys: 1 };
    expect(nextStep('upstream_rate_limited', late, fixedRandom())).toEqual({ ...step, on: 'another-key' });
    expect(nextStep('upstream_rate_limited', { ...late, otherKeys: 0 }, fixedRandom())).toEqual(giveUp);
  });

  it('tries a fault of the service twice more', () => {
    for (const code of ['upstream_unreachable', 'upstream_timeout', 'upstream_bad_audio'] as const) {
      expect(nextStep(code, { ...easy, attempts: 2 }, fixedRandom())).toMatchObject({ step: 'retry' });
      expect(nextStep(code, { ...easy, attempts: 3 }, fixedRandom())).toEqual(giveUp);
    }
  });

  it('spreads the retries of an outage over 50 to 200 ms', () => {
    for (const code of ['upstream_unreachable', 'upstream_bad_audio'] as const) {
      expect(nextStep(code, easy, fixedRandom(0))).toMatchObject({ delayMs: 50, budget: 'charged' });
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
      on: 'another-key',
      budget: 'free',
    });
    expect(nextStep('upstream_unauthorized', { ...easy, attempts: 9 }, fixedRandom())).toMatchObject({
      step: 'retry',
    });
    expect(nextStep('upstream_unauthorized', { ...easy, otherKeys: 0 }, fixedRandom())).toEqual(giveUp);
  });

  it('gives up when the time does not suffice', () => {
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

describe('rest', () => {
  const history: MemberHistory = {
    forbidden: 1,
    faults: 1,
    coolDowns: 0,
    onTrialFor: undefined,
    lastMember: false,
  };
  const rest = (status: number | undefined, code: ErrorCode, known: Partial<MemberHistory> = {}) =>
    coolDownAfter({ status, code }, { ...history, ...known });
  const refused = { kind: 'refused', ms: 600_000 };

  it('is 10 minutes for a 401, a 402 and a 429 that means one, and for a 403 only at the third in a row', () => {
    expect(rest(429, 'upstream_unauthorized')).toEqual(refused);
    expect(rest(401, 'upstream_unauthorized')).toEqual(refused);
    expect(rest(402, 'upstream_unauthorized')).toEqual(refused);
    expect(rest(403, 'upstream_unauthorized', { forbidden: 2 })).toBeUndefined();
    expect(rest(403, 'upstream_unauthorized', { forbidden: 3 })).toEqual(refused);
  });

  it('begins at the fifth fault of the service in a row, and grows to 5 minutes', () => {
    expect(rest(503, 'upstream_unreachable', { faults: 4 })).toBeUndefined();
    expect(rest(undefined, 'upstream_unreachable', { faults: 5 })).toEqual({ kind: 'broken', ms: 30_000 });
    const grown = [1, 2, 9, 10, 50].map(
      (coolDowns) => rest(503, 'upstream_timeout', { coolDowns, onTrialFor: 'broken' })?.ms,
    );
    expect(grown).toEqual([60_000, 90_000, 300_000, 300_000, 300_000]);
  });

  it('begins again at once only when the trial was for a fault', () => {
    expect(rest(500, 'upstream_unreachable', { onTrialFor: 'limited' })).toBeUndefined();
    expect(rest(500, 'upstream_unreachable', { onTrialFor: 'refused' })).toBeUndefined();
    expect(rest(500, 'upstream_unreachable', { onTrialFor: 'broken', coolDowns: 1 })).toBeDefined();
  });

  it('never takes the last member', () => {
    const last = { lastMember: true, forbidden: 9, faults: 99, coolDowns: 3 };
    for (const status of [401, 402, 403]) expect(rest(status, 'upstream_unauthorized', last)).toBeUndefined();
    expect(rest(503, 'upstream_unreachable', last)).toBeUndefined();
  });

  it('is not for what is not the key: not for a 429, not for a request that was wrong', () => {
    const many = { faults: 50, forbidden: 1 };
    expect(rest(429, 'upstream_rate_limited', many)).toBeUndefined();
    for (const status of [400, 404, 422]) expect(rest(status, 'upstream_rejected', many)).toBeUndefined();
    expect(rest(undefined, 'busy', many)).toBeUndefined();
  });

  it('takes for a fault what draws on the retry budget, bodies that broke, and nothing else', () => {
    const faults = (Object.keys(ERROR_TABLE) as ErrorCode[]).filter(isServiceFault);
    expect(faults.sort()).toEqual([
      'upstream_bad_audio',
      'upstream_broken',
      'upstream_timeout',
      'upstream_unreachable',
    ]);
  });
});
