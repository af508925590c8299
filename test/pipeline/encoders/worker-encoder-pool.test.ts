// The pool with its real threads: the same frames as on this thread, and nobody else's trouble.
import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { HEAVY_FORMATS, type HeavyEncoder, type HeavyOutput } from '../../../src/audio/heavy-encoders.ts';
import { createHeavyStage } from '../../../src/audio/heavy-stage.ts';
import { loadMp3Encoders } from '../../../src/audio/mp3/mp3-encoder.ts';
import type { AudioFrame } from '../../../src/audio/stage.ts';
import { type Log, silentLog } from '../../../src/base/log.ts';
import {
  createWorkerEncoderPool,
  type WorkerEncoderPool,
} from '../../../src/pipeline/encoders/worker-encoder-pool.ts';
import { noise, pushInChunks } from '../../support/tone.ts';

const mp3 = await loadMp3Encoders();
const OGG: HeavyOutput = { format: 'ogg', sampleRate: 16_000 };
const FLAC: HeavyOutput = { format: 'flac', sampleRate: 16_000 };
/** A thread that dies of a push of 13 samples, and otherwise answers without a frame. */
const FRAGILE = new URL('../../support/fragile-encoder.mjs', import.meta.url);

const shared = createWorkerEncoderPool({ log: silentLog, threads: 2 });
const others: WorkerEncoderPool[] = [];
afterAll(() => shared.close());
afterEach(async () => {
  for (const pool of others.splice(0)) await pool.close();
});
function poolWith(options: Partial<Parameters<typeof createWorkerEncoderPool>[0]>): WorkerEncoderPool {
  const pool = createWorkerEncoderPool({ log: silentLog, threads: 1, ...options });
  others.push(pool);
  return pool;
}

function onThisThread(output: HeavyOutput, samples: Float32Array, sizes: readonly number[]): AudioFrame[] {
  const frames: AudioFrame[] = [];
  const stage = createHeavyStage(output, mp3, (frame) => frames.push(frame));
  pushInChunks(stage, samples, sizes);
  stage.close();
  return frames;
}

type Turn = { encoder: HeavyEncoder; frames: AudioFrame[]; progress: number[] };
function open(pool: WorkerEncoderPool, output: HeavyOutput): Turn {
  const turn: Partial<Turn> & Pick<Turn, 'frames' | 'progress'> = { frames: [], progress: [] };
  const encoder = pool.open(output, {
    onFrame: (frame) => turn.frames.push(frame),
    onProgress: () => turn.progress.push(turn.encoder!.pendingSamples()),
  });
  if (encoder === 'busy') throw new Error('busy');
  turn.encoder = encoder;
  return turn as Turn;
}
async function encode(
  pool: WorkerEncoderPool,
  output: HeavyOutput,
  samples: Float32Array,
  sizes: readonly number[],
) {
  const { encoder, frames } = open(pool, output);
  for (let at = 0, turn = 0; at < samples.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    encoder.push(samples.subarray(at, at + size));
    at += size;
  }
  await encoder.flush();
  return frames;
}
/** Resolves when the thread has answered everything that was pushed. */
const workedOff = async ({ encoder }: Turn) => {
  while (encoder.pendingSamples() > 0) await new Promise((resolve) => setImmediate(resolve));
};
const joined = (frames: readonly AudioFrame[]) => Buffer.concat(frames.map((frame) => frame.bytes));

describe('worker encoder pool', () => {
  it('gives the frames that this thread would, for turns side by side', async () => {
    const samples = noise(9000);
    const sizes = [700, 13, 2000];
    const outputs = HEAVY_FORMATS.flatMap((format) =>
      [8000, 24_000, 48_000].map((sampleRate) => ({ format, sampleRate })),
    );
    const turns = await Promise.all(outputs.map((output) => encode(shared, output, samples, sizes)));
    for (const [i, output] of outputs.entries())
      expect(turns[i], `${output.format} ${output.sampleRate}`).toEqual(onThisThread(output, samples, sizes));
    expect(shared.openJobs()).toBe(0);
  });

  it('does not care how the samples are split', async () => {
    const samples = noise(4000);
    const whole = onThisThread(OGG, samples, [4000]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 2500 }), { minLength: 1, maxLength: 5 }),
        async (sizes) => {
          expect(await encode(shared, OGG, samples, sizes)).toEqual(whole);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('hands frames over before the flush, and counts what it has not worked off', async () => {
    const turn = open(shared, FLAC);
    const samples = noise(1000);
    turn.encoder.push(samples);
    turn.encoder.push(samples.subarray(0, 500));
    samples.fill(0); // it has taken a copy
    expect(turn.encoder.pendingSamples()).toBe(1500);
    expect(turn.frames).toEqual([]);
    await workedOff(turn);
    expect(turn.progress).toEqual([500, 0]);
    expect(turn.frames.map((frame) => frame.samples)).toEqual([320, 320, 320, 320]);
    const before = joined(turn.frames);
    await turn.encoder.flush();
    const all = onThisThread(FLAC, Float32Array.of(...noise(1000), ...noise(500)), [1500]);
    expect(turn.frames).toEqual(all);
    expect(joined(all).subarray(0, before.length)).toEqual(before);
  });

  it('releases all that it was given, and is done when it has', async () => {
    const { encoder, frames } = open(shared, OGG);
    encoder.push(noise(320 * 3 + 5));
    await encoder.release();
    expect(frames.map((frame) => frame.samples)).toEqual([320 - 104, 3 * 320]);
    await encoder.release();
    expect(frames).toHaveLength(2);
    encoder.push(noise(5));
    void encoder.release();
    await encoder.flush();
    expect(frames.map((frame) => frame.samples)).toEqual([216, 960, 320, 104]);
  });

  it('has no frame for a turn without a sample', async () => {
    for (const format of HEAVY_FORMATS) {
      const turn = open(shared, { format, sampleRate: 24_000 });
      turn.encoder.push(new Float32Array(0));
      await turn.encoder.flush();
      expect(turn.frames).toEqual([]);
    }
  });

  it('emits nothing after close, not even from within a frame, and lets the others go on', async () => {
    const [closed, lasting, inside] = [open(shared, FLAC), open(shared, FLAC), open(shared, FLAC)];
    let seen = 0;
    const closing = shared.open(FLAC, {
      onFrame() {
        seen += 1;
        if (closing !== 'busy') closing.close();
      },
      onProgress: () => expect.unreachable(),
    });
    if (closing === 'busy') throw new Error('busy');
    for (const { encoder } of [closed, lasting, inside, { encoder: closing }]) encoder.push(noise(3200));
    closed.encoder.close();
    expect(closed.encoder.pendingSamples()).toBe(0);
    const flushed = inside.encoder.flush();
    inside.encoder.close();
    await flushed;
    closed.encoder.push(noise(500)); // without effect
    await lasting.encoder.flush();
    await encode(shared, FLAC, noise(100), [100]);
    expect([closed.frames.length, inside.frames.length, seen, lasting.frames.length]).toEqual([0, 0, 1, 10]);
    expect(shared.openJobs()).toBe(0);
    closed.encoder.close();
    lasting.encoder.close();
  });

  it('is busy beyond its bound, and has room again after a close or a flush', async () => {
    const pool = poolWith({ mostWeight: 15 });
    const [one, two] = [open(pool, OGG), open(pool, FLAC)];
    const events = { onFrame() {}, onProgress() {} };
    expect(pool.open(OGG, events)).toBe('busy');
    one.encoder.close();
    const three = open(pool, OGG);
    expect(pool.open(OGG, events)).toBe('busy');
    await two.encoder.flush();
    expect(pool.openJobs()).toBe(1);
    three.encoder.close();
    expect(pool.openJobs()).toBe(0);
  });

  it('never opens more in a thread than one codec’s memory has room for', () => {
    const pool = poolWith({ threads: 1, mostWeight: 1000 });
    for (let i = 0; i < 64; i++) open(pool, OGG);
    expect(pool.open(OGG, { onFrame() {}, onProgress() {} })).toBe('busy');
  });

  it('takes by what an encoder costs: ten of flac where there is room for one of ogg', () => {
    const pool = poolWith({ threads: 2, mostWeight: 20 });
    for (let i = 0; i < 3; i++) open(pool, OGG);
    for (let i = 0; i < 10; i++) open(pool, FLAC);
    expect([pool.isFull('ogg'), pool.isFull('flac')]).toEqual([true, true]);
    expect(pool.open(FLAC, { onFrame() {}, onProgress() {} })).toBe('busy');
  });

  it('refuses a rate that the format does not have', () => {
    const events = { onFrame() {}, onProgress() {} };
    for (const [format, sampleRate] of [
      ['ogg', 48_001],
      ['mp3', 8001],
      ['flac', 7999],
    ] as const)
      expect(() => shared.open({ format, sampleRate }, events)).toThrow(RangeError);
    expect(shared.openJobs()).toBe(0);
  });

  it('fails the turns of a thread that dies, replaces it, and leaves the other threads alone', async () => {
    const events: string[] = [];
    const log: Log = { ...silentLog, error: (event) => events.push(event) };
    const pool = poolWith({ threads: 2, program: FRAGILE, log });
    const [doomed, safe, companion] = [open(pool, FLAC), open(pool, FLAC), open(pool, FLAC)];
    for (const turn of [doomed, safe, companion]) {
      turn.encoder.push(noise(10));
      await workedOff(turn);
    }
    companion.encoder.push(noise(10));
    doomed.encoder.push(noise(13)); // the third turn is on the first one's thread
    await expect(doomed.encoder.flush()).rejects.toMatchObject({ code: 'internal' });
    expect(() => doomed.encoder.push(noise(1))).toThrow(expect.objectContaining({ code: 'internal' }));
    await expect(companion.encoder.flush()).rejects.toMatchObject({ code: 'internal' });
    expect([doomed.encoder.pendingSamples(), companion.progress.at(-1)]).toEqual([0, 0]);
    expect(events).toEqual(['encoder_thread_died']);

    safe.encoder.push(noise(10));
    await safe.encoder.flush();
    expect(pool.openJobs()).toBe(0);
    const [next, afterNext] = [open(pool, FLAC), open(pool, FLAC)];
    await Promise.all([next.encoder.flush(), afterNext.encoder.flush()]);
  });

  it('fails a turn whose thread cannot start, and tries again for the next', async () => {
    const pool = poolWith({ program: new URL('file:///no/such/program.mjs') });
    for (let i = 0; i < 2; i++)
      await expect(open(pool, OGG).encoder.flush()).rejects.toMatchObject({ code: 'internal' });
    expect(pool.openJobs()).toBe(0);
  });

  it('fails what is open when it closes, and is busy from then on', async () => {
    const pool = poolWith({});
    const turn = open(pool, OGG);
    turn.encoder.push(noise(5000));
    const flushed = turn.encoder.flush();
    const closed = pool.close();
    await expect(flushed).rejects.toMatchObject({ code: 'shutting_down' });
    await closed;
    expect(pool.open(OGG, { onFrame() {}, onProgress() {} })).toBe('busy');
    expect(turn.frames).toEqual([]);
  });

  it('keeps a program alive for a turn, and not for an idle thread', async () => {
    const program = new URL('../../support/encoder-pool-program.mjs', import.meta.url).pathname;
    const hooks = new URL('../../support/typescript-hooks.mjs', import.meta.url).href;
    const start = `data:text/javascript,import {register} from 'node:module'; register('${hooks}')`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', start, program], {
      timeout: 15_000,
    });
    expect(stdout).toBe('10 frames\n');
  });
});
