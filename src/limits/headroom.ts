// How much of one thread's time is left for further turns, and so whether one more is admitted. Near saturation the audio of all
// turns is late, so the newest caller is told to retry while the others keep their pace. Streams are not counted: the used time of
// the thread is measured, the cost of one turn is learned from it, and turns that were admitted and do not show yet are added by
// their weight. Time is an argument.

import { quantileOf } from './quantile.ts';

/** `session`: a new one; `turn`: of an open session, which may go on talking when new sessions are refused. */
export type HeadroomLevel = 'session' | 'turn';

export type HeadroomSlot = {
  /** It plays: from now on its cost will show in the measurements. */
  began(nowMs: number): void;
  leave(nowMs: number): void;
};

export type Headroom = {
  /** The playout clock ticked `latenessMs` late. */
  ticked(latenessMs: number): void;
  /** `usedShare` of the thread's time, 0…1, was used since the last look. Looks are about 200 ms apart. */
  look(nowMs: number, usedShare: number): void;
  /**
   * Retry time, ms; undefined: there is room for `weight`. A turn of µ-law weighs 1. Asking counts: each refused caller is given a
   * later time, and once full, more must be free before the answer changes.
   */
  retryMsIfFull(level: HeadroomLevel, weight: number, nowMs: number): number | undefined;
  /** A new session will speak in a moment: counts as one turn until one is taken. */
  expect(nowMs: number): void;
  take(weight: number, nowMs: number): HeadroomSlot;
  /** The weight of what plays. */
  playing(): number;
  /** As measured, without turns that do not show yet. */
  usedShare(): number;
  /** The share of the thread's time that new sessions may still use, 0…1. */
  free(nowMs: number): number;
};

/** Looks that are judged together: their median ignores single pauses of the garbage collector. */
const LOOKS = 5;
const MIDDLE = 0.5;
/** A step of the load is in the median after half a second; arrivals stay in the forecast 700 ms, a little longer. */
const SHOWN_MS = { more: 700, less: 500 } as const;
/** A turn that has not begun by then waits for something else: its cost is not expected soon. */
const EXPECTED_MS = 2000;
/** Turns of open sessions may use this part of what new sessions must leave free. */
const TURNS_PART = 1 / 3;
/** Hysteresis: once full, this share must be free before anyone is admitted again. */
const BAND = 0.03;
/**
 * Three of four ticks are more punctual than this; otherwise the thread is starved, whatever its used share says. Not the latest of
 * a hundred, which is late whenever something blocks the event loop twice a second.
 */
const LATE_MS = { session: 10, turn: 15 } as const;
const PUNCTUAL_PART = 0.75;
/** The first 4 turns are always admitted: their code runs for the first time and is not compiled yet. */
const FEW = 4;
/** Cost of a turn of weight 1, as a share of the thread's time: before any was measured, and the bounds afterwards. */
const UNIT = { first: 0.002, min: 0.0003, max: 0.05 } as const;
/** The first guess counts as this many turns: a thread does other work, too, and new code is expensive at first. */
const GUESS_WEIGHT = 20;
/** Weight of the newest look; less, the fewer turns show in it. */
const NEWEST = { costlier: 0.3, cheaper: 0.1, leaving: 0.1 } as const;
const RETRY_MS = { min: 500, max: 5000 } as const;
/** Distance between the retry times of refused callers; within these bounds, the pace at which turns end. */
const APART_MS = { min: 2, max: 250 } as const;

type Place = { readonly weight: number; readonly atMs: number };

/** `busyAt`: the share of the thread's time up to which new sessions are admitted, 0…1; infinite: no session is refused. */
export function createHeadroom(busyAt: number): Headroom {
  const limits = { session: busyAt, turn: busyAt + (1 - busyAt) * TURNS_PART };
  const state: Record<HeadroomLevel, 'open' | 'full'> = { session: 'open', turn: 'open' };
  const looks: { readonly usedShare: number; readonly lateness: readonly number[] }[] = [];
  let lateness: number[] = [];
  let usedShare = 0;
  let latenessMs = 0;
  let lookedAtMs: number | undefined;
  let unit: number = UNIT.first;
  /** Turns that were admitted and have not begun, and sessions that have not spoken, in the order of their times. */
  const waiting = new Set<Place>();
  const sessions = new Set<Place>();
  /** Turns that began (positive weight) or left (negative) too recently to show. */
  let changes: Place[] = [];
  let playing = 0;
  let taken = 0;
  let leftSince = 0;
  let leavePerMs = 0;
  let lastRetryMs = 0;

  const recent = (nowMs: number): number => {
    changes = changes.filter(({ atMs }) => nowMs - atMs < SHOWN_MS.more);
    const isUnshown = ({ weight, atMs }: Place) => weight > 0 || nowMs - atMs < SHOWN_MS.less;
    return changes.reduce((sum, change) => (isUnshown(change) ? sum + change.weight : sum), 0);
  };
  /** Weights that do not show in the measurements yet. */
  const unshown = (nowMs: number): number => {
    let sum = recent(nowMs);
    for (const places of [waiting, sessions]) {
      for (const place of places) {
        if (nowMs - place.atMs < EXPECTED_MS) sum += place.weight;
        else places.delete(place);
      }
    }
    return sum;
  };

  const learn = (nowMs: number) => {
    const shown = Math.max(0, playing - recent(nowMs));
    const costs = (usedShare + UNIT.first * GUESS_WEIGHT) / (shown + GUESS_WEIGHT);
    const bounded = Math.min(UNIT.max, Math.max(UNIT.min, costs));
    // The load of many that have just left is not the cost of the others.
    const left = changes.reduce((sum, { weight }) => sum + Math.max(0, -weight), 0);
    if (bounded > unit && left > playing / 2) return;
    const evidence = shown / (shown + GUESS_WEIGHT);
    unit += NEWEST[bounded > unit ? 'costlier' : 'cheaper'] * evidence * (bounded - unit);
  };

  const isFull = (level: HeadroomLevel, weight: number, nowMs: number): boolean => {
    const wasFull = state[level] === 'full';
    const most = limits[level] - (wasFull ? BAND : 0);
    const lateMs = LATE_MS[level] / (wasFull ? 2 : 1);
    return usedShare + unit * (unshown(nowMs) + weight) > most || latenessMs > lateMs;
  };

  /** Refused callers retry one after another, at the pace at which turns end. */
  const retryAfterMs = (nowMs: number): number => {
    const apartMs = Math.min(APART_MS.max, Math.max(APART_MS.min, 1 / leavePerMs));
    lastRetryMs = Math.min(nowMs + RETRY_MS.max, Math.max(lastRetryMs + apartMs, nowMs + RETRY_MS.min));
    return Math.round(lastRetryMs - nowMs);
  };

  return {
    ticked(ms) {
      lateness.push(ms);
    },
    look(nowMs, used) {
      looks.push({ usedShare: used, lateness });
      if (looks.length > LOOKS) looks.shift();
      lateness = [];
      usedShare = quantileOf(
        looks.map((each) => each.usedShare),
        MIDDLE,
      )!;
      const late = looks.flatMap((each) => each.lateness);
      latenessMs = quantileOf(late, PUNCTUAL_PART) ?? 0;
      if (lookedAtMs !== undefined && nowMs > lookedAtMs)
        leavePerMs += NEWEST.leaving * (leftSince / (nowMs - lookedAtMs) - leavePerMs);
      lookedAtMs = nowMs;
      leftSince = 0;
      learn(nowMs);
    },
    retryMsIfFull(level, weight, nowMs) {
      const isJudged = looks.length === LOOKS && taken + sessions.size >= FEW;
      const isRefused = Number.isFinite(busyAt) && isJudged && isFull(level, weight, nowMs);
      state[level] = isRefused ? 'full' : 'open';
      return isRefused ? retryAfterMs(nowMs) : undefined;
    },
    expect(nowMs) {
      sessions.add({ weight: 1, atMs: nowMs });
    },
    take(weight, nowMs) {
      const [first] = sessions;
      if (first !== undefined) sessions.delete(first);
      const place: Place = { weight, atMs: nowMs };
      let phase: 'waiting' | 'playing' | 'left' = 'waiting';
      waiting.add(place);
      taken += 1;
      return {
        began(atMs) {
          if (phase !== 'waiting') return;
          phase = 'playing';
          waiting.delete(place);
          playing += weight;
          changes.push({ weight, atMs });
        },
        leave(atMs) {
          if (phase === 'left') return;
          waiting.delete(place);
          taken -= 1;
          if (phase === 'playing') {
            playing -= weight;
            changes.push({ weight: -weight, atMs });
            leftSince += 1;
          }
          phase = 'left';
        },
      };
    },
    playing: () => playing,
    usedShare: () => usedShare,
    free: (nowMs) => Math.max(0, Math.min(1, limits.session) - usedShare - unit * unshown(nowMs)),
  };
}
