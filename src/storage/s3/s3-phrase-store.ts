// Phrases that all instances share, in a bucket, behind what this process keeps itself. A question to S3 takes as long as a
// good part of a request for speech, so a turn asks only for what is known to be there, by a list that is read now and
// then, and waits a moment at most. What is written is what has been asked for twice, one after another, off the turn's path.

import type { Clock } from '../../base/clock.ts';
import { KEPT_MS, type PhraseStore } from '../phrase-store.ts';
import type { Bucket } from './bucket.ts';

export type S3PhraseStoreOptions = {
  readonly bucket: Pick<Bucket, 'isReachable' | 'get' | 'put' | 'delete' | 'list' | 'close'>;
  /** Asked first, and given what the bucket had. */
  readonly near: PhraseStore;
  readonly clock: Clock;
  readonly unixMs: () => number;
};

/** A speech service takes longer; what comes later is kept for the next turn. */
const WAIT_MS = 100;
const FETCH_MS = 5_000;
const MAX_FETCHES = 16;
const LIST_EVERY_MS = 2 * 60_000;
/** In the bucket; more are kept by each instance for itself. */
const MAX_KNOWN = 10_000;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;
/** What is this much too old by this clock is too old by that of the server. */
const CLOCKS_MS = 10 * 60_000;
const FOLDER = 'phrases/';
/** Metadata: when it has to be made anew, Unix ms. */
const UNTIL = 'until';

type Task = { readonly body: Uint8Array; readonly untilMs: number } | 'drop';

export function createS3PhraseStore({ bucket, near, clock, unixMs }: S3PhraseStoreOptions): PhraseStore {
  let known = new Set<string>();
  /** Made here and not asked for again yet, with the time until which they hold; the oldest first. */
  const madeHere = new Map<string, number>();
  const fetching = new Map<string, Promise<Uint8Array | undefined>>();
  const tasks = new Map<string, Task>();
  let queuedBytes = 0;
  let writer: 'idle' | 'busy' = 'idle';
  let phase: 'open' | 'closed' = 'open';
  let disarm = () => {};

  const perform = async () => {
    writer = 'busy';
    for (const [key, task] of tasks) {
      tasks.delete(key);
      if (phase === 'closed') return;
      try {
        if (task === 'drop') await bucket.delete(FOLDER + key);
        else {
          await bucket.put(FOLDER + key, task.body, { [UNTIL]: String(task.untilMs) });
          known.add(key);
        }
      } catch {
        // The bucket complains by itself; a phrase that is not there is made anew.
      } finally {
        if (task !== 'drop') queuedBytes -= task.body.length;
      }
    }
    writer = 'idle';
  };
  const enqueue = (key: string, task: Task) => {
    const before = tasks.get(key);
    if (before !== undefined && before !== 'drop') queuedBytes -= before.body.length;
    if (task !== 'drop') queuedBytes += task.body.length;
    tasks.set(key, task);
    if (writer === 'idle') void perform();
  };

  /** It was asked for again: others may want it, too. */
  const share = (key: string, body: Uint8Array) => {
    const untilMs = madeHere.get(key);
    if (untilMs === undefined || queuedBytes + body.length > MAX_QUEUED_BYTES) return;
    madeHere.delete(key);
    if (!known.has(key) && known.size < MAX_KNOWN && bucket.isReachable()) enqueue(key, { body, untilMs });
  };

  const fetch = async (key: string): Promise<Uint8Array | undefined> => {
    try {
      const found = await bucket.get(FOLDER + key, MAX_BODY_BYTES, FETCH_MS);
      const leftMs = Number(found?.metadata[UNTIL] ?? 0) - unixMs();
      if (found !== undefined && found.bytes.length > 0 && leftMs > 0) {
        near.keep(key, found.bytes, Math.min(KEPT_MS, leftMs));
        return found.bytes;
      }
      known.delete(key);
    } catch {
      // As in `perform`.
    }
    return undefined;
  };
  const fetchOnce = (key: string): Promise<Uint8Array | undefined> => {
    const before = fetching.get(key);
    if (before !== undefined) return before;
    if (fetching.size >= MAX_FETCHES) return Promise.resolve(undefined);
    const fetched = fetch(key).finally(() => fetching.delete(key));
    fetching.set(key, fetched);
    return fetched;
  };
  const inTime = (fetched: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> =>
    new Promise((resolve) => {
      const stop = clock.after(WAIT_MS, () => resolve(undefined));
      void fetched.then((body) => {
        stop();
        resolve(body);
      });
    });

  const readList = async () => {
    const listed = new Set<string>();
    const tooOldMs = unixMs() - KEPT_MS - CLOCKS_MS;
    for await (const { name, writtenMs } of bucket.list(FOLDER)) {
      if (phase === 'closed' || listed.size >= MAX_KNOWN) break;
      if (writtenMs < tooOldMs) await bucket.delete(name);
      else listed.add(name.slice(FOLDER.length));
    }
    known = listed;
  };
  const readLists = () => {
    // What cannot be read now is read the next time.
    void readList()
      .catch(() => {})
      .finally(() => {
        if (phase === 'open') disarm = clock.after(LIST_EVERY_MS, readLists);
      });
  };
  readLists();

  return {
    find(key) {
      const here = near.find(key);
      if (here instanceof Promise) return here;
      if (here !== undefined) share(key, here);
      if (here !== undefined || !known.has(key) || !bucket.isReachable()) return here;
      return inTime(fetchOnce(key));
    },
    keep(key, body, leftMs = KEPT_MS) {
      near.keep(key, body, leftMs);
      madeHere.delete(key);
      madeHere.set(key, unixMs() + leftMs);
      if (madeHere.size > MAX_KNOWN) madeHere.delete(madeHere.keys().next().value!);
    },
    drop(key) {
      near.drop(key);
      madeHere.delete(key);
      if (known.delete(key) || tasks.has(key)) enqueue(key, 'drop');
    },
    async close() {
      phase = 'closed';
      disarm();
      tasks.clear();
      bucket.close();
      await near.close();
    },
  };
}
