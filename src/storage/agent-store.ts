// The port for agents: stored speaking profiles, and what was really spoken with them.

import { NO_DURATIONS, withDurations } from '../limits/duration-histogram.ts';
import type { AgentUse } from '../speech/agent-profile.ts';
import type { Stored } from './works/work.ts';

export type Agent = {
  readonly id: string;
  readonly owner: string;
  readonly profile: Stored;
  /** Grows with each change; two patches at once do not lose one. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

export type AgentStats = {
  readonly sessions: number;
  readonly turns: number;
  readonly characters: number;
  readonly spokenMs: number;
  readonly interruptions: number;
  /** Counts by bucket; the bounds are `FIRST_AUDIO_BOUNDS_MS` of `limits/duration-histogram.ts`. */
  readonly firstAudioCounts: readonly number[];
};

export type NewAgent = Pick<Agent, 'id' | 'owner' | 'profile'> & {
  readonly nowMs: number;
  readonly idempotency?: { readonly key: string; readonly digest: string } | undefined;
  readonly mostAgents: number;
};

export type AgentCreated =
  | { readonly kind: 'created'; readonly agent: Agent }
  | { readonly kind: 'repeated'; readonly agent: Agent }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'full' };

export type AgentPage = {
  readonly agents: readonly Agent[];
  /** For the next page; undefined on the last one. */
  readonly next: string | undefined;
};

export type AgentStore = {
  create(agent: NewAgent): Promise<AgentCreated>;
  find(owner: string, id: string): Promise<Agent | undefined>;
  /** Newest first. What is no cursor of ours is the start of the list. */
  list(
    owner: string,
    page: { readonly limit: number; readonly cursor: string | undefined },
  ): Promise<AgentPage>;
  /** Replaces the profile when the version is still the one that was read. */
  replace(
    owner: string,
    id: string,
    change: { readonly profile: Stored; readonly ifVersion: number; readonly nowMs: number },
  ): Promise<'replaced' | 'changed' | 'unknown'>;
  /** Adds up; for an unknown agent nothing happens. */
  count(owner: string, id: string, use: AgentUse): Promise<void>;
  stats(owner: string, id: string): Promise<AgentStats | undefined>;
};

/** How the numbers of an agent add up, for every store alike. */
export const NO_USE: AgentStats = {
  sessions: 0,
  turns: 0,
  characters: 0,
  spokenMs: 0,
  interruptions: 0,
  firstAudioCounts: NO_DURATIONS,
};

export const withUse = (stats: AgentStats, use: AgentUse): AgentStats => ({
  sessions: stats.sessions + (use.sessions ?? 0),
  turns: stats.turns + (use.turns ?? 0),
  characters: stats.characters + (use.characters ?? 0),
  spokenMs: stats.spokenMs + (use.spokenMs ?? 0),
  interruptions: stats.interruptions + (use.interruptions ?? 0),
  firstAudioCounts: withDurations(stats.firstAudioCounts, use.firstAudioMs ?? []),
});
