// Prebuilt MP3 in place of speech, for load and fault tests: about as long as the speech would be, sent at a pace that
// can be chosen, and a function of text, voices, temperature and seed, so that a promise about seeds can be tested.
// A reply is a sequence of pieces that were encoded separately: each can be decoded without the one before it.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { loadMp3Encoders, type Mp3Encoders } from '../audio/mp3/mp3-encoder.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { seededNumbers } from '../base/seeded-numbers.ts';
import { usualRateOf } from '../speech/reply-media-type.ts';
import { type ReplacedSound, replaceSound } from './replaced-sound.ts';
import { REPLY_FORMATS } from './reply-format.ts';
import type { SpeechSource } from './speech-source.ts';
import type { SpeechBody, SpeechJob } from './speech-stream.ts';

export type CannedRule = {
  /** Sound is sent so many times faster than it plays; 0 sends all of it at once. */
  readonly paceFactor: number;
  /** From the request to the first byte. */
  readonly firstByteMs: number;
};

/** Pieces in the order in which they are sent. */
type Pieces = { readonly spoken: readonly Uint8Array[]; readonly silent: Uint8Array };

/** Enough for every second of sound to be one of a hundred thousand, and built in a fifth of a second. */
const SPOKEN_PIECES = 24;
const PIECE_MS = 250;
/** How fast a calm voice reads an alphabet. */
const CHARACTERS_PER_SECOND = 15;
const HARMONICS = 8;
/** Timers are expensive when a thousand replies are being sent. */
const STEP_MS = 100;
/** Sent at once when a reply begins. */
const HEAD_MS = 200;
const BODY_BYTES = 32 * 1024;

/** A syllable of a voice that glides, the same for the same number. */
function syllable(sampleRate: number, number: number): Float32Array {
  const next = seededNumbers(number, 0);
  const fromHz = 95 + 95 * next();
  const toHz = fromHz * (0.8 + 0.45 * next());
  const loudness = 0.15 + 0.15 * next();
  const samples = new Float32Array(Math.round((sampleRate * PIECE_MS) / 1000));
  let phase = 0;
  for (let i = 0; i < samples.length; i++) {
    const along = i / samples.length;
    phase += (2 * Math.PI * (fromHz + (toHz - fromHz) * along)) / sampleRate;
    let voice = 0;
    for (let harmonic = 1; harmonic <= HARMONICS; harmonic++) voice += Math.sin(harmonic * phase) / harmonic;
    samples[i] = Math.sin(Math.PI * along) ** 2 * loudness * voice;
  }
  return samples;
}

function encodePiece(mp3: Mp3Encoders, sampleRate: number, samples: Float32Array): Uint8Array {
  const chunks: Uint8Array[] = [];
  const write = (bytes: Uint8Array) => void chunks.push(bytes);
  const encoder = REPLY_FORMATS.mp3.createEncoder(sampleRate, { mp3 }, write);
  encoder.push(samples);
  encoder.flush();
  encoder.close();
  return Buffer.concat(chunks);
}

const quiet = (sampleRate: number) => new Float32Array(Math.round((sampleRate * PIECE_MS) / 1000));

const buildPieces = (mp3: Mp3Encoders, sampleRate: number): Pieces => ({
  spoken: Array.from({ length: SPOKEN_PIECES }, (_, number) =>
    encodePiece(mp3, sampleRate, syllable(sampleRate, number)),
  ),
  silent: encodePiece(mp3, sampleRate, quiet(sampleRate)),
});

/** The pieces of a whole reply: syllables for each line, then the pause behind it. */
function arrange({ spoken, silent }: Pieces, job: SpeechJob, pieceMs: number): Uint8Array[] {
  const { lines, voices, temperature, seed, speed } = job;
  const asked = JSON.stringify([lines, voices[1].id, voices[2].id, job.language, temperature]);
  const next = seededNumbers(seed, createHash('sha256').update(asked).digest().readInt32BE(0));
  const charactersPerPiece = (CHARACTERS_PER_SECOND * speed * pieceMs) / 1000;
  const order = lines.flatMap(({ text }) => {
    const length = Math.max(1, Math.round(text.length / charactersPerPiece));
    return [...Array.from({ length }, () => spoken[Math.floor(next() * 0.999_999 * SPOKEN_PIECES)]!), silent];
  });
  return order.length === 0 ? [silent] : order;
}

function sendPaced(
  order: readonly Uint8Array[],
  pieceMs: number,
  { paceFactor, firstByteMs }: CannedRule,
  { clock, readerStallMs }: { readonly clock: Clock; readonly readerStallMs: number },
): SpeechBody {
  let sent = 0;
  let beganAtMs: number | undefined;
  let hasRoom = true;
  let begun = () => {};
  let gone = (_error: Error) => {};
  const started = new Promise<void>((resolve, reject) => {
    begun = resolve;
    gone = reject;
  });

  const send = () => {
    beganAtMs ??= clock.now();
    const pace = paceFactor === 0 ? Number.POSITIVE_INFINITY : paceFactor;
    const dueMs = HEAD_MS + (clock.now() - beganAtMs + STEP_MS) * pace;
    while (hasRoom && sent < order.length && sent * pieceMs < dueMs) hasRoom = body.push(order[sent++]);
    begun();
    if (sent === order.length) body.push(null);
    else if (hasRoom) cancel = clock.after(STEP_MS, send);
    else cancel = clock.after(readerStallMs, giveUp);
  };
  const giveUp = () =>
    body.destroy(new AppError('slow_reader', 'The reader of this speech has stopped reading.'));
  const body = new Readable({
    highWaterMark: BODY_BYTES,
    read() {
      if (hasRoom) return;
      hasRoom = true;
      cancel();
      send();
    },
    destroy(error, callback) {
      cancel();
      if (beganAtMs === undefined)
        gone(new AppError('upstream_broken', 'The reader of this speech has gone.'));
      callback(error);
    },
  });
  // As for speech: until the body has a reader, its error must not end the program.
  body.on('error', () => {});
  let cancel = clock.after(firstByteMs, send);
  const bytes = order.reduce((sum, piece) => sum + piece.length, 0);
  return { body, started, madeBytes: () => bytes };
}

export type CannedSourceOptions = CannedRule & { readonly clock: Clock; readonly readerStallMs: number };

/** The same for every engine of this process, by sample rate, of which MP3 has nine. */
const built = new Map<number, Pieces>();

/** Has mp3 alone; another format is `invalid_request`. */
export async function createCannedSource(options: CannedSourceOptions): Promise<SpeechSource> {
  const mp3 = await loadMp3Encoders();
  const piecesAt = (sampleRate: number): Pieces => {
    const pieces = built.get(sampleRate) ?? buildPieces(mp3, sampleRate);
    built.set(sampleRate, pieces);
    return pieces;
  };
  piecesAt(usualRateOf('mp3'));
  /** By rate and tone, of which the faults that an engine is started with have few. */
  const tones = new Map<string, Uint8Array>();
  const replacementAt = (sampleRate: number, { toneHz }: ReplacedSound): Uint8Array => {
    const name = `${sampleRate} ${toneHz}`;
    const block = { samples: quiet(sampleRate), sampleRate };
    const tone =
      tones.get(name) ?? encodePiece(mp3, sampleRate, replaceSound(block, 0, { fromMs: 0, toneHz }).samples);
    tones.set(name, tone);
    return tone;
  };
  return {
    open(job) {
      if (job.format !== 'mp3')
        throw new AppError(
          'invalid_request',
          'outputFormat: must be mp3; this engine has prebuilt sound (--canned)',
        );
      const pieces = piecesAt(job.sampleRate);
      const pieceMs = (1000 * pieces.silent.length) / REPLY_FORMATS.mp3.bytesPerSecond(job.sampleRate);
      const order = arrange(pieces, job, pieceMs);
      const { replaced, sampleRate } = job;
      const heard =
        replaced === undefined
          ? order
          : order.map((piece, place) =>
              place * pieceMs < replaced.fromMs ? piece : replacementAt(sampleRate, replaced),
            );
      return sendPaced(heard, pieceMs, options, options);
    },
    ready: Promise.resolve(),
    close: async () => {},
  };
}
