// A long text as parts, each one upstream request of the batch class: small enough that a break costs little and
// progress is seen, large enough to be sparing with a quota that counts requests.

import { AppError, isStorageError, toAppError } from '../base/app-error.ts';
import { pause } from '../base/pause.ts';
import { drainSpeech } from '../pipeline/drained-speech.ts';
import type { SpokenWith } from '../pipeline/outgoing-request.ts';
import type { SpeechRuntime } from '../pipeline/speech-runtime.ts';
import type { ServiceWishes } from '../speech/upstream-names.ts';
import type { RequestText } from '../text/request-text.ts';
import type { PartShelf, SpokenPart } from './part-shelf.ts';

export type SpeakPartsOptions = SpokenWith &
  ServiceWishes & {
    /** Hz that the caller has named. */
    readonly namedRate?: number | undefined;
    readonly runtime: SpeechRuntime;
    /** One part each; without any there is one part, a short silence. */
    readonly texts: readonly RequestText[];
    readonly tenant: string;
    /** For the log. */
    readonly work: string;
    readonly shelf: PartShelf;
    /** Parts that are spoken at the same time. */
    readonly atOnce: number;
    /** Called with the share of the text that has been spoken, 0 to 1. */
    readonly onProgress: (done: number) => void;
  };

/** No listener waits: a job survives an outage of the service of three minutes. */
const RETRY_AFTER_MS = [1000, 5000, 20_000, 60_000, 120_000] as const;
/** No listener waits for it; the pool says when there is no hope. */
const DUE_AFTER_MS = 15 * 60_000;
const OUTPUT = { format: 'mp3', sampleRate: undefined, frameMs: 20 } as const;

/** In the order of `texts`. Rejects with the signal's reason, or with what a part failed with after its retries. */
export async function speakParts(
  options: SpeakPartsOptions,
  signal: AbortSignal,
): Promise<readonly SpokenPart[]> {
  const { runtime, texts, shelf, tenant, work } = options;
  const { clock } = runtime;
  const count = Math.max(1, texts.length);
  const parts = new Array<SpokenPart>(count);
  const total = texts.reduce((sum, { text }) => sum + text.length, 0);
  const stop = new AbortController();
  const own = AbortSignal.any([signal, stop.signal]);
  let spoken = 0;
  let next = 0;

  const speakOnce = (index: number): Promise<SpokenPart> => {
    const speech = drainSpeech(
      {
        ...options,
        texts: texts.slice(index, index + 1),
        output: OUTPUT,
        toWork: () => ({ class: 'batch', tenant, work, deadlineMs: clock.now() + DUE_AFTER_MS }),
        listener: 'nobody',
        words: 'timed',
      },
      own,
    );
    return shelf.keep(index, speech.chunks, () => ({
      audioMs: speech.audioMs(),
      words: speech.words(),
      servedBy: speech.servedBy(),
    }));
  };

  const speakPart = async (index: number): Promise<SpokenPart> => {
    for (let failures = 0; ; failures += 1) {
      try {
        return await speakOnce(index);
      } catch (thrown) {
        own.throwIfAborted();
        const error = toAppError(thrown);
        const pauseMs = RETRY_AFTER_MS[failures];
        // The runner of the whole work waits for a full disk, with all its parts.
        if (pauseMs === undefined || !error.retryable || error.code === 'internal' || isStorageError(error))
          throw error;
        await pause(Math.max(pauseMs, error.retryAfterMs ?? 0), clock, own);
      }
    }
  };

  const lane = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      parts[index] = (await shelf.find(index)) ?? (await speakPart(index));
      spoken += texts[index]?.text.length ?? 0;
      options.onProgress(total === 0 ? 1 : spoken / total);
    }
  };
  const lanes = Array.from({ length: Math.min(options.atOnce, count) }, lane);
  try {
    await Promise.all(lanes);
  } catch (error) {
    // The other lanes stop with it, and are over when the caller hears of it.
    stop.abort(new AppError('internal', 'Another part has failed.'));
    await Promise.allSettled(lanes);
    throw error;
  }
  return parts;
}
