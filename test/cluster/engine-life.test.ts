import { describe, expect, it } from 'vitest';
import {
  BORN,
  type EngineAct,
  type EngineEvent,
  type EngineLife,
  reception,
  stepEngineLife,
} from '../../src/cluster/engine-life.ts';

/** The state after `events`, and what was to be done at the last of them. */
function live(events: readonly EngineEvent[], from: EngineLife = BORN) {
  let state = from;
  let acts: readonly EngineAct[] = [];
  for (const event of events) ({ state, acts } = stepEngineLife(state, event));
  return { state, acts };
}

const ready = (nowMs = 0): EngineEvent => ({ is: 'ready', nowMs });
const died = (nowMs = 0): EngineEvent => ({ is: 'died', nowMs });
const rested: EngineEvent = { is: 'rested' };
const restOf = (acts: readonly EngineAct[]) => acts.find((act) => act.do === 'rest');

describe('the life of the engine', () => {
  it('serves what waited once it is ready', () => {
    expect(reception(BORN)).toBe('wait');
    const { state, acts } = live([ready()]);
    expect(acts).toEqual([{ do: 'serve' }]);
    expect(reception(state)).toBe('hand-over');
  });

  it('is started again after a death, with rests that grow up to a bound', () => {
    let state = live([ready()]).state;
    const rests: (number | undefined)[] = [];
    for (let death = 0; death < 10; death += 1) {
      const step = live([died()], state);
      rests.push(restOf(step.acts)?.ms);
      state = live([rested], step.state).state;
      expect(state.is).toBe('starting');
    }
    expect(rests).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
  });

  it('rests shortly again after a life that was long enough', () => {
    const tried = live([ready(), died(), rested, ready(1000), died(2000), rested, ready(3000)]).state;
    expect(restOf(live([died(4000)], tried).acts)).toEqual({ do: 'rest', ms: 400 });
    expect(restOf(live([died(33_000)], tried).acts)).toEqual({ do: 'rest', ms: 100 });
  });

  it('keeps who connects waiting after few deaths, and refuses after many', () => {
    let state = live([ready()]).state;
    const receptions: string[] = [];
    for (let death = 0; death < 4; death += 1) {
      const step = live([died()], state);
      receptions.push(reception(step.state));
      expect(step.acts.some((act) => act.do === 'refuse')).toBe(death === 3);
      state = live([rested], step.state).state;
    }
    expect(receptions).toEqual(['wait', 'wait', 'wait', 'refuse']);
    expect(reception(state)).toBe('refuse');
    expect(reception(live([ready()], state).state)).toBe('hand-over');
  });

  it('gives the first start up when it dies again and again', () => {
    const { state, acts } = live([died(), rested, died(), rested, died()]);
    expect(state.is).toBe('failed');
    expect(acts).toEqual([{ do: 'refuse' }, { do: 'give-up-start' }]);
    expect(live([{ is: 'stop' }], state).acts).toEqual([{ do: 'end' }]);
  });

  it('kills a process that does not start or stop in time', () => {
    expect(live([{ is: 'overdue' }]).acts).toEqual([{ do: 'kill' }]);
    expect(live([ready(), { is: 'overdue' }]).acts).toEqual([]);
    expect(live([ready(), { is: 'stop' }, { is: 'overdue' }]).acts).toEqual([{ do: 'kill' }]);
  });

  it('ends once, from every state', () => {
    const lives = [[], [ready()], [ready(), died()], [ready(), died(), rested]];
    for (const events of lives) {
      const stopping = live([...events, { is: 'stop' }]);
      expect(reception(stopping.state)).toBe('refuse');
      const end = stopping.state.is === 'stopped' ? stopping : live([died()], stopping.state);
      expect(end.acts.at(-1)).toEqual({ do: 'end' });
      expect(live([rested], end.state)).toEqual({ state: { is: 'stopped' }, acts: [] });
    }
  });
});
