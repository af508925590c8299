// One request's stream, with the speech program replaced by a hand that the test moves.
import { describe, expect, it } from 'vitest';
import { createFilterBanks } from '../../src/audio/dsp/filter-bank.ts';
import { createSoundPath } from '../../src/audio/dsp/wasm-sound-path.ts';
import { loadMp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import type { PcmBlock } from '../../src/audio/stage.ts';
import { AppError } from '../../src/base/app-error.ts';
import { openSpeechStream, type SpeechJob } from '../../src/engine/speech-stream.ts';
import { loadTimeStretch } from '../../src/engine/time-stretch.ts';
import { VOICES } from '../../src/engine/voices.ts';
import type { Utterance, WordEvent } from '../../src/speech-program/speech-child.ts';
import type { TimedWord } from '../../src/speech-program/word-times.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';

const mp3 = await loadMp3Encoders();
const createTimeStretch = await loadTimeStretch();
const RATE = 16_000;

type Asked = {
  utterance: Utterance;
  signal: AbortSignal;
  hear(seconds: number): void;
  done(): void;
  fail(error: Error): void;
  /** Undefined: nobody asked for words. */
  tellWords: ((words: readonly WordEvent[]) => void) | undefined;
};

/** Line `index` is ten letters of the request's text, two words, each letter from itself. */
const originOfLine = (index: number) => () => ({
  words: [0, 5].map((at) => ({ start: 10 * index + at, end: 10 * index + at + 4 })),
  sourceOf: (codePoint: number) => ({
    start: 10 * index + codePoint,
    end: 10 * index + codePoint + 1,
  }),
});

function open(sentences: number, changes: Partial<SpeechJob> = {}, onWord?: (word: TimedWord) => void) {
  const asked: Asked[] = [];
  const clock = createFakeClock();
  const speak = (
    utterance: Utterance,
    onBlock: (block: PcmBlock) => void,
    signal: AbortSignal,
    tellWords?: Asked['tellWords'],
  ) => {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    return new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      const hear = (seconds: number) =>
        onBlock({ samples: new Float32Array(seconds * RATE).fill(0.25), sampleRate: RATE });
      asked.push({ utterance, signal, hear, done: resolve, fail: reject, tellWords });
    });
  };
  const lines = Array.from({ length: sentences }, (_, index) => ({
    text: `line ${index}`,
    speaker: index % 2 === 0 ? (1 as const) : (2 as const),
    pause: index === 0 ? ('none' as const) : ('speaker' as const),
    origin: originOfLine(index),
  }));
  const job: SpeechJob = {
    lines,
    voices: { 1: VOICES[0]!, 2: VOICES[5]! },
    language: 'english',
    speed: 1,
    seed: 1,
    temperature: 0,
    format: 'raw',
    sampleRate: RATE,
    ...changes,
  };
  const stream = openSpeechStream(
    job,
    {
      speech: { speak },
      codecs: { mp3 },
      createTimeStretch,
      soundPath: createSoundPath(createFilterBanks()),
      clock,
      readerStallMs: 60_000,
    },
    onWord,
  );
  const outcome = stream.started.then(
    () => 'started',
    (error: unknown) => error,
  );
  return { ...stream, asked, clock, outcome };
}

describe('the speech stream', () => {
  it('starts with the first audio, while its sentence is still being spoken', async () => {
    for (const format of ['raw', 'mp3', 'wav', 'mulaw', 'ogg', 'flac'] as const) {
      const { started, body, asked } = open(3, { format });
      asked[0]!.hear(0.5);
      await started;
      expect((body.read() as Buffer).length).toBeGreaterThan(0);
      expect(asked.length).toBe(1);
      body.destroy();
    }
  });

  it('speaks each line with the voice of its speaker and a pause between', async () => {
    const { body, asked } = open(2);
    asked[0]!.hear(1);
    asked[0]!.done();
    await settle();
    asked[1]!.hear(1);
    asked[1]!.done();
    const chunks = await body.toArray();
    expect(asked.map((one) => one.utterance.voice)).toEqual(['en-us+f2', 'en-us+m3']);
    expect(Buffer.concat(chunks).length / 2 / RATE).toBeCloseTo(2.3, 5);
  });

  it('tells when words begin in the reply, behind pauses and stretched as the sound is', async () => {
    // What is left of a speed for the stretch, as prosody.ts has it: the program's rate is 175 · speed, from 100 to 250.
    for (const [speed, factor] of [
      [1, 1],
      [0.1, 17.5 / 100],
      [5, 875 / 250],
    ] as const) {
      const told: TimedWord[] = [];
      const { body, asked } = open(2, { speed }, (word) => told.push(word));
      const rest = body.toArray();
      for (const index of [0, 1]) {
        asked[index]!.hear(1);
        asked[index]!.tellWords!([0, 5].map((at) => ({ atMs: at * 100, codePoint: at, codePoints: 4 })));
        asked[index]!.done();
        await settle();
      }
      const lastsMs = (Buffer.concat(await rest).length / 2 / RATE) * 1000;
      const pauseMs = 300 / speed;
      const lineMs = (lastsMs - pauseMs) / 2;
      expect([speed, (lineMs * factor) / 1000]).toEqual([speed, expect.closeTo(1, 1)]);
      expect(told.map(({ charStart, charEnd }) => [charStart, charEnd])).toEqual([
        [0, 4],
        [5, 9],
        [10, 14],
        [15, 19],
      ]);
      const places = [0, 0.5 * lineMs, lineMs + pauseMs, 1.5 * lineMs + pauseMs];
      expect([speed, told.map(({ startMs }) => startMs)]).toEqual([
        speed,
        places.map((place) => expect.closeTo(place, -1)),
      ]);
    }
  });

  it('asks for no words when nobody wants them', async () => {
    const { body, asked } = open(1);
    expect(asked[0]!.tellWords).toBeUndefined();
    body.destroy();
  });

  it('asks for the next sentence only when the reader has taken the last', async () => {
    const { body, asked } = open(3);
    asked[0]!.hear(3);
    asked[0]!.done();
    await settle();
    expect(asked.length).toBe(1);
    while (body.read() !== null);
    await settle();
    expect(asked.length).toBe(2);
    body.destroy();
  });

  it('holds a slow sentence back as it came, and stretches it while the reader reads', async () => {
    const { body, asked } = open(1, { speed: 0.1 });
    for (let second = 0; second < 20; second++) asked[0]!.hear(1);
    asked[0]!.done();
    await settle();
    expect(asked[0]!.utterance.rate).toBe(100);
    expect(body.readableLength / 2 / RATE).toBeLessThan(10);
    const seconds = Buffer.concat(await body.toArray()).length / 2 / RATE;
    expect(seconds / (20 / (17.5 / 100))).toBeCloseTo(1, 1);
  });

  it('gives up what is not spoken when its reader leaves, early or late', async () => {
    const early = open(3);
    early.body.destroy();
    expect(await early.outcome).toBeInstanceOf(AppError);
    expect(early.asked[0]!.signal.aborted).toBe(true);

    const late = open(3);
    late.asked[0]!.hear(3);
    late.asked[0]!.done();
    await settle();
    late.body.destroy();
    await settle();
    expect(late.asked.length).toBe(1);
    expect(late.clock.timers).toBe(0);
  });

  it('rejects with the cause before the first byte, and breaks the body off after it', async () => {
    const failure = new AppError('engine_unavailable', 'no engine');
    const before = open(2);
    before.asked[0]!.fail(failure);
    expect(await before.outcome).toBe(failure);
    expect(before.body.destroyed).toBe(true);

    const after = open(2);
    after.asked[0]!.hear(1);
    const whole = after.body.toArray();
    after.asked[0]!.fail(failure);
    await expect(whole).rejects.toBe(failure);
  });

  it('closes on a reader that takes nothing for too long', async () => {
    const { body, asked, clock } = open(2);
    const failed = new Promise((resolve) => body.once('error', resolve));
    asked[0]!.hear(3);
    asked[0]!.done();
    await clock.run(59_999);
    expect(body.destroyed).toBe(false);
    await clock.run(1);
    expect(await failed).toMatchObject({ code: 'slow_reader' });
  });

  it('is a short silence when there is nothing to say', async () => {
    const { body } = open(0);
    const bytes = Buffer.concat(await body.toArray());
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    expect(bytes.length / 2 / RATE).toBeGreaterThanOrEqual(0.25);
    expect(bytes.length / 2 / RATE).toBeLessThan(0.5);
  });
});
