// What is known of one speech service by what was heard of it: how soon its speech begins, whether it is well, and how many requests to
// the next one its being late may still cost. One for each service and process.

import type { Clock } from '../../base/clock.ts';
import { createHedgePolicy, type HedgePolicy } from '../pool/hedge-policy.ts';
import { type HealthEvent, NEW_HEALTH, type ServiceHealth, standing, step } from './service-health.ts';

/** What came of asking the next service because this one was late. */
export const RIVAL_RESULTS = ['won', 'lost', 'failed', 'refused'] as const;
export type RivalResult = (typeof RIVAL_RESULTS)[number];

/** `voice`: as the service calls it; '' where the service chooses. */
export type ServiceWatch = {
  /** A request goes to this service. */
  asked(): void;
  /** How long its speech may take from when a request is sent until the next service is asked, ms. */
  askAfterMs(voice: string): number;
  /** Whether the next one may be asked while this one is only late: takes a share of the budget, unless it is in trouble or nothing is known of it. */
  mayAskNext(voice: string): boolean;
  rival(result: RivalResult): void;
  /** Its first speech came so long after the request was sent; undefined: nobody listened for it. */
  spoke(voice: string, afterMs: number | undefined): void;
  /** It failed at a request; `code`: that of the failure. */
  failed(voice: string, code: string): void;
  /** Another one spoke first, when this one had been silent for so long. */
  late(voice: string, silentMs: number): void;
  /** Where it stands when a turn of this voice begins; `try` also when it is the voice alone that is away. */
  standing(voice: string, reader: 'listener' | 'nobody'): ReturnType<typeof standing>;
  /** The turn goes there because of `try`. */
  tried(voice: string): void;
  health(): ServiceHealth;
  /** Usual time to first speech, ms; undefined while too little is known. */
  usualMs(voice: string): number | undefined;
};

export type HealthChange = {
  readonly from: ServiceHealth;
  readonly to: ServiceHealth;
  readonly code: string | undefined;
};

export type ServiceWatchOptions = {
  readonly clock: Clock;
  /** Of the service as a whole. */
  readonly onChange: (change: HealthChange) => void;
  readonly onRival: (result: RivalResult) => void;
  readonly onSpoke: (afterMs: number) => void;
};

/** The second service is asked at 1.3 times the 95th percentile of first speech, never within 400 ms. */
const RULE = { floorMs: 400, times: 1.3 } as const;
/** While fewer than 20 turns are known. */
const UNKNOWN_MS = 1_500;
/** A voice used longest ago is forgotten. */
const MAX_VOICES = 64;

type VoiceWatch = { readonly times: HedgePolicy; health: ServiceHealth };

export function createServiceWatch({ clock, onChange, onRival, onSpoke }: ServiceWatchOptions): ServiceWatch {
  const times = createHedgePolicy(RULE);
  const voices = new Map<string, VoiceWatch>();
  let health = NEW_HEALTH;

  const voiceWatch = (voice: string): VoiceWatch => {
    const known = voices.get(voice) ?? { times: createHedgePolicy(RULE), health: NEW_HEALTH };
    voices.delete(voice);
    voices.set(voice, known);
    if (voices.size > MAX_VOICES) voices.delete(voices.keys().next().value!);
    return known;
  };
  const happen = (voice: string, kind: HealthEvent['kind'], code?: string) => {
    const event = { kind, atMs: clock.now() };
    const its = voiceWatch(voice);
    its.health = step(its.health, event);
    const from = health;
    health = step(health, event);
    if (health.phase !== from.phase) onChange({ from, to: health, code });
  };
  const askAfterMs = (voice: string) => voices.get(voice)?.times.afterMs() ?? times.afterMs() ?? UNKNOWN_MS;

  return {
    asked: () => times.request(),
    askAfterMs,
    mayAskNext(voice) {
      const isInTrouble = health.phase !== 'healthy' || voices.get(voice)?.health.phase === 'suspect';
      // Before anything is known there is no budget yet, and the wait is long.
      const may = isInTrouble || times.afterMs() === undefined || times.tryHedge();
      if (!may) onRival('refused');
      return may;
    },
    rival: onRival,
    spoke(voice, afterMs) {
      if (afterMs !== undefined) {
        times.learn(afterMs);
        voiceWatch(voice).times.learn(afterMs);
        onSpoke(afterMs);
      }
      happen(voice, 'spoke');
    },
    failed: (voice, code) => happen(voice, 'fault', code),
    late(voice, silentMs) {
      // It was slow, not absent; what is in trouble does not say what is usual.
      if (health.phase === 'healthy') {
        times.learn(silentMs);
        voiceWatch(voice).times.learn(silentMs);
      }
      happen(voice, 'late', 'late');
    },
    standing(voice, reader) {
      const nowMs = clock.now();
      const own = standing(voices.get(voice)?.health ?? NEW_HEALTH, reader, nowMs);
      const all = standing(health, reader, nowMs);
      return all === 'in-order' ? own : all;
    },
    tried: (voice) => happen(voice, 'tried'),
    health: () => health,
    usualMs(voice) {
      const lateMs = voices.get(voice)?.times.afterMs() ?? times.afterMs();
      return lateMs === undefined ? undefined : lateMs / RULE.times;
    },
  };
}
