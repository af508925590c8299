import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSendLog } from '../../src/limits/send-log.ts';

const timesOf = (log: ReturnType<typeof createSendLog>) =>
  Array.from({ length: log.count() }, (_, k) => log.newest(log.count() - 1 - k));

describe('log of sends', () => {
  it('counts a reservation once, at its first time', () => {
    const log = createSendLog(10);
    expect([log.add('a', 5), log.add('a', 9), log.count(), log.timeOf('a')]).toEqual([5, 5, 1, 5]);
  });
  it('does not go back in time', () => {
    const log = createSendLog(10);
    log.add('a', 100);
    expect(log.add('b', 50)).toBe(100);
  });
  it('takes out the very send that is meant, once', () => {
    const log = createSendLog(10);
    for (const [name, ms] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      log.add(name, ms);
    expect([log.remove('b'), log.remove('b'), log.remove('x')]).toEqual([true, false, false]);
    expect(timesOf(log)).toEqual([1, 3]);
    expect([log.timeOf('a'), log.timeOf('b'), log.timeOf('c')]).toEqual([1, undefined, 3]);
  });
  it('knows which have no answer, of those that it has', () => {
    const log = createSendLog(3);
    for (const [index, name] of ['a', 'b', 'c', 'd', 'd'].entries()) log.add(name, index);
    expect(log.unanswered()).toBe(3);
    for (const name of ['b', 'b', 'a']) log.answered(name);
    expect(log.unanswered()).toBe(2);
    log.remove('c');
    log.forget(10);
    expect(log.unanswered()).toBe(0);
  });
  it('forgets by time, and the oldest when it is full', () => {
    const log = createSendLog(3);
    for (let ms = 0; ms < 5; ms++) log.add(`r${ms}`, ms);
    expect(timesOf(log)).toEqual([2, 3, 4]);
    expect(log.timeOf('r1')).toBeUndefined();
    log.forget(4);
    expect(timesOf(log)).toEqual([4]);
  });

  it('is a list with a bound, whatever is done to it', () => {
    const step = fc.record({
      act: fc.constantFrom('add', 'add', 'add', 'remove', 'forget'),
      name: fc.nat(200).map((n) => `r${n}`),
      ms: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), fc.array(step, { maxLength: 400 }), (most, steps) => {
        const log = createSendLog(most);
        let model: { name: string; ms: number }[] = [];
        let nowMs = 0;
        for (const { act, name, ms } of steps) {
          nowMs += ms;
          if (act === 'add') {
            log.add(name, nowMs);
            if (!model.some((one) => one.name === name)) model.push({ name, ms: nowMs });
            model = model.slice(-most);
          } else if (act === 'remove') {
            log.remove(name);
            model = model.filter((one) => one.name !== name);
          } else {
            log.forget(nowMs - 1000);
            model = model.filter((one) => one.ms >= nowMs - 1000);
          }
        }
        expect(timesOf(log)).toEqual(model.map((one) => one.ms));
        for (const one of model) expect(log.timeOf(one.name)).toBe(one.ms);
      }),
    );
  });
});
