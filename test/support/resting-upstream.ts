// An upstream whose bodies may be read in bouts, as those off a socket may.

import type { Clock } from '../../src/base/clock.ts';
import { BodyQueue } from '../../src/upstream/services/body-queue.ts';
import type { SpeechUpstream } from '../../src/upstream/speech-upstream.ts';

export type RestingUpstream = SpeechUpstream & {
  /** How long each rest was to be, ms. */
  readonly restsMs: readonly number[];
};

const STALL_MS = 10_000;

export function createRestingUpstream(upstream: SpeechUpstream, clock: Clock): RestingUpstream {
  const restsMs: number[] = [];
  return {
    restsMs,
    async open(request, options) {
      const body = await upstream.open(request, options);
      const source = body.chunks[Symbol.asyncIterator]();
      const queue = new BodyQueue(
        {
          pause() {},
          resume() {},
          abandon: () => void source.return?.(),
          stalled: () => queue.fail(new Error('it stands still')),
        },
        { clock, stallMs: STALL_MS, signal: options.signal },
      );
      const pump = async () => {
        try {
          for (let next = await source.next(); next.done !== true; next = await source.next())
            queue.push(next.value);
          queue.end();
        } catch (error) {
          queue.fail(error as Error);
        }
      };
      void pump();
      const rest = (ms: number) => {
        restsMs.push(ms);
        queue.rest(ms);
      };
      return { ...body, chunks: queue.chunks, gathering: { rest, cameMs: () => queue.cameMs() } };
    },
  };
}
