// What a leg is sent: whole steps, messages that are not too short, marks that count once, and what goes on after a clear.
import { beforeEach, describe, expect, it } from 'vitest';
import type { LegCodec, LegRules } from '../../src/legs/leg.ts';
import { createLegPlayout, type LegPlayout } from '../../src/playout/leg-playout.ts';

const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 1600, stepMs: 20 };
const BYTES_PER_MS = 8;

let sent: string[];
let played: [string, number][];
let position: Record<string, number>;
let nowMs: number;

/** `m480` is 60 ms of media, `=0.1` a mark, `!` a clear. */
function open(rules: Partial<LegRules> = {}): LegPlayout {
  sent = [];
  played = [];
  position = {};
  nowMs = 0;
  const codec: LegCodec = {
    rules: () => ({ ...RULES, ...rules }),
    read: () => [],
    media: (bytes) => [`m${bytes.length}`],
    mark: (name) => [`=${name}`],
    clear: () => ['!'],
  };
  return createLegPlayout({
    codec,
    send: (frame) => void sent.push(frame as string),
    onPlayed: (turn, ms) => void played.push([turn, ms]),
    bytesPerMs: BYTES_PER_MS,
    silence: Uint8Array.of(0xff),
    nowMs: () => nowMs,
  });
}
const play = (playout: LegPlayout, turn: string, ...lengths: readonly number[]) => {
  for (const ms of lengths) {
    const atMs = position[turn] ?? 0;
    playout.play({ turn, atMs, ms, bytes: new Uint8Array(ms * BYTES_PER_MS).fill(1) });
    position[turn] = atMs + ms;
  }
};

describe('messages to a leg', () => {
  it('begin at once and are gathered then', () => {
    const playout = open();
    play(playout, 'a', 20, 100, 20, 20, 20, 20);
    expect(sent).toEqual(['m160', 'm800', 'm480']);
  });

  it('hold whole steps; what is left over goes with what follows, and the end is filled up', () => {
    const playout = open();
    play(playout, 'a', 25, 25, 25, 25);
    expect(sent).toEqual(['m160', 'm160', 'm160', 'm320']);
    play(playout, 'a', 7);
    playout.finish('a');
    expect(sent.slice(4)).toEqual(['m160', '=0.1']);
    playout.marked('0.1', 'echoed');
    expect(played).toEqual([['a', 107]]);
  });

  it('are none while there is less than a step', () => {
    const playout = open();
    play(playout, 'a', 5, 5);
    expect(sent).toEqual([]);
    play(playout, 'a', 20);
    expect(sent).toEqual(['m160']);
  });

  it('never hold less than the shortest, not even the first and the last', () => {
    const playout = open({ shortestMs: 100, leastMs: 100 });
    play(playout, 'a', 20, 20, 20, 20);
    expect(sent).toEqual([]);
    play(playout, 'a', 20, 20);
    playout.finish('a');
    expect(sent).toEqual(['m800', 'm800', '=0.1']);
  });

  it.each([
    [1600, 0],
    [1700, 0],
    [4000, 100],
    [8000, 80],
  ])('never hold more than %i bytes, however much there is', (mostBytes, shortestMs) => {
    for (let ms = 20; ms <= 3000; ms += 20) {
      const playout = open({ mostBytes, shortestMs });
      playout.cork();
      play(playout, 'a', ms);
      playout.uncork();
      playout.finish('a');
      const lengths = sent.flatMap((each) => (each.startsWith('m') ? [Number(each.slice(1))] : []));
      expect(Math.max(...lengths)).toBeLessThanOrEqual(mostBytes);
      expect(lengths.every((length) => length % 160 === 0)).toBe(true);
      expect(lengths.reduce((sum, length) => sum + length)).toBe(Math.max(ms, shortestMs) * BYTES_PER_MS);
    }
  });

  it('are filled up and sent when a far side runs dry before more has come, and no sooner', () => {
    const playout = open({ shortestMs: 100, leastMs: 100 });
    play(playout, 'a', 100, 60);
    expect(sent).toEqual(['m800']);
    nowMs = 99;
    playout.uncork();
    expect(sent).toEqual(['m800']);
    nowMs = 100;
    playout.uncork();
    expect(sent).toEqual(['m800', 'm800', '=0.1']);
    play(playout, 'a', 60, 40);
    playout.finish('a');
    expect(sent.slice(3)).toEqual(['m800', '=0.2']);
    for (const mark of ['0.1', '0.2']) playout.marked(mark, 'echoed');
    expect(played).toEqual([
      ['a', 160],
      ['a', 260],
    ]);
  });

  it('wait for the first that is due when a turn begins slowly, but not for ever', () => {
    const playout = open({ shortestMs: 100, leastMs: 100 });
    nowMs = 5000;
    play(playout, 'a', 60);
    nowMs = 5099;
    playout.uncork();
    expect(sent).toEqual([]);
    play(playout, 'a', 20);
    nowMs = 5198;
    playout.uncork();
    expect(sent).toEqual([]);
    nowMs = 5199;
    playout.uncork();
    expect(sent).toEqual(['m800', '=0.1']);
  });

  it('are of about the same size when there is too much for one', () => {
    const playout = open({ shortestMs: 100 });
    play(playout, 'a', 220);
    expect(sent).toEqual(['m960', 'm800', '=0.1']);
  });
});

describe('marks', () => {
  let playout: LegPlayout;
  beforeEach(() => {
    playout = open({ mostMarks: 2 });
    play(playout, 'a', 200, 200, 200);
  });

  it('are no more than may be on their way', () => {
    expect(sent.filter((each) => each.startsWith('='))).toEqual(['=0.1', '=0.2']);
    playout.marked('0.1', 'echoed');
    play(playout, 'a', 60);
    expect(sent.at(-1)).toBe('=0.3');
  });

  it('make room for others when they are lost', () => {
    playout.marked('0.2', 'played');
    play(playout, 'a', 200, 200);
    expect(sent.filter((each) => each.startsWith('='))).toHaveLength(4);
    playout.marked('0.1', 'played');
    expect(played).toEqual([['a', 400]]);
  });

  it('are forgotten when none comes back: a call may last for hours', () => {
    const forgetful = open();
    play(forgetful, 'a', ...Array<number>(3000).fill(200));
    const marks = sent.filter((each) => each.startsWith('='));
    expect(marks).toHaveLength(3000);
    forgetful.marked(marks[2000]!.slice(1), 'echoed');
    expect(played).toEqual([]);
    forgetful.marked(marks[2990]!.slice(1), 'echoed');
    expect(played).toEqual([['a', 2991 * 200]]);
  });

  it('do not count when they come back after a clear, or labelled as cleared', () => {
    playout.marked('0.1', 'cleared');
    playout.clear(() => undefined);
    playout.marked('0.2', 'echoed');
    expect(played).toEqual([]);
  });
});

describe('a clear', () => {
  it('is sent even when nothing seems to be there', () => {
    const playout = open();
    playout.clear(() => undefined);
    expect(sent).toEqual(['!']);
  });

  it('has what goes on sent again, without silence inside of a turn', () => {
    const playout = open();
    play(playout, 'a', 60);
    playout.finish('a');
    play(playout, 'b', 25, 65);
    sent.length = 0;
    playout.clear((turn) => (turn === 'b' ? 0 : undefined));
    expect(sent).toEqual(['!', 'm640']);
    play(playout, 'b', 50);
    expect(sent.slice(2)).toEqual(['m480']);
    playout.finish('b');
    expect(sent.at(-1)).toMatch(/^=1\./);
  });

  it('fills up what goes on to its end', () => {
    const playout = open();
    play(playout, 'a', 60);
    playout.finish('a');
    play(playout, 'b', 90);
    playout.finish('b');
    sent.length = 0;
    playout.clear((turn) => (turn === 'b' ? 0 : undefined));
    expect(sent.slice(0, 2)).toEqual(['!', 'm800']);
    expect(sent[2]).toMatch(/^=1\./);
  });
});
