// When a session leaves an instance that stops: as soon as nothing is heard, and at its deadline whatever is.
import { describe, expect, it } from 'vitest';
import { Departure } from '../../../src/gateway/sockets/departure.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const DEADLINE_MS = 10_000;

function leaving(has: { readonly journal: boolean; readonly leg: boolean; readonly away?: boolean }) {
  const clock = createFakeClock();
  const done: string[] = [];
  const state = { unheard: 1 };
  const departure = new Departure(
    {
      session: {
        drain: () => void done.push('drain'),
        hold: () => void done.push('hold'),
        leg: () => (has.leg ? ({} as never) : undefined),
        turnsUnheard: () => state.unheard,
      },
      resumption: {
        isJournaled: () => has.journal,
        release: async () => void done.push('release'),
      },
      state: () => (has.away ? 'waiting' : 'connected'),
      say: (event) => void done.push(event.type),
      close: (code) => void done.push(code),
    },
    clock,
  );
  const fromMs = clock.now();
  departure.begin(DEADLINE_MS);
  const at = async (ms: number) => {
    await clock.run(fromMs + ms - clock.now());
    departure.tend(clock.now());
    await Promise.resolve();
    await Promise.resolve();
    return done;
  };
  return { at, state, departure };
}

describe('a session of an instance that stops', () => {
  it('goes on elsewhere after half of the time, where it has a journal and no call', async () => {
    const { at } = leaving({ journal: true, leg: false });
    expect(await at(4_900)).toEqual(['goaway']);
    expect(await at(5_100)).toEqual(['goaway', 'hold', 'release', 'shutting_down']);
  });
  it('goes as soon as nothing is heard', async () => {
    const { at, state } = leaving({ journal: false, leg: false });
    expect(await at(1_000)).toEqual(['goaway', 'drain']);
    state.unheard = 0;
    expect(await at(2_000)).toEqual(['goaway', 'drain', 'shutting_down']);
  });
  it('is closed at the deadline, whatever is heard or paused: its call is at another instance, and that ends', async () => {
    const { at } = leaving({ journal: true, leg: true });
    expect(await at(9_900)).toEqual(['goaway', 'drain']);
    expect(await at(10_100)).toEqual(['goaway', 'drain', 'shutting_down']);
  });
  it('plays its call to the end for a client that is away, which then goes on elsewhere', async () => {
    const { at, state } = leaving({ journal: true, leg: true, away: true });
    expect(await at(1_000)).toEqual(['goaway', 'drain']);
    state.unheard = 0;
    expect(await at(2_000)).toEqual(['goaway', 'drain', 'hold', 'release', 'shutting_down']);
  });
  it('is released before all is closed, where its call still plays and its client is away', async () => {
    const { at } = leaving({ journal: true, leg: true, away: true });
    expect(await at(7_900)).toEqual(['goaway', 'drain']);
    expect(await at(8_100)).toEqual(['goaway', 'drain', 'hold', 'release', 'shutting_down']);
  });
  it('is left to another one where its client is lost, who may not know that its call ends here', async () => {
    const { at, departure } = leaving({ journal: true, leg: true, away: true });
    expect(departure.lost()).toBe(true);
    expect(await at(10)).toEqual(['goaway', 'drain', 'hold', 'release', 'shutting_down']);
    expect(leaving({ journal: false, leg: true }).departure.lost()).toBe(false);
  });
});
