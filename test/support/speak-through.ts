// One turn through speak() on a fake clock, against an upstream that does what a test says, drained as it comes.

import type { BodyType } from '../../src/audio/bodies/body-type.ts';
import { hearingBelow } from '../../src/audio/mp3/mp3-decoder.ts';
import { heardHzOf, Transcoder } from '../../src/audio/transcoder.ts';
import { BodySpool } from '../../src/pipeline/body-spool.ts';
import { createRequestLine } from '../../src/pipeline/request-line.ts';
import { speak } from '../../src/pipeline/speak.ts';
import type { SpeechRecovery } from '../../src/pipeline/whole-body/speech-recovery.ts';
import { FrameQueue } from '../../src/playout/frame-queue.ts';
import type { SessionFormat } from '../../src/speech/audio-format.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import { codecs } from './codecs.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createMemoryUpstream, type MemoryRequest } from './memory-upstream.ts';
import { trustingRecovery } from './trusting-recovery.ts';

export type SpokenThrough = {
  readonly bytes: Buffer;
  /** As the timeline was told: the last length of each request, whole or not. */
  readonly requestsMs: readonly { readonly ms: number; readonly state: 'arriving' | 'complete' }[];
  readonly samples: number;
  readonly kinds: readonly string[];
  readonly error: unknown;
  readonly requests: readonly MemoryRequest[];
  readonly flushed: number;
};

export type SpeakThroughOptions = {
  readonly texts: readonly string[];
  readonly onRequest: (request: MemoryRequest, index: number, clock: FakeClock) => void;
  /** What the bodies are; MP3 unless given. */
  readonly type?: BodyType;
  readonly format?: SessionFormat;
  readonly sampleRate?: number;
  readonly recovery?: SpeechRecovery;
  readonly remainingMs?: number;
  readonly spoolBytes?: number;
  /** Audio that is decoded ahead of the reader, samples. */
  readonly aheadSamples?: number;
  readonly mostMs?: number;
};

export async function speakThrough(options: SpeakThroughOptions): Promise<SpokenThrough> {
  const { texts, format = 'raw', aheadSamples = 1e9 } = options;
  const clock = createFakeClock();
  let asked = 0;
  const upstream = createMemoryUpstream(
    (request) => options.onRequest(request, asked++, clock),
    options.type,
  );
  const requests = createRequestLine({
    prefetchMs: 0,
    readAheadMs: 30_000,
    remainingMs: () => 0,
    prefixes: {},
  });
  for (const text of texts) {
    for (const segment of wholeTextSegments(text, { language: undefined, markup: 'keep' }))
      requests.add(segment);
    requests.flush();
  }
  requests.end();
  const sound: Uint8Array[] = [];
  let samples = 0;
  const queue = new FrameQueue(
    () => aheadSamples,
    () => {},
  );
  const output = {
    format,
    sampleRate: options.sampleRate ?? (format === 'mp3' ? undefined : 24_000),
    frameMs: 20,
  };
  const transcoder = new Transcoder(output, codecs, (frame) => queue.push(frame));
  const kinds: string[] = [];
  const requestsMs: { ms: number; state: 'arriving' | 'complete' }[] = [];
  let flushed = 0;
  let phase: 'speaking' | 'over' = 'speaking';
  let error: unknown;
  const controller = new AbortController();
  void speak(
    {
      upstream,
      requests,
      spool: new BodySpool({ capacityBytes: () => options.spoolBytes ?? 1e7 }),
      sink: () => transcoder,
      transcoder,
      frames: queue,
      isFirst: () => true,
      toWork: () => ({ class: 'first', tenant: '', deadlineMs: 0 }),
      phrases: undefined,
      toSpeechRequest: ({ text }) => ({ model: 'VoxDialog', text, outputFormat: 'mp3', seed: 7 }),
      recoveryPolicy: {
        clock,
        decoders: hearingBelow(codecs.decoders, heardHzOf(output)),
        recovery: options.recovery ?? trustingRecovery(),
        remainingMs: () => options.remainingMs ?? 10_000,
        passesThrough: () => format === 'mp3',
      },
      report: {
        sent: () => {},
        queued: () => {},
        asked: () => requestsMs.push({ ms: 0, state: 'arriving' }),
        answered: () => {},
        resumed: (kind) => kinds.push(kind),
        arrived: (ms, state) => {
          requestsMs[requestsMs.length - 1] = { ms, state };
        },
        flushed: (count) => {
          flushed += count;
        },
      },
    },
    controller.signal,
  )
    .catch((thrown: unknown) => {
      error = thrown;
    })
    .finally(() => {
      phase = 'over';
      controller.abort();
    });
  const drain = () => {
    for (let frame = queue.shift(); frame !== undefined; frame = queue.shift()) {
      samples += frame.samples;
      sound.push(frame.bytes.slice());
    }
    queue.refill();
  };
  const endMs = clock.now() + (options.mostMs ?? 60_000);
  while (phase === 'speaking' && clock.now() < endMs) {
    drain();
    await clock.run(100);
  }
  drain();
  controller.abort(new Error('the test is over'));
  return {
    bytes: Buffer.concat(sound),
    samples,
    requestsMs,
    kinds,
    error,
    requests: upstream.requests,
    flushed,
  };
}
