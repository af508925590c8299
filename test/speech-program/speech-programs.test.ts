import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import {
  createSpeechPrograms,
  type SpeechPrograms,
  type SpeechProgramsOptions,
} from '../../src/speech-program/speech-programs.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const PROGRAM = fileURLToPath(new URL('./fake-speech-program.mjs', import.meta.url));
const open: SpeechPrograms[] = [];

function start(options: Partial<SpeechProgramsOptions> = {}, mode = 'fine'): SpeechPrograms {
  const programs = createSpeechPrograms({
    command: [process.execPath, PROGRAM, mode],
    count: 1,
    clock: systemClock,
    log: silentLog,
    ...options,
  });
  open.push(programs);
  return programs;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const never = new AbortController().signal;
const utteranceOf = (text: string) => ({ text, voice: 'any', rate: 175, pitch: 50, range: 50 });

async function say(speech: SpeechPrograms, text: string, aheadMs = 0, signal = never): Promise<number[]> {
  const heard: number[] = [];
  await speech.speak(
    utteranceOf(text),
    ({ samples }) => heard.push(...samples),
    signal,
    undefined,
    () => aheadMs,
  );
  return heard.map((sample) => Math.round(sample * 32768));
}
const ramp = (text: string) => Array.from({ length: text.length * 10 }, (_, i) => i + 1);
const code = (wanted: string) => expect.objectContaining({ code: wanted });

describe('the speech programs', () => {
  it('speak first for the request that has the least audio ahead, and keep the order among equals', async () => {
    const speech = start();
    const done: string[] = [];
    // The first one is on its way to the program, which is still starting.
    const asked: readonly (readonly [string, number])[] = [
      ['first', 9000],
      ['far ahead', 9000],
      ['as far', 5000],
      ['ahead', 1500],
      ['new', 0],
      ['behind', -300],
      ['a little ahead', 200],
    ];
    await Promise.all(asked.map(([text, aheadMs]) => say(speech, text, aheadMs).then(() => done.push(text))));
    expect(done).toEqual(['first', 'new', 'behind', 'a little ahead', 'ahead', 'far ahead', 'as far']);
  });

  it('let no request wait for ever that is far ahead', async () => {
    const clock = createFakeClock();
    const speech = start({ clock });
    const done: string[] = [];
    const ask = (text: string, aheadMs: number) => say(speech, text, aheadMs).then(() => done.push(text));
    const earlier = [ask('first', 0), ask('a whole book', 60_000)];
    clock.advance(2000);
    await Promise.all([...earlier, ask('new', 0)]);
    expect(done).toEqual(['first', 'a whole book', 'new']);
  });

  it('start a second one when a sentence has to wait, and no earlier', async () => {
    const clock = createFakeClock();
    const speech = start({ count: 2, clock });
    expect(await say(speech, 'alone')).toEqual(ramp('alone'));
    // Says nothing, so that only another program can go on.
    const stuck = say(speech, 'HANG');
    stuck.catch(() => {});
    expect(await say(speech, 'beside')).toEqual(ramp('beside'));
    expect(await say(speech, 'again')).toEqual(ramp('again'));
  });

  it('go on when a sentence that nobody wants any more has been spoken', async () => {
    const speech = start({}, 'long');
    await say(speech, 'one');
    const leaving = new AbortController();
    const left = say(speech, 'a sentence that takes a while', 0, leaving.signal);
    const waiting = say(speech, 'next');
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await waiting).toHaveLength(4000);
  });

  it('let a waiting sentence leave the line, and refuse the one that makes it too long', async () => {
    const speech = start({ maxWaiting: 1 });
    const first = say(speech, 'first');
    const leaving = new AbortController();
    const waiting = say(speech, 'waiting', 0, leaving.signal);
    await expect(say(speech, 'too many')).rejects.toEqual(code('busy'));
    leaving.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    const last = say(speech, 'last');
    expect(await first).toEqual(ramp('first'));
    expect(await last).toEqual(ramp('last'));
  });

  it('tell all who wait when there is no program, or when they are closed', async () => {
    const texts = ['one', 'two', 'three'];
    const missing = start({ count: 2 }, 'missing');
    for (const told of await Promise.allSettled(texts.map((text) => say(missing, text))))
      expect(told).toEqual({ status: 'rejected', reason: code('engine_unavailable') });
    const speech = start({ count: 2 });
    const pending = Promise.allSettled(texts.map((text) => say(speech, text)));
    await speech.close();
    for (const told of await pending)
      expect(told).toEqual({ status: 'rejected', reason: code('shutting_down') });
  });
});
