// The store of phrases that are spoken again and again: in this process, and behind that in Redis or in the bucket of files,
// where all instances find them.

import { createMemoryPhraseStore } from '../storage/memory-phrase-store.ts';
import type { PhraseStore } from '../storage/phrase-store.ts';
import type { AppContext } from './context.ts';

export async function openPhraseStore(context: AppContext): Promise<PhraseStore | undefined> {
  const { config, clock, metrics } = context;
  const lookups = metrics.counters(
    'voxgate_phrases_total',
    'Requests that might be played from kept speech, by result',
    { result: ['hit', 'miss'] },
  );
  if (config.phraseCache === 'off') return undefined;
  const near = createMemoryPhraseStore(config.phraseCacheBytes, clock);
  const store = (await openShared(context, near)) ?? near;
  return {
    find: (key) => store.find(key),
    onLookup: (result) => lookups.add(1, { result }),
    keep: (key, body, leftMs) => store.keep(key, body, leftMs),
    drop: (key) => store.drop(key),
    close: () => store.close(),
  };
}

/** What is not used is not loaded. The connections are its own: works and turns do not wait for one another. */
async function openShared(
  { config, clock, random, log, redisLinks }: AppContext,
  near: PhraseStore,
): Promise<PhraseStore | undefined> {
  const { phraseCacheRedisUrl: url, filesUrl: address } = config;
  if (url !== undefined) {
    const { createRedisPhraseStore } = await import('../storage/redis-phrase-store.ts');
    const shared = createRedisPhraseStore({ url, near, clock, log });
    redisLinks.set('phrases', shared.isUp);
    return shared;
  }
  if (address?.kind !== 's3') return undefined;
  const [{ Bucket }, { createS3PhraseStore }] = await Promise.all([
    import('../storage/s3/bucket.ts'),
    import('../storage/s3/s3-phrase-store.ts'),
  ]);
  const bucket = new Bucket({ address, clock, random, log });
  return createS3PhraseStore({ bucket, near, clock, unixMs: Date.now });
}
