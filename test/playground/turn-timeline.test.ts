// What a turn's account says after what happened to it.
import { describe, expect, it } from 'vitest';
import { nameTurn, step, type TimelineEvent, type TurnTimeline } from '../../src/playground/turn-timeline.ts';

const NAMED_AT = 1000;
const told = (...happened: readonly (readonly [atMs: number, event: TimelineEvent])[]): TurnTimeline =>
  happened.reduce(
    (timeline, [atMs, event]) => step(timeline, event, NAMED_AT + atMs),
    nameTurn('t', NAMED_AT),
  );
const marks = ({ marks }: TurnTimeline) => marks.map(({ name, atMs }) => [name, atMs]);

const started: TimelineEvent = {
  type: 'started',
  turn: 't',
  format: 'raw',
  sampleRate: 24_000,
  seed: 7,
  timings: { queueMs: 10, upstreamTtfbMs: 30, firstAudioMs: 60 },
};
const ended = (outcome: 'complete' | 'failed'): TimelineEvent => ({
  type: 'ended',
  turn: 't',
  outcome,
  audioMs: 900,
  sentMs: 900,
  requests: 2,
  resumes: 1,
  cached: false,
});
const heard: TimelineEvent = {
  type: 'heard',
  turn: 't',
  playedMs: 900,
  playedBy: 'clock',
  spokenText: 'All',
  remainingText: '',
};
const queued = (position: number): TimelineEvent => ({
  type: 'queued',
  turn: 't',
  reason: 'quota',
  position,
  etaMs: 4000,
});

describe('turn timeline', () => {
  it('tells a whole turn in the order of its times, the first byte by the gateway’s account', () => {
    const timeline = told(
      [65, started],
      [66, { type: 'first-frame' }],
      [67, { type: 'first-frame' }],
      [110, { type: 'audible' }],
      [120, { type: 'audible' }],
      [900, ended('complete')],
      [1000, heard],
    );
    expect(marks(timeline)).toEqual([
      ['named', 0],
      ['first-byte', 40],
      ['first-audio', 66],
      ['audible', 110],
      ['ended', 900],
      ['heard', 1000],
    ]);
    expect(timeline).toMatchObject({ phase: 'finished', firstAudioMs: 66, requests: 2, outcome: 'complete' });
    expect(timeline.marks.at(-2)?.detail).toBe('complete, 2 requests, 1 resume');
  });

  it('keeps one mark of waiting, with the last word', () => {
    const timeline = told([1, queued(3)], [2001, queued(1)]);
    expect(marks(timeline)).toEqual([
      ['named', 0],
      ['queued', 1],
    ]);
    expect(timeline.marks[1]?.detail).toBe('waits for quota, place 1, about 4.00 s');
  });

  it('counts a dry spell once, though both sides see it', () => {
    const there: TimelineEvent = { type: 'underrun', turn: 't', atMs: 100, gapMs: 20 };
    const timeline = told([65, started], [200, there], [210, { type: 'ran-dry' }], [400, there]);
    expect(timeline.underruns).toBe(2);
    expect(timeline.marks.filter(({ name }) => name === 'underrun')).toEqual([
      {
        name: 'underrun',
        atMs: 200,
        detail: '2 by the gateway’s account, 1 here, the last after 0.40 s',
      },
    ]);
  });

  it('is finished by an end without a start, and else only when it was heard', () => {
    expect(told([5, ended('failed')]).phase).toBe('finished');
    expect(told([65, started], [900, ended('complete')]).phase).toBe('ended');
  });

  it('keeps what was heard of an interrupted turn', () => {
    const cut: TimelineEvent = { ...heard, spokenText: 'Good', remainingText: 'evening' } as TimelineEvent;
    const timeline = told([65, started], [500, { type: 'interrupted', playedMs: 432 }], [510, cut]);
    expect(timeline.heard).toEqual({ spokenText: 'Good', remainingText: 'evening' });
    expect(timeline.marks.find(({ name }) => name === 'interrupted')?.detail).toBe(
      'after 0.43 s of its audio',
    );
  });
});
