import { describe, expect, it } from 'vitest';
import { createFrameQueue } from '../../src/playout/frame-queue.ts';
import { createTurnPlayout, type SendGate } from '../../src/session/turn-playout.ts';

const NOW_MS = 1000;
const FRAME = { bytes: new Uint8Array(160), samples: 160 };
const gate: SendGate = {
  creditMs: () => Number.POSITIVE_INFINITY,
  isCongested: () => false,
  emptyBecause: () => 'upstream',
};
/** A listener of µ-law with a lead of 200 ms and so many frames of 20 ms in front of him. */
const playoutOf = (count: number, leadMs = 200) => {
  const frames = createFrameQueue(
    () => 2400,
    () => {},
  );
  for (let n = 0; n < count; n += 1) frames.push(FRAME);
  const playout = createTurnPlayout({
    pace: { mode: 'realtime', leadMs },
    frames,
    onFrame() {},
    onUnderrun() {},
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
    expect(playout.isShort(NOW_MS + 1)).toBe(true);
    expect(playout.isShort(NOW_MS + 100)).toBe(true);
  });

  it('but not behind others', () => {
    const { frames, playout, start } = playoutOf(11);
    start(220);
    playout.send(NOW_MS, gate);
    expect(frames.peek()).toBeDefined();
    expect(playout.isShort(NOW_MS + 199)).toBe(false);
  });
});
