// How the numbers of an agent add up, for every store alike.

import { NO_DURATIONS, withDurations } from '../limits/duration-histogram.ts';
import type { AgentStats, AgentUse } from './agent-store.ts';

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
