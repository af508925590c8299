// The port to a store of the sound of phrases that are spoken again and again (greetings, prompts, menus): whole
// MP3 bodies by an opaque key. A store is a convenience: one that is slow, full or away has nothing, and never fails.

import { hash } from 'node:crypto';
import type { OutgoingRequest } from '../speech/speech-request.ts';

export type PhraseStore = {
  /** The whole body kept under `key`. Never rejects. */
  find(key: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /**
   * Keeps `body`, if it is worth its room, for `leftMs` at most, a day unless told; it must not be changed afterwards.
   * Never throws.
   */
  keep(key: string, body: Uint8Array, leftMs?: number): void;
  /** What is kept under `key` is not to be trusted. Never throws. */
  drop(key: string): void;
  /** Told once for each request, however many keys it was looked for by. */
  readonly onLookup?: (result: 'hit' | 'miss') => void;
  close(): Promise<void>;
};

/** A service may speak a phrase better tomorrow: however often it was asked for, it is made anew after so long. */
export const KEPT_MS = 24 * 60 * 60 * 1000;

// The name of a phrase's sound: who asked, which service says it, and the whole request with its seed. Two requests have one name only when
// the service would answer both with the same bytes, and no tenant can find out what another had spoken.

/**
 * 64 hexadecimal digits; the order of the request's fields does not matter. `service`: what tells the service apart from all
 * others, its model included.
 */
export function phraseKey(tenant: string, service: string, request: OutgoingRequest): string {
  const fields = Object.entries(request)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([tenant, service, fields]), 'hex');
}
