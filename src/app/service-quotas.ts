// What counts the requests to the services: one store for services that share an address or a group, all of them joined.

import { createHash } from 'node:crypto';
import { createQuotaShare } from '../cluster/quota-share.ts';
import type { HealthExchange } from '../upstream/health/shared-health.ts';
import { createMemoryCharacterCount, withCharacterLimits } from '../upstream/quota/character-limits.ts';
import { openFileCharacterMonths, openFileLearnedQuotas } from '../upstream/quota/file-learned-quotas.ts';
import { createMemoryQuotaStore } from '../upstream/quota/memory-quota-store.ts';
import type { QuotaStore } from '../upstream/quota/quota-store.ts';
import { createQuotaViews, joinQuotaStores, type QuotaPart } from '../upstream/quota/quota-views.ts';
import { createSharedPlaces } from '../upstream/quota/shared-places.ts';
import { type ConfiguredSpeech, limitsOf, placesOf, type SpeechService } from './configured-speech.ts';
import type { AppContext } from './context.ts';

/** Services whose quotas belong in one store: of one address, or of one group. */
function together(services: readonly SpeechService[]): (readonly SpeechService[])[] {
  let sets: SpeechService[][] = [];
  for (const service of services) {
    const isNear = (other: SpeechService) =>
      other.url === service.url || (other.group !== undefined && other.group === service.group);
    const near = sets.filter((set) => set.some(isNear));
    sets = [...sets.filter((set) => !near.includes(set)), [...near.flat(), service]];
  }
  return sets;
}

/** Shared by all instances, or this one's own; the embedded engine is always one's own. */
export async function openQuotaStore(
  context: AppContext,
  { services }: ConfiguredSpeech,
): Promise<QuotaStore> {
  const [first, ...others] = await Promise.all(together(services).map((set) => openPart(context, set)));
  return joinQuotaStores([first!, ...others]);
}

async function openPart(context: AppContext, set: readonly SpeechService[]): Promise<QuotaPart> {
  const { config, clock, random, log, redisLinks } = context;
  const { url, isEmbedded } = set[0]!;
  const name = createHash('sha256').update(url).digest('hex').slice(0, 12);
  const ids = [...new Set(set.flatMap(({ keys }) => keys.map((key) => key.quota)))];
  const quotas = ids.map((quota) => {
    const { perMinute, ...limits } = limitsOf(set, quota);
    // The limit of a foreign service is found out where it is not told; our own engine has none but that.
    return { quota, perMinute: perMinute ?? (isEmbedded ? ('unlimited' as const) : undefined), ...limits };
  });
  const hasCharacters = quotas.some(
    (its) => its.charactersPerMinute !== undefined || its.charactersPerMonth !== undefined,
  );
  if (config.redisUrl !== undefined && !isEmbedded) {
    const { createRedisQuotaStore } = await import('../upstream/quota/redis-quota-store.ts');
    const store = createRedisQuotaStore({
      url: config.redisUrl,
      pool: name,
      quotas,
      maxInstances: config.maxInstances,
      clock,
      random,
      log,
    });
    const before = redisLinks.get('quotas');
    redisLinks.set('quotas', () => store.isShared() && (before?.() ?? true));
    const { createRedisPlaces } = await import('../upstream/quota/redis-places.ts');
    const { maxInstances, redisUrl } = config;
    const server = createRedisPlaces({ url: redisUrl, pool: name, quotas, clock, random, log });
    const placed = createSharedPlaces({ server, quotas, store, maxInstances, clock });
    if (!hasCharacters) return { store: placed, quotas: ids };
    const { createRedisCharacters } = await import('../upstream/quota/redis-characters.ts');
    const told = { url: redisUrl, pool: name, quotas, maxInstances, clock, unixMs: Date.now, log };
    const count = createRedisCharacters(told);
    const linked = redisLinks.get('quotas')!;
    redisLinks.set('quotas', () => linked() && count.isShared());
    return { store: withCharacterLimits({ store: placed, quotas, count, clock }), quotas: ids };
  }
  const file = { folder: config.dataDir, service: name, log, unixMs: Date.now };
  const learned = isEmbedded ? undefined : openFileLearnedQuotas(file);
  const store = createMemoryQuotaStore({
    quotas,
    clock,
    log,
    unixMs: Date.now,
    ...(learned === undefined ? {} : { learned }),
  });
  if (!hasCharacters) return { store, quotas: ids };
  const memory = openFileCharacterMonths(file);
  const count = createMemoryCharacterCount({ quotas, clock, unixMs: Date.now, memory });
  return { store: withCharacterLimits({ store, quotas, count, clock }), quotas: ids };
}

/**
 * Of the instances that share a Redis, and while that is away of the processes of this gateway, which is `processes`; undefined where
 * there is neither, or one service only.
 */
export async function openHealthExchange(
  { config: { redisUrl }, clock, log, redisLinks, onStop }: AppContext,
  { services }: ConfiguredSpeech,
  processes: HealthExchange | undefined,
): Promise<HealthExchange | undefined> {
  if (services.length < 2 || redisUrl === undefined) return processes;
  const { openRedisHealth } = await import('../upstream/health/redis-health.ts');
  const { exchange, isUp, close } = openRedisHealth({ url: redisUrl, clock, log });
  onStop(close);
  redisLinks.set('health', isUp);
  return (ask) => (isUp() || processes === undefined ? exchange(ask) : processes(ask));
}

/** For each service, the view of a store that others use, too. */
export function viewsFor(store: QuotaStore): (service: SpeechService) => QuotaStore {
  const viewOf = createQuotaViews(store);
  return ({ keys }) => viewOf(keys.map(({ quota }) => quota));
}

/**
 * The same in a gateway of one process: the one service counts its own requests under way; of several services some may share a
 * limit, so that all of them are counted together.
 */
export function quotasFor(
  store: QuotaStore,
  { form, services }: ConfiguredSpeech,
  { config: { upstreamMaxInFlightPerKey }, clock }: Pick<AppContext, 'config' | 'clock'>,
): (service: SpeechService) => QuotaStore {
  if (form === 'plain') return () => store;
  const share = createQuotaShare({
    store,
    placesOf: (quota) => placesOf(services, quota, upstreamMaxInFlightPerKey),
    clock,
  });
  return viewsFor(share.open());
}
