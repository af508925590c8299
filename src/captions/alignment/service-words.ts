// The times that a speech service tells for its words → those of the caller's words. The two texts may differ: services tell
// "twelve" for "12", leave signs out, and cut words in other places. So letters are aligned: what the service tells, against what
// was sent, by the cheapest edits (Needleman and Wunsch) within a band around the best way so far; what is told grows while the
// speech comes. Pure.

import type { ServiceWord } from '../../speech/service-word.ts';
import { shareTime } from './reference-words.ts';
import type { WordEstimate } from './word-estimate.ts';

/** Letters of the text that are looked at for each told one: an address that is left out fits. */
const BAND = 96;
const COST = { leftOut: 1, added: 2, other: 2.5 } as const;
/** Behind letters of only one of the two texts, going on within a word: words are left out whole. */
const WITHIN_WORD = 1;
/** More letters than these are told by nobody who speaks the text. */
const MAX_TOLD_TIMES = 6;
const MAX_TOLD_MORE = 400;

const SAME = 0;
const OTHER = 1;
const ADDED = 2;
const LEFT_OUT = 3;

/** Letters, digits and what belongs to them, in small letters; nothing else is said. */
const SPOKEN = /[\p{L}\p{N}\p{M}]/u;
const smallLetters = (text: string): string[] => [...text.toLowerCase()].filter((one) => SPOKEN.test(one));

/** Signs in front of a number that are said with it, where a service tells each character: the word begins with them. */
const SAID_SIGN = /^[\p{Sc}#+]$/u;

/** What the told times are taken to be good for; nobody tells it. */
const WITHIN_MS = 40;

export type TimedText = {
  readonly text: string;
  /** Code points of `text` at which the caller's words begin, rising. */
  readonly wordAt: readonly number[];
  readonly weights: readonly number[];
};

type Told = { readonly startMs: number; readonly endMs: number; readonly letters: number };

export class ServiceWordTimes {
  private readonly words: TimedText;
  /** Of each letter of the text: itself, and the caller's word that it is of. */
  private readonly letters: string[] = [];
  private readonly wordOf: number[] = [];
  private readonly told: Told[] = [];
  /** Of each told letter: its told word, and which of its letters. */
  private readonly toldOf: number[] = [];
  private readonly nth: number[] = [];
  private costs = new Float64Array(BAND + 1);
  private spare = new Float64Array(BAND + 1);
  private low = 0;
  private readonly lows: number[] = [];
  private readonly steps: Uint8Array[] = [];
  private best = 0;
  /** Of a sign that was told last. */
  private signMs: number | undefined;

  constructor(words: TimedText) {
    this.words = words;
    let word = -1;
    let at = 0;
    for (const point of words.text) {
      while (word + 1 < words.wordAt.length && words.wordAt[word + 1]! <= at) word += 1;
      at += 1;
      if (word < 0) continue;
      for (const letter of smallLetters(point)) {
        this.letters.push(letter);
        this.wordOf.push(word);
      }
    }
    for (let column = 0; column <= BAND; column += 1) this.costs[column] = column * COST.leftOut;
  }

  add(words: readonly ServiceWord[]): void {
    const most = MAX_TOLD_TIMES * this.letters.length + MAX_TOLD_MORE;
    for (const { text, startMs, endMs } of words) {
      const letters = smallLetters(text);
      const firstMs = /^\p{N}/u.test(text) ? (this.signMs ?? startMs) : startMs;
      this.signMs = SAID_SIGN.test(text) ? startMs : undefined;
      if (letters.length === 0 || this.toldOf.length + letters.length > most) continue;
      const before = this.told.at(-1);
      const beginsMs = Math.max(firstMs, before?.startMs ?? 0);
      this.told.push({
        startMs: beginsMs,
        endMs: Math.max(endMs, beginsMs),
        letters: letters.length,
      });
      for (const [nth, letter] of letters.entries()) {
        this.toldOf.push(this.told.length - 1);
        this.nth.push(nth);
        this.addRow(letter, nth === 0);
      }
    }
  }

  /** Undefined: nothing of the text has been told. `msPerWeight`: how fast what is not told yet may be spoken. */
  estimate(msPerWeight: number): WordEstimate | undefined {
    const places = this.places();
    const { wordAt, weights } = this.words;
    const count = wordAt.length;
    const reached = places.findLastIndex((place) => place !== undefined) + 1;
    if (reached === 0) return undefined;
    const startsMs = new Float64Array(count);
    const endsMs = new Float64Array(count);
    let lastMs = 0;
    for (let from = 0; from < reached; ) {
      let to = from;
      while (places[to] === undefined) to += 1;
      // Words that were not told share the time up to the next that was, with the one in front of them.
      const nextMs = Math.max(lastMs, places[to]!.startMs);
      shareTime(startsMs, weights, { from, to, lastMs, nextMs });
      startsMs[to] = nextMs;
      lastMs = nextMs;
      from = to + 1;
    }
    let endMs = Math.max(lastMs, places[reached - 1]!.endMs);
    for (let w = reached; w < count; w += 1) {
      startsMs[w] = endMs;
      endMs += weights[w]! * msPerWeight;
      endsMs[w] = endMs;
    }
    for (let w = 0; w < reached; w += 1) {
      const nextMs = startsMs[w + 1] ?? Number.POSITIVE_INFINITY;
      const own = places[w]?.endMs ?? nextMs;
      endsMs[w] = Math.max(startsMs[w]!, Math.min(own, nextMs));
    }
    return { startsMs, endsMs, reached, withinMs: WITHIN_MS, soundMs: this.told[0]?.startMs };
  }

  private addRow(letter: string, isToldFirst: boolean): void {
    const { letters, wordOf } = this;
    const stepsBefore = this.steps.at(-1);
    const mostLow = Math.max(0, letters.length - BAND);
    const low = Math.min(mostLow, Math.max(this.low, this.best - (BAND >> 1)));
    const shift = low - this.low;
    const costs = this.spare.fill(Number.POSITIVE_INFINITY);
    const steps = new Uint8Array(BAND + 1);
    let best = low;
    for (let column = 0; column <= BAND; column += 1) {
      const at = low + column;
      if (at > letters.length) break;
      let cost = Number.POSITIVE_INFINITY;
      let step = ADDED;
      const before = column + shift - 1;
      if (at > 0 && before >= 0 && before <= BAND) {
        const isSame = letters[at - 1] === letter;
        cost = this.costs[before]! + (isSame ? 0 : COST.other);
        const stepBefore = before === 0 && this.low === 0 ? LEFT_OUT : (stepsBefore?.[before] ?? LEFT_OUT);
        if (stepBefore >= ADDED) {
          if (at > 1 && wordOf[at - 1] === wordOf[at - 2]) cost += WITHIN_WORD;
          if (!isToldFirst) cost += WITHIN_WORD;
        }
        step = isSame ? SAME : OTHER;
      }
      if (column + shift <= BAND && this.costs[column + shift]! + COST.added < cost) {
        cost = this.costs[column + shift]! + COST.added;
        step = ADDED;
      }
      if (column > 0 && costs[column - 1]! + COST.leftOut < cost) {
        cost = costs[column - 1]! + COST.leftOut;
        step = LEFT_OUT;
      }
      costs[column] = cost;
      steps[column] = step;
      // Where as much is told of the one as of the other, more of the text has been spoken.
      if (cost <= costs[best - low]!) best = at;
    }
    this.spare = this.costs;
    this.costs = costs;
    this.low = low;
    this.best = best;
    this.lows.push(low);
    this.steps.push(steps);
  }

  /** Where each of the caller's words was told; undefined: not, or not yet. */
  private places(): readonly ({ readonly startMs: number; readonly endMs: number } | undefined)[] {
    const spans: ({ first: number; last: number; isExact: boolean } | undefined)[] = new Array(
      this.words.wordAt.length,
    ).fill(undefined);
    let at = this.best;
    for (let row = this.steps.length - 1; row >= 0; ) {
      const step = this.steps[row]![at - this.lows[row]!]!;
      if (step === SAME || step === OTHER) {
        const word = this.wordOf[at - 1]!;
        const span = spans[word];
        const isSame = step === SAME;
        if (span === undefined) spans[word] = { first: row, last: row, isExact: isSame };
        else {
          span.first = row;
          span.isExact &&= isSame;
        }
      }
      if (step !== ADDED) at -= 1;
      if (step !== LEFT_OUT) row -= 1;
    }
    // What was told between two words and is of neither belongs to the one that was told in other letters.
    let lastTold = -1;
    let front: { last: number; isExact: boolean } | undefined;
    for (const span of spans) {
      if (span === undefined) continue;
      const firstTold = this.toldOf[span.first]!;
      if (firstTold > lastTold + 1) {
        if (!span.isExact) span.first = this.firstLetterOf(lastTold + 1, span.first);
        else if (front !== undefined && !front.isExact)
          front.last = this.firstLetterOf(firstTold, span.first) - 1;
      }
      front = span;
      lastTold = this.toldOf[span.last]!;
    }
    let lastOfFront: number | undefined;
    return spans.map((span) => {
      if (span === undefined) return undefined;
      const told = this.toldOf[span.first]!;
      const isShared = lastOfFront === told;
      lastOfFront = this.toldOf[span.last]!;
      return {
        startMs: isShared ? this.letterMs(span.first) : this.told[told]!.startMs,
        endMs: this.told[this.toldOf[span.last]!]!.endMs,
      };
    });
  }
  /** The first letter of told word `told`; `near` is one that is not before it. */
  private firstLetterOf(told: number, near: number): number {
    let row = near;
    while (row > 0 && this.toldOf[row - 1]! >= told) row -= 1;
    return row;
  }
  /** Letters of one told word share its time. */
  private letterMs(row: number): number {
    const { startMs, endMs, letters } = this.told[this.toldOf[row]!]!;
    return startMs + ((endMs - startMs) * this.nth[row]!) / letters;
  }
}
