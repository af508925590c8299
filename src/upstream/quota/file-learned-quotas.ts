// Learned quotas in one JSON file: written beside it and renamed, so that a crash leaves the old or the new one, never half of
// one. A file that is broken, foreign or old is ignored: its content can be learned again.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../base/log.ts';
import { MAX_SENDS } from '../../limits/quota-knowledge.ts';
import type { CharacterMemory } from './character-limits.ts';
import type { LearnedQuota, LearnedQuotas } from './quota-store.ts';

const VERSION = 1;
const STALE_MS = 7 * 24 * 3_600_000;
/** Clock corrections up to this size are tolerated. */
const AHEAD_MS = 60_000;

const time = z.number().finite();
const count = z.number().int().min(0);
const limit = z.number().int().min(1).max(MAX_SENDS);

const KNOWN = z.strictObject({
  source: z.enum(['unlimited', 'guessed', 'configured', 'headers', 'refusals']),
  stage: z.enum(['growing', 'confirming', 'settled', 'probing']),
  limit,
  windowMs: z.number().int().min(1000).max(3_600_000),
  cap: limit.exactOptional(),
  spreadMs: z.number().int().min(1).max(10_000),
  provenLimit: limit,
  raisedAtMs: time,
  ceiling: z.number().int().min(1),
  floor: limit,
  windowFromMs: time,
  use: z.enum(['partly', 'fully']),
  cleanWindows: count,
  probeEvery: count,
  lowWaitsAtMs: time,
  refusedAtMs: time,
  stragglers: z.enum(['count', 'are nothing new']),
  misses: count,
  heldUntilMs: time,
  phase: z.strictObject({ loMs: time, hiMs: time, periods: count, confirmed: z.boolean() }).exactOptional(),
  contradictions: count,
  slidingUntilMs: time,
  found: z.enum(['unknown', 'fixed', 'restarting', 'moving']),
  refutedLimit: count.exactOptional(),
  suspicion: z
    .strictObject({
      accepted: count,
      sinceHold: z.number().int().exactOptional(),
      before: z.strictObject({ accepted: count, atMs: time }).exactOptional(),
      atMs: time,
      of: z.enum(['count', 'perhaps concurrency']),
      tried: limit.exactOptional(),
    })
    .exactOptional(),
  answerMs: count.exactOptional(),
  concurrent: count.exactOptional(),
});

const CONTENT = z.strictObject({
  version: z.literal(VERSION),
  quotas: z
    .array(
      z.strictObject({
        quota: z.string().min(1).max(200),
        known: KNOWN,
        learnedAtUnixMs: time,
        sentAtUnixMs: z.array(time).max(2 * MAX_SENDS),
      }),
    )
    .max(10_000),
});

/** The system's name for what went wrong; a message could hold a piece of the file. */
const codeOf = (thrown: unknown): string => {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unreadable';
};

export type FileLearnedQuotasOptions = {
  /** Created when missing. */
  readonly folder: string;
  /** Identifies the service: the same key may have another limit elsewhere. */
  readonly service: string;
  readonly log: Log;
  /** The wall clock. */
  readonly unixMs: () => number;
};

/** A file of JSON, written whole; reads and writes block, rarely and little. */
function openJsonFile(folder: string, name: string, log: Log) {
  const path = join(folder, `${name}.json`);
  return {
    read(): unknown {
      try {
        return JSON.parse(readFileSync(path, 'utf8'));
      } catch (thrown) {
        if (codeOf(thrown) !== 'ENOENT') log.warn('learned_quotas_ignored', { reason: codeOf(thrown) });
        return undefined;
      }
    },
    write(content: object): void {
      try {
        mkdirSync(folder, { recursive: true });
        const beside = `${path}.tmp`;
        writeFileSync(beside, JSON.stringify(content), { mode: 0o600 });
        renameSync(beside, path);
      } catch (thrown) {
        log.warn('learned_quotas_not_saved', { reason: codeOf(thrown) });
      }
    },
  };
}

export function openFileLearnedQuotas(options: FileLearnedQuotasOptions): LearnedQuotas {
  const { folder, service, log, unixMs } = options;
  const file = openJsonFile(folder, `learned-quotas-${service}`, log);
  return {
    load() {
      const found = file.read();
      if (found === undefined) return [];
      const content = CONTENT.safeParse(found);
      if (!content.success) {
        log.warn('learned_quotas_ignored', { reason: 'not a file of this version' });
        return [];
      }
      const nowMs = unixMs();
      // Times in the future come from another clock.
      const isFresh = ({ learnedAtUnixMs }: LearnedQuota) =>
        learnedAtUnixMs <= nowMs + AHEAD_MS && nowMs - learnedAtUnixMs <= STALE_MS;
      return content.data.quotas.filter(isFresh);
    },
    save: (learned) => file.write({ version: VERSION, quotas: learned }),
  };
}

const MONTHS = z.record(
  z.string().min(1).max(200),
  z.strictObject({ month: z.string().regex(/^(\d{4}-\d{2})?$/), used: count }),
);

/** The characters of months, in a file of their own: they are counted, not learned. */
export function openFileCharacterMonths(
  options: Pick<FileLearnedQuotasOptions, 'folder' | 'service' | 'log'>,
): CharacterMemory {
  const file = openJsonFile(options.folder, `character-months-${options.service}`, options.log);
  return {
    load() {
      const content = MONTHS.safeParse(file.read() ?? {});
      if (content.success) return content.data;
      options.log.warn('learned_quotas_ignored', { reason: 'not a file of this version' });
      return {};
    },
    save: (months) => file.write(months),
  };
}
