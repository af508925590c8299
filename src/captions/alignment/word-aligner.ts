// Where the words of a known text are in a speech that is still arriving, by aligning it to a reference speech with known word
// times. Every answer is the best one for all that has been heard; what is older than ten seconds stays as it is.

import { createAlignmentSearch, REMEMBERED_FRAMES } from './alignment-search.ts';
import type { ReferenceSpeech } from './reference-speech.ts';
import { createSilenceGauge } from './silence-gauge.ts';
import { CEPSTRA, type FeatureFrame, FRAME_MS, framesIn } from './speech-features.ts';
import { DIMENSIONS, SLOPE_FRAMES, writeFeatures } from './speech-vectors.ts';
import type { WordEstimate } from './word-estimate.ts';

export type WordAligner = {
  /** The next frame; it is not kept. */
  push(frame: FeatureFrame): void;
  /** No more frames are known to come. What is asked for then is still that of a speech that may have been cut here. */
  hearAll(): void;
  /** The speech is over: it ends with the reference. */
  end(): void;
  /**
   * Times that do not fall and are not before 0, and inside the sound once it is over. May be asked every 100 ms: it goes
   * back only as far as the answer differs from the one before. The arrays are the aligner's own and change with the
   * next call of any kind.
   */
  estimate(): WordEstimate;
  /** How what was heard ends; to be asked behind `hearAll` and before `end`. */
  ending(): AlignedEnding;
  /** Mean cepstra of the voice, for its next speech. */
  readonly mean: Float32Array;
};

/** Costs as `AlignmentSearch` counts them, frames of speech without the silent ones. */
export type AlignedEnding = {
  readonly missingCost: number;
  readonly costPerFrame: number;
  readonly spokenFrames: number;
  readonly silentMs: number;
};

export type AlignerOptions = {
  /** Mean cepstra of this voice from earlier speech; those of the reference without it. */
  readonly mean?: Float32Array;
};

/** The mean that is known beforehand counts like so many frames of speech. */
const PRIOR_FRAMES = framesIn(500);
/** What a frame costs as a pause: this when it is silent, more by so much for every nat above, and not more than this. */
const SILENT_COST = 3;
const COST_PER_NAT = 6;
const VOICED_COST = 14;
/** Frames after which the path is read even without a request, before the search forgets any of it. */
const UNASKED_FRAMES = REMEMBERED_FRAMES / 4;
/** The tempo is that of so many words, smoothed by a second of the reference's own. */
const TEMPO_WORDS = 8;
const TEMPO_PRIOR_MS = 1000;

/** Before anything is known of a voice it fits as other engines' voices do, so many frames of it. */
const UNKNOWN_COST = 9;
const UNKNOWN_FRAMES = framesIn(300);
/** Sound is looked for in so many first frames: behind a longer silence the search has settled. */
const ONSET_FRAMES = framesIn(2000);
/** Errors of words that were told while their sound arrived, to those of whole turns. */
const STREAMED_FACTOR = 1.5;
/** A word ends where the next one begins unless there is silence for so long: stop consonants are silent as well. */
const MIN_PAUSE_MS = 60;

const RECENT_FRAMES = 2 * SLOPE_FRAMES + 1;

export function createWordAligner(reference: ReferenceSpeech, options: AlignerOptions = {}): WordAligner {
  const { wordFrames, wordMs, frameMs, silent, lengthMs } = reference;
  const words = wordFrames.length;
  const search = createAlignmentSearch(reference);
  const gauge = createSilenceGauge();

  const prior = options.mean ?? reference.mean;
  const mean = Float32Array.from(prior);
  const sums = new Float64Array(CEPSTRA);
  let speechFrames = 0;

  /** The last frames heard, as many as a slope needs. */
  const recent = new Float32Array(RECENT_FRAMES * CEPSTRA);
  const recentLevels = new Float32Array(RECENT_FRAMES);
  let held = 0;
  let heard = 0;
  const vector = new Float32Array(DIMENSIONS);

  const startsMs = Float64Array.from(wordMs);
  const endsMs = new Float64Array(words);
  let reached = 0;
  let asked = 0;
  let silentFrames = 0;
  /** Silent frames at the end of what the search has had. */
  let lastSilentFrames = 0;
  /**
   * Of the first frames: which of them was the first that is not silent is asked anew, for noise is known from speech later.
   */
  const firstLevels: number[] = [];
  /** Where speech was last, on the path followed last. */
  let spokenMs = 0;
  let isOver = false;

  const learn = (cepstra: Float32Array, level: number) => {
    gauge.hear(level);
    if (gauge.above(level) === 0) return;
    speechFrames += 1;
    for (let c = 0; c < CEPSTRA; c += 1) {
      sums[c]! += cepstra[c]!;
      mean[c] = (prior[c]! * PRIOR_FRAMES + sums[c]!) / (PRIOR_FRAMES + speechFrames);
    }
  };

  /** The oldest frame that the search has not had; those behind it are there for its slope. */
  const advance = () => {
    const at = held - (heard - search.frames());
    writeFeatures(recent, held, at, mean, vector, 0);
    const level = recentLevels[at]!;
    const above = gauge.above(level);
    if (above === 0) {
      silentFrames += 1;
      lastSilentFrames += 1;
    } else lastSilentFrames = 0;
    if (firstLevels.length < ONSET_FRAMES) firstLevels.push(level);
    search.advance(vector, Math.min(VOICED_COST, SILENT_COST + above * COST_PER_NAT));
    if (search.frames() - asked >= UNASKED_FRAMES) follow();
  };

  /** How many words begin at or before a place in the reference. */
  const begunAt = (place: number): number => {
    let low = 0;
    for (let high = words; low < high; ) {
      const middle = (low + high) >> 1;
      if (wordFrames[middle]! <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  /** Where the first frame is that is not silent, whatever the search takes it for. */
  const soundMs = (): number | undefined => {
    const first = firstLevels.findIndex((level) => gauge.above(level) > 0);
    return first < 0 ? undefined : first * FRAME_MS;
  };

  const isSpeaking = (place: number) => Number.isInteger(place) && silent[place] === 0;

  /** The end of the word in front of `word`, which begins at `nextMs` and before which there was speech until `untilMs`. */
  const endBefore = (word: number, nextMs: number, untilMs: number) => {
    if (word === 0) return;
    const isPause = nextMs - untilMs >= MIN_PAUSE_MS;
    endsMs[word - 1] = isPause ? Math.max(startsMs[word - 1]!, untilMs) : nextMs;
  };

  /** Follows the best path from where it has changed, and notes when it passes each word. */
  const follow = () => {
    const end = search.frames();
    if (end === asked && !isOver) return;
    const from = search.trace(isOver ? 'closed' : 'open');
    let before = from === 0 ? -1 : search.placeAt(from);
    let word = begunAt(before);
    let speaking = from;
    while (speaking > 0 && speaking > end - REMEMBERED_FRAMES && !isSpeaking(search.placeAt(speaking)))
      speaking -= 1;
    // What has been passed unseen was passed by then.
    for (let w = word - 1; w >= 0 && startsMs[w]! > from * FRAME_MS; w -= 1) {
      startsMs[w] = from * FRAME_MS;
      endBefore(w, from * FRAME_MS, speaking * FRAME_MS);
    }
    for (let frame = from === 0 ? 0 : from + 1; frame < end; frame += 1) {
      const place = search.placeAt(frame);
      for (; word < words && wordFrames[word]! <= place; word += 1) {
        const part = (wordFrames[word]! - before) / (place - before);
        startsMs[word] = Math.max(0, (frame - 1 + part) * FRAME_MS);
        endBefore(word, startsMs[word]!, (speaking + 1) * FRAME_MS);
      }
      if (isSpeaking(place)) speaking = frame;
      before = place;
    }
    asked = end;
    reached = word;
    spokenMs = Math.min(end, speaking + 1) * FRAME_MS;
  };

  /** Words to come: at the tempo so far; once all is over, over what sound there is. */
  const foretell = () => {
    const nowMs = search.frames() * FRAME_MS;
    const place = search.frames() === 0 ? 0 : search.placeAt(search.frames() - 1);
    const placeMs = reached === words ? 0 : (frameMs[Math.max(0, Math.floor(place))] ?? 0);
    const since = Math.max(0, reached - TEMPO_WORDS);
    const tookMs = reached === 0 ? 0 : Math.max(0, nowMs - startsMs[since]!);
    const referenceMs = reached === 0 ? 0 : Math.max(0, placeMs - wordMs[since]!);
    const tempo = (tookMs + TEMPO_PRIOR_MS) / (referenceMs + TEMPO_PRIOR_MS);
    let least = reached === 0 ? 0 : startsMs[reached - 1]!;
    const room = (nowMs - least) / Math.max(1, lengthMs - (wordMs[reached - 1] ?? 0));
    for (let w = reached; w < words; w += 1) {
      const atTempo = nowMs + Math.max(0, wordMs[w]! - placeMs) * tempo;
      const overRest = least + (wordMs[w]! - (wordMs[w - 1] ?? 0)) * room;
      least = Math.max(least, isOver ? Math.min(nowMs, overRest) : atTempo);
      startsMs[w] = least;
      if (w > 0) endsMs[w - 1] = least;
    }
    if (words === 0) return;
    const overMs = isOver ? nowMs : Math.max(nowMs, nowMs + (lengthMs - placeMs) * tempo);
    endsMs[words - 1] = Math.max(startsMs[words - 1]!, overMs);
    endBefore(reached, startsMs[reached] ?? endsMs[words - 1]!, spokenMs);
  };

  /** What of the cost is that of speech. */
  const spokenCost = () => Math.max(0, search.cost() - SILENT_COST * silentFrames);

  const hearAll = () => {
    while (search.frames() < heard) advance();
  };

  const withinMs = (): number => {
    const spoken = search.frames() - silentFrames;
    const cost = spokenCost();
    if (!isOver)
      return STREAMED_FACTOR * fitErrorMs((cost + UNKNOWN_COST * UNKNOWN_FRAMES) / (spoken + UNKNOWN_FRAMES));
    // Words that it never came to are anywhere in what was left.
    const restMs = reached === words ? 0 : search.frames() * FRAME_MS - (startsMs[reached - 1] ?? 0);
    return Math.max(restMs, fitErrorMs(cost / Math.max(1, spoken)));
  };

  return {
    push({ cepstra, level }) {
      if (isOver) return;
      if (held === RECENT_FRAMES) {
        recent.copyWithin(0, CEPSTRA);
        recentLevels.copyWithin(0, 1);
        held -= 1;
      }
      recent.set(cepstra, held * CEPSTRA);
      recentLevels[held] = level;
      held += 1;
      heard += 1;
      learn(cepstra, level);
      if (heard - search.frames() > SLOPE_FRAMES) advance();
    },
    hearAll,
    end() {
      hearAll();
      isOver = true;
    },
    estimate() {
      follow();
      foretell();
      return { startsMs, endsMs, reached, withinMs: withinMs(), soundMs: soundMs() };
    },
    ending() {
      const spoken = search.frames() - silentFrames;
      return {
        missingCost: search.costToEnd() - search.cost(),
        costPerFrame: spokenCost() / Math.max(1, spoken),
        spokenFrames: spoken,
        silentMs: lastSilentFrames * FRAME_MS,
      };
    },
    mean,
  };
}

/**
 * How far off the word times of an alignment are, by how well it fits: [mean cost of a frame of speech, error in ms that 19 of
 * 20 words stay below], rising. Measured on speech of our engine and of ten voices of other synthesisers, in twelve languages,
 * clean and with noise, aligned to one reference voice.
 */
const MEASURED = [
  [7, 16],
  [8, 60],
  [10, 65],
  [11, 86],
  [12, 120],
  [13.5, 300],
  [16, 800],
] as const;

/** The 95th percentile of the error, ms, of words in speech that costs `meanCost` a frame. */
export function fitErrorMs(meanCost: number): number {
  const above = MEASURED.findIndex(([cost]) => meanCost < cost);
  if (above < 0) return MEASURED.at(-1)![1];
  const [cost, errorMs] = MEASURED[above]!;
  if (above === 0) return errorMs;
  const [costBelow, errorBelowMs] = MEASURED[above - 1]!;
  return errorBelowMs + ((errorMs - errorBelowMs) * (meanCost - costBelow)) / (cost - costBelow);
}
