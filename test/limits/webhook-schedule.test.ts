import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeWebhook, MAX_WEBHOOK_ATTEMPTS } from '../../src/limits/webhook-schedule.ts';

const outcome = (status?: number, retryAfterMs?: number) => ({ status, retryAfterMs });
const status = fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined });

describe('judgeWebhook', () => {
  it('tries ten times within 75.6 hours', () => {
    const pauses: number[] = [];
    for (let attempt = 1; ; attempt++) {
      const verdict = judgeWebhook(outcome(500), attempt, 0);
      if (verdict.kind !== 'again') {
        expect(verdict.kind).toBe('given-up');
        break;
      }
      pauses.push(verdict.pauseMs / 1000);
    }
    expect(pauses).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(pauses.length + 1).toBe(MAX_WEBHOOK_ATTEMPTS);
    expect(pauses.reduce((sum, seconds) => sum + seconds) / 3600).toBeCloseTo(75.6, 1);
  });

  it.each([200, 201, 202, 204, 299])('%i has arrived, even at the last attempt', (code) => {
    expect(judgeWebhook(outcome(code), 1, 0)).toEqual({ kind: 'delivered' });
    expect(judgeWebhook(outcome(code), 10, 0)).toEqual({ kind: 'delivered' });
  });

  it.each([undefined, 100, 199, 301, 302, 307, 308, 400, 401, 404, 409, 500, 599])(
    '%s is tried again',
    (code) => {
      expect(judgeWebhook(outcome(code, 600_000), 1, 0)).toEqual({ kind: 'again', pauseMs: 5000 });
    },
  );

  it('410 is the end', () => expect(judgeWebhook(outcome(410), 1, 0)).toEqual({ kind: 'gone' }));

  it.each([429, 502, 503, 504])(
    '%i waits for as long as it was asked to, and no less than planned',
    (code) => {
      expect(judgeWebhook(outcome(code, 60_000), 1, 0)).toEqual({ kind: 'again', pauseMs: 60_000 });
      expect(judgeWebhook(outcome(code, 60_000), 2, 0)).toEqual({ kind: 'again', pauseMs: 300_000 });
      expect(judgeWebhook(outcome(code), 1, 0)).toEqual({ kind: 'again', pauseMs: 5000 });
      expect(judgeWebhook(outcome(code, 60_000), 10, 0)).toEqual({ kind: 'given-up' });
    },
  );

  it('lengthens a pause by a tenth at most, and never shortens one', () => {
    fc.assert(
      fc.property(
        status,
        fc.option(fc.integer({ min: 0, max: 3_600_000 }), { nil: undefined }),
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (code, retryAfterMs, attempt, share) => {
          const plain = judgeWebhook(outcome(code, retryAfterMs), attempt, 0);
          const given = judgeWebhook(outcome(code, retryAfterMs), attempt, share);
          expect(given.kind).toBe(plain.kind);
          if (given.kind !== 'again' || plain.kind !== 'again') return;
          expect(given.pauseMs).toBeGreaterThanOrEqual(plain.pauseMs);
          expect(given.pauseMs).toBeLessThanOrEqual(plain.pauseMs * 1.1);
          expect(Number.isInteger(given.pauseMs)).toBe(true);
        },
      ),
    );
  });
});
