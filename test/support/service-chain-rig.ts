// A turn of one text that several scripted services may say, in simulated time, without sockets: what was heard, who spoke, and what each
// service was asked.

import { readFileSync } from 'node:fs';
import { Transcoder } from '../../src/audio/transcoder.ts';
import { AppError, type ErrorCode } from '../../src/base/app-error.ts';
import { BodySpool } from '../../src/pipeline/body-spool.ts';
import { createRequestLine } from '../../src/pipeline/request-line.ts';
import type { RequestVoice } from '../../src/pipeline/say-request.ts';
import { speak } from '../../src/pipeline/speak.ts';
import { type ServedLink, ServedTurn } from '../../src/pipeline/speech-services.ts';
import { FrameQueue } from '../../src/playout/frame-queue.ts';
import type { RequestShape } from '../../src/text/request-text.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import {
  createServiceWatch,
  type RivalResult,
  type ServiceWatch,
} from '../../src/upstream/health/service-watch.ts';
import type { OpenOptions, SpeechBody, SpeechUpstream } from '../../src/upstream/speech-upstream.ts';
import { codecs, speechMp3 } from './codecs.ts';
import { createFakeClock, type FakeClock, settle } from './fake-clock.ts';
import { trustingRecovery } from './trusting-recovery.ts';

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/audio/${name}`, import.meta.url));
/** A sentence, 2.26 s at 24 kHz. */
export const SENTENCE = new Uint8Array(fixture('lame-cbr-24k.mp3'));

/** What a service does with a request. */
export type Behaviour =
  | { readonly does: 'speaks'; readonly afterMs?: number }
  | { readonly does: 'refuses'; readonly code: ErrorCode; readonly afterMs?: number; readonly isLimit?: true }
  /** Never answers. */
  | { readonly does: 'hangs' }
  /** Answers, and sends nothing. */
  | { readonly does: 'stays-empty' }
  | {
      readonly does: 'sends';
      readonly bytes: Uint8Array;
      readonly end: 'ends' | 'breaks' | 'stalls';
      readonly afterMs?: number;
    }
  | { readonly does: 'queues'; readonly etaMs: number };

export type ChainService = {
  readonly name: string;
  readonly shape?: RequestShape;
  behave(request: number): Behaviour;
};

export type AskedService = {
  readonly name: string;
  readonly text: string;
  readonly atMs: number;
  state: 'open' | 'ended' | 'cancelled';
};

export type ChainRig = {
  readonly clock: FakeClock;
  readonly watches: ReadonlyMap<string, ServiceWatch>;
  /** What asking the next one because of the first being late has brought, by the first one. */
  readonly rivals: readonly RivalResult[];
  say(
    text: string | readonly string[],
    options?: { readonly cutAfterMs?: number; readonly deadlineMs?: number },
  ): Promise<SaidTurn>;
};

export type SaidTurn = {
  readonly error: AppError | undefined;
  readonly samples: number;
  readonly firstAudioMs: number | undefined;
  /** Texts that were said, with who said them. */
  readonly said: readonly { readonly by: string; readonly text: string }[];
  readonly switches: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
  readonly asked: readonly AskedService[];
};

const after = (clock: FakeClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    const abort = () => {
      cancel();
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
const forEver = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

export function createChainRig(services: readonly ChainService[]): ChainRig {
  const clock = createFakeClock();
  const rivals: RivalResult[] = [];
  const watches = new Map(
    services.map(({ name }) => [
      name,
      createServiceWatch({ clock, onChange() {}, onRival: (result) => rivals.push(result), onSpoke() {} }),
    ]),
  );
  const counts = new Map<string, number>();
  let asked: AskedService[] = [];

  const open =
    (service: ChainService): SpeechUpstream['open'] =>
    async (request, options: OpenOptions) => {
      const count = counts.get(service.name) ?? 0;
      counts.set(service.name, count + 1);
      const it: AskedService = {
        name: service.name,
        text: request.text ?? '',
        atMs: clock.now(),
        state: 'open',
      };
      asked.push(it);
      const { signal } = options;
      signal.addEventListener('abort', () => {
        if (it.state === 'open') it.state = 'cancelled';
      });
      const does = service.behave(count);
      if (does.does === 'queues') {
        options.onQueued?.({ reason: 'quota', position: 1, etaMs: does.etaMs });
        return forEver(signal);
      }
      options.onSent?.();
      if (does.does === 'hangs') return forEver(signal);
      const afterMs = 'afterMs' in does ? (does.afterMs ?? 100) : 100;
      await after(clock, afterMs, signal);
      if (does.does === 'refuses') {
        it.state = 'ended';
        throw new AppError(does.code, 'refused', does.isLimit === true ? { isLimit: true } : {});
      }
      async function* chunks(): AsyncGenerator<Uint8Array> {
        if (does.does === 'stays-empty') return forEver(signal);
        const bytes = does.does === 'sends' ? does.bytes : SENTENCE;
        for (let at = 0; at < bytes.length; at += 2048) yield bytes.subarray(at, at + 2048);
        // What ends it from here on is its reader.
        if (does.does === 'sends' && does.end === 'breaks') it.state = 'ended';
        if (does.does === 'sends' && does.end === 'breaks') throw new AppError('upstream_broken', 'it broke');
        if (does.does === 'sends' && does.end === 'stalls') return forEver(signal);
        it.state = 'ended';
      }
      const body: SpeechBody = { chunks: chunks(), queueMs: 0, ttfbMs: afterMs, attempts: 1 };
      return body;
    };

  const link = (service: ChainService): ServedLink => ({
    synthesis: {},
    defaultVoice: `voice-of-${service.name}`,
    defaultVoice2: undefined,
    service: service.name,
    upstream: {
      open: open(service),
      ...(service.shape === undefined ? {} : { shape: service.shape }),
    },
    recovery: trustingRecovery(),
    identity: service.name,
    maxText: service.shape?.maxText,
    ignored: [],
    watch: watches.get(service.name),
    apology: undefined,
  });

  return {
    clock,
    watches,
    rivals,
    async say(text, { cutAfterMs, deadlineMs = 0 } = {}) {
      asked = [];
      const [first, ...others] = services.map(link);
      const served = new ServedTurn([first!, ...others]);
      const controller = new AbortController();
      const said: { by: string; text: string }[] = [];
      const switches: { from: string; to: string; reason: string }[] = [];
      const fromMs = clock.now();
      let samples = 0;
      let firstAudioMs: number | undefined;
      const requests = createRequestLine({
        prefetchMs: 1e9,
        readAheadMs: 1e9,
        remainingMs: () => 0,
        prefixes: {},
      });
      for (const part of typeof text === 'string' ? [text] : text) {
        for (const segment of wholeTextSegments(part, { language: undefined, markup: 'keep' }))
          requests.add(segment);
        requests.flush();
      }
      requests.end();
      const queue = new FrameQueue(
        () => 2400,
        () => {},
      );
      const transcoder = new Transcoder({ format: 'mulaw', sampleRate: 8000, frameMs: 20 }, codecs, (frame) =>
        queue.push(frame),
      );
      const spool = new BodySpool({ capacityBytes: () => 65_536 });
      const report = {
        sent() {},
        resumed() {},
        queued() {},
        asked: (request: { readonly text: string }) => {
          said.push({ by: served.now().service!, text: request.text });
        },
        answered() {},
        arrived() {},
        flushed() {},
      };
      const voiceAt = (at: ServedLink): RequestVoice => ({
        upstream: at.upstream,
        spool,
        toSpeechRequest: (request) => ({ model: 'VoxDialog', text: request.text, outputFormat: 'mp3' }),
        phrases: undefined,
        recoveryPolicy: {
          clock,
          decoders: codecs.decoders,
          recovery: at.recovery,
          remainingMs: () => 0,
          passesThrough: () => false,
        },
        report,
      });
      let phase: 'speaking' | 'over' = 'speaking';
      let error: AppError | undefined;
      const drain = () => {
        for (let frame = queue.shift(); frame !== undefined; frame = queue.shift()) {
          samples += frame.samples;
          firstAudioMs ??= clock.now() - fromMs;
        }
        queue.refill();
      };
      const speaking = speak(
        {
          ...voiceAt(first!),
          spool,
          report,
          chain: {
            served,
            clock,
            voiceAt,
            // It has no timeline: what breaks off is given up.
            handOver: () => undefined,
            waits() {},
            speaks(to, instead) {
              if (instead !== undefined)
                switches.push({ from: instead.of.service!, to: to.service!, reason: instead.reason });
            },
          },
          requests,
          sink: () => transcoder,
          transcoder,
          frames: queue,
          isFirst: () => true,
          toWork: () => ({ class: 'first', tenant: '', deadlineMs: clock.now() + deadlineMs }),
        },
        controller.signal,
      )
        .catch((thrown: unknown) => {
          error = thrown as AppError;
        })
        .then(() => {
          phase = 'over';
        });
      for (let rounds = 0; phase === 'speaking' && rounds < 20_000; rounds += 1) {
        drain();
        await settle();
        if (cutAfterMs !== undefined && clock.now() - fromMs >= cutAfterMs && !controller.signal.aborted) {
          controller.abort(new AppError('internal', 'The turn has been stopped.'));
          transcoder.close();
        }
        if (phase === 'speaking') await clock.run(50);
      }
      await speaking;
      drain();
      return { error, samples, firstAudioMs, said, switches, asked };
    },
  };
}

/** A tone, and silence, of about 2 s. */
export const TONE = speechMp3(2_000);
