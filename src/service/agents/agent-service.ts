// Agents: stored speaking profiles, and the record of what was spoken with them. Uses are gathered and written once a
// second, because a turn ends on the thread that plays audio to others.

import { AppError, isStorageError, toAppError } from '../../base/app-error.ts';
import { checkFields } from '../../base/check-fields.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { percentileMs } from '../../limits/duration-histogram.ts';
import {
  type AgentProfile,
  type AgentUse,
  agentProfileSchema,
  patchProfile,
} from '../../speech/agent-profile.ts';
import type { AgentRecord, AgentStatsRecord } from '../../speech/service-records.ts';
import type { Agent, AgentStore } from '../../storage/agent-store.ts';
import { type Idempotency, idempotencyConflict } from '../idempotency.ts';

export type AgentService = {
  create(
    owner: string,
    profile: AgentProfile,
    idempotency: Idempotency | undefined,
  ): Promise<{ readonly record: AgentRecord; readonly isNew: boolean }>;
  /** Newest first. */
  list(
    owner: string,
    page: { readonly limit: number; readonly cursor: string | undefined },
  ): Promise<{ readonly records: readonly AgentRecord[]; readonly next: string | undefined }>;
  /** These reject with `not_found` for an unknown id and for another owner's alike. */
  find(owner: string, id: string): Promise<AgentRecord>;
  patch(owner: string, id: string, patch: Partial<AgentProfile>): Promise<AgentRecord>;
  stats(owner: string, id: string): Promise<AgentStatsRecord>;
  /** Adds to the record; never throws, and costs nothing now. */
  used(owner: string, id: string, use: AgentUse): void;
  /** Writes what has been gathered. */
  close(): Promise<void>;
};

export type AgentServiceOptions = {
  readonly store: AgentStore;
  readonly clock: Clock;
  readonly unixMs: () => number;
  /** Unguessable: 128 bits. */
  readonly newId: () => string;
  readonly mostAgents: number;
  readonly log: Log;
};

const WRITE_AFTER_MS = 1000;
/** A disk that is full is tried again so soon; what was spoken is kept here meanwhile, one sum for each agent. */
const RETRY_WRITE_MS = 30_000;
const MAX_GATHERED_TIMES = 10_000;
/** Two simultaneous patches are retried; a third conflict in a row is a caller's loop. */
const PATCH_TRIES = 5;

const unknown = () => new AppError('not_found', 'There is no agent of this id.');

const toRecord = ({ id, profile, createdAtMs, updatedAtMs }: Agent): AgentRecord => ({
  id,
  ...(profile as AgentProfile),
  createdAt: new Date(createdAtMs).toISOString(),
  updatedAt: new Date(updatedAtMs).toISOString(),
});

const addUse = (sum: AgentUse, use: AgentUse): AgentUse => ({
  sessions: (sum.sessions ?? 0) + (use.sessions ?? 0),
  turns: (sum.turns ?? 0) + (use.turns ?? 0),
  characters: (sum.characters ?? 0) + (use.characters ?? 0),
  spokenMs: (sum.spokenMs ?? 0) + (use.spokenMs ?? 0),
  interruptions: (sum.interruptions ?? 0) + (use.interruptions ?? 0),
  firstAudioMs: [...(sum.firstAudioMs ?? []), ...(use.firstAudioMs ?? [])].slice(0, MAX_GATHERED_TIMES),
});

const isFigure = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value > 0;
const whole = (value: number | undefined): number => (isFigure(value) ? Math.round(value) : 0);

/** `use` without values that are no numbers: one NaN would spoil the sum of everything gathered. */
const plainUse = (use: AgentUse): AgentUse => ({
  sessions: whole(use.sessions),
  turns: whole(use.turns),
  characters: whole(use.characters),
  spokenMs: isFigure(use.spokenMs) ? use.spokenMs : 0,
  interruptions: whole(use.interruptions),
  firstAudioMs: (use.firstAudioMs ?? []).filter((ms) => Number.isFinite(ms) && ms >= 0),
});

export function createAgentService(options: AgentServiceOptions): AgentService {
  const { store, clock, unixMs } = options;
  const gathered = new Map<string, { readonly owner: string; readonly id: string; use: AgentUse }>();
  let disarm: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  let phase: 'open' | 'closed' = 'open';
  const gather = (owner: string, id: string, use: AgentUse) => {
    const key = JSON.stringify([owner, id]);
    const known = gathered.get(key);
    if (known === undefined) gathered.set(key, { owner, id, use });
    else known.use = addUse(known.use, use);
  };

  const writeGathered = async () => {
    const uses = [...gathered.values()];
    gathered.clear();
    for (const { owner, id, use } of uses) {
      await store.count(owner, id, use).catch((cause: unknown) => {
        if (isStorageError(toAppError(cause)) && phase === 'open') {
          gather(owner, id, use);
          disarm ??= clock.after(RETRY_WRITE_MS, () => void write());
          return;
        }
        options.log.error('agent_record_not_written', { cause: String(cause) });
      });
    }
  };
  /** Resolves when all that was gathered by now is written, what is on its way included. */
  const write = (): Promise<void> => {
    disarm?.();
    disarm = undefined;
    writing = writing.then(writeGathered);
    return writing;
  };
  const mustFind = async (owner: string, id: string): Promise<Agent> => {
    const agent = await store.find(owner, id);
    if (agent === undefined) throw unknown();
    return agent;
  };

  return {
    async create(owner, profile, idempotency) {
      const created = await store.create({
        id: options.newId(),
        owner,
        profile,
        nowMs: unixMs(),
        idempotency,
        mostAgents: options.mostAgents,
      });
      if (created.kind === 'conflict') throw idempotencyConflict();
      if (created.kind === 'full')
        throw new AppError(
          'too_many',
          `A user may have ${options.mostAgents} agents; change one of them instead, or have the operator raise VOXGATE_AGENTS_PER_USER.`,
        );
      return { record: toRecord(created.agent), isNew: created.kind === 'created' };
    },
    async list(owner, page) {
      const { agents, next } = await store.list(owner, page);
      return { records: agents.map(toRecord), next };
    },
    find: async (owner, id) => toRecord(await mustFind(owner, id)),
    async patch(owner, id, patch) {
      for (let tries = 0; tries < PATCH_TRIES; tries += 1) {
        const agent = await mustFind(owner, id);
        const profile = checkFields(
          agentProfileSchema,
          patchProfile(agent.profile as AgentProfile, patch),
          'body',
        );
        const change = { profile, ifVersion: agent.version, nowMs: unixMs() };
        const outcome = await store.replace(owner, id, change);
        if (outcome === 'unknown') throw unknown();
        if (outcome === 'replaced') return toRecord({ ...agent, profile, updatedAtMs: change.nowMs });
      }
      throw new AppError('busy', 'This agent is being changed by many at once; try again.', {
        retryAfterMs: 1000,
      });
    },
    async stats(owner, id) {
      await write();
      const stats = await store.stats(owner, id);
      if (stats === undefined) throw unknown();
      const percentile = (share: number) => percentileMs(stats.firstAudioCounts, share) ?? null;
      return {
        agentId: id,
        sessions: stats.sessions,
        turns: stats.turns,
        characters: stats.characters,
        secondsSpoken: Math.round(stats.spokenMs) / 1000,
        interruptions: stats.interruptions,
        firstAudioP50Ms: percentile(0.5),
        firstAudioP95Ms: percentile(0.95),
      };
    },
    used(owner, id, use) {
      gather(owner, id, plainUse(use));
      disarm ??= clock.after(WRITE_AFTER_MS, () => void write());
    },
    close() {
      phase = 'closed';
      return write();
    },
  };
}
