// One whole speak() without a session: bodies in, frames out, drained as fast as they come.

import type { AudioFrame } from '../../src/audio/stage.ts';
import { Transcoder } from '../../src/audio/transcoder.ts';
import { AppError } from '../../src/base/app-error.ts';
import { BodySpool } from '../../src/pipeline/body-spool.ts';
import { createRequestLine } from '../../src/pipeline/request-line.ts';
import { speak } from '../../src/pipeline/speak.ts';
import { FrameQueue } from '../../src/playout/frame-queue.ts';
import type { OutputFormat } from '../../src/speech/audio-format.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import { codecs } from './codecs.ts';
import { createFakeClock } from './fake-clock.ts';
import { ownCopy } from './keep-frames.ts';
import { createMemoryUpstream } from './memory-upstream.ts';
import { trustingRecovery } from './trusting-recovery.ts';

export type Spoken = {
  readonly frames: readonly AudioFrame[];
  readonly bytes: Buffer;
  readonly samples: number;
  readonly sampleRate: number | undefined;
  readonly reports: readonly string[];
  readonly error: unknown;
};

export type SpeakAllOptions = {
  /** Body of each upstream request; a request takes one, the text is as long as they last. */
  readonly bodies: readonly Uint8Array[];
  /** Bytes per chunk; undefined: each body in one piece. */
  readonly chunkBytes?: number;
  readonly failAfter?: Error;
  /** The caller flushes behind each text. */
  readonly flushes?: 'each';
};

export async function speakAll(
  output: Omit<OutputFormat, 'frameMs'> & { readonly frameMs?: number },
  { bodies, chunkBytes, failAfter, flushes }: SpeakAllOptions,
): Promise<Spoken> {
  const controller = new AbortController();
  const frames: AudioFrame[] = [];
  const reports: string[] = [];
  let answered = 0;
  const clock = createFakeClock();
  const upstream = createMemoryUpstream((request) => {
    const body = bodies[answered++];
    // What is asked for again after a break is not to be had.
    if (body === undefined) return request.fail(new AppError('upstream_rejected', 'no more bodies'));
    const step = chunkBytes ?? Math.max(1, body.length);
    for (let at = 0; at < body.length; at += step) request.send(body.subarray(at, at + step));
    if (failAfter !== undefined && answered === bodies.length) request.fail(failAfter);
    else request.end();
  });
  const requests = createRequestLine({
    prefetchMs: 4000,
    readAheadMs: 30_000,
    remainingMs: () => 0,
    prefixes: {},
  });
  // One request after the other, each asked for when the one before has been answered.
  const ask = (index: number) => {
    if (index >= bodies.length) return requests.end();
    const segments = wholeTextSegments(`Number ${index}.`, { language: undefined, markup: 'keep' });
    for (const segment of segments) requests.add(segment);
    if (flushes === 'each') requests.flush();
  };
  ask(0);
  const queue = new FrameQueue(
    () => 2400,
    () => {},
  );
  const transcoder = new Transcoder({ frameMs: 20, ...output }, codecs, (frame) => queue.push(frame));
  const drain = () => {
    for (let frame = queue.shift(); frame !== undefined; frame = queue.shift()) frames.push(ownCopy(frame));
    queue.refill();
  };
  let phase: 'speaking' | 'over' = 'speaking';
  let error: unknown;
  const speaking = speak(
    {
      upstream,
      requests,
      spool: new BodySpool({ capacityBytes: () => 16_384 }),
      sink: () => transcoder,
      transcoder,
      frames: queue,
      isFirst: () => true,
      toWork: () => ({ class: 'first', tenant: '', deadlineMs: 0 }),
      phrases: undefined,
      toSpeechRequest: ({ text }) => ({ model: 'VoxDialog', text, outputFormat: 'mp3' }),
      recoveryPolicy: {
        clock,
        decoders: codecs.decoders,
        recovery: trustingRecovery(),
        remainingMs: () => 10_000,
        passesThrough: () => false,
      },
      report: {
        sent: () => {},
        resumed: (kind) => reports.push(kind),
        queued: () => reports.push('queued'),
        asked: ({ text }) => reports.push(`asked ${text}`),
        answered: () => {
          reports.push('answered');
          ask(answered);
        },
        arrived: (ms, state) => {
          if (state === 'complete') reports.push(`complete ${Math.round(ms)}`);
        },
        flushed: () => reports.push('flushed'),
      },
    },
    controller.signal,
  ).catch((thrown: unknown) => {
    error = thrown;
  });
  void speaking.then(() => {
    phase = 'over';
  });
  while (phase === 'speaking') {
    drain();
    await new Promise((resolve) => setImmediate(resolve));
  }
  drain();
  return {
    frames,
    bytes: Buffer.concat(frames.map(({ bytes }) => bytes)),
    samples: frames.reduce((sum, frame) => sum + frame.samples, 0),
    sampleRate: transcoder.sampleRate(),
    reports,
    error,
  };
}
