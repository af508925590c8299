import { describe, expect, it } from 'vitest';
import { createIntakeLimit } from '../../../src/gateway/sockets/intake-limit.ts';

const takes = (limit: ReturnType<typeof createIntakeLimit>, nowMs: number, bytes: number, times: number) => {
  let taken = 0;
  while (taken < times && limit(nowMs, bytes) === undefined) taken += 1;
  return taken;
};

describe('the intake limit', () => {
  it('takes two seconds’ worth of messages at once, and then what comes back', () => {
    const limit = createIntakeLimit({ messagesPerSecond: 100, bytesPerSecond: 1_000_000 });
    expect(takes(limit, 0, 10, 1000)).toBe(200);
    expect(takes(limit, 500, 10, 1000)).toBe(50);
    expect(limit(500, 10)).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('100 messages'),
    });
  });

  it('counts bytes apart from messages', () => {
    const limit = createIntakeLimit({ messagesPerSecond: 100, bytesPerSecond: 1000 });
    expect(takes(limit, 0, 400, 1000)).toBe(5);
    expect(limit(0, 1)).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('1000 bytes'),
    });
  });

  it('bears a frame without a payload', () => {
    const limit = createIntakeLimit({ messagesPerSecond: 2, bytesPerSecond: 1 });
    expect(takes(limit, 0, 0, 100)).toBe(4);
  });
});
