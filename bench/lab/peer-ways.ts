// The ways in which others turn a speech service's MP3 into a phone's µ-law in Node, as their documents show them: one ffmpeg
// process for each utterance, started by three different hands, or one decoder of a WASM package for each. And none at all, as
// the limit of any.

import { spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import createCommand from 'fluent-ffmpeg';
import { MPEGDecoder } from 'mpg123-decoder';
import prism from 'prism-media';
import { createFilterBanks } from '../../src/audio/dsp/filter-bank.ts';
import { createPlainSoundPath } from '../../src/audio/dsp/plain-sound-path.ts';
import { pcmFormatOf } from '../../src/audio/turn-encoder.ts';

/** One utterance: MP3 goes in as it arrives, µ-law at 8 kHz comes out. */
export type PeerUtterance = {
  readonly push: (mp3: Uint8Array) => void;
  /** No more comes; `onEnd` follows when all is out. */
  readonly end: () => void;
  readonly close: () => void;
};
export type PeerOutput = {
  readonly onBytes: (mulaw: Uint8Array) => void;
  readonly onEnd: () => void;
  readonly onError: (error: Error) => void;
};
export type PeerWay = (output: PeerOutput) => PeerUtterance;

/** Without these, nothing comes out of ffmpeg for the first second or two of a live stream. */
const TUNED = ['-probesize', '32', '-analyzeduration', '0'] as const;
const INPUT = ['-f', 'mp3'] as const;
const OUTPUT = ['-ar', '8000', '-ac', '1', '-f', 'mulaw'] as const;
const QUIET = ['-loglevel', 'error', '-nostdin'] as const;
const RATE = 8000;

function throughPipes(input: Writable, sound: Readable, output: PeerOutput, kill: () => void): PeerUtterance {
  input.on('error', () => {}); // it has ended; its output tells
  sound.on('data', output.onBytes);
  sound.once('end', output.onEnd);
  sound.once('error', output.onError);
  return {
    push: (mp3) => void input.write(mp3),
    end: () => void input.end(),
    close: kill,
  };
}

const spawned =
  (flags: readonly string[]): PeerWay =>
  (output) => {
    const child = spawn('ffmpeg', [...QUIET, ...flags, ...INPUT, '-i', 'pipe:0', ...OUTPUT, 'pipe:1'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.once('error', output.onError);
    return throughPipes(child.stdin, child.stdout, output, () => void child.kill('SIGKILL'));
  };

const byPrism: PeerWay = (output) => {
  const ffmpeg = new prism.FFmpeg({ args: [...QUIET, ...TUNED, ...INPUT, '-i', '-', ...OUTPUT] });
  return throughPipes(ffmpeg, ffmpeg, output, () => ffmpeg.destroy());
};

const byFluent: PeerWay = (output) => {
  const input = new PassThrough();
  const command = createCommand(input)
    .inputOptions(...QUIET, ...TUNED, ...INPUT)
    .outputOptions(...OUTPUT);
  command.on('error', () => {}); // killed, or its pipe was closed
  return throughPipes(input, command.pipe() as Readable, output, () => command.kill('SIGKILL'));
};

const sound = createPlainSoundPath(createFilterBanks());

/** The decoder as its package gives it; what comes behind it is ours, in TypeScript. */
const byMpg123: PeerWay = ({ onBytes, onEnd, onError }) => {
  const decoder = new MPEGDecoder();
  let encoder: ReturnType<typeof sound.encode> | undefined;
  let isClosed = false;
  const decode = (mp3: Uint8Array) => {
    if (isClosed) return;
    const { channelData, samplesDecoded, sampleRate } = decoder.decode(mp3);
    if (samplesDecoded === 0) return;
    encoder ??= sound.encode({ fromRate: sampleRate, toRate: RATE }, pcmFormatOf('mulaw'), (bytes) =>
      onBytes(bytes.slice()),
    );
    encoder.push(channelData[0]!);
  };
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    encoder?.close();
    decoder.free();
  };
  let done: Promise<void> = decoder.ready;
  const then = (step: () => void) => {
    done = done.then(step);
    done.catch(onError);
  };
  return {
    push: (mp3) => then(() => decode(mp3)),
    end: () =>
      then(() => {
        encoder?.flush();
        onEnd();
      }),
    close: () => then(close),
  };
};

/** What cannot be saved: 64 kbit/s of MP3 are as many bytes as µ-law. */
const relayed: PeerWay = ({ onBytes, onEnd }) => ({ push: onBytes, end: onEnd, close() {} });

export const PEER_WAYS = {
  'relay, no transcoding': relayed,
  'spawn, Debian’s flags': spawned([]),
  'spawn, tuned': spawned(TUNED),
  'prism-media': byPrism,
  'fluent-ffmpeg': byFluent,
  'mpg123-decoder': byMpg123,
} as const satisfies Readonly<Record<string, PeerWay>>;
export type PeerName = keyof typeof PEER_WAYS;
