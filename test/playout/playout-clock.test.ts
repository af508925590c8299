import { describe, expect, it } from 'vitest';
import { createPlayoutClock, type Player } from '../../src/playout/playout-clock.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';

const fails = (_player: Player, fault: unknown) => {
  throw fault;
};

describe('playout clock', () => {
  it('ticks on absolute times, as far apart as it is told, and not at all without players', () => {
    const clock = createFakeClock(5);
    const times: number[] = [];
    const late: number[] = [];
    const playout = createPlayoutClock({ clock, tickMs: 10, onTick: (ms) => late.push(ms), onFault: fails });
    const player: Player = {
      dueMs: () => 0,
      sendDue: (nowMs) => times.push(nowMs),
      wantsRefill: () => false,
      refill() {},
    };
    expect(clock.timers).toBe(0);
    playout.join(player);
    playout.join(player);
    clock.advance(35);
    playout.leave(player);
    clock.advance(100);
    expect(times).toEqual([15, 25, 35]);
    expect(late.every((ms) => ms === 0)).toBe(true);
    expect([clock.timers, playout.players()]).toEqual([0, 0]);
  });

  it('skips the ticks that a late one has missed and keeps the grid', () => {
    const clock = createFakeClock(0);
    let blockMs = 0;
    const playout = createPlayoutClock({
      tickMs: 10,
      clock: { ...clock, after: (ms, task) => clock.after(ms + blockMs, task) },
      onFault: fails,
    });
    const times: number[] = [];
    playout.join({
      dueMs: () => 0,
      sendDue: (nowMs) => times.push(nowMs),
      wantsRefill: () => false,
      refill() {},
    });
    clock.advance(5);
    blockMs = 25;
    clock.advance(10); // the tick at 10 sets its next one late
    blockMs = 0;
    clock.advance(70);
    expect(times).toEqual([10, 45, 50, 60, 70, 80]);
  });

  it('asks those whose far side has next to nothing in hand before all others', () => {
    const clock = createFakeClock(0);
    const playout = createPlayoutClock({ clock, tickMs: 10, onFault: fails });
    const asked: string[] = [];
    const named = (name: string): Player => ({
      dueMs: () => 0,
      sendDue: () => asked.push(name),
      wantsRefill: () => false,
      refill() {},
    });
    playout.join(named('a'));
    playout.join(named('phone'), 'thin');
    playout.join(named('b'));
    clock.advance(10);
    expect(asked).toEqual(['phone', 'a', 'b']);
    expect(playout.players()).toBe(3);
  });

  it('counts those who play: with something to send in its time, and in hand at the far side', () => {
    const clock = createFakeClock(0);
    const playout = createPlayoutClock({ clock, tickMs: 10, onFault: fails });
    const due = (dueMs: number): Player => ({
      dueMs: () => dueMs,
      sendDue() {},
      wantsRefill: () => false,
      refill() {},
    });
    playout.join(due(1000));
    playout.join(due(0));
    playout.join(due(Number.POSITIVE_INFINITY));
    playout.join(due(0), 'thin');
    clock.advance(10);
    expect([playout.players(), playout.playing()]).toEqual([4, 2]);
  });

  it('ticks between pieces of work when a tick is overdue, once, and goes on with the grid', () => {
    const clock = createFakeClock(0);
    let workMs = 0;
    const late: number[] = [];
    const playout = createPlayoutClock({
      tickMs: 10,
      clock: { ...clock, now: () => clock.now() + workMs },
      onTick: (ms) => late.push(ms),
      onFault: fails,
    });
    const times: number[] = [];
    playout.join({
      dueMs: () => 0,
      sendDue(nowMs) {
        times.push(nowMs);
        playout.keepTime(); // what is done while sending does not tick again
      },
      wantsRefill: () => false,
      refill() {},
    });
    playout.keepTime();
    clock.advance(10);
    workMs = 9; // of work that came in a row
    playout.keepTime();
    expect(times).toEqual([10]);
    workMs = 33;
    playout.keepTime();
    playout.keepTime();
    expect(times).toEqual([10, 43]);
    clock.advance(7); // the timer that was set at 43
    expect(times).toEqual([10, 43, 50]);
    expect(late).toEqual([0, 23, 0]);
  });

  it('sends for all before anyone decodes, and lets as many decode in a turn of the event loop as it has time for', async () => {
    const clock = createFakeClock(0);
    const steps: string[] = [];
    const turns: (() => void)[] = [];
    let decodedMs = 0;
    const playout = createPlayoutClock({
      tickMs: 10,
      clock: { ...clock, now: () => clock.now() + decodedMs, soon: (task) => turns.push(task) },
      onFault: fails,
    });
    const join = (name: string) => {
      let wantsRefill = true;
      playout.join({
        dueMs: () => 0,
        sendDue: () => steps.push(`send ${name}`),
        wantsRefill() {
          return wantsRefill;
        },
        refill() {
          wantsRefill = false;
          steps.push(`refill ${name}`);
          decodedMs += 1.5;
        },
      });
    };
    for (const name of ['a', 'b', 'c', 'd', 'e']) join(name);
    const sends = ['a', 'b', 'c', 'd', 'e'].map((name) => `send ${name}`);
    clock.advance(10);
    expect(steps.splice(0)).toEqual([...sends, 'refill a']);
    await settle();
    expect(steps.splice(0)).toEqual(['refill b']);
    turns.shift()!();
    await settle();
    expect(steps.splice(0)).toEqual(['refill c', 'refill d']);
    clock.advance(10); // a tick in between sends, and does not begin a second round
    expect(steps.splice(0)).toEqual(sends);
    turns.shift()!();
    expect(steps.splice(0)).toEqual(['refill e']);
    await settle();
    expect(turns).toEqual([]);
  });

  it('asks a player when it is due by its own account, and not before', () => {
    const clock = createFakeClock(0);
    const playout = createPlayoutClock({ clock, tickMs: 10, onFault: fails });
    const times: number[] = [];
    let dueMs = 35;
    let sleeps = false;
    const player = {
      dueMs: () => dueMs,
      wantsRefill: () => false,
      sendDue(nowMs: number) {
        times.push(nowMs);
        dueMs = sleeps ? Number.POSITIVE_INFINITY : nowMs + 20;
      },
      refill() {},
    };
    playout.join(player);
    clock.advance(95);
    sleeps = true;
    clock.advance(95);
    playout.markDue(player, 'tick');
    clock.advance(10);
    expect(times).toEqual([40, 60, 80, 100, 200]);
    playout.close();
  });

  it('forgets none of those who want to decode while others are at it', async () => {
    const clock = createFakeClock(0);
    const turns: (() => void)[] = [];
    const playout = createPlayoutClock({
      tickMs: 10,
      clock: { ...clock, soon: (task) => turns.push(task) },
      onFault: fails,
    });
    const refilled: string[] = [];
    const join = (name: string, firstMs: number) => {
      let dueMs = firstMs;
      let wantsRefill = true;
      const player = {
        dueMs: () => dueMs,
        wantsRefill: () => wantsRefill,
        sendDue() {
          dueMs = Number.POSITIVE_INFINITY;
        },
        refill() {
          wantsRefill = false;
          refilled.push(name);
        },
      };
      playout.join(player);
    };
    join('a', 10);
    join('b', 10);
    join('c', 20);
    clock.advance(20); // c comes while b still waits for its turn, and is asked only this once
    await settle();
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      turn();
      await settle();
    }
    expect(refilled).toEqual(['a', 'b', 'c']);
    playout.close();
  });

  it('drops a player that throws and serves the others', () => {
    const clock = createFakeClock(0);
    const faults: unknown[] = [];
    const sent: string[] = [];
    const playout = createPlayoutClock({
      clock,
      tickMs: 10,
      onFault: (_player, fault) => faults.push(fault),
    });
    const player = (name: string, broken: 'send' | 'refill' | 'nothing'): Player => ({
      dueMs: () => 0,
      sendDue() {
        if (broken === 'send') throw new Error(name);
        sent.push(name);
      },
      wantsRefill: () => broken === 'refill',
      refill() {
        throw new Error(name);
      },
    });
    playout.join(player('a', 'send'));
    playout.join(player('b', 'refill'));
    playout.join(player('c', 'nothing'));
    clock.advance(30);
    expect(faults.map(String)).toEqual(['Error: a', 'Error: b']);
    expect(sent).toEqual(['b', 'c', 'c', 'c']);
    expect(playout.players()).toBe(1);
  });

  it('asks no one who has left in the meantime, and stops for good when closed', () => {
    const clock = createFakeClock(0);
    const playout = createPlayoutClock({ clock, tickMs: 10, onFault: fails });
    let refills = 0;
    const second: Player = {
      dueMs: () => 0,
      sendDue() {},
      wantsRefill: () => true,
      refill() {
        refills += 1;
      },
    };
    const first: Player = {
      dueMs: () => 0,
      sendDue() {},
      wantsRefill: () => true,
      refill: () => playout.leave(second),
    };
    playout.join(first);
    playout.join(second);
    clock.advance(10);
    expect([refills, playout.players()]).toEqual([0, 1]);
    playout.close();
    clock.advance(100);
    expect([clock.timers, playout.players()]).toEqual([0, 0]);
  });

  it('may be left and joined from within a tick', () => {
    const clock = createFakeClock(0);
    const playout = createPlayoutClock({ clock, tickMs: 10, onFault: fails });
    let ticks = 0;
    const player: Player = {
      dueMs: () => 0,
      sendDue() {
        ticks += 1;
        playout.leave(player);
        if (ticks < 3) playout.join(player);
      },
      wantsRefill: () => false,
      refill() {},
    };
    playout.join(player);
    clock.advance(100);
    expect([ticks, clock.timers]).toEqual([3, 0]);
  });
});
