// Lines that a stranger can cause are bounded, each kind by itself, and what was left out is told.
import { describe, expect, it } from 'vitest';
import { createBoundedLog, MAX_BURST, MAX_PER_SECOND } from '../../src/app/bounded-log.ts';
import type { LogFields } from '../../src/base/log.ts';
import { EVENTS_SERIES, LOG_EVENTS } from '../../src/base/log-events.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function start() {
  const clock = createFakeClock();
  const lines: ({ event: string } & LogFields)[] = [];
  const failures: string[] = [];
  const events: string[] = [];
  const keep = (event: string, fields?: LogFields) => void lines.push({ event, ...fields });
  const log = createBoundedLog({
    log: { debug: keep, info: keep, warn: keep, error: keep },
    clock,
    onFailure: (of, code) => void failures.push(`${of} ${code}`),
    onEvent: (event) => void events.push(event),
  });
  const refuse = (count: number, code = 'unauthorized') => {
    for (let i = 0; i < count; i++) log.warn('upgrade_refused', { code, request: `r${i}` });
  };
  return { clock, lines, failures, events, log, refuse };
}

describe('each event of the log', () => {
  it.each(Object.entries(LOG_EVENTS))('%s is counted as its row says, once for each line', (name, row) => {
    const { log, failures, events } = start();
    const event = name as keyof typeof LOG_EVENTS;
    for (let i = 0; i < MAX_BURST * 2; i++) log.warn(event, { code: 'busy' });
    log.debug(event);
    expect(events).toEqual(Array.from({ length: MAX_BURST * 2 + 1 }, () => event));
    const of = 'failureOf' in row ? row.failureOf : undefined;
    expect(failures).toEqual(
      of === undefined ? [] : Array.from({ length: MAX_BURST * 2 }, () => `${of} busy`),
    );
  });

  it('that tells how something ended or why it was not let in has a series beside the one of events', () => {
    const tells = Object.entries(LOG_EVENTS).filter(([event]) =>
      /^(upgrade|session|turn|leg|request|work)_(?!not_)|_(refused|ended|gave_up|given_up|answered)$/.test(
        event,
      ),
    );
    const alone = tells.filter(([, { countedBy }]) => countedBy === EVENTS_SERIES).map(([event]) => event);
    // A session that goes on, what a key may send, and a sentence that the engine could not speak: nobody's end.
    expect(alone).toEqual([
      'session_detached',
      'session_resumed',
      'session_taken_over',
      'session_lost',
      'quota_refused',
      'instance_note_refused',
      'engine_sentence_refused',
    ]);
  });
});

describe('the bounded log', () => {
  it('writes a burst of refusals and leaves out the flood behind it', () => {
    const { lines, failures, refuse } = start();
    refuse(10_000);
    expect(lines).toHaveLength(MAX_BURST);
    expect(failures).toHaveLength(10_000);
  });

  it('leaves out no line of another code or event', () => {
    const { lines, log, refuse } = start();
    refuse(10_000);
    refuse(1, 'busy');
    log.info('session_ended', { session: 's' });
    expect(lines.slice(MAX_BURST)).toEqual([
      { event: 'upgrade_refused', code: 'busy', request: 'r0' },
      { event: 'session_ended', session: 's' },
    ]);
  });

  it('says with the next line how many were left out', () => {
    const { clock, lines, refuse } = start();
    refuse(MAX_BURST + 7);
    clock.advance(1000);
    refuse(1);
    expect(lines.at(-1)).toEqual({
      event: 'upgrade_refused',
      code: 'unauthorized',
      request: 'r0',
      leftOut: 7,
    });
    refuse(MAX_PER_SECOND + 1);
    expect(lines).toHaveLength(MAX_BURST + MAX_PER_SECOND);
  });

  it('says it after a while when there is no next line, and at its end', () => {
    const { clock, lines, log, refuse } = start();
    refuse(MAX_BURST + 7);
    clock.advance(10_000);
    const told = { event: 'lines_left_out', of: 'upgrade_refused', code: 'unauthorized' };
    expect(lines.at(-1)).toEqual({ ...told, leftOut: 7 });
    refuse(MAX_BURST + 3);
    log.close();
    expect(lines.at(-1)).toEqual({ ...told, leftOut: 3 });
  });

  it('bounds no line of what was let in', () => {
    const { lines, log } = start();
    for (let i = 0; i < 1000; i++) log.info('session_ended', { session: `s${i}` });
    expect(lines).toHaveLength(1000);
  });
});
