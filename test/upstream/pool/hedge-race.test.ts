import { describe, expect, it } from 'vitest';
import { raceHedge } from '../../../src/upstream/pool/hedge-race.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';

type Result = { readonly ok: boolean; readonly from: string };

function runner(from: string) {
  let resolve: (result: Result) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const result = new Promise<Result>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  const made = {
    result,
    cancelled: 0,
    cancel(reason: Error) {
      made.cancelled += 1;
      reject(reason);
    },
    answer: () => resolve({ ok: true, from }),
    fail: () => resolve({ ok: false, from }),
    abort: () => reject(new Error('the caller left')),
  };
  return made;
}

function race(hedging: 'hedged' | 'alone' = 'hedged') {
  const clock = createFakeClock();
  const first = runner('first');
  const second = runner('second');
  const ends: string[] = [];
  const seen = { started: 0, wanted: () => false, outcome: 'pending' as unknown };
  const hedge = {
    afterMs: 200,
    async start(isWanted: () => boolean) {
      seen.started += 1;
      seen.wanted = isWanted;
      return hedging === 'hedged' ? second : undefined;
    },
    onEnd: (end: string) => void ends.push(end),
  };
  raceHedge<Result>(first, hedge, clock).then(
    (result) => {
      seen.outcome = result;
    },
    (error: Error) => {
      seen.outcome = error.message;
    },
  );
  return { clock, first, second, ends, seen };
}

describe('a race', () => {
  it('is none when the first answers, or fails, in time', async () => {
    for (const end of ['answer', 'fail'] as const) {
      const { clock, first, seen } = race();
      await clock.run(199);
      first[end]();
      await settle();
      expect(seen.outcome).toMatchObject({ from: 'first' });
      expect([seen.started, clock.timers]).toEqual([0, 0]);
    }
  });

  it('is won by the second, and the first is cut', async () => {
    const { clock, first, second, ends, seen } = race();
    await clock.run(200);
    expect([seen.started, seen.wanted()]).toEqual([1, true]);
    second.answer();
    await settle();
    expect(seen.outcome).toEqual({ ok: true, from: 'second' });
    expect([first.cancelled, second.cancelled, ends, seen.wanted()]).toEqual([1, 0, ['won'], false]);
  });

  it('is lost by the second, which is cut', async () => {
    const { clock, first, second, ends, seen } = race();
    await clock.run(200);
    first.answer();
    await settle();
    expect(seen.outcome).toEqual({ ok: true, from: 'first' });
    expect([first.cancelled, second.cancelled, ends]).toEqual([0, 1, ['lost']]);
  });

  it('goes on while one of them may still answer', async () => {
    const one = race();
    await one.clock.run(200);
    one.first.fail();
    await settle();
    expect(one.seen.outcome).toBe('pending');
    one.second.answer();
    await settle();
    expect([one.seen.outcome, one.ends]).toEqual([{ ok: true, from: 'second' }, ['won']]);

    const other = race();
    await other.clock.run(200);
    other.second.fail();
    await settle();
    expect([other.seen.outcome, other.ends]).toEqual(['pending', ['failed']]);
    other.first.answer();
    await settle();
    expect([other.seen.outcome, other.ends]).toEqual([{ ok: true, from: 'first' }, ['failed']]);
  });

  it('fails when both have', async () => {
    for (const order of [
      ['first', 'second'],
      ['second', 'first'],
    ] as const) {
      const made = race();
      await made.clock.run(200);
      for (const name of order) {
        made[name].fail();
        await settle();
      }
      expect(made.seen.outcome).toMatchObject({ ok: false });
      expect(made.ends).toEqual(['failed']);
    }
  });

  it('goes on alone when there is to be no second', async () => {
    const { clock, first, seen, ends } = race('alone');
    await clock.run(5_000);
    first.answer();
    await settle();
    expect([seen.outcome, ends]).toEqual([{ ok: true, from: 'first' }, []]);
  });

  it('ends with the caller', async () => {
    const { clock, first, second, seen, ends } = race();
    await clock.run(200);
    first.abort();
    second.abort();
    await settle();
    expect([seen.outcome, ends]).toEqual(['the caller left', ['lost']]);
  });
});
