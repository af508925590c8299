// How long a script of a style may be, in proportion to its source. Spoken English runs at about 150 words a minute, a
// story for children at 130; the phrases around the sentences take about a fifth of a dialogue.

import type { SynthesisStyle } from './script.ts';

type Length = {
  /** Of the source's words. */
  readonly share: number;
  /** Upper limit for a short source: a briefing must be shorter than its source. */
  readonly mostShare: number;
  /** Of a source of no more words as much is spoken as `mostShare` allows. */
  readonly leastWords: number;
  /** Of source sentences, however long the source. */
  readonly mostWords: number;
  /** Chapters between opening and closing. */
  readonly mostTopics: number;
  /** Words of neighbouring sentences that are told together. */
  readonly run: number;
  /** Words of a paragraph with which a sentence of it is told; 0: a run may begin within a paragraph. */
  readonly ahead: number;
  /** Words of a passage that is worth telling far from all others. */
  readonly leastRun: number;
};

export const SCRIPT_LENGTHS: Readonly<Record<SynthesisStyle, Length>> = {
  // 20 minutes are 3,000 words.
  podcast: {
    share: 1 / 3,
    mostShare: 1,
    leastWords: 350,
    mostWords: 2300,
    mostTopics: 7,
    run: 320,
    ahead: 130,
    leastRun: 30,
  },
  // Six minutes are 900.
  'executive-briefing': {
    share: 1 / 8,
    mostShare: 0.6,
    leastWords: 220,
    mostWords: 780,
    mostTopics: 6,
    run: 130,
    ahead: 70,
    leastRun: 22,
  },
  // Twelve minutes are 1,560.
  'childrens-story': {
    share: 1 / 5,
    mostShare: 0.8,
    leastWords: 250,
    mostWords: 1150,
    mostTopics: 5,
    run: 45,
    ahead: 0,
    leastRun: 10,
  },
  // Every turn of a debate has a word of its own before it.
  debate: {
    share: 1 / 4,
    mostShare: 1,
    leastWords: 350,
    mostWords: 2100,
    mostTopics: 6,
    run: 80,
    ahead: 0,
    leastRun: 10,
  },
};

/** Words of source sentences for a source of `sourceWords`. */
export function wordBudget(style: SynthesisStyle, sourceWords: number): number {
  const { share, mostShare, leastWords, mostWords } = SCRIPT_LENGTHS[style];
  return Math.min(
    mostWords,
    Math.ceil(sourceWords * mostShare),
    Math.max(leastWords, Math.round(sourceWords * share)),
  );
}
