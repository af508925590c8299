import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { WordEvent } from '../../src/speech-program/speech-child.ts';
import {
  createSpeechProcess,
  type SpeechProcess,
  type SpeechProcessOptions,
} from '../../src/speech-program/speech-process.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const PROGRAM = fileURLToPath(new URL('./fake-speech-program.mjs', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'speech-process-'));
const open: SpeechProcess[] = [];

/** Delays by the factor 100 shorter: only their order matters here. */
const quickClock: Clock = {
  ...systemClock,
  after: (delayMs, task) => systemClock.after(delayMs / 100, task),
};

function start(mode = 'fine', options: Partial<SpeechProcessOptions> = {}) {
  const process_ = createSpeechProcess({
    command: [process.execPath, PROGRAM, mode],
    clock: systemClock,
    log: silentLog,
    ...options,
  });
  open.push(process_);
  return process_;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const never = new AbortController().signal;
const say = async (speech: SpeechProcess, text: string, signal = never): Promise<number[]> => {
  const heard: number[] = [];
  const utterance = { text, voice: 'any', rate: 175, pitch: 50, range: 50 };
  await speech.speak(utterance, ({ samples }) => heard.push(...samples), signal);
  return heard.map((sample) => Math.round(sample * 32768));
};
const ramp = (text: string) => Array.from({ length: text.length * 10 }, (_, i) => i + 1);
const code = (wanted: string) => expect.objectContaining({ code: wanted });

describe('the speech process', () => {
  it('hands out the samples of each sentence, in the order in which they were asked for', async () => {
    const speech = start();
    const done: string[] = [];
    const texts = ['one', 'twelve', 'a longer one'];
    const heard = await Promise.all(texts.map((text) => say(speech, text).finally(() => done.push(text))));
    expect(heard).toEqual(texts.map(ramp));
    expect(done).toEqual(texts);
    expect(speech.pending()).toBe(0);
  });

  it('takes turns between requests that each wait for their last sentence', async () => {
    const speech = start();
    const order: string[] = [];
    const request = async (name: string) => {
      for (let i = 0; i < 4; i++) {
        await say(speech, `${name}${i}`);
        order.push(name);
      }
    };
    await Promise.all([request('a'), request('b')]);
    expect(order.join('')).toBe('abababab');
  });

  it('starts its program with the first sentence, lets it go when nobody speaks, and starts it again', async () => {
    const clock = createFakeClock();
    const speech = start('fine', { clock, startsWith: 'first-sentence', maxIdleMs: 60_000 });
    expect(speech.pending()).toBe(0);
    expect(await say(speech, 'one')).toEqual(ramp('one'));
    clock.advance(59_999);
    expect(await say(speech, 'two')).toEqual(ramp('two'));
    clock.advance(60_000);
    expect(await say(speech, 'three')).toEqual(ramp('three'));
    speech.wake();
    expect(await say(speech, 'four')).toEqual(ramp('four'));
  });

  it('starts a program that is woken, before anybody asks', async () => {
    const lines: string[] = [];
    const log = { ...silentLog, error: (event: string) => void lines.push(event) };
    const woken = start('missing', { startsWith: 'first-sentence', log });
    // Others start and end in the meantime.
    await start('missing').started;
    await start('missing').started;
    expect(lines).toEqual([]);
    woken.wake();
    await woken.started;
    expect(lines).toEqual(['engine_program_missing']);
    await expect(say(woken, 'never')).rejects.toEqual(code('engine_unavailable'));
  });

  it('says a sentence again when the program dies, without repeating what was heard', async () => {
    const speech = start();
    const text = `ONCE ${join(scratch, 'once')}`;
    const [heard, next] = await Promise.all([say(speech, text), say(speech, 'next')]);
    expect(heard).toEqual(ramp(text));
    expect(next).toEqual(ramp('next'));
  });

  it('tells the words of a sentence once, when they were asked for, also when it was said again', async () => {
    const speech = start();
    const tell = async (text: string) => {
      const told: (readonly WordEvent[])[] = [];
      const utterance = { text, voice: 'any', rate: 175, pitch: 50, range: 50 };
      const heard: number[] = [];
      await speech.speak(
        utterance,
        ({ samples }) => heard.push(...samples),
        never,
        (words) => told.push(words),
      );
      expect(heard.length).toBe(text.length * 10);
      return told;
    };
    expect(await tell('one two')).toEqual([
      [
        { atMs: 0, codePoint: 0, codePoints: 3 },
        { atMs: 2.5, codePoint: 4, codePoints: 3 },
      ],
    ]);
    const again = `${`ONCE ${join(scratch, 'words')}`} more`;
    const words = again.matchAll(/\S+/g);
    expect((await tell(again)).map((list) => list.map(({ codePoint }) => codePoint))).toEqual([
      [...words].map(({ index }) => index),
    ]);
    expect(await tell('')).toEqual([[]]);
  });

  it('ends a program whose words are none', async () => {
    const speech = start();
    const utterance = { text: 'BADLY', voice: 'any', rate: 175, pitch: 50, range: 50 };
    await expect(
      speech.speak(
        utterance,
        () => {},
        never,
        () => {},
      ),
    ).rejects.toEqual(code('engine_unavailable'));
    expect(await say(speech, 'BADLY')).toEqual(ramp('BADLY'));
  });

  it('gives a sentence up that kills the program twice, and goes on with the others', async () => {
    const speech = start();
    const [poison, other] = await Promise.allSettled([say(speech, 'DIE'), say(speech, 'other')]);
    expect(poison).toEqual({ status: 'rejected', reason: code('engine_unavailable') });
    expect(other).toEqual({ status: 'fulfilled', value: ramp('other') });
  });

  it('ends a program that is silent for too long', async () => {
    const speech = start('fine', { sentenceDeadlineMs: 100 });
    await say(speech, 'warm');
    await expect(say(speech, 'HANG')).rejects.toEqual(code('engine_unavailable'));
    expect(await say(speech, 'next')).toEqual(ramp('next'));
  });

  it('lets a waiting sentence leave the line and a running one go unheard', async () => {
    const speech = start();
    await say(speech, 'warm');
    const leaving = new AbortController();
    const running = say(speech, 'running', leaving.signal);
    const waiting = say(speech, 'waiting', leaving.signal);
    const after = say(speech, 'after');
    expect(speech.pending()).toBe(3);
    const left = Promise.allSettled([running, waiting]);
    const reason = new Error('gone');
    leaving.abort(reason);
    expect(speech.pending()).toBe(2);
    expect(await left).toEqual([1, 2].map(() => ({ status: 'rejected', reason })));
    expect(await after).toEqual(ramp('after'));
    expect(speech.pending()).toBe(0);
  });

  it('refuses the sentence that would make the line too long', async () => {
    const speech = start('fine', { mostWaiting: 2 });
    await say(speech, 'warm');
    const kept = [say(speech, 'a'), say(speech, 'b'), say(speech, 'c')];
    await expect(say(speech, 'd')).rejects.toEqual(code('busy'));
    expect(await Promise.all(kept)).toEqual(['a', 'b', 'c'].map(ramp));
  });

  it('passes a refusal of the program on without its words', async () => {
    const speech = start();
    await expect(say(speech, 'REFUSE')).rejects.toEqual(code('internal'));
    expect(await say(speech, 'fine')).toEqual(ramp('fine'));
  });

  it('fails with the sink that cannot take a block, and keeps the program', async () => {
    const speech = start();
    const utterance = { text: 'any', voice: 'any', rate: 1, pitch: 1, range: 1 };
    const broken = () => {
      throw new Error('no room');
    };
    await expect(speech.speak(utterance, broken, never)).rejects.toThrow('no room');
    expect(await say(speech, 'next')).toEqual(ramp('next'));
  });

  it('says how to install an engine that is missing, now and later', async () => {
    for (const speech of [
      start('missing'),
      createSpeechProcess({ command: ['/no/such/program'], clock: systemClock, log: silentLog }),
    ]) {
      for (let i = 0; i < 2; i++) {
        const thrown = await say(speech, 'hello').catch((error: unknown) => error);
        expect(thrown).toEqual(code('engine_unavailable'));
        expect((thrown as Error).message).toContain('@echogarden/espeak-ng-emscripten');
      }
      await speech.close();
    }
  });

  it('stops keeping callers waiting when the program keeps dying or does not speak in frames', async () => {
    for (const mode of ['dies', 'prints']) {
      const speech = start(mode, { clock: quickClock });
      const thrown = await say(speech, 'hello').catch((error: unknown) => error);
      expect(thrown).toEqual(code('engine_unavailable'));
      expect(thrown).toHaveProperty('retryAfterMs', expect.any(Number));
    }
  });

  it('closes even while the program says that it is ready', async () => {
    const speech = start();
    // The word is in the pipe, and the event loop has not seen it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    await speech.close();
    await expect(say(speech, 'late')).rejects.toEqual(code('shutting_down'));
  });

  it('rejects what is pending when it is closed, and everything after', async () => {
    const speech = start();
    await say(speech, 'warm');
    const pending = Promise.allSettled([say(speech, 'HANG'), say(speech, 'waiting')]);
    await speech.close();
    expect((await pending).map((one) => one.status === 'rejected' && one.reason.code)).toEqual([
      'shutting_down',
      'shutting_down',
    ]);
    await expect(say(speech, 'late')).rejects.toEqual(code('shutting_down'));
  });
});
