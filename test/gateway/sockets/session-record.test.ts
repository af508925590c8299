// What the log is told of a session when it ends, and of its turns that fail.
import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../../src/base/app-error.ts';
import { type LogFields, silentLog } from '../../../src/base/log.ts';
import { errorEvent } from '../../../src/dialects/error-event.ts';
import type { Outcome, ServerEvent } from '../../../src/dialects/native-events.ts';
import { SessionRecord } from '../../../src/gateway/sockets/session-record.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function start() {
  const clock = createFakeClock();
  const lines: (LogFields & { event: string; level: string })[] = [];
  const keep = (level: string) => (event: string, fields?: LogFields) =>
    void lines.push({ level, event, ...fields });
  const record = new SessionRecord({
    session: 's',
    seen: { tenant: 'ann', dialect: 'native' },
    clock,
    log: { ...silentLog, info: keep('info'), warn: keep('warn') },
  });
  const note = (...events: ServerEvent[]) => {
    for (const event of events) record.note(event);
  };
  return { clock, lines, record, note };
}
const ended = (turn: string, outcome: Outcome): ServerEvent => ({
  type: 'ended',
  turn,
  outcome,
  audioMs: 2000,
  sentMs: 1500,
  requests: 1,
  resumes: 0,
  cached: false,
});
const failure = (code: ErrorCode, turn?: string) => errorEvent(new AppError(code, 'a message'), turn);
const started = (turn: string, firstAudioMs: number): ServerEvent => ({
  type: 'started',
  turn,
  format: 'mulaw',
  sampleRate: 8000,
  seed: 1,
  timings: { queueMs: 0, upstreamTtfbMs: 0, firstAudioMs },
});
const heard = (turn: string, playedMs: number): ServerEvent => ({
  type: 'heard',
  turn,
  playedMs,
  playedBy: 'clock',
  spokenText: 'a text',
  remainingText: '',
});

describe('the record of a session', () => {
  it('adds up its turns, what was heard, and the first of their first audio', () => {
    const { clock, lines, record, note } = start();
    note(started('a', 120), ended('a', 'complete'), heard('a', 1500));
    note(started('b', 80), ended('b', 'cancelled'), heard('b', 250));
    clock.advance(4000);
    record.end({ close: 1000, code: undefined, heardMs: 500 });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'info',
        event: 'session_ended',
        session: 's',
        tenant: 'ann',
        dialect: 'native',
        outcome: 'closed',
        close: 1000,
        seconds: 4,
        turns: 2,
        cancelled: 1,
        failed: 0,
        firstAudioMs: 120,
        heardSeconds: 2.25,
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('a text');
  });

  it.each([
    ['upstream_timeout', 'warn'],
    ['credit_timeout', 'info'],
  ] as const)('tells a turn that fails by %s at once, at the level %s', (code, level) => {
    const { lines, note } = start();
    note(failure('unknown_turn', 'x'), failure(code, 'a'), ended('a', 'truncated'));
    expect(lines).toEqual([
      {
        level,
        event: 'turn_failed',
        session: 's',
        turn: 'a',
        tenant: 'ann',
        dialect: 'native',
        outcome: 'truncated',
        code,
        sentSeconds: 1.5,
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('a message');
  });

  it.each([
    [1006, undefined, 'lost'],
    [4001, undefined, 'closed'],
    [4408, 'idle_timeout', 'ended'],
  ] as const)('closed with %d for %s is %s', (close, code, outcome) => {
    const { lines, record } = start();
    record.end({ close, code, heardMs: 0 });
    expect(lines).toMatchObject([{ close, code, outcome }]);
  });
});
