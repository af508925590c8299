// Phrases in this process, the ones used last: a bounded number of bytes, none so long that it would push out many
// others, and none beyond its day.

import type { Clock } from '../base/clock.ts';
import { KEPT_MS, type PhraseStore } from './phrase-store.ts';

/** A phrase may take this part of the room. */
const LARGEST_SHARE = 1 / 8;

export type MemoryPhraseStore = PhraseStore & {
  find(key: string): Uint8Array | undefined;
  bytes(): number;
  phrases(): number;
};

type Kept = { readonly body: Uint8Array; readonly untilMs: number };

/** At most `capacityBytes` of bodies; 0 keeps nothing. */
export function createMemoryPhraseStore(capacityBytes: number, clock: Pick<Clock, 'now'>): MemoryPhraseStore {
  /** The one used last is at the end. */
  const phrases = new Map<string, Kept>();
  let bytes = 0;

  const drop = (key: string) => {
    bytes -= phrases.get(key)?.body.length ?? 0;
    phrases.delete(key);
  };

  return {
    find(key) {
      const kept = phrases.get(key);
      if (kept === undefined) return undefined;
      if (clock.now() >= kept.untilMs) {
        drop(key);
        return undefined;
      }
      phrases.delete(key);
      phrases.set(key, kept);
      return kept.body;
    },
    keep(key, body, leftMs = KEPT_MS) {
      if (body.length === 0 || body.length > capacityBytes * LARGEST_SHARE) return;
      drop(key);
      phrases.set(key, { body, untilMs: clock.now() + leftMs });
      bytes += body.length;
      while (bytes > capacityBytes) drop(phrases.keys().next().value!);
    },
    drop,
    bytes: () => bytes,
    phrases: () => phrases.size,
    close() {
      phrases.clear();
      bytes = 0;
      return Promise.resolve();
    },
  };
}
