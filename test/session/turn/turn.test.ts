import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { type Effect, step, type Turn, type TurnEvent } from '../../../src/session/turn/turn.ts';

const error = new AppError('upstream_broken', 'broken');
const EVENTS: readonly TurnEvent[] = [
  { type: 'audio-ready' },
  { type: 'audio-sent', error: undefined },
  { type: 'audio-sent', error },
  { type: 'heard' },
  { type: 'cancel' },
  { type: 'fail', error },
  { type: 'pause', nowMs: 700 },
  { type: 'resume' },
  { type: 'seek', to: { paragraph: 3, playedMs: 40 } },
];
const PHASES: readonly Turn[] = [
  { phase: 'waiting', as: 'conversation', told: 'nothing' },
  { phase: 'held', as: 'narration', told: 'nothing', sinceMs: 500 },
  { phase: 'playing', as: 'conversation' },
  { phase: 'paused', as: 'narration', sinceMs: 500 },
  { phase: 'draining', as: 'conversation', outcome: 'complete' },
  { phase: 'finished', as: 'conversation', outcome: 'cancelled' },
];
const short = ({ turn, effects }: { turn: Turn; effects: readonly Effect[] }): string =>
  [
    turn.phase,
    ...effects.map((effect) => ('outcome' in effect ? `${effect.do}:${effect.outcome}` : effect.do)),
  ].join(' ');

/** What each event does in each phase; the rows are the events in the order above. */
const TABLE: Record<Turn['phase'], readonly string[]> = {
  waiting: [
    'playing say-started',
    'waiting',
    'waiting',
    'waiting',
    'finished stop-speaking say-ended:cancelled settle-marks:cleared',
    'finished stop-speaking say-error say-ended:failed settle-marks:cleared',
    'held stop-clock say-paused',
    'waiting say-resumed',
    'waiting speak-on',
  ],
  held: [
    'held',
    'held',
    'held',
    'held',
    'finished stop-speaking say-ended:cancelled settle-marks:cleared',
    'finished stop-speaking say-error say-ended:failed settle-marks:cleared',
    'held say-paused',
    'waiting say-resumed start-clock',
    'held speak-on',
  ],
  playing: [
    'playing',
    'draining say-ended:complete',
    'draining say-error say-ended:truncated',
    'playing',
    'finished stop-speaking say-ended:cancelled settle-marks:cleared say-heard',
    'finished stop-speaking say-error say-ended:truncated settle-marks:cleared say-heard',
    'paused stop-clock say-paused',
    'playing say-resumed',
    'playing speak-on',
  ],
  paused: [
    'paused',
    'paused',
    'paused',
    'paused',
    'finished stop-speaking say-ended:cancelled settle-marks:cleared say-heard',
    'finished stop-speaking say-error say-ended:truncated settle-marks:cleared say-heard',
    'paused say-paused',
    'playing say-resumed start-clock',
    'paused speak-on',
  ],
  draining: [
    'draining',
    'draining',
    'draining',
    'finished settle-marks:played say-heard',
    'finished settle-marks:cleared say-heard',
    'draining',
    'draining',
    'draining',
    'draining',
  ],
  finished: EVENTS.map(() => 'finished'),
};

describe('the machine of a turn', () => {
  for (const turn of PHASES) {
    it(`knows what to do when ${turn.phase}`, () => {
      expect(EVENTS.map((event) => short(step(turn, event)))).toEqual(TABLE[turn.phase]);
    });
  }

  it('says `heard` of one that its listener has begun to hear from an instance that is gone', () => {
    const told: Turn = { phase: 'waiting', as: 'conversation', told: 'started' };
    for (const turn of [told, step(told, { type: 'pause', nowMs: 700 }).turn]) {
      expect(short(step(turn, { type: 'cancel' }))).toBe(
        'finished stop-speaking say-ended:cancelled settle-marks:cleared say-heard',
      );
      expect(short(step(turn, { type: 'fail', error }))).toBe(
        'finished stop-speaking say-error say-ended:truncated settle-marks:cleared say-heard',
      );
    }
    const resumed = step(step(told, { type: 'pause', nowMs: 700 }).turn, { type: 'resume' }).turn;
    expect(resumed).toEqual({ phase: 'waiting', as: 'narration', told: 'started' });
  });

  it('has played the marks of speech that broke off only as far as they were reached', () => {
    const draining: Turn = { phase: 'draining', as: 'conversation', outcome: 'truncated' };
    expect(short(step(draining, { type: 'heard' }))).toBe('finished settle-marks:cleared say-heard');
  });

  it('keeps the outcome that was told, whatever comes later', () => {
    const draining: Turn = { phase: 'draining', as: 'conversation', outcome: 'truncated' };
    expect(step(draining, { type: 'cancel' }).turn).toEqual({
      phase: 'finished',
      as: 'conversation',
      outcome: 'truncated',
    });
  });

  it('remembers since when it is paused, and that it is narrated once it was paused or moved in', () => {
    const waiting: Turn = { phase: 'waiting', as: 'conversation', told: 'nothing' };
    const held = step(waiting, { type: 'pause', nowMs: 700 }).turn;
    expect(held).toEqual({ phase: 'held', as: 'narration', told: 'nothing', sinceMs: 700 });
    expect(step(held, { type: 'pause', nowMs: 900 }).turn).toEqual(held);
    const again = step(held, { type: 'resume' }).turn;
    expect(again).toEqual({ phase: 'waiting', as: 'narration', told: 'nothing' });
    const playing: Turn = { phase: 'playing', as: 'conversation' };
    const to = { paragraph: 2, playedMs: undefined };
    expect(step(playing, { type: 'seek', to })).toEqual({
      turn: { phase: 'playing', as: 'narration' },
      effects: [{ do: 'speak-on', from: to }],
    });
  });

  it('tells whether it is heard because it was cancelled', () => {
    const heardAfter = (turn: Turn, event: TurnEvent) =>
      step(turn, event).effects.flatMap((effect) => (effect.do === 'say-heard' ? [effect.after] : []));
    const playing: Turn = { phase: 'playing', as: 'conversation' };
    const draining: Turn = { phase: 'draining', as: 'conversation', outcome: 'complete' };
    expect(heardAfter(playing, { type: 'cancel' })).toEqual(['cancel']);
    expect(heardAfter(playing, { type: 'fail', error })).toEqual(['end']);
    expect(heardAfter(draining, { type: 'cancel' })).toEqual(['cancel']);
    expect(heardAfter(draining, { type: 'heard' })).toEqual(['end']);
  });

  it('ends once, is heard once exactly when it started, and is silent afterwards', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 30 }), fc.boolean(), (events, hasHad) => {
        let turn: Turn = { phase: 'waiting', as: 'conversation', told: hasHad ? 'started' : 'nothing' };
        const said: Effect['do'][] = [];
        for (const event of [...events, { type: 'cancel' } as const]) {
          const before = turn.phase;
          const next = step(turn, event);
          turn = next.turn;
          if (before === 'finished') expect(next.effects).toEqual([]);
          said.push(...next.effects.map((effect) => effect.do));
        }
        const count = (what: Effect['do']) => said.filter((each) => each === what).length;
        expect(turn.phase).toBe('finished');
        expect(count('say-ended')).toBe(1);
        expect(count('say-heard')).toBe(hasHad ? 1 : count('say-started'));
        expect(count('settle-marks')).toBe(1);
        expect(count('say-error')).toBeLessThanOrEqual(1);
        if (count('say-started') > 0) {
          expect(said.indexOf('say-started')).toBeLessThan(said.indexOf('say-ended'));
          expect(said.indexOf('say-ended')).toBeLessThan(said.indexOf('say-heard'));
        }
        if (count('say-error') > 0) expect(said.indexOf('say-error')).toBeLessThan(said.indexOf('say-ended'));
      }),
    );
  });
});
