// An agent as one session has it: what its profile sets, what is counted for it, and what is said first.

import type { AgentProfile, AgentUse } from '../speech/agent-profile.ts';
import type { SessionMetrics, SessionRuntime } from './session-runtime.ts';
import { applySettings, type TurnSettings } from './turn-settings.ts';

export type SessionAgent = {
  readonly profile: AgentProfile;
  /** Never throws, and costs nothing now. */
  readonly used: (use: AgentUse) => void;
};

/** The turn in which the agent's greeting is spoken. */
export const GREETING_TURN = 'greeting';

/** The session's own settings are to be applied over these. */
export function agentSettings(settings: TurnSettings, profile: AgentProfile): TurnSettings {
  const {
    name: _name,
    aliases,
    pronunciations,
    greeting: _greeting,
    format,
    sampleRate,
    upstream,
    prefer,
    lastResort,
    lastResortText,
    ...synthesis
  } = profile;
  const named = {
    ...settings,
    aliases: { ...settings.aliases, ...aliases },
    pronunciations: pronunciations ?? [],
  };
  return applySettings(named, {
    ...synthesis,
    ...(upstream == null ? {} : { upstream }),
    ...(prefer == null ? {} : { prefer }),
    ...(lastResort == null ? {} : { lastResort }),
    ...(lastResortText == null ? {} : { lastResortText }),
    ...(format == null ? {} : { format }),
    ...(sampleRate == null ? {} : { sampleRate }),
  });
}

/** The runtime of a session of `agent`: what is measured of its turns is counted for the agent, too. */
export function agentRuntime(runtime: SessionRuntime, { used }: SessionAgent): SessionRuntime {
  const metrics: SessionMetrics = {
    firstAudio(ms) {
      runtime.metrics.firstAudio(ms);
      used({ firstAudioMs: [ms] });
    },
    underrun: (gapMs) => runtime.metrics.underrun(gapMs),
    turnEnded(outcome, sentMs, characters) {
      runtime.metrics.turnEnded(outcome, sentMs, characters);
      if (sentMs === 0) return; // nobody heard of it
      used({ turns: 1, characters, spokenMs: sentMs, interruptions: outcome === 'cancelled' ? 1 : 0 });
    },
  };
  return { ...runtime, metrics };
}
