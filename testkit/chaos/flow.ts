// Bytes from one side to the other, no faster than the other reads them, and timers that end with their connection.

import type { Writable } from 'node:stream';
import type { Clock } from '../../src/base/clock.ts';
import type { Bytes } from './toxic.ts';

/** Why waits end; made once, because a new error for each request is expensive. */
export const OVER = new Error('The connection is over.');

/** See `ToxicTools.wait`. */
export const createWait =
  (clock: Clock, over: AbortSignal) =>
  (ms: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const stop = () => {
        cancel();
        reject(OVER);
      };
      const cancel =
        ms === Number.POSITIVE_INFINITY
          ? () => {}
          : clock.after(ms, () => {
              over.removeEventListener('abort', stop);
              resolve();
            });
      if (over.aborted) stop();
      else over.addEventListener('abort', stop, { once: true });
    });

const drained = (into: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = () => {
      into.off('drain', settle);
      into.off('close', settle);
      if (into.destroyed) reject(new Error('The reader has gone.'));
      else resolve();
    };
    if (into.destroyed) return settle();
    into.on('drain', settle);
    into.on('close', settle);
  });

/** Writes all `bytes` and leaves `into` open; rejects when either side breaks. */
export async function pour(bytes: Bytes, into: Writable): Promise<void> {
  for await (const chunk of bytes) {
    if (into.destroyed) throw new Error('The reader has gone.');
    if (chunk.length > 0 && !into.write(chunk)) await drained(into);
  }
}
