// An upstream whose bodies may be left alone for a while, as those off a socket may: what arrives meanwhile, and the end or
// the break of it, is seen afterwards.

import type { Clock } from '../../src/base/clock.ts';
import { createBodyQueue } from '../../src/upstream/body-queue.ts';
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
      /** Arrived while nobody looked, as in the memory of a kernel. */
      const arrived: (() => void)[] = [];
      let state: 'going' | 'held-back' = 'going';
      const arrive = (act: () => void) => {
        if (state === 'going') act();
        else arrived.push(act);
      };
      const queue = createBodyQueue(
        {
          pause() {
            state = 'held-back';
          },
          resume() {
            state = 'going';
            for (const act of arrived.splice(0)) act();
          },
          abandon: () => void source.return?.(),
          stalled: () => queue.fail(new Error('it stands still')),
        },
        { clock, stallMs: STALL_MS, signal: options.signal },
      );
      const pump = async () => {
        try {
          for (let next = await source.next(); next.done !== true; next = await source.next()) {
            const { value } = next;
            arrive(() => queue.push(value));
          }
          arrive(() => queue.end());
        } catch (error) {
          arrive(() => queue.fail(error as Error));
        }
      };
      void pump();
      const rest = (ms: number) => {
        restsMs.push(ms);
        queue.rest(ms);
      };
      return { ...body, chunks: queue.chunks, rest };
    },
  };
}
