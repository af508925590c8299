// One run of the speech program (docs/engine.md): spawned, written to and read from over its pipes, gone once. Its owner
// decides what happens next. It gets no environment of ours beyond what a program needs to start, so no key.

import { spawn } from 'node:child_process';
import { bareEnvironment } from '../base/processes/bare-environment.ts';

/** A sentence as the program gets it: `voice` in its own terms, `rate` in words a minute, the others 0–99. */
export type Utterance = {
  readonly text: string;
  readonly voice: string;
  readonly rate: number;
  readonly pitch: number;
  readonly range: number;
  /** False: the samples need not be the same each time, which saves a program the work of forgetting earlier lines. */
  readonly exact?: false;
};

/** A word as the program speaks it: when it begins in the utterance's own samples, and where in its text. */
export type WordEvent = {
  readonly atMs: number;
  /** Code points from 0. */
  readonly codePoint: number;
  /** How many; a program may not know. */
  readonly codePoints: number;
};

export type SpeechChildEvents = {
  ready(sampleRate: number): void;
  audio(id: number, samples: Float32Array): void;
  /** `words` are those that were asked for, as far as the program knows them. */
  done(id: number, words: readonly WordEvent[]): void;
  refused(id: number, reason: string): void;
  /** Exactly once, the last event. `missing`: there is no such program or package, starting again cannot help. */
  gone(why: 'missing' | 'died', detail: string): void;
};

export type SpeechChild = {
  say(id: number, utterance: Utterance, wanted: 'sound' | 'sound-and-words'): void;
  kill(): void;
};

const EXIT_UNAVAILABLE = 69;
const MAX_STDERR_CHARACTERS = 400;
/** Of one utterance; what it has of text and of numbers comes to fewer. */
const MAX_WORDS = 10_000;

function toSamples(payload: Uint8Array): Float32Array {
  const samples = new Float32Array(payload.byteLength >> 1);
  for (let i = 0, at = 0; i < samples.length; i++, at += 2)
    samples[i] = ((payload[at]! | (payload[at + 1]! << 8)) << 16) / 0x8000_0000;
  return samples;
}

function toSampleRate(payload: Uint8Array): number {
  const { sampleRate } = JSON.parse(Buffer.from(payload).toString()) as { sampleRate?: unknown };
  if (typeof sampleRate !== 'number' || sampleRate < 8000 || sampleRate > 48000)
    throw new Error('the speech program names no sample rate from 8000 to 48000');
  return sampleRate;
}

const isPlace = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function toWords(payload: Uint8Array): WordEvent[] {
  const rows: unknown = JSON.parse(Buffer.from(payload).toString());
  if (!Array.isArray(rows)) throw new Error('the speech program tells words that are no list');
  return rows.map((row: unknown) => {
    const [atMs, codePoint, codePoints] = Array.isArray(row) ? (row as unknown[]) : [];
    if (!isPlace(atMs) || !isPlace(codePoint) || !isPlace(codePoints))
      throw new Error('the speech program tells a word that is not three numbers');
    return { atMs, codePoint, codePoints };
  });
}

/** Starts `command` (program, then its arguments) at once; events come later, never from within this call. */
export function startSpeechChild(command: readonly string[], events: SpeechChildEvents): SpeechChild {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: bareEnvironment(),
    windowsHide: true,
  });
  let complaint = '';
  let failure: Error | undefined;
  let words: WordEvent[] = [];

  const onFrame = ({ kind, id, payload }: SpeechFrame) => {
    if (kind === 'A') events.audio(id, toSamples(payload));
    else if (kind === 'W') words.push(...toWords(payload).slice(0, MAX_WORDS - words.length));
    else if (kind === 'D') events.done(id, words);
    else if (kind === 'E')
      events.refused(id, Buffer.from(payload).toString().slice(0, MAX_STDERR_CHARACTERS));
    else if (kind === 'R') events.ready(toSampleRate(payload));
  };
  const reader = createSpeechFrameReader(onFrame);

  child.stdout.on('data', (chunk: Buffer) => {
    if (failure !== undefined) return;
    try {
      reader.push(chunk);
    } catch (thrown) {
      failure = thrown instanceof Error ? thrown : new Error(String(thrown));
      child.kill('SIGKILL');
    }
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(0, MAX_STDERR_CHARACTERS);
  });
  // A write to a program that has just died; its end is told by 'close'.
  child.stdin.on('error', () => {});
  child.on('error', (error: NodeJS.ErrnoException) => {
    failure ??= error;
  });
  child.on('close', (code, signal) => {
    const notFound = (failure as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    const missing = notFound || code === EXIT_UNAVAILABLE;
    events.gone(missing ? 'missing' : 'died', failure?.message ?? (complaint.trim() || `${signal ?? code}`));
  });

  return {
    say(id, utterance, wanted) {
      words = [];
      const line = { id, ...utterance, ...(wanted === 'sound-and-words' && { words: true }) };
      child.stdin.write(`${JSON.stringify(line)}\n`);
    },
    kill() {
      child.kill('SIGKILL');
    },
  };
}

// The binary half of the program's protocol: frames cut from a byte stream. Any split of the bytes gives the same frames.

/** `R` ready, `A` audio, `W` words, `D` done, `E` could not be spoken; a reader skips the kinds it does not know. */
export type SpeechFrame = { readonly kind: string; readonly id: number; readonly payload: Uint8Array };

const HEADER_BYTES = 9;
/** Ten seconds of 16-bit audio at 48 kHz: more in one frame is not a frame but a program that prints text. */
const LARGEST_PAYLOAD_BYTES = 1 << 20;

/**
 * `push` takes bytes as they come and emits every frame that is complete: kind (one latin-1 character),
 * id and payload length (32 bits each, little-endian), payload. Throws on a length over 1 MiB.
 * A payload may share memory with the pushed chunk.
 */
export function createSpeechFrameReader(emit: (frame: SpeechFrame) => void): { push(chunk: Buffer): void } {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = HEADER_BYTES;

  return {
    push(chunk) {
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes < wantedBytes) return;
      const bytes = held.length === 1 ? chunk : Buffer.concat(held);
      let at = 0;
      wantedBytes = HEADER_BYTES;
      while (bytes.length - at >= HEADER_BYTES) {
        const payloadBytes = bytes.readUInt32LE(at + 5);
        if (payloadBytes > LARGEST_PAYLOAD_BYTES)
          throw new Error('the speech program does not speak in frames');
        const end = at + HEADER_BYTES + payloadBytes;
        if (end > bytes.length) {
          wantedBytes = end - at;
          break;
        }
        emit({
          kind: String.fromCharCode(bytes[at]!),
          id: bytes.readUInt32LE(at + 1),
          payload: bytes.subarray(at + HEADER_BYTES, end),
        });
        at = end;
      }
      held = at === bytes.length ? [] : [bytes.subarray(at)];
      heldBytes = bytes.length - at;
    },
  };
}
