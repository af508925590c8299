// Engines on free ports and requests to them, for the tests of this folder.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodePcm16 } from '../../src/audio/dsp/pcm16.ts';
import { createLayer3Decoders } from '../../src/audio/mp3/layer3-decoders.ts';
import { Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { type Engine, type ListeningEngineOptions, startEngine } from '../../src/engine/engine-server.ts';
import { VOICES } from '../../src/engine/voices.ts';
import { fixedRandom } from '../support/fixed-random.ts';

export const ANNA = VOICES.find((voice) => voice.gender === 'Female')!.id;
export const ADAM = VOICES.find((voice) => voice.gender === 'Male')!.id;
export const CREDENTIALS = { authorization: 'Bearer key-1', 'x-user-id': 'user-1' };

const ESPEAK = new URL('../../src/engine/espeak-entry.mjs', import.meta.url);
const FAKE = fileURLToPath(new URL('../speech-program/fake-speech-program.mjs', import.meta.url));

const scratch = mkdtempSync(join(tmpdir(), 'engine-test-'));
const started: Engine[] = [];
let programs = 0;

export async function engineForTest(options: Partial<ListeningEngineOptions> = {}): Promise<Engine> {
  const engine = await startEngine({
    host: '127.0.0.1',
    port: 0,
    keys: [],
    log: silentLog,
    clock: systemClock,
    random: fixedRandom(0.5),
    ...options,
  });
  started.push(engine);
  return engine;
}

export const fakeProgram = (mode = 'fine') => [process.execPath, FAKE, mode];

/** The real program, which tells its process id so that a test can kill it or see that it has gone. */
export function knownEspeak(): { command: string[]; pid(): number } {
  const pidFile = join(scratch, `pid-${programs++}`);
  const code = `import { writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
    await import(${JSON.stringify(ESPEAK.href)});`;
  return {
    command: [process.execPath, '--input-type=module', '--eval', code],
    pid: () => Number(readFileSync(pidFile, 'utf8')),
  };
}

export async function closeEngines(): Promise<void> {
  await Promise.all(started.splice(0).map((engine) => engine.close()));
}
export const removeScratch = () => rmSync(scratch, { recursive: true, force: true });

export type Body = Record<string, unknown>;

export const speechBody = (fields: Body = {}): Body => ({
  model: 'VoxDialog',
  text: 'Hello there.',
  voice: ANNA,
  outputFormat: 'raw',
  ...fields,
});

export const post = (engine: Engine, body: unknown, init: RequestInit = {}): Promise<Response> =>
  fetch(`${engine.url}/api/v1/tts/stream`, {
    method: 'POST',
    headers: { ...CREDENTIALS, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });

export async function speak(engine: Engine, fields: Body = {}): Promise<Buffer> {
  const response = await post(engine, speechBody(fields));
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

export async function decodeMp3(bytes: Buffer): Promise<{ pcm16: Buffer; sampleRate: number }> {
  const decoder = createLayer3Decoders().open();
  const blocks: Buffer[] = [];
  let sampleRate = 0;
  const parser = new Mp3FrameParser({
    onFrame: (frame) =>
      decoder.decode(frame.bytes, (samples, rate) => {
        const block = Buffer.alloc(samples.length * 2);
        encodePcm16(samples, block);
        blocks.push(block);
        sampleRate = rate;
      }),
    onTag() {},
  });
  parser.push(bytes);
  parser.flush();
  decoder.close();
  if (parser.junkBytes() > 0) throw new Error(`${parser.junkBytes()} bytes are no MP3 frames`);
  return { pcm16: Buffer.concat(blocks), sampleRate };
}

const MAX_WINDOWS = 200;
const WINDOW_SAMPLES = 600;

/** Fundamental frequency in Hz of voiced s16le sound: the lag at which most of its windows match what follows. */
export function pitchHz(bytes: Buffer, sampleRate: number): number {
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
  const shortest = Math.floor(sampleRate / 400);
  const longest = Math.ceil(sampleRate / 70);
  const likeness = new Float64Array(longest + 1);
  const room = samples.length - WINDOW_SAMPLES - longest;
  const step = Math.max(WINDOW_SAMPLES, Math.floor(room / MAX_WINDOWS));
  for (let at = 0; at < room; at += step) {
    const window = samples.subarray(at, at + WINDOW_SAMPLES);
    const here = window.reduce((sum, sample) => sum + sample ** 2, 0);
    if (here < WINDOW_SAMPLES * 1e5) continue;
    for (let lag = shortest; lag <= longest; lag++) {
      let product = 0;
      let there = 1;
      for (let i = 0; i < WINDOW_SAMPLES; i++) {
        const later = samples[at + lag + i]!;
        product += window[i]! * later;
        there += later ** 2;
      }
      likeness[lag]! += product / Math.sqrt(here * there);
    }
  }
  return sampleRate / likeness.indexOf(Math.max(...likeness));
}
