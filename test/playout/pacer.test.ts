import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  coalesceMs,
  heardByClockMs,
  leadForFrameMs,
  sendableFromMs,
  starvedMs,
} from '../../src/playout/pacer.ts';

describe('pacer', () => {
  it('lets a turn be sent its lead ahead of what is heard, a burst without bound', () => {
    expect(sendableFromMs({ mode: 'realtime', leadMs: 200 }, 20, 1000, 200)).toBe(1000);
    expect(sendableFromMs({ mode: 'realtime', leadMs: 200 }, 20, 1000, 500)).toBe(1300);
    expect(sendableFromMs({ mode: 'burst', leadMs: 200 }, 20, 1000, 500)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('stretches a lead that is too short for its frames by less than a frame', () => {
    const leadOf = (leadMs: number, frameMs: number) => leadForFrameMs({ mode: 'realtime', leadMs }, frameMs);
    expect([leadOf(200, 100), leadOf(40, 20), leadOf(40, 40), leadOf(40, 100)]).toEqual([200, 40, 60, 120]);
  });

  it('joins frames from 50 listeners on, for those who have a lead to spare', () => {
    const joined = (leadMs: number, listeners: number) => coalesceMs({ mode: 'realtime', leadMs }, listeners);
    expect([joined(200, 49), joined(200, 50), joined(99, 150), joined(100, 150)]).toEqual([0, 20, 0, 20]);
    expect([joined(200, 199), joined(200, 200), joined(199, 500), joined(99, 500)]).toEqual([20, 40, 20, 0]);
    expect([joined(200, 299), joined(200, 300)]).toEqual([40, 80]);
  });

  it('calls a listener starved from a whole millisecond on', () => {
    expect(starvedMs(1000, 500, 1500.9)).toBe(0);
    expect(starvedMs(1000, 500, 1501)).toBe(1);
    expect(starvedMs(1000, 500, 1400)).toBe(0);
  });

  it('never lets more be heard than was sent, nor less than nothing', () => {
    const ms = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(ms, ms, ms, (anchorMs, sentMs, nowMs) => {
        const heard = heardByClockMs(anchorMs, sentMs, nowMs);
        expect(heard).toBeGreaterThanOrEqual(0);
        expect(heard).toBeLessThanOrEqual(sentMs);
        if (starvedMs(anchorMs, sentMs, nowMs) > 0) expect(heard).toBe(sentMs);
      }),
    );
  });
});
