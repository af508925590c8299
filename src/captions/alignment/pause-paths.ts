// Which of the heard pauses lies before which word: the likeliest path through them, pause by pause (dynamic programming in a
// small beam). A path is likely when the speech between two of its pauses takes as long as the words that it puts there
// should, and when it has pauses where there is punctuation.
//
//   words   Thank you for calling, | the office | is closed. |
//   speech  ▆▅▆▇▅▆ ▅▆▇▆▅▆▇▆▅▂      ▆▅▇▆▅▆▇▆▅▆▇▅▆▂           a gap without a pause is passed over, at a cost; a silence
//                ↑ in a word       ↑ assigned    ↑ assigned  within a word (of a stop consonant) is part of the speech

import type { SpokenWord } from '../../speech/spoken-word.ts';

export type PacedWord = Pick<SpokenWord, 'weight' | 'pause'>;

/** Words before `gap` end at `startMs` at the latest, and word `gap` begins at `endMs`. */
export type PausePath = {
  readonly gap: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Negative logarithm of its likelihood, without what all paths have in common. */
  readonly cost: number;
  /** Speech up to here without its pauses, and the weight of the words in it. */
  readonly speechMs: number;
  readonly weight: number;
  readonly from: PausePath | undefined;
};

/** Somewhere after the last pause of `path`, while speech goes on. */
export type OpenPath = {
  readonly path: PausePath;
  readonly cost: number;
  readonly msPerWeight: number;
  /** How far the tempo may be off, as a part of it: one standard deviation. */
  readonly doubt: number;
  /** The speech is still in front of the words from here on, because the pause before them has not been heard. */
  readonly heldAt: number | undefined;
};

export type PausePaths = {
  /** A pause that has ended: speech lies before it and after it. */
  add(startMs: number, endMs: number): void;
  /** The likeliest path whose last pause is this one, which still lasts; undefined when it fits nowhere. */
  pausing(startMs: number, endMs: number): PausePath | undefined;
  /** The likeliest path on which the speech has not paused until now; `silentMs` of it at the end may be in a word. */
  speaking(nowMs: number, silentMs: number): OpenPath;
  /** The likeliest path to the end of all words, whose speech ends at `startMs`. */
  closing(startMs: number, endMs: number): PausePath;
};

// What follows was fitted to sentences and turns of eSpeak NG, Flite and Festival in fourteen languages.

/** The last word before a pause is drawn out by about this, in units of weight. */
export const FINAL_WEIGHT = 1.4;
/** The guess of the tempo counts as much as speech of this weight. */
const GUESS_WEIGHT = 9;
/**
 * Spread of the time that words take: of where a pause begins; of a unit of weight; of the tempo from one segment to the next.
 */
const EDGE_MS = 50;
const WEIGHT_VARIANCE = 1.4;
const TEMPO_VARIANCE = 0.006;
/** Of the time of a segment between two pauses: the smaller this spread, the more a pause that ends it says. */
const USUAL_SPREAD_MS = 240;
/** A silence longer than this costs so much for every ms if it is to be within a word, and far more from the second on. */
const MAX_CLOSURE_MS = 70;
const CLOSURE_COST = 0.007;
const NO_CLOSURE_MS = 220;
const NO_CLOSURE_COST = 0.02;
const MAX_CLOSURE_COST = 12;
/** Two pauses with a breath between them in one gap. */
const BREATH_COST = 2;
/** Costs of a pause in a gap, for every ms that it is shorter than usual there, and of no pause there at all. */
const PLAIN_GAP = { cost: 4.5, perMs: 0.01, usualMs: 200, missing: 0 };
const CLAUSE_GAP = { cost: -0.6, perMs: 0.004, usualMs: 190, missing: 0.7 };
const SENTENCE_GAP = { cost: -0.8, perMs: 0.006, usualMs: 330, missing: 3 };
const SENTENCE_PAUSE = 4;

/** Paths kept of one pause, pauses looked back to, and gaps tried on either side of where the tempo puts a pause. */
const MAX_PATHS = 20;
const MAX_LOOKBACK = 10;
const MAX_REACH = 30;

type Stage = { readonly paths: readonly PausePath[]; readonly closureCost: number };

const closureCost = (ms: number) =>
  Math.min(
    MAX_CLOSURE_COST,
    CLOSURE_COST * Math.max(0, ms - MAX_CLOSURE_MS) + NO_CLOSURE_COST * Math.max(0, ms - NO_CLOSURE_MS),
  );

const gapAfter = ({ pause }: PacedWord) => {
  if (pause > 0) return pause < SENTENCE_PAUSE ? CLAUSE_GAP : SENTENCE_GAP;
  return PLAIN_GAP;
};

/** The first of the rising `values` that is not under `value`, or their number. */
function firstFrom(values: Float64Array, value: number): number {
  let low = 0;
  for (let high = values.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sum of the weights before each word, and of all. */
export function weightsBefore(words: readonly PacedWord[]): Float64Array {
  const before = new Float64Array(words.length + 1);
  words.forEach((word, index) => {
    before[index + 1] = before[index]! + word.weight;
  });
  return before;
}

/**
 * Weights greater than 0, pauses not below. `firstMs`: where speech begins. A tempo that is `known` stays; a `guess` gives
 * way to what is heard.
 */
export function createPausePaths(
  words: readonly PacedWord[],
  firstMs: number,
  tempo: { readonly msPerWeight: number; readonly certainty: 'guess' | 'known' },
): PausePaths {
  const count = words.length;
  const before = weightsBefore(words);
  /** What passing over all gaps up to the one before each word costs. */
  const missed = new Float64Array(count + 1);
  words.forEach((word, index) => {
    missed[index + 1] = missed[index]! + gapAfter(word).missing;
  });
  const first: PausePath = {
    gap: 0,
    startMs: 0,
    endMs: firstMs,
    cost: 0,
    speechMs: 0,
    weight: 0,
    from: undefined,
  };
  let stages: Stage[] = [{ paths: [first], closureCost: 0 }];
  let closuresCost = 0;

  const tempoOf = (path: PausePath): number =>
    tempo.certainty === 'known'
      ? tempo.msPerWeight
      : (tempo.msPerWeight * GUESS_WEIGHT + path.speechMs) / (GUESS_WEIGHT + path.weight);
  /** Variance of that tempo, as a part of it. */
  const doubtOf = (path: PausePath): number =>
    tempo.certainty === 'known' ? 0 : WEIGHT_VARIANCE / (GUESS_WEIGHT + path.weight);
  const weightTo = (path: PausePath, gap: number): number =>
    gap === path.gap ? 0 : before[gap]! - before[path.gap]! + FINAL_WEIGHT;
  const squareSpread = (path: PausePath, weight: number): number => {
    const variance = WEIGHT_VARIANCE * weight + (TEMPO_VARIANCE + doubtOf(path)) * weight * weight;
    return EDGE_MS * EDGE_MS + tempoOf(path) ** 2 * variance;
  };
  const mismatch = (path: PausePath, weight: number, ms: number): number => {
    const squareMs = squareSpread(path, weight);
    return (
      (ms - tempoOf(path) * weight) ** 2 / (2 * squareMs) +
      Math.log(squareMs / (USUAL_SPREAD_MS * USUAL_SPREAD_MS)) / 2
    );
  };
  /** Of the gaps strictly between the two. */
  const missedBetween = (from: number, to: number): number =>
    to > from ? missed[to - 1]! - missed[from]! : 0;

  /** Every path that goes on from an earlier pause to this one, the best for each of the gaps it may lie in. */
  const extend = (startMs: number, endMs: number, as: 'pause' | 'lasting' | 'end'): PausePath[] => {
    const only = as === 'end' ? count : undefined;
    const best = new Map<number, PausePath>();
    const pauseMs = endMs - startMs;
    for (const stage of stages) {
      const skippedCost = closuresCost - stage.closureCost;
      for (const path of stage.paths) {
        const ms = Math.max(0, startMs - path.endMs);
        const msPerWeight = tempoOf(path);
        const expected = firstFrom(before, before[path.gap]! + ms / msPerWeight - FINAL_WEIGHT);
        const lowest = only ?? Math.max(path.gap, expected - MAX_REACH);
        const highest = only ?? Math.max(path.gap, Math.min(count, expected + MAX_REACH));
        for (let gap = lowest; gap <= highest; gap += 1) {
          const weight = weightTo(path, gap);
          let cost = path.cost + skippedCost + mismatch(path, weight, ms);
          if (gap === path.gap) cost += only === undefined ? BREATH_COST : 0;
          else {
            cost += missedBetween(path.gap, gap);
            if (only === undefined) {
              const kind = gapAfter(words[gap - 1]!);
              // A pause that lasts can still become as long as it should be.
              if (as === 'pause' || kind === PLAIN_GAP)
                cost += kind.perMs * Math.max(0, kind.usualMs - pauseMs);
              cost += kind.cost;
            }
          }
          if (cost < (best.get(gap)?.cost ?? Number.POSITIVE_INFINITY))
            best.set(gap, {
              gap,
              startMs,
              endMs,
              cost,
              speechMs: path.speechMs + ms,
              weight: path.weight + weight,
              from: path,
            });
        }
      }
    }
    return [...best.values()].sort((a, b) => a.cost - b.cost);
  };

  /** The likeliest place on the path from `path` while speech goes on: past all gaps the tempo says, or still before one. */
  const goingOn = (path: PausePath, cost: number, nowMs: number): OpenPath => {
    const msPerWeight = tempoOf(path);
    const doubt = Math.sqrt(TEMPO_VARIANCE + doubtOf(path));
    const ms = Math.max(0, nowMs - path.endMs);
    const until = Math.min(
      count,
      path.gap + MAX_REACH,
      firstFrom(before, before[path.gap]! + ms / msPerWeight - FINAL_WEIGHT),
    );
    let best: OpenPath | undefined;
    for (let gap = path.gap + 1; gap < until; gap += 1) {
      if (words[gap - 1]!.pause <= 0) continue;
      const weight = weightTo(path, gap);
      if (ms <= weight * msPerWeight) continue;
      const held = cost + missedBetween(path.gap, gap) + mismatch(path, weight, ms);
      if (held < (best?.cost ?? Number.POSITIVE_INFINITY))
        best = { path, cost: held, msPerWeight, doubt, heldAt: gap };
    }
    const passing = cost + missedBetween(path.gap, until);
    return best !== undefined && best.cost < passing
      ? best
      : { path, cost: passing, msPerWeight, doubt, heldAt: undefined };
  };

  return {
    add(startMs, endMs) {
      const paths = extend(startMs, endMs, 'pause').slice(0, MAX_PATHS);
      closuresCost += closureCost(endMs - startMs);
      stages = [...stages.slice(1 - MAX_LOOKBACK), { paths, closureCost: closuresCost }];
    },
    pausing: (startMs, endMs) => extend(startMs, endMs, 'lasting')[0],
    speaking(nowMs, silentMs) {
      let best: OpenPath | undefined;
      for (const stage of stages)
        for (const path of stage.paths) {
          const cost = path.cost + closuresCost - stage.closureCost + closureCost(silentMs);
          const open = goingOn(path, cost, nowMs);
          if (open.cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = open;
        }
      return best!;
    },
    closing: (startMs, endMs) => extend(startMs, endMs, 'end')[0]!,
  };
}
