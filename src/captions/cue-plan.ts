// Where cues begin and end: the cheapest way through the text, as a line breaker finds it for a paragraph. The rules of length,
// time and reading speed weigh more than any break, so that no cue is outside of them where another way of cutting would
// obey; among the ways that do, the one with the best breaks is taken. Each end of a cue is looked at once, with the
// few beginnings that a cue of it can have.

import { CUE_LIMITS, type CueScript, MAX_CUE_MS, readingMs } from './cue-limits.ts';
import type { Boundary, CueToken } from './cue-tokens.ts';

/** A cue shows the tokens from `from` to `to` (exclusive); its second line begins with token `breakAt`. */
export type PlannedCue = {
  readonly from: number;
  readonly to: number;
  /** Undefined: one line. Equal to `from`: the first line is a speaker's name alone. */
  readonly breakAt: number | undefined;
};

export type CuePlanOptions = {
  /** What is shown before the text of a cue that begins with token `index`; `shared`: it is one of two speakers in a cue. */
  readonly prefixOf: (index: number, kind: 'alone' | 'shared') => string;
  /** When something is said after the last token; infinite: never. */
  readonly nextMs: number;
};

export type CuePlan = {
  readonly cues: readonly PlannedCue[];
  /** How long the last cue should stand, ms of its end. */
  readonly wantedEndMs: number;
  /** When the reader of a cue has had enough time, and its last word has been said. */
  readonly endMsOf: (cue: PlannedCue) => number;
  /** The first cues, as far as no token that follows could change them. */
  readonly settled: () => readonly PlannedCue[];
};

/** Words that follow are waited for no longer than this to decide where a cue ends. */
const MAX_UNDECIDED_MS = 10_000;
const SURE_MS = 200;

const MISSING_MS_COST = 1000;
const RULE_COST = 1_000_000;
const CUE_COST = 20;
/** Of what goes on with a sentence and has less than this part of a line. */
const REMNANT_PART = 0.6;
const REMNANT_COST = 60;
/** Two speakers in a cue, which is done only where one of them would not be seen for long enough. */
const SHARED_COST = 400;
const MIN_PAUSE_MS = 700;
const PAUSE_COST = 30;
const PAUSE_COST_PER_MS = 0.05;

const END_COST: Readonly<Record<Boundary, number>> = {
  speaker: 0,
  paragraph: 0,
  sentence: 0,
  clause: 25,
  opener: 60,
  plain: 110,
  leaning: 160,
  counted: 400,
  'inside-word': 800,
  'one-thing': RULE_COST,
};
/** Within a cue where another could begin. */
const INNER_COST: Readonly<Partial<Record<Boundary, number>>> = { paragraph: 200, sentence: 30 };
const LINE_COST: Readonly<Record<Boundary, number>> = {
  speaker: 0,
  paragraph: -150,
  sentence: -20,
  clause: 0,
  opener: 10,
  plain: 30,
  leaning: 50,
  counted: 150,
  'inside-word': 300,
  'one-thing': RULE_COST,
};
/** A line that holds a name alone. */
const NAME_LINE_COST = 100;
/** For each character by which the lines differ. */
const UNEVEN_COST = 0.5;

type Layout = {
  readonly cost: number;
  readonly breakAt: number | undefined;
  /** Characters before the text. */
  readonly prefix: number;
};

/** The text of one run of words, with sums that answer how wide any part of it is. */
class CuePlanner {
  private readonly tokens: readonly CueToken[];
  private readonly options: CuePlanOptions;
  /** Characters before token `i`, with the spaces between. */
  private readonly widths: Float64Array;
  private readonly inner: Float64Array;

  constructor(tokens: readonly CueToken[], options: CuePlanOptions) {
    this.tokens = tokens;
    this.options = options;
    this.widths = new Float64Array(tokens.length + 1);
    this.inner = new Float64Array(tokens.length + 1);
    for (const [i, { chars, spaces, after, endMs }] of tokens.entries()) {
      this.widths[i + 1] = this.widths[i]! + chars + spaces;
      const gapMs = (tokens[i + 1]?.startMs ?? endMs) - endMs;
      const pauseCost = gapMs < MIN_PAUSE_MS ? 0 : PAUSE_COST + gapMs * PAUSE_COST_PER_MS;
      this.inner[i + 1] = this.inner[i]! + (INNER_COST[after] ?? 0) + pauseCost;
    }
  }

  plan(): CuePlan {
    const { tokens } = this;
    const costs = new Float64Array(tokens.length + 1).fill(Number.POSITIVE_INFINITY);
    const froms = new Int32Array(tokens.length + 1);
    const breaks = new Int32Array(tokens.length + 1);
    costs[0] = 0;
    for (let to = 1; to <= tokens.length; to += 1) {
      for (let from = to - 1; from >= 0 && this.mayHold(from, to); from -= 1) {
        const cue = this.cueOf(from, to);
        if (cue === undefined || costs[from]! + cue.cost >= costs[to]!) continue;
        costs[to] = costs[from]! + cue.cost;
        froms[to] = from;
        breaks[to] = cue.breakAt ?? -1;
      }
    }
    const chainTo = (end: number): PlannedCue[] => {
      const chain: PlannedCue[] = [];
      for (let to = end; to > 0; to = froms[to]!)
        chain.push({ from: froms[to]!, to, breakAt: breaks[to]! < 0 ? undefined : breaks[to]! });
      return chain.reverse();
    };
    const cues = chainTo(tokens.length);
    return {
      cues,
      wantedEndMs: cues.length === 0 ? 0 : this.wantedEndMs(cues.at(-1)!),
      endMsOf: (cue) => this.wantedEndMs(cue),
      settled: () => this.settledOf(costs, chainTo, cues),
    };
  }
  private wantedEndMs({ from, to, breakAt }: PlannedCue): number {
    const { tokens } = this;
    const isShared = breakAt !== undefined && breakAt > from && tokens[breakAt - 1]!.after === 'speaker';
    const chars = this.widthOf(from, to) + this.prefixChars(from, isShared ? breakAt : undefined);
    return Math.max(tokens[to - 1]!.endMs, tokens[from]!.startMs + readingMs(chars, this.scriptOf(from, to)));
  }

  /** The cues that all ways through what is still to come have in common, as far as that can be told without waiting long. */
  private settledOf(
    costs: Float64Array,
    chainTo: (end: number) => readonly PlannedCue[],
    cues: readonly PlannedCue[],
  ): readonly PlannedCue[] {
    const { tokens } = this;
    const end = tokens.length;
    if (end === 0) return [];
    const { endMs } = tokens[end - 1]!;
    let first = end - 1;
    for (; first > 0 && this.mayHold(first - 1, end); first -= 1)
      if (this.isSureEnd(first, costs, endMs)) return chainTo(first);
    const chains = [];
    for (let from = first; from < end; from += 1) chains.push(chainTo(from));
    const [one, ...others] = chains as [readonly PlannedCue[], ...(readonly PlannedCue[])[]];
    let common = 0;
    while (common < one.length && others.every((chain) => chain[common]?.to === one[common]!.to)) common += 1;
    if (common === 0 && cues.length > 1 && endMs - tokens[0]!.startMs > MAX_UNDECIDED_MS)
      return cues.slice(0, 1);
    return one.slice(0, common);
  }
  /** A sentence ends before token `at` in a cue that obeys all rules, and what follows can do so too. */
  private isSureEnd(at: number, costs: Float64Array, endMs: number): boolean {
    const { tokens } = this;
    const isEnd = END_COST[tokens[at - 1]!.after] === 0;
    if (!isEnd || costs[at]! >= MISSING_MS_COST) return false;
    const neededMs = readingMs(this.widthOf(at, tokens.length), tokens[at]!.script);
    return endMs - tokens[at]!.startMs >= neededMs + SURE_MS;
  }
  /** Whether a longer cue that ends there may be within bounds. */
  private mayHold(from: number, to: number): boolean {
    if (to - from === 1) return true;
    const { tokens } = this;
    if (tokens[to - 1]!.endMs - tokens[from]!.startMs > MAX_CUE_MS) return false;
    return this.widthOf(from, to) <= 2 * CUE_LIMITS.spaced.lineChars;
  }
  private widthOf(from: number, to: number): number {
    return this.widths[to]! - this.widths[from]! - this.tokens[to - 1]!.spaces;
  }
  /** Of what is shown before the text; `change`: where the second of two speakers begins. */
  private prefixChars(from: number, change: number | undefined): number {
    const { prefixOf } = this.options;
    if (change === undefined) return prefixOf(from, 'alone').length;
    return prefixOf(from, 'shared').length + prefixOf(change, 'shared').length;
  }
  private scriptOf(from: number, to: number): CueScript {
    const { tokens } = this;
    let eastAsian: CueScript | undefined;
    let eastAsianChars = 0;
    for (let i = from; i < to; i += 1) {
      if (tokens[i]!.script === 'spaced') continue;
      eastAsian ??= tokens[i]!.script;
      eastAsianChars += tokens[i]!.chars;
    }
    return eastAsian !== undefined && 2 * eastAsianChars >= this.widthOf(from, to) ? eastAsian : 'spaced';
  }

  /** What a cue costs, and its lines; undefined where it has no room. */
  private cueOf(from: number, to: number): Layout | undefined {
    const { tokens } = this;
    const last = tokens[to - 1]!;
    const script = this.scriptOf(from, to);
    const layout = this.layoutOf(from, to, CUE_LIMITS[script].lineChars);
    if (layout === undefined) return undefined;
    const isListNumberAlone = last.isListNumber && to - from === 1;
    const cost =
      CUE_COST +
      this.remnantCost(from, to, CUE_LIMITS[script].lineChars) +
      END_COST[last.after] +
      layout.cost +
      (this.inner[to - 1]! - this.inner[from]!) +
      this.missingMs(from, to, script, layout.prefix) * MISSING_MS_COST +
      (isListNumberAlone ? RULE_COST : 0);
    return { ...layout, cost };
  }
  /** The rest of a sentence that is a word or two looks lost. */
  private remnantCost(from: number, to: number, lineChars: number): number {
    if (from === 0 || END_COST[this.tokens[from - 1]!.after] === 0) return 0;
    return REMNANT_COST * Math.max(0, 1 - this.widthOf(from, to) / (REMNANT_PART * lineChars));
  }
  /** The time that is missing to read it, or by which it stands too long. */
  private missingMs(from: number, to: number, script: CueScript, prefix: number): number {
    const { tokens, options } = this;
    const { startMs } = tokens[from]!;
    const last = tokens[to - 1]!;
    const nextMs = to < tokens.length ? tokens[to]!.startMs : options.nextMs;
    const tooLongMs = Math.max(0, last.endMs - startMs - MAX_CUE_MS);
    const chars = this.widthOf(from, to) + prefix;
    if (nextMs - startMs >= readingMs(chars, script)) return tooLongMs;
    // With the space behind it, so that in fast speech more cues do not look like less text.
    return tooLongMs + readingMs(chars + last.spaces, script) - (nextMs - startMs);
  }

  private layoutOf(from: number, to: number, lineChars: number): Layout | undefined {
    const { tokens, options } = this;
    let change: number | undefined;
    for (let i = from; i < to - 1; i += 1) {
      if (tokens[i]!.after !== 'speaker') continue;
      if (change !== undefined) return undefined;
      change = i + 1;
    }
    const prefix = this.prefixChars(from, change);
    if (change !== undefined) {
      const fits =
        options.prefixOf(from, 'shared').length + this.widthOf(from, change) <= lineChars &&
        options.prefixOf(change, 'shared').length + this.widthOf(change, to) <= lineChars;
      return fits ? { cost: SHARED_COST, breakAt: change, prefix } : undefined;
    }
    if (prefix + this.widthOf(from, to) <= lineChars && !this.hasParagraphEnd(from, to))
      return { cost: 0, breakAt: undefined, prefix };
    return this.twoLines(from, to, lineChars, prefix);
  }
  private hasParagraphEnd(from: number, to: number): boolean {
    for (let i = from; i < to - 1; i += 1) if (this.tokens[i]!.after === 'paragraph') return true;
    return false;
  }
  private twoLines(from: number, to: number, lineChars: number, prefix: number): Layout | undefined {
    const { tokens } = this;
    let best: Layout | undefined;
    for (let at = from + 1; at < to; at += 1) {
      const first = prefix + this.widthOf(from, at);
      if (first > lineChars) break;
      const second = this.widthOf(at, to);
      if (second > lineChars) continue;
      const cost = LINE_COST[tokens[at - 1]!.after] + UNEVEN_COST * Math.abs(first - second);
      if (best === undefined || cost < best.cost) best = { cost, breakAt: at, prefix };
    }
    // A name, or a dash, that leaves its line no room for the first word.
    const alone = this.widthOf(from, to);
    if (best === undefined && prefix > 0 && alone <= lineChars)
      best = { cost: NAME_LINE_COST, breakAt: from, prefix };
    // A single piece is never longer than a line.
    return best ?? (to - from === 1 ? { cost: 0, breakAt: undefined, prefix } : undefined);
  }
}

/** The cues of `tokens`, which are in order of time. */
export function planCues(tokens: readonly CueToken[], options: CuePlanOptions): CuePlan {
  return new CuePlanner(tokens, options).plan();
}
