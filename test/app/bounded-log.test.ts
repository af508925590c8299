// Lines that a stranger can cause are bounded, each kind by itself, and what was left out is told.
import { describe, expect, it } from 'vitest';
import { createBoundedLog, MAX_BURST, MAX_PER_SECOND } from '../../src/app/bounded-log.ts';
import type { LogFields } from '../../src/base/log.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function start() {
  const clock = createFakeClock();
  const lines: ({ event: string } & LogFields)[] = [];
  const failures: string[] = [];
  const keep = (event: string, fields?: LogFields) => void lines.push({ event, ...fields });
  const log = createBoundedLog({
    log: { debug: keep, info: keep, warn: keep, error: keep },
    clock,
    onFailure: (of, code) => void failures.push(`${of} ${code}`),
  });
  const refuse = (count: number, code = 'unauthorized') => {
    for (let i = 0; i < count; i++) log.warn('upgrade_refused', { code, request: `r${i}` });
  };
  return { clock, lines, failures, log, refuse };
}

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
