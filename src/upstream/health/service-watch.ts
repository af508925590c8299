// What is known of one speech service by what was heard of it: how soon its speech begins, whether it is well, and how many requests to
// the next one its being late may still cost. One for each service and process; what it finds is told to the others, and what they have
// found is heard (shared-health.ts).

import type { LevelTally } from '../../audio/dsp/active-level.ts';
import type { Clock } from '../../base/clock.ts';
import { createHedgePolicy, type HedgePolicy } from '../pool/hedge-policy.ts';
import {
  dueAtMs,
  type HealthEvent,
  isAway,
  NEW_HEALTH,
  type ServiceHealth,
  standing,
  step,
} from './service-health.ts';
import type { HealthWord, HeardWord, SharedWatch } from './shared-health.ts';

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
  /** How loud its speech is with such voices, by what was heard; undefined before anything was. */
  levelOf(voices: string): LevelTally | undefined;
  /** One more piece of speech was heard. */
  learnLevel(voices: string, tally: LevelTally): void;
  readonly shared: SharedWatch;
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
/** Active speech that tells the level of a voice, ms: of more than that the older half counts half. */
const MAX_LEVEL_MS = 60_000;

/** What a turn wanted within this time is tried when it is due. */
const WANTED_MS = 120_000;
/** It is asked for so much earlier, so that no turn comes in between. */
const AHEAD_MS = 1_000;
/** A try that was not used leaves its turn to others for so long. */
const REST_MS = 2_000;
/** Who tries goes on trying: from one try to the next of a listener, and their speech. */
const GOES_ON_MS = 20_000;
/** Others hear in this time that it has proved itself. */
const PROVEN_TOLD_MS = 10_000;
const NEVER = Number.NEGATIVE_INFINITY;

type Reader = 'listener' | 'nobody';
/** The service, or one of its voices. */
type Subject = {
  health: ServiceHealth;
  /** When a turn last wanted it, by who reads. */
  readonly wantedAtMs: Record<Reader, number>;
  triedAtMs: number;
  mayTryUntilMs: number;
  restUntilMs: number;
  /** Until when others' word that it is out holds. */
  toldUntilMs: number;
};
type VoiceWatch = Subject & { readonly times: HedgePolicy };

const newSubject = (): Subject => ({
  health: NEW_HEALTH,
  wantedAtMs: { listener: NEVER, nobody: NEVER },
  triedAtMs: NEVER,
  mayTryUntilMs: NEVER,
  restUntilMs: NEVER,
  toldUntilMs: NEVER,
});

/** What others' words about one subject come to: the newer of what speaks for it and against it. */
function meant(words: readonly Omit<HeardWord, 'service'>[]): {
  readonly away: readonly Omit<HeardWord, 'service'>[];
  readonly provenForMs: number | undefined;
} {
  const proven = words.filter(({ phase }) => phase === 'proven').map(({ forMs }) => forMs);
  const provenForMs = proven.length === 0 ? undefined : Math.min(...proven);
  const away = words.filter(({ phase, forMs }) => phase !== 'proven' && forMs < (provenForMs ?? Infinity));
  return { away, provenForMs: away.length > 0 ? undefined : provenForMs };
}

/** Whether a request may soon try it, and a turn would. */
function isSoonTried({ health, wantedAtMs, restUntilMs }: Subject, nowMs: number): boolean {
  if (nowMs < restUntilMs) return false;
  return (['listener', 'nobody'] as const).some(
    (reader) => nowMs - wantedAtMs[reader] < WANTED_MS && dueAtMs(health, reader) - AHEAD_MS <= nowMs,
  );
}

export function createServiceWatch({ clock, onChange, onRival, onSpoke }: ServiceWatchOptions): ServiceWatch {
  const times = createHedgePolicy(RULE);
  const voices = new Map<string, VoiceWatch>();
  const levels = new Map<string, LevelTally>();
  const all = newSubject();
  let tries: 'free' | 'leased' = 'free';
  let onNews = () => {};

  const voiceWatch = (voice: string): VoiceWatch => {
    const known = voices.get(voice) ?? { times: createHedgePolicy(RULE), ...newSubject() };
    voices.delete(voice);
    voices.set(voice, known);
    if (voices.size > MAX_VOICES) voices.delete(voices.keys().next().value!);
    return known;
  };
  const change = (subject: Subject, event: HealthEvent, code?: string) => {
    const from = subject.health;
    subject.health = step(from, event);
    if (event.kind === 'tried' && isAway(from)) subject.triedAtMs = event.atMs;
    if (subject.health.phase === from.phase) return;
    if (subject === all) onChange({ from, to: subject.health, code });
    if (isAway(from) !== isAway(subject.health)) onNews();
  };
  const happen = (voice: string, kind: 'spoke' | 'fault' | 'late' | 'tried', code?: string) => {
    const event = { kind, atMs: clock.now() };
    change(voiceWatch(voice), event);
    change(all, event, code);
  };
  const placeOf = (subject: Subject, reader: Reader, nowMs: number): ReturnType<typeof standing> => {
    subject.wantedAtMs[reader] = nowMs;
    const place = standing(subject.health, reader, nowMs);
    if (place !== 'try' || tries === 'free' || nowMs < subject.mayTryUntilMs) return place;
    onNews();
    return 'last';
  };
  const askAfterMs = (voice: string) => voices.get(voice)?.times.afterMs() ?? times.afterMs() ?? UNKNOWN_MS;
  const subjects = (): readonly (readonly [string | null, Subject])[] => [[null, all], ...voices];
  const find = (voice: string | null): Subject => (voice === null ? all : voiceWatch(voice));
  const unsay = (isOver: (voice: string | null, subject: Subject) => boolean) => {
    const atMs = clock.now();
    for (const [voice, subject] of subjects())
      if (subject.health.by === 'others' && isOver(voice, subject)) change(subject, { kind: 'unsaid', atMs });
  };

  const shared: SharedWatch = {
    words() {
      const nowMs = clock.now();
      return subjects().flatMap(([voice, { health }]): Omit<HealthWord, 'service'>[] => {
        const { phase, by, sinceMs, provenAtMs, tryAtMs } = health;
        const tryInMs = tryAtMs - nowMs;
        if (phase === 'out' || phase === 'proving')
          return by === 'own' ? [{ voice, phase, forMs: nowMs - sinceMs, tryInMs }] : [];
        const provenForMs = nowMs - provenAtMs;
        return provenForMs < PROVEN_TOLD_MS
          ? [{ voice, phase: 'proven', forMs: provenForMs, tryInMs: 0 }]
          : [];
      });
    },
    hear(words) {
      const atMs = clock.now();
      const about = new Map<string | null, Omit<HeardWord, 'service'>[]>();
      for (const word of words) about.set(word.voice, [...(about.get(word.voice) ?? []), word]);
      const away = new Set<string | null>();
      for (const [voice, said] of [...about].slice(0, MAX_VOICES)) {
        const { away: against, provenForMs: forMs } = meant(said);
        if (forMs !== undefined) change(find(voice), { kind: 'proven', atMs, forMs });
        if (against.length === 0) continue;
        away.add(voice);
        const subject = find(voice);
        subject.toldUntilMs = atMs + Math.max(...against.map(({ leftMs }) => leftMs));
        const since = Math.max(...against.map((word) => word.forMs));
        const tryInMs = Math.max(...against.map((word) => word.tryInMs));
        change(subject, { kind: 'told', atMs, forMs: since, tryInMs });
      }
      unsay((voice) => !away.has(voice));
    },
    wantsToTry() {
      const nowMs = clock.now();
      return subjects().flatMap(([voice, subject]) => {
        if (!isAway(subject.health)) return [];
        const isTrying = subject.health.by === 'own' && nowMs - subject.triedAtMs < GOES_ON_MS;
        const holds = nowMs < subject.mayTryUntilMs;
        return (holds ? isTrying : isSoonTried(subject, nowMs)) ? [voice] : [];
      });
    },
    mayTry(voice, untilMs) {
      const subject = find(voice);
      subject.mayTryUntilMs = untilMs;
      subject.restUntilMs = untilMs + REST_MS;
    },
    tryAs(how) {
      tries = how;
    },
    lapse: () => unsay((_, { toldUntilMs }) => toldUntilMs <= clock.now()),
    onNews(listener) {
      onNews = listener;
    },
  };

  return {
    asked: () => times.request(),
    askAfterMs,
    mayAskNext(voice) {
      const isInTrouble = all.health.phase !== 'healthy' || voices.get(voice)?.health.phase === 'suspect';
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
      if (all.health.phase === 'healthy') {
        times.learn(silentMs);
        voiceWatch(voice).times.learn(silentMs);
      }
      happen(voice, 'late', 'late');
    },
    standing(voice, reader) {
      const nowMs = clock.now();
      const place = placeOf(all, reader, nowMs);
      const known = voices.get(voice);
      return place !== 'in-order' || known === undefined ? place : placeOf(known, reader, nowMs);
    },
    tried: (voice) => happen(voice, 'tried'),
    health: () => all.health,
    usualMs(voice) {
      const lateMs = voices.get(voice)?.times.afterMs() ?? times.afterMs();
      return lateMs === undefined ? undefined : lateMs / RULE.times;
    },
    levelOf: (voice) => levels.get(voice),
    learnLevel(voice, tally) {
      const known = levels.get(voice);
      const level = known ?? tally.copy();
      known?.add(tally);
      if ((level.active()?.activeMs ?? 0) > MAX_LEVEL_MS) level.scale(0.5);
      levels.delete(voice);
      levels.set(voice, level);
      if (levels.size > MAX_VOICES) levels.delete(levels.keys().next().value!);
    },
    shared,
  };
}
