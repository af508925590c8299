// A text spoken for a reader that takes it as fast as it can (an HTTP body, a file), not for a listener in real time.
// The same speak() as a live turn; only the drain differs: the reader makes room by asking for the next bytes.

import { MP3_BODY, soundOf } from '../audio/bodies/body-type.ts';
import { hearingBelow } from '../audio/mp3/mp3-decoder.ts';
import { heardHzOf, Transcoder } from '../audio/transcoder.ts';
import { GUESS_MS_PER_WEIGHT, type TimedWord, WordTimeline } from '../captions/word-timeline.ts';
import { FrameQueue } from '../playout/frame-queue.ts';
import { type AskedSound, type OutputFormat, passesThrough } from '../speech/audio-format.ts';
import type { RequestText } from '../text/request-text.ts';
import { spokenWords } from '../text/spoken-words.ts';
import type { Preference } from '../upstream/service-choice.ts';
import type { SpeechWork } from '../upstream/speech-work.ts';
import { BodySpool } from './body-spool.ts';
import { handOver } from './hand-over.ts';
import { joinPauseMs } from './join-pause.ts';
import { type SpokenWith, saidLength, toAlignedText, toOutgoingRequest } from './outgoing-request.ts';
import type { RequestVoice } from './say-request.ts';
import type { TurnChain } from './service-chain.ts';
import { speak, type TurnAudio } from './speak.ts';
import type { SpeechRuntime } from './speech-runtime.ts';
import {
  type LastResort,
  type ServedBy,
  type ServedLink,
  type SpokenBy,
  servedByOf,
  serveTurn,
} from './speech-services.ts';
import { SpeechWords } from './word-timing/speech-words.ts';

export type DrainedSpeech = {
  /** The service that speaks, as in `ServedLink`; known when the first chunk is. */
  service(): string | undefined;
  /** Fields that it does not know. */
  ignored(): readonly string[];
  /** Chunks of fresh memory in the output's format; read once. Throws as `speak` does, after all that did arrive. */
  readonly chunks: AsyncGenerator<Uint8Array, void, undefined>;
  /** Hz; known when the first chunk is. */
  sampleRate(): number | undefined;
  audioMs(): number;
  /** What the service has sent; MP3 before anything has come. */
  received(): AskedSound;
  /** Upstream requests that were sent, with their retries. */
  requests(): number;
  /** When the words are spoken, as well as is known; whole and final once `chunks` has ended. */
  words(): readonly TimedWord[];
  /** Who spoke; undefined where services have no names. */
  servedBy(): readonly ServedBy[] | undefined;
};

export type DrainedSpeechOptions = Omit<SpokenWith, 'maxText'> &
  LastResort & {
    readonly prefer?: Preference | undefined;
    readonly runtime: SpeechRuntime;
    /** The user id whose text it is. */
    readonly tenant: string;
    /** Names of services, in order, to which the caller narrows the choice; default: all. */
    readonly upstream?: readonly string[] | undefined;
    /** One upstream request each; none is a short silence. */
    readonly texts: readonly RequestText[];
    readonly output: OutputFormat;
    /** Hz that the caller has named. */
    readonly namedRate?: number | undefined;
    /** The scheduling class of a request whose audio is due in `inMs`; asked once for each. */
    readonly toWork: (request: 'first' | 'next' | 'resume', inMs: number) => SpeechWork;
    /** `live`: plays from the first chunk on, so a body that breaks must be made whole before the listener runs dry. */
    readonly listener: 'live' | 'nobody';
    /** `timed`: word times are wanted, and are found in the audio. */
    readonly words: 'timed' | 'unasked';
  };

/** Large enough to be worth a system call, small enough for the first one to come soon. */
const CHUNK_BYTES = 16 * 1024;
const QUEUE_MS = 500;
const SPOOL_BYTES = 256 * 1024;

/** Sends no request before the first chunk is read; the signal, or leaving the loop early, closes the upstream. */
export function drainSpeech(options: DrainedSpeechOptions, signal: AbortSignal): DrainedSpeech {
  const { runtime, texts, tenant, upstream = [], pronunciations } = options;
  const { clock } = runtime;
  const reader = options.listener === 'live' ? 'listener' : 'nobody';
  const { prefer = 'order' } = options;
  const served = serveTurn(runtime, options, { ...options, tenant, upstream, prefer, reader });
  const first = served.now();
  const spokenWith = { seed: options.seed, pronunciations };
  // Where each turn of a dialogue is a request of its own, nothing else makes the pause between them.
  const isCut = first.upstream.shape?.voices === 'one';
  const speed = options.synthesis.speed ?? 1;
  const timeline = new WordTimeline(GUESS_MS_PER_WEIGHT / (options.synthesis.speed ?? 1));
  const words = new SpeechWords({
    ...options,
    ...first,
    timer: runtime.timer,
    urgency: 'file',
    whenBehind: options.listener === 'nobody' ? 'hold-back' : 'give-up',
    onCaughtUp: () => spool.refill(),
    onEstimate: (index, estimate) => timeline.align(index, estimate),
  });
  const spool = new BodySpool({
    capacityBytes: () => SPOOL_BYTES,
    tap: words.tap,
    isHeldBack: () => words.isBehind(),
  });
  const spoken: SpokenBy[] = [];
  let asked = 0;
  let requests = 0;
  let received: AskedSound = { format: 'mp3' };
  let madeSamples = 0;
  let beganAtMs: number | undefined;
  let wake = () => {};

  const rate = () => transcoder.sampleRate() ?? 8000;
  const frames = new FrameQueue(
    () => (QUEUE_MS * rate()) / 1000 - transcoder.pendingSamples(),
    () => wake(),
    () => wake(),
  );
  const transcoder = new Transcoder(
    options.output,
    runtime.codecs,
    (frame) => {
      madeSamples += frame.samples;
      frames.push(frame);
    },
    () => wake(),
  );
  const audioMs = () => (madeSamples * 1000) / rate();

  const remainingMs = () => {
    if (options.listener === 'nobody') return Number.POSITIVE_INFINITY;
    return beganAtMs === undefined ? 0 : Math.max(0, audioMs() - (clock.now() - beganAtMs));
  };

  const report: TurnAudio['report'] = {
    queued() {},
    asked(text, pauseMs) {
      asked += 1;
      const spoken = spokenWords(text.parts.map((part) => part.segment));
      timeline.addRequest(spoken, pauseMs);
      words.request(() => toAlignedText(text, spoken, pronunciations, served.now().maxText));
    },
    sent() {
      requests += 1;
    },
    answered({ type = MP3_BODY }) {
      received = soundOf(type);
    },
    resumed() {},
    arrived: (knownMs, state) => timeline.progress(asked - 1, knownMs, state),
    flushed() {},
  };
  const listening = { output: options.output, namedRate: options.namedRate, reader: options.listener };
  const decoders = hearingBelow(runtime.codecs.decoders, heardHzOf(options.output));
  const voiceAt = (link: ServedLink): RequestVoice => ({
    upstream: link.upstream,
    spool,
    toSpeechRequest: (text) => toOutgoingRequest({ ...link, ...spokenWith }, text),
    phrases: undefined,
    listening,
    recoveryPolicy: {
      clock,
      decoders,
      recovery: link.recovery,
      remainingMs,
      resumeWork: () => options.toWork('resume', remainingMs()),
      passesThrough: (hz) => passesThrough(options.output, hz),
      endings: words,
    },
    report,
  });
  const chain: TurnChain = {
    served,
    clock,
    voiceAt,
    handOver: (text, inHand) => handOver(timeline, text, { ...inHand, remainingMs: remainingMs() }),
    waits() {},
    speaks(link, instead) {
      const fromMs = audioMs() + (transcoder.pendingSamples() * 1000) / rate() + spool.waitingMs();
      if (spoken.at(-1)?.link !== link) spoken.push({ link, fromMs });
      if (instead !== undefined) words.spokenBy(link);
    },
  };

  const speakAll = (own: AbortSignal): Promise<void> => {
    const waiting = [...texts];
    return speak(
      {
        ...voiceAt(first),
        spool,
        chain: served.links.length > 1 ? chain : undefined,
        requests: {
          next: async () => {
            const text = waiting.shift();
            return text === undefined ? undefined : { kind: 'request', text };
          },
        },
        sink: () => transcoder,
        transcoder,
        frames,
        isFirst: () => true,
        saidLength: saidLength(pronunciations),
        pauseBetween: (before, after) => (isCut ? joinPauseMs(before, after, 'whole') / speed : 0),
        toWork: () => options.toWork(asked === 0 ? 'first' : 'next', remainingMs()),
        report,
      },
      own,
    );
  };

  const takeChunk = (): Uint8Array | undefined => {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (let frame = frames.shift(); frame !== undefined; frame = frames.shift()) {
      pieces.push(new Uint8Array(frame.bytes)); // the next one may lie where this one lies
      bytes += frame.bytes.length;
      if (bytes >= CHUNK_BYTES) break;
    }
    return bytes === 0 ? undefined : Buffer.concat(pieces, bytes);
  };

  async function* drain(): AsyncGenerator<Uint8Array, void, undefined> {
    const own = new AbortController();
    const stopTiming = () => words.close();
    // Taken here, not at creation: speech that is never read takes no slot of the word timer.
    if (options.words === 'timed') words.begin();
    // A wait for an answer of the word timer ends when the speech is cancelled.
    signal.addEventListener('abort', stopTiming, { once: true });
    const ended = speakAll(AbortSignal.any([signal, own.signal]));
    // The failure is reported after the last chunk; until then nothing awaits this promise.
    ended.catch(() => {});
    const settled = ended.then(
      () => wake(),
      () => wake(),
    );
    try {
      for (;;) {
        const more = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const chunk = takeChunk();
        if (chunk !== undefined) {
          beganAtMs ??= clock.now();
          yield chunk;
        }
        if (chunk === undefined && (frames.isEnded() || signal.aborted)) break;
        if (frames.wantsRefill()) frames.refill();
        if (spool.wantsRefill()) spool.refill();
        if (chunk === undefined) await more;
      }
      await ended;
      signal.throwIfAborted();
      await words.settled();
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', stopTiming);
      stopTiming();
      own.abort();
      frames.clear();
      transcoder.close();
      await settled;
    }
  }

  return {
    service: () => served.now().service,
    ignored: () => served.now().ignored,
    chunks: drain(),
    sampleRate: () => transcoder.sampleRate(),
    audioMs,
    received: () => received,
    requests: () => requests,
    words: () => timeline.words(),
    servedBy: () => servedByOf(spoken, served.now(), audioMs()),
  };
}
