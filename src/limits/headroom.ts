// How much of one thread's time is left for further turns, and so whether one more is taken. Past the knee everybody's
// audio is late, so whoever comes last is told to come again while the others keep their pace. Nothing here counts
// streams: what the thread has used is measured, what one turn costs is learned from it, and what has been taken and does
// not show yet is added by its weight. Time is an argument.

import { quantileOf } from './quantile.ts';

/** `session`: whoever is new; `turn`: of a session that is open, which goes on talking when new ones are refused. */
export type HeadroomLevel = 'session' | 'turn';

export type HeadroomPlace = {
  /** It plays: from now on its cost shows, soon. */
  began(nowMs: number): void;
  leave(nowMs: number): void;
};

export type Headroom = {
  /** The playout clock ran, so much later than it was due. */
  ticked(latenessMs: number): void;
  /** `usedShare` of the thread's time, 0…1, was used since the last look. Looks are about 200 ms apart. */
  look(nowMs: number, usedShare: number): void;
  /** When to come again, ms; undefined: there is room for `weight`. A turn of µ-law weighs 1. */
  refuse(level: HeadroomLevel, weight: number, nowMs: number): number | undefined;
  /** A session has come in and will speak in a moment: counts as one turn until one is taken. */
  expect(nowMs: number): void;
  take(weight: number, nowMs: number): HeadroomPlace;
  /** The weight of what plays. */
  playing(): number;
  /** As measured, without what does not show yet. */
  usedShare(): number;
  /** What new sessions may still take of the thread's time, 0…1. */
  free(nowMs: number): number;
};

/** Looks that are judged together, by their median: one pause of the collector, or a loop held now and then, is none. */
const LOOKS = 5;
const MIDDLE = 0.5;
/** A step up or down of the load is in the median after half a second; of what comes a little more is believed. */
const SHOWN_MS = { more: 700, less: 500 } as const;
/** A turn that has not begun by then waits for somebody else: its cost is not to be expected any moment. */
const EXPECTED_MS = 2000;
/** Of what new sessions leave, turns of open ones may take this part. */
const TURNS_PART = 1 / 3;
/** Once full, so much has to be free before anyone is taken: else each that leaves is one refused and one taken. */
const BAND = 0.03;
/**
 * Three of four ticks are more punctual than this; where they are not, the thread is starved, whatever it says it used.
 * Not the latest of a hundred, which is late whenever something holds the loop twice a second.
 */
const LATE_MS = { session: 10, turn: 15 } as const;
const PUNCTUAL_PART = 0.75;
/** So many are no load, whatever the thread does beside: what is heard first is made by code that never ran before. */
const FEW = 4;
/** What a turn may cost before any was measured, and at least and at most afterwards, of the thread's time. */
const UNIT = { first: 0.002, least: 0.0003, most: 0.05 } as const;
/** The first guess counts as so many turns: a thread does other things, too, and what is new is dear at first. */
const GUESS_WEIGHT = 20;
/** What the newest look weighs; the fewer turns show in it, the less. */
const NEWEST = { dearer: 0.3, cheaper: 0.1, leaving: 0.1 } as const;
const RETRY_MS = { least: 500, most: 5000 } as const;
/** Between those who are told to come again; otherwise as far apart as places come free. */
const APART_MS = { least: 2, most: 250 } as const;

type Place = { readonly weight: number; readonly atMs: number };

/** `busyAt`: the share of the thread's time up to which new sessions are taken, 0…1; infinite: nobody is refused. */
export function createHeadroom(busyAt: number): Headroom {
  const limits = { session: busyAt, turn: busyAt + (1 - busyAt) * TURNS_PART };
  const state: Record<HeadroomLevel, 'open' | 'full'> = { session: 'open', turn: 'open' };
  const looks: { readonly usedShare: number; readonly lateness: readonly number[] }[] = [];
  let lateness: number[] = [];
  let usedShare = 0;
  let latenessMs = 0;
  let lookedAtMs: number | undefined;
  let unit: number = UNIT.first;
  /** Taken and not begun, and sessions that have not spoken, in the order of their times. */
  const waiting = new Set<Place>();
  const sessions = new Set<Place>();
  /** What began (more) and what left (less) so lately that it does not show yet. */
  let changes: Place[] = [];
  let playing = 0;
  let taken = 0;
  let leftSince = 0;
  let leavePerMs = 0;
  let lastTurnMs = 0;

  const recent = (nowMs: number): number => {
    changes = changes.filter(({ atMs }) => nowMs - atMs < SHOWN_MS.more);
    const isUnshown = ({ weight, atMs }: Place) => weight > 0 || nowMs - atMs < SHOWN_MS.less;
    return changes.reduce((sum, change) => (isUnshown(change) ? sum + change.weight : sum), 0);
  };
  /** Weights that are not in what was measured. */
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
    const bounded = Math.min(UNIT.most, Math.max(UNIT.least, costs));
    // What many have just left behind is not what the others cost.
    const left = changes.reduce((sum, { weight }) => sum + Math.max(0, -weight), 0);
    if (bounded > unit && left > playing / 2) return;
    const evidence = shown / (shown + GUESS_WEIGHT);
    unit += NEWEST[bounded > unit ? 'dearer' : 'cheaper'] * evidence * (bounded - unit);
  };

  const isFull = (level: HeadroomLevel, weight: number, nowMs: number): boolean => {
    const wasFull = state[level] === 'full';
    const most = limits[level] - (wasFull ? BAND : 0);
    const lateMs = LATE_MS[level] / (wasFull ? 2 : 1);
    return usedShare + unit * (unshown(nowMs) + weight) > most || latenessMs > lateMs;
  };

  /** Those who are refused come back one after another, at the pace at which places come free. */
  const turnOf = (nowMs: number): number => {
    const apartMs = Math.min(APART_MS.most, Math.max(APART_MS.least, 1 / leavePerMs));
    lastTurnMs = Math.min(nowMs + RETRY_MS.most, Math.max(lastTurnMs + apartMs, nowMs + RETRY_MS.least));
    return Math.round(lastTurnMs - nowMs);
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
    refuse(level, weight, nowMs) {
      const isJudged = looks.length === LOOKS && taken + sessions.size >= FEW;
      const isRefused = Number.isFinite(busyAt) && isJudged && isFull(level, weight, nowMs);
      state[level] = isRefused ? 'full' : 'open';
      return isRefused ? turnOf(nowMs) : undefined;
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
