// When the words of a speech begin, by its pauses and the words' weights alone: the method when there is no reference speech
// to compare it with. Pauses are assigned to words (`pause-paths.ts`); the words between two of them share the time.

import { createPauseFinder, MIN_PAUSE_FRAMES, type Pause } from './pause-finder.ts';
import {
  createPausePaths,
  FINAL_WEIGHT,
  type OpenPath,
  type PacedWord,
  type PausePath,
  weightsBefore,
} from './pause-paths.ts';
import { type FeatureFrame, FRAME_MS } from './speech-features.ts';
import type { WordEstimate } from './word-estimate.ts';

/** After `end()` no time is outside the sound. */
export type PauseEstimate = WordEstimate & {
  readonly startsMs: Float64Array;
  readonly endsMs: Float64Array;
};

export type PauseAligner = {
  /** The next frame; any that come after `end()` are ignored. */
  push(frame: FeatureFrame): void;
  /** The sound is over. */
  end(): void;
  /** May be asked every 100 ms; the arrays are the caller's. */
  estimate(): PauseEstimate;
};

/** Words begin before they are as loud as what ends a pause. */
const ONSET_MS = 37;
/** More pauses than this are not pauses between words. */
const PAUSES_PER_WORD = 4;
const MORE_PAUSES = 64;
/** Once everything is heard the tempo is known, but for the pauses that it decides about. */
const TEMPO_ROUNDS = 2;
const MIN_WEIGHT = 0.1;
const GUESS_MS_PER_WEIGHT = 62;
/** What 19 of 20 words stay within between two pauses this far apart, measured. */
const within = (ms: number) => 40 + 3.2 * Math.sqrt(ms);

/** 1.96 standard deviations, of a distance that grows from nothing to all of the tempo's error. */
const DOUBT = 1.96 / Math.sqrt(3);

const positive = (value: number, otherwise: number) => (value > 0 && value < 1e6 ? value : otherwise);

/** Corrects, in place, what rounding put out of order. */
function settle(estimate: PauseEstimate, lastMs: number): PauseEstimate {
  const { startsMs, endsMs } = estimate;
  let atMs = 0;
  for (let word = 0; word < startsMs.length; word += 1) {
    startsMs[word] = Math.min(Math.max(startsMs[word]!, atMs), lastMs);
    endsMs[word] = Math.min(Math.max(endsMs[word]!, startsMs[word]!), lastMs);
    atMs = endsMs[word]!;
  }
  return estimate;
}

/** `msPerWeight`: the guess of the tempo to start from. */
export function createPauseAligner(given: readonly PacedWord[], msPerWeight: number): PauseAligner {
  const words = given.map(
    ({ weight, pause }): PacedWord => ({
      weight: Math.max(positive(weight, 0), MIN_WEIGHT),
      pause: positive(pause, 0),
    }),
  );
  const count = words.length;
  const before = weightsBefore(words);
  const guess = { msPerWeight: positive(msPerWeight, GUESS_MS_PER_WEIGHT), certainty: 'guess' } as const;
  const pauses: Pause[] = [];
  let paths = createPausePaths(words, 0, guess);
  let final: PauseEstimate | undefined;

  const msOf = ({ from, to }: Pause) => {
    const startMs = from * FRAME_MS;
    return { startMs, endMs: Math.max(startMs, to * FRAME_MS - ONSET_MS) };
  };
  const firstMsOf = (pause: Pause | undefined) => (pause?.from === 0 ? msOf(pause).endMs : 0);
  const finder = createPauseFinder((pause) => {
    if (pauses.length >= PAUSES_PER_WORD * count + MORE_PAUSES) return;
    pauses.push(pause);
    const { startMs, endMs } = msOf(pause);
    if (pause.from === 0) paths = createPausePaths(words, endMs, guess);
    else paths.add(startMs, endMs);
  });

  /** The times of the words on the path that ends in `last`. */
  const trace = (last: PausePath) => {
    const startsMs = new Float64Array(count);
    const endsMs = new Float64Array(count);
    let squares = 0;
    for (let path = last; path.from !== undefined; path = path.from) {
      const { from } = path;
      const stretch = before[path.gap]! - before[from.gap]! + FINAL_WEIGHT;
      const ms = Math.max(0, path.startMs - from.endMs);
      squares += (path.gap - from.gap) * within(ms) ** 2;
      for (let word = from.gap; word < path.gap; word += 1) {
        startsMs[word] = from.endMs + (ms * (before[word]! - before[from.gap]!)) / stretch;
        endsMs[word] =
          word + 1 < path.gap
            ? from.endMs + (ms * (before[word + 1]! - before[from.gap]!)) / stretch
            : path.startMs;
      }
    }
    return { startsMs, endsMs, squares };
  };

  const atEnd = (): PauseEstimate => {
    const totalMs = finder.frames() * FRAME_MS;
    const silentMs = (finder.silentFrom() ?? finder.frames()) * FRAME_MS;
    let last = paths.closing(silentMs, totalMs);
    for (let round = 0; round < TEMPO_ROUNDS && last.speechMs > 0 && count > 0; round += 1) {
      const known = { msPerWeight: last.speechMs / last.weight, certainty: 'known' } as const;
      const firstMs = firstMsOf(pauses[0]);
      const again = createPausePaths(words, firstMs, known);
      for (const pause of pauses) {
        const { startMs, endMs } = msOf(pause);
        if (pause.from > 0) again.add(startMs, endMs);
      }
      last = again.closing(silentMs, totalMs);
    }
    const { startsMs, endsMs, squares } = trace(last);
    return { startsMs, endsMs, reached: count, withinMs: Math.sqrt(squares / Math.max(1, count)) };
  };

  /** Words from `first` on, of which the next begins at `fromMs`. */
  const forecast = (
    { startsMs, endsMs }: PauseEstimate,
    first: number,
    fromMs: number,
    tempoMs: number,
  ): void => {
    let atMs = fromMs;
    for (let word = first; word < count; word += 1) {
      startsMs[word] = atMs;
      atMs += words[word]!.weight * tempoMs;
      endsMs[word] = atMs;
      atMs += words[word]!.pause * tempoMs;
    }
  };

  const whilePausing = (last: PausePath, nowMs: number): PauseEstimate => {
    const { squares, ...times } = trace(last);
    const reached = last.gap;
    const estimate = { ...times, reached, withinMs: Math.sqrt(squares / Math.max(1, reached)) };
    const tempoMs = last.speechMs > 0 ? last.speechMs / last.weight : guess.msPerWeight;
    const pauseMs = reached > 0 ? words[reached - 1]!.pause * tempoMs : 0;
    forecast(estimate, reached, Math.max(nowMs, last.startMs + pauseMs), tempoMs);
    return estimate;
  };

  const whileSpeaking = (
    { path, msPerWeight: tempoMs, doubt, heldAt }: OpenPath,
    nowMs: number,
  ): PauseEstimate => {
    const { squares, startsMs, endsMs } = trace(path);
    const ms = Math.max(0, nowMs - path.endMs);
    const from = before[path.gap]!;
    // The pause after them has not come: the words before it share all the time so far.
    const paceMs =
      heldAt === undefined ? tempoMs : Math.max(tempoMs, ms / (before[heldAt]! - from + FINAL_WEIGHT));
    const limit = heldAt ?? count;
    let reached = path.gap;
    for (; reached < limit; reached += 1) {
      const startMs = path.endMs + (before[reached]! - from) * paceMs;
      if (startMs > nowMs) break;
      startsMs[reached] = startMs;
      endsMs[reached] = startMs + words[reached]!.weight * paceMs;
    }
    const bound = squares + (reached - path.gap) * (within(ms) ** 2 + (DOUBT * doubt * ms) ** 2);
    const estimate = { startsMs, endsMs, reached, withinMs: Math.sqrt(bound / Math.max(1, reached)) };
    const nextMs = path.endMs + (before[reached]! - from) * paceMs;
    const pauseMs = reached > path.gap ? words[reached - 1]!.pause * tempoMs : 0;
    forecast(estimate, reached, Math.max(nowMs, nextMs + pauseMs), tempoMs);
    return estimate;
  };

  const now = (): PauseEstimate => {
    const nowMs = finder.frames() * FRAME_MS;
    const silentFrom = finder.silentFrom();
    const silentMs = silentFrom === undefined ? 0 : nowMs - silentFrom * FRAME_MS;
    const open = paths.speaking(nowMs, silentMs);
    if (silentFrom === 0) {
      const startsMs = new Float64Array(count);
      const estimate = { startsMs, endsMs: startsMs.slice(), reached: 0, withinMs: within(0) };
      forecast(estimate, 0, nowMs, open.msPerWeight);
      return estimate;
    }
    if (silentMs < MIN_PAUSE_FRAMES * FRAME_MS) return whileSpeaking(open, nowMs);
    const pausing = paths.pausing(nowMs - silentMs, nowMs);
    return pausing !== undefined && pausing.cost <= open.cost
      ? whilePausing(pausing, nowMs)
      : whileSpeaking(open, nowMs);
  };

  return {
    push({ level }) {
      if (final === undefined) finder.push(level);
    },
    end() {
      final ??= settle(atEnd(), finder.frames() * FRAME_MS);
    },
    estimate() {
      if (final === undefined) return settle(now(), Number.POSITIVE_INFINITY);
      return { ...final, startsMs: final.startsMs.slice(), endsMs: final.endsMs.slice() };
    },
  };
}
