// Two speech services in simulated time that speak by the embedded engine's program, each by a voice and at a level of its own: the first breaks
// off where it is told to, the second speaks what it is asked for. Where each word is in what they have sent is known.

import { openBodyParser } from '../../src/audio/bodies/body-parsers.ts';
import { MP3_BODY } from '../../src/audio/bodies/body-type.ts';
import { isMp3Frame } from '../../src/audio/bodies/sound-frame.ts';
import { turnUp } from '../../src/audio/mp3/mp3-side-info.ts';
import { AppError } from '../../src/base/app-error.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { ServingService, SpeechServices } from '../../src/pipeline/speech-services.ts';
import { createServiceWatch } from '../../src/upstream/health/service-watch.ts';
import type { Voices } from './breaking-service.ts';
import { createMemoryUpstream, type MemoryRequest } from './memory-upstream.ts';
import { trustingRecovery } from './trusting-recovery.ts';

export type SpokenRequest = {
  readonly by: 'first' | 'second';
  readonly text: string;
  /** As it was sent, its level included. */
  readonly mp3: Uint8Array;
  readonly truth: Awaited<ReturnType<Voices['say']>>['truth'];
};

export type FailingServicesOptions = {
  readonly voices: Voices;
  /** Ids of the engine's voices, and how much louder than it speaks they are, dB in steps of 1.5. */
  readonly first: { readonly voice: string; readonly gainDb?: number };
  readonly second: { readonly voice: string; readonly gainDb?: number };
  /** They are sent so many times faster than they are heard, the first 400 ms at once; default: 4. */
  readonly times?: number;
};

const FIRST_BYTE_MS = 60;
const [AT_ONCE_MS, STEP_MS] = [400, 100] as const;

/** The frames of `mp3`, without its tag, so much louder. */
function louder(mp3: Uint8Array, gainDb: number): { readonly bytes: Uint8Array; readonly ms: number }[] {
  const frames: { bytes: Uint8Array; ms: number }[] = [];
  const parser = openBodyParser(MP3_BODY, {
    onFrame(frame) {
      if (!isMp3Frame(frame)) return;
      // A copy, which `slice` of a Buffer is not: the speech is kept for other requests.
      const bytes = Uint8Array.from(frame.bytes);
      if (gainDb !== 0) turnUp(bytes, frame.header, gainDb);
      frames.push({ bytes, ms: (frame.header.samplesPerFrame * 1000) / frame.header.sampleRate });
    },
    onTag() {},
  });
  parser.push(mp3);
  parser.flush();
  return frames;
}

export function createFailingServices({ voices, first, second, times = 4 }: FailingServicesOptions) {
  const requests: SpokenRequest[] = [];
  const pending = new Set<Promise<void>>();
  let clock: Clock | undefined;
  let breaksAtMs = Number.POSITIVE_INFINITY;
  let order: readonly ('first' | 'second')[] = ['first', 'second'];
  const late: Clock = {
    now: () => clock!.now(),
    after: (ms, task) => clock!.after(ms, task),
    soon: (task) => clock!.soon(task),
  };

  const speak = async (by: SpokenRequest['by'], request: MemoryRequest, untilMs: number) => {
    const { voice, gainDb = 0 } = by === 'first' ? first : second;
    const { text } = request.body;
    const { mp3, truth } = await voices.say({ model: 'VoxDialog', text, voice });
    const frames = louder(mp3, gainDb);
    requests.push({ by, text, mp3: Buffer.concat(frames.map(({ bytes }) => bytes)), truth });
    let [at, sentMs] = [0, 0];
    const send = (wantedMs: number) => {
      const from = at;
      while (at < frames.length && sentMs < Math.min(wantedMs, untilMs)) {
        sentMs += frames[at]!.ms;
        at += 1;
      }
      request.send(Buffer.concat(frames.slice(from, at).map(({ bytes }) => bytes)));
      if (sentMs >= untilMs) request.fail(new AppError('upstream_broken', 'It broke off.'));
      else if (at === frames.length) request.end();
      else late.after(STEP_MS / times, () => send(wantedMs + STEP_MS));
    };
    late.after(FIRST_BYTE_MS, () => send(AT_ONCE_MS));
  };
  const begin = (by: SpokenRequest['by'], request: MemoryRequest) => {
    const untilMs = by === 'first' ? breaksAtMs : Number.POSITIVE_INFINITY;
    // Nothing of it comes when it is asked once more.
    if (untilMs === 0) return request.fail(new AppError('upstream_unreachable', 'It is gone.'));
    if (by === 'first' && untilMs !== Number.POSITIVE_INFINITY) breaksAtMs = 0;
    const spoken = speak(by, request, untilMs);
    pending.add(spoken);
    void spoken.finally(() => pending.delete(spoken));
  };
  const serving = (by: SpokenRequest['by'], voice: string): ServingService => ({
    name: by,
    upstream: createMemoryUpstream((request) => begin(by, request)),
    recovery: trustingRecovery(),
    identity: by,
    ignored: [],
    voice: undefined,
    voice2: undefined,
    defaultVoice: voice,
    defaultVoice2: undefined,
    watch: createServiceWatch({ clock: late, onChange() {}, onRival() {}, onSpoke() {} }),
    isLastResort: false,
  });
  const both = { first: serving('first', first.voice), second: serving('second', second.voice) };
  const services: SpeechServices = {
    chain: () => order.map((name) => both[name]) as [ServingService, ServingService],
  };
  return {
    services,
    /** All that was said. */
    requests: requests as readonly SpokenRequest[],
    startsAt(own: Clock): void {
      clock = own;
    },
    /** The first breaks off when so much of its next request has been sent, and is gone then; infinite: it is well. */
    breaksAt(ms: number): void {
      breaksAtMs = ms;
    },
    prefers(name: 'first' | 'second'): void {
      order = name === 'first' ? ['first', 'second'] : ['second', 'first'];
    },
    /** Runs for `ms`; the time that the engine takes is none of it. */
    async run(live: { run(ms: number): Promise<void> }, ms: number): Promise<void> {
      for (let at = 0; at < ms; at += 20) {
        await live.run(20);
        while (pending.size > 0) await Promise.all(pending);
      }
    },
  };
}
