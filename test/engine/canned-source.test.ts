// The light engine: the same face, limits and faults as the speaking one, prebuilt sound in place of speech.
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createCannedSource } from '../../src/engine/canned-source.ts';
import type { EngineOptions } from '../../src/engine/engine-server.ts';
import type { SpeechJob } from '../../src/engine/speech-stream.ts';
import { VOICES } from '../../src/engine/voices.ts';
import { createScript } from '../../src/speech-program/speech-script.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { typedFaults } from '../support/typed-faults.ts';
import {
  ADAM,
  closeEngines,
  decodeMp3,
  engineForTest,
  post,
  removeScratch,
  speak,
  speechBody,
} from './engine-fixture.ts';

afterEach(closeEngines);
afterAll(removeScratch);

const AT_ONCE = { paceFactor: 0, firstByteMs: 0 };
const canned = (options: Partial<EngineOptions> = {}) => engineForTest({ canned: AT_ONCE, ...options });
const MP3 = { outputFormat: 'mp3' };

describe('a canned engine', () => {
  it('answers with MP3 that can be decoded, about as long as the speech would be', async () => {
    const engine = await canned();
    const text = 'It was a bright cold day in April, and the clocks were striking thirteen.';
    const { pcm16, sampleRate } = await decodeMp3(await speak(engine, { ...MP3, text }));
    const seconds = pcm16.length / 2 / sampleRate;
    expect(sampleRate).toBe(24_000);
    expect(seconds).toBeGreaterThan(text.length / 20);
    expect(seconds).toBeLessThan(text.length / 11);
    const twice = await decodeMp3(await speak(engine, { ...MP3, text, speed: 2 }));
    expect(twice.pcm16.length / pcm16.length).toBeLessThan(0.65);
    const samples = new Int16Array(pcm16.buffer, pcm16.byteOffset, pcm16.length / 2);
    expect(samples.some((sample) => Math.abs(sample) > 2000)).toBe(true);
  });

  it('gives the same bytes for text, voice, temperature and seed, in another life too, and others otherwise', async () => {
    const same = { ...MP3, text: 'One two three four. Five six seven.', seed: 5 };
    const engine = await canned();
    const first = await speak(engine, same);
    expect(first.equals(await speak(await canned(), same))).toBe(true);
    for (const other of [
      { seed: 6 },
      { voice: ADAM },
      { temperature: 0 },
      { text: 'One two three four. Five six eight.' },
    ])
      expect(first.equals(await speak(engine, { ...same, ...other }))).toBe(false);
  });

  it('has all rates of mp3 and refuses what a speaking engine refuses, and other formats', async () => {
    const engine = await canned();
    for (const sampleRate of [8000, 44_100])
      expect((await decodeMp3(await speak(engine, { ...MP3, sampleRate }))).sampleRate).toBe(sampleRate);
    const refusal = async (fields: Record<string, unknown>) => {
      const response = await post(engine, speechBody(fields));
      return [response.status, ((await response.json()) as { errorMessage: string }).errorMessage];
    };
    expect(await refusal({ outputFormat: 'raw' })).toEqual([
      400,
      expect.stringMatching(/outputFormat: must be mp3/),
    ]);
    expect(await refusal({ ...MP3, speed: 9 })).toEqual([400, expect.stringMatching(/speed/)]);
    expect(await refusal({ ...MP3, voice: 'nobody' })).toEqual([400, expect.stringMatching(/voice/)]);
    const text = await speak(engine, { ...MP3, text: '…' });
    expect((await decodeMp3(text)).pcm16.length).toBeGreaterThan(0);
  });

  it('keeps its limits and has its faults', async () => {
    const limited = await canned({ faults: typedFaults(['limit=first:1']) });
    const statuses = [await post(limited, speechBody(MP3)), await post(limited, speechBody(MP3))];
    expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
    for (const response of statuses) await response.arrayBuffer();
    expect((await speak(await canned({ faults: typedFaults(['short=500']) }), MP3)).length).toBe(500);
  });
});

describe('the pace of canned sound', () => {
  const jobOf = (text: string): SpeechJob => ({
    lines: createScript({ text, language: 'english' }),
    voices: { 1: VOICES[0]!, 2: VOICES[0]! },
    language: 'english',
    speed: 1,
    seed: 1,
    temperature: 1,
    format: 'mp3',
    sampleRate: 24_000,
  });
  const BYTES_PER_SECOND = 8000;

  it('begins after the first byte is due, and then keeps to its multiple of real time', async () => {
    const clock = createFakeClock();
    const source = await createCannedSource({ paceFactor: 4, firstByteMs: 300, clock, readerStallMs: 1000 });
    const { body, started } = source.open(jobOf('a'.repeat(600)));
    let received = 0;
    body.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await clock.run(299);
    expect(received).toBe(0);
    await clock.run(1);
    await started;
    expect(received).toBeGreaterThan(0);
    await clock.run(2000);
    const playedMs = (received / BYTES_PER_SECOND) * 1000;
    expect(playedMs).toBeGreaterThan(4 * 2000);
    expect(playedMs).toBeLessThan(4 * 2100 + 200 + 400);
    body.destroy();
    await settle();
    expect(clock.timers).toBe(0);
  });

  it('waits for a slow reader, and not for ever', async () => {
    const clock = createFakeClock();
    const source = await createCannedSource({ paceFactor: 0, firstByteMs: 0, clock, readerStallMs: 1000 });
    const { body, started } = source.open(jobOf('a'.repeat(6000)));
    let error: Error | undefined;
    body.on('error', (thrown) => {
      error = thrown;
    });
    await clock.run(0);
    await started;
    const buffered = body.readableLength;
    expect(buffered).toBeLessThan(64 * 1024);
    await clock.run(999);
    expect([body.readableLength, error]).toEqual([buffered, undefined]);
    await clock.run(1);
    expect(error).toMatchObject({ code: 'slow_reader' });
    expect(clock.timers).toBe(0);
  });

  it('a reader that goes before the first byte leaves no timer behind', async () => {
    const clock = createFakeClock();
    const source = await createCannedSource({ paceFactor: 1, firstByteMs: 500, clock, readerStallMs: 1000 });
    const { body, started } = source.open(jobOf('Hello.'));
    body.destroy();
    await expect(started).rejects.toMatchObject({ code: 'upstream_broken' });
    expect(clock.timers).toBe(0);
  });
});
