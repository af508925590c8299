// What a resumable session remembers, against a gateway that is made up: whatever is lost where, each message is taken once and in
// order, and what is claimed is what came.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isLost,
  MAX_WAITING_BYTES,
  ResumeLedger,
  reconnectDelayMs,
} from '../../packages/client/src/resume-ledger.ts';

describe('what is remembered', () => {
  it('is repeated until it is taken, in order and once', () => {
    /** Messages said, how many of them arrive before the connection breaks, and how many of those are acknowledged. */
    const rounds = fc.array(fc.record({ said: fc.nat(5), arrive: fc.nat(8), told: fc.nat(8) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(rounds, (list) => {
        const ledger = new ResumeLedger();
        const taken: string[] = [];
        let count = 0;
        for (const { said, arrive, told } of list) {
          for (let i = 0; i < said; i += 1) ledger.add({ type: 'ping' }, String(++count));
          // A new connection: the gateway says how many it has, and the rest is sent again.
          ledger.acknowledge(taken.length);
          taken.push(...ledger.unacknowledged().slice(0, arrive));
          ledger.acknowledge(Math.max(0, taken.length - told));
        }
        ledger.acknowledge(taken.length);
        taken.push(...ledger.unacknowledged());
        expect(taken).toEqual(Array.from({ length: count }, (_, at) => String(at + 1)));
      }),
    );
  });

  it('is bounded', () => {
    const ledger = new ResumeLedger();
    const text = 'x'.repeat(MAX_WAITING_BYTES / 3 - 10);
    expect(ledger.add({ type: 'append' }, text)).toBe(true);
    expect(ledger.add({ type: 'append' }, text)).toBe(false);
    ledger.acknowledge(1);
    expect(ledger.add({ type: 'append' }, text)).toBe(true);
  });

  it('claims the turn whose audio comes, until it has ended', () => {
    const ledger = new ResumeLedger();
    expect(ledger.claim()).toEqual({ after: '0' });
    ledger.message({ type: 'ready', n: 1 });
    expect(ledger.isExpecting()).toBe(false);
    ledger.add({ type: 'speak', turn: 'a' }, '{}');
    ledger.acknowledge(1);
    expect(ledger.isExpecting()).toBe(true);
    ledger.message({ type: 'started', turn: 'a', n: 2 });
    ledger.audio(160);
    ledger.audio(160);
    expect(ledger.claim()).toEqual({ after: '2', turn: 'a', received: '320' });
    expect(ledger.message({ type: 'started', turn: 'a', n: 2 })).toBe(false); // it came before
    ledger.message({ type: 'ended', turn: 'a', n: 3 });
    expect(ledger.claim()).toEqual({ after: '3' });
    expect(ledger.isExpecting()).toBe(false);
  });
});

it('waits longer from attempt to attempt, within bounds', () => {
  const delays = Array.from({ length: 12 }, (_, attempt) => reconnectDelayMs(attempt, 1));
  expect(delays.slice(0, 6)).toEqual([200, 400, 800, 1600, 3200, 5000]);
  expect(Math.max(...delays)).toBe(5000);
  expect(reconnectDelayMs(0, 0)).toBe(100);
});

it('knows which ends are none', () => {
  expect([1001, 1006, 1011, 1012, 1013, 1014, 4508].every((code) => isLost(code, ''))).toBe(true);
  expect([1000, 1005, 1002, 1008, 4408, 4409, 4410, 4429].some((code) => isLost(code, ''))).toBe(false);
});
