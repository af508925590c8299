// The row of due times beside a list that asks everybody: the same are asked, whatever joins, leaves and is marked meanwhile.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDueTable } from '../../src/playout/playout-clock.ts';

type Scripted = { readonly name: number; at: number; dueMs(): number };

const named = (name: number, at: number): Scripted => {
  const player: Scripted = {
    name,
    at,
    dueMs: () => player.at,
  };
  return player;
};

const NEVER = Number.POSITIVE_INFINITY;
const who = fc.nat(90);
const acts = fc.oneof(
  fc.record({ do: fc.constant('add' as const), who, at: fc.constantFrom(0, 5, 10, 40, NEVER) }),
  fc.record({ do: fc.constant('remove' as const), who }),
  fc.record({ do: fc.constant('mark' as const), who }),
  fc.record({ do: fc.constant('ask' as const), sleepMs: fc.constantFrom(0, 5, 20, NEVER) }),
);

describe('due table', () => {
  it('asks those who are due by their last word or were marked, and counts those who wait for a time', () => {
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 300 }), (doings) => {
        const table = createDueTable<Scripted>();
        const all = Array.from({ length: 91 }, (_, name) => named(name, 0));
        const due = new Map<Scripted, number>();
        let nowMs = 0;
        for (const act of doings) {
          const player = 'who' in act ? all[act.who]! : all[0]!;
          if (act.do === 'add') {
            if (!due.has(player)) {
              player.at = act.at;
              due.set(player, act.at);
            }
            table.add(player);
          } else if (act.do === 'remove') {
            expect(table.remove(player)).toBe(due.delete(player));
          } else if (act.do === 'mark') {
            if (due.has(player)) due.set(player, Number.NEGATIVE_INFINITY);
            table.markDue(player);
          } else {
            nowMs += 5;
            const expected = [...due].filter(([, at]) => at <= nowMs).map(([{ name }]) => name);
            const timed = [...due.values()].filter((at) => at < NEVER).length;
            const asked: number[] = [];
            const told = table.askDue(nowMs, (one) => {
              asked.push(one.name);
              one.at = nowMs + act.sleepMs;
            });
            expect(new Set(asked)).toEqual(new Set(expected));
            expect(asked).toHaveLength(expected.length);
            expect(told).toBe(timed);
            for (const name of asked) due.set(all[name]!, nowMs + act.sleepMs);
          }
          expect(table.size()).toBe(due.size);
          expect(all.filter((one) => table.has(one))).toEqual(all.filter((one) => due.has(one)));
        }
      }),
    );
  });

  it('has room for any number, and knows of each when it is due', () => {
    const table = createDueTable<Scripted>();
    const all = Array.from({ length: 300 }, (_, name) => named(name, name));
    for (const player of all) table.add(player);
    for (const player of all.slice(100, 200)) table.remove(player);
    for (const player of all.slice(100, 150)) table.add(player);
    const asked: number[] = [];
    const timed = table.askDue(209, (player) => {
      asked.push(player.name);
      player.at = NEVER;
    });
    const names = Array.from({ length: 210 }, (_, name) => name).filter((name) => name < 150 || name >= 200);
    expect(asked.toSorted((a, b) => a - b)).toEqual(names);
    expect([timed, table.size()]).toEqual([250, 250]);
  });

  it('heeds what happens to one while it is asked, and to others', () => {
    const table = createDueTable<Scripted>();
    const [first, second, third] = [named(1, 0), named(2, 0), named(3, 0)];
    for (const player of [first, second, third]) table.add(player);
    const asked: number[] = [];
    const ask = (player: Scripted) => {
      asked.push(player.name);
      player.at = NEVER;
      if (player === first) table.remove(second);
      if (player === first) table.markDue(first);
    };
    expect(table.askDue(10, ask)).toBe(2);
    expect(table.askDue(15, ask)).toBe(1);
    expect(asked).toEqual([1, 3, 1]);
    table.clear();
    expect(table.askDue(20, ask)).toBe(0);
  });
});
