// The finisher with its real threads: what a caller gets, and that nothing is left of what nobody gets.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { AudioFinisher } from '../../../src/service/audio-finisher.ts';
import { createWorkerGainFinisher } from '../../../src/service/finishing/worker-gain-finisher.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createSpokenParts } from '../../support/spoken-parts.ts';

const spoken = createSpokenParts();
const opened: AudioFinisher[] = [];
afterAll(async () => {
  for (const finisher of opened) await finisher.close();
  spoken.remove();
});
function open(options: Partial<Parameters<typeof createWorkerGainFinisher>[0]> = {}): AudioFinisher {
  const finisher = createWorkerGainFinisher({ clock: systemClock, ...options });
  opened.push(finisher);
  return finisher;
}
/** A thread that does nothing for ever. */
const IDLE = new URL(`data:text/javascript,${encodeURIComponent('setInterval(() => {}, 1000)')}`);
const never = new AbortController().signal;
const outputs = () => readdirSync(spoken.folder).filter((name) => name.startsWith('out'));
const parts = [spoken.part('one', 1), spoken.part('two', 0.5)];

describe('worker finisher', () => {
  it('makes a file in a thread, and tells what it is', async () => {
    const steps: number[] = [];
    const request = spoken.request({ parts, format: 'wav', sampleRate: 8000 });
    const finished = await open().finish(request, (done) => steps.push(done), never);
    expect(finished).toMatchObject({ sampleRate: 8000, bytes: statSync(request.outPath).size });
    expect(finished.places).toHaveLength(2);
    const bytes = readFileSync(request.outPath);
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(steps.at(-1)).toBe(1);
    expect(outputs()).toEqual(['out.wav']);
  });

  it('leaves nothing when it is given up, and does not begin when it is too late', async () => {
    const request = spoken.request({ parts: [spoken.part('long', 1, 20)], format: 'flac' });
    const stop = new AbortController();
    const work = open().finish(request, () => stop.abort(), stop.signal);
    await expect(work).rejects.toMatchObject({ name: 'AppError' });
    await expect(open().finish(request, () => {}, stop.signal)).rejects.toMatchObject({ name: 'AppError' });
    expect(outputs()).toEqual(['out.wav']);
  });

  it('passes on what the thread refuses, and what makes it fail', async () => {
    const empty = join(spoken.folder, 'empty');
    writeFileSync(empty, '');
    const finisher = open();
    const missing = { path: join(spoken.folder, 'not-there'), gapMs: 0 };
    const finish = (wish: Parameters<typeof spoken.request>[0]) =>
      finisher.finish(spoken.request(wish), () => {}, never);
    await Promise.all([
      expect(finish({ parts: [{ path: empty, gapMs: 0 }] })).rejects.toMatchObject({
        name: 'AppError',
        code: 'upstream_bad_audio',
      }),
      expect(finish({ parts: [missing], format: 'raw' })).rejects.toMatchObject({
        name: 'AppError',
        code: 'internal',
      }),
    ]);
    expect(outputs()).toEqual(['out.wav']);
  });

  it('gives up a thread that shows no progress', async () => {
    const clock = createFakeClock();
    const work = open({ clock, program: IDLE, stallMs: 1000 }).finish(
      spoken.request({ parts }),
      () => {},
      never,
    );
    const outcome = expect(work).rejects.toMatchObject({ code: 'internal', message: /standstill/ });
    await expect.poll(() => clock.timers).toBe(1);
    await clock.run(1000);
    await outcome;
    expect(clock.timers).toBe(0);
  });

  it('ends its threads when it is closed, and begins none afterwards', async () => {
    const finisher = open({ program: IDLE });
    const work = finisher.finish(spoken.request({ parts }), () => {}, never);
    const outcome = expect(work).rejects.toMatchObject({ code: 'shutting_down' });
    await finisher.close();
    await outcome;
    const late = finisher.finish(spoken.request({ parts }), () => {}, never);
    await expect(late).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
