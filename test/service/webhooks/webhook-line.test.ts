import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type ClaimedDelivery,
  createWebhookLine,
  type LineBounds,
} from '../../../src/service/webhooks/webhook-line.ts';

const BOUNDS: LineBounds = { atOnce: 4, perHost: 2, perOwner: 3, waiting: 12, waitingEach: 5 };
const claimed = (id: string, host: string, owner: string, heldUntilMs = 0): ClaimedDelivery => ({
  delivery: {
    id,
    owner,
    url: `https://${host}/`,
    type: 'tts.completed',
    body: '{}',
    createdAtMs: 0,
    state: 'pending',
    attempts: [],
    tries: 0,
    nextAtMs: 0,
  },
  host,
  heldUntilMs,
});

it('goes past whom the bounds hold back, in the order of coming', () => {
  const line = createWebhookLine(BOUNDS);
  for (const id of ['a1', 'a2', 'a3']) line.add(claimed(id, 'a.example', 'ann'));
  line.add(claimed('b1', 'b.example', 'bob'));
  const taken = [line.next(), line.next(), line.next(), line.next()].map((one) => one?.delivery.id);
  expect(taken).toEqual(['a1', 'a2', 'b1', undefined]);
  line.leave(claimed('a1', 'a.example', 'ann'));
  expect(line.next()?.delivery.id).toBe('a3');
});

it('keeps a place for whoever comes, however many are slow together', () => {
  const line = createWebhookLine({ atOnce: 8, perHost: 4, perOwner: 4, waiting: 16, waitingEach: 8 });
  for (let i = 0; i < 40; i++) line.add(claimed(`d${i}`, `dead-${i % 5}.example`, `owner-${i % 5}`));
  while (line.next() !== undefined);
  expect(line.add(claimed('a', 'a.example', 'ann'))).toBe(true);
  expect(line.next()?.delivery.id).toBe('a');
});

it('holds one that waits for as long as the newest claim says, and leaves one on its way alone', () => {
  const line = createWebhookLine(BOUNDS);
  line.add(claimed('a', 'a.example', 'ann', 100));
  expect(line.add(claimed('a', 'a.example', 'ann', 200))).toBe(true);
  expect(line.room()).toBe(BOUNDS.waiting - 1);
  expect(line.next()?.heldUntilMs).toBe(200);
  expect(line.add(claimed('a', 'a.example', 'ann', 300))).toBe(true);
  expect(line.next()).toBeUndefined();
});

/** A message's host and owner never change. */
const numbered = (number: number) =>
  claimed(`m${number}`, 'abc'.charAt(number % 3), 'xyz'.charAt((number >> 2) % 3));

it('keeps every bound whatever comes and goes, and counts down to nothing', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), number: fc.nat(30) }),
    fc.record({ kind: fc.constantFrom('next' as const, 'leave' as const, 'clear' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const line = createWebhookLine(BOUNDS);
      const going: ClaimedDelivery[] = [];
      for (const given of steps) {
        if (given.kind === 'add') line.add(numbered(given.number));
        if (given.kind === 'clear') line.clear();
        if (given.kind === 'leave' && going.length > 0) line.leave(going.shift()!);
        if (given.kind === 'next') {
          const next = line.next();
          if (next !== undefined) going.push(next);
        }
        expect(line.room()).toBeGreaterThanOrEqual(0);
        expect(going.length).toBeLessThanOrEqual(BOUNDS.atOnce);
        expect(new Set(going.map(({ delivery }) => delivery.id)).size).toBe(going.length);
        for (const name of ['a', 'b', 'c'])
          expect(going.filter((one) => one.host === name).length).toBeLessThanOrEqual(BOUNDS.perHost);
        for (const name of ['x', 'y', 'z'])
          expect(going.filter((one) => one.delivery.owner === name).length).toBeLessThanOrEqual(
            BOUNDS.perOwner,
          );
      }
      line.clear();
      for (const one of going) line.leave(one);
      expect([line.room(), line.next()]).toEqual([BOUNDS.waiting, undefined]);
      // Nothing is left counted: the whole of each bound is there again.
      for (let n = 0; n < BOUNDS.waitingEach; n++) expect(line.add(claimed(`n${n}`, 'a', 'x'))).toBe(true);
      expect(line.add(claimed('more', 'a', 'x'))).toBe(false);
      expect([line.next(), line.next(), line.next()].filter((one) => one !== undefined)).toHaveLength(2);
    }),
  );
});
