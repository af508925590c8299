import { expect, it } from 'vitest';
import type { QuotaState } from '../../../src/upstream/quota/quota-store.ts';
import { hasRoom, perMsOf, useOf } from '../../../src/upstream/quota/quota-use.ts';

const sliding = (used: number, rest: Partial<QuotaState> = {}): QuotaState => ({
  quota: 'k',
  rule: { kind: 'sliding', limit: 60, spanMs: 60_000 },
  used,
  heldMs: 0,
  mode: 'sliding',
  ...rest,
});
const unlimited: QuotaState = {
  quota: 'u',
  rule: { kind: 'unlimited' },
  used: 9,
  heldMs: 0,
  mode: 'unlimited',
};

it('reads use off the limits that are known', () => {
  expect(useOf([sliding(30), sliding(60)])).toBe(0.75);
  expect(useOf([sliding(30), unlimited])).toBe(0.5);
  expect(useOf([unlimited])).toBeUndefined();
});

it('lets a limit that is still sought say nothing, until the key is held', () => {
  expect(useOf([sliding(60, { mode: 'learning' })])).toBeUndefined();
  expect(useOf([sliding(60, { stage: 'learning' }), sliding(6)])).toBe(0.1);
  expect(useOf([sliding(60, { stage: 'confirming' })])).toBe(1);
  expect(useOf([sliding(1, { mode: 'learning', heldMs: 5 })])).toBe(1);
});

it('takes a held key for used up', () => {
  expect(useOf([sliding(0, { heldMs: 1 }), sliding(0)])).toBe(0.5);
  expect([
    hasRoom([sliding(0, { heldMs: 1 })], 'k'),
    hasRoom([sliding(59)], 'k'),
    hasRoom([sliding(60)], 'k'),
  ]).toEqual([false, true, false]);
});

it('adds up what the limits allow', () => {
  expect(perMsOf([sliding(0), sliding(0)])).toBeCloseTo(0.002);
  expect(perMsOf([sliding(0), unlimited])).toBe(Number.POSITIVE_INFINITY);
});
