import { describe, expect, it } from 'vitest';
import { FrameQueue } from '../../../src/playout/frame-queue.ts';
import type { SendGate } from '../../../src/session/turn/send-gate.ts';
import { TurnPlayout } from '../../../src/session/turn/turn-playout.ts';

const NOW_MS = 1000;
const FRAME = { bytes: new Uint8Array(160), samples: 160 };
const gate: SendGate = {
  onFrame() {},
  onUnderrun() {},
  creditMs: () => Number.POSITIVE_INFINITY,
  isCongested: () => false,
  emptyBecause: () => 'upstream',
  waitsForQuota: () => false,
  coalesceMs: () => 0,
};
/** A listener of µ-law with a lead of 200 ms and so many frames of 20 ms in front of him. */
const playoutOf = (count: number, leadMs = 200) => {
  const frames = new FrameQueue(
    () => 2400,
    () => {},
  );
  for (let n = 0; n < count; n += 1) frames.push(FRAME);
  const playout = new TurnPlayout({
    pace: { mode: 'realtime', leadMs },
    frames,
  });
  const start = (waitingMs: number) => playout.start(0, NOW_MS, { sampleRate: 8000, waitingMs }, gate);
  return { frames, playout, start };
};

describe('the beginning of a turn', () => {
  it('needs one frame, and 60 ms in hand of which the rest may still be compressed', () => {
    expect(playoutOf(0).start(400)).toBe(false);
    expect(playoutOf(1).start(59)).toBe(false);
    expect(playoutOf(1).start(60)).toBe(true);
  });

  it('needs no more than the lead', () => {
    expect(playoutOf(1, 40).start(39)).toBe(false);
    expect(playoutOf(1, 40).start(40)).toBe(true);
  });

  it('takes whatever there is when nothing further comes', () => {
    const { frames, start } = playoutOf(1);
    frames.end();
    expect(start(20)).toBe(true);
  });
});

describe('a frame is worth sending by itself', () => {
  it('while the listener has less than 60 ms to hear', () => {
    const { playout, start } = playoutOf(3);
    start(60);
    playout.send(NOW_MS, gate);
    expect(playout.isShort(NOW_MS)).toBe(false);
    expect(playout.isShort(NOW_MS + 5)).toBe(true);
    expect(playout.isShort(NOW_MS + 100)).toBe(true);
  });

  it('but not right behind another: those that a decoder makes in a row leave with the next tick', () => {
    const { frames, playout, start } = playoutOf(1);
    start(60);
    playout.send(NOW_MS, gate);
    expect([playout.isShort(NOW_MS), playout.isShort(NOW_MS + 4.9)]).toEqual([false, false]);
    expect(playout.hasSentAll()).toBe(true);
    for (let n = 0; n < 3; n += 1) frames.push(FRAME);
    playout.send(NOW_MS + 5, gate);
    expect(playout.sentMs()).toBe(80);
  });

  it('but not behind others', () => {
    const { frames, playout, start } = playoutOf(11);
    start(220);
    playout.send(NOW_MS, gate);
    expect(frames.nextSamples()).toBeDefined();
    expect(playout.isShort(NOW_MS + 199)).toBe(false);
  });
});

describe('a listener in front of an empty queue', () => {
  it('is looked at when he runs dry, and then every 20 ms: who makes frames tells of them', () => {
    const { playout, start } = playoutOf(2);
    start(60);
    playout.send(NOW_MS, gate);
    expect(playout.dueMs()).toBe(NOW_MS + 40);
    playout.send(NOW_MS + 40, gate);
    expect(playout.dueMs()).toBe(NOW_MS + 60);
    expect([playout.holder(), playout.hasSentAll()]).toEqual(['upstream', true]);
  });

  it('waits for the text from the moment when there is none, and no longer for the upstream', () => {
    const { playout, start } = playoutOf(2);
    start(60);
    playout.send(NOW_MS, gate);
    playout.send(NOW_MS + 40, gate);
    playout.send(NOW_MS + 60, { ...gate, emptyBecause: () => 'text' });
    expect(playout.holder()).toBe('text');
    playout.send(NOW_MS + 80, gate);
    expect(playout.holder()).toBe('text');
  });
});

describe('frames in company', () => {
  /** How many frames each look of the clock sends, one every 5 ms, once the lead is there. */
  const sentAtEachTick = (company: SendGate, ticks: number) => {
    const { frames, playout, start } = playoutOf(11 + ticks);
    start(220);
    playout.send(NOW_MS, company);
    const sent: number[] = [];
    for (let tick = 1; tick <= ticks; tick += 1) {
      const before = frames.queuedSamples();
      playout.send(NOW_MS + 5 * tick, company);
      sent.push((before - frames.queuedSamples()) / FRAME.samples);
    }
    return sent;
  };
  const inPairs = { ...gate, coalesceMs: () => 20 };

  it('leave two every 40 ms instead of one every 20, and none of them later', () => {
    expect(sentAtEachTick(gate, 16).join('')).toBe('0001000100010001');
    // One in company with the lead already: the first look has sent eleven.
    expect(sentAtEachTick(inPairs, 16).join('')).toBe('0000000200000002');
  });

  it('leave in threes every 60 ms where hundreds listen', () => {
    const inThrees = { ...gate, coalesceMs: () => 40 };
    // Two in company with the lead already: the first look has sent twelve.
    expect(sentAtEachTick(inThrees, 24).join('')).toBe('000000000003000000000003');
  });

  it('leave in fives every 100 ms where many hundreds listen', () => {
    const inFives = { ...gate, coalesceMs: () => 80 };
    expect(sentAtEachTick(inFives, 40).join('')).toBe(`${'0'.repeat(19)}5${'0'.repeat(19)}5`);
  });

  it('leave alone where the listener gives no credit for the second', () => {
    const { playout, start } = playoutOf(20);
    start(400);
    playout.send(NOW_MS, { ...inPairs, creditMs: () => 200 });
    expect(playout.sentMs()).toBe(200);
    expect(playout.holder()).toBe('credit');
  });

  it('never begin with less than one that is due', () => {
    const { playout, start } = playoutOf(20);
    start(400);
    playout.send(NOW_MS, gate);
    playout.send(NOW_MS + 19, inPairs);
    expect(playout.sentMs()).toBe(200);
    playout.send(NOW_MS + 20, inPairs);
    expect(playout.sentMs()).toBe(240);
  });
});
