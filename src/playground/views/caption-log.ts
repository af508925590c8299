// What is heard, for a screen reader and a braille line: a live region that gets one sentence after another, as each is heard
// to its last word, and keeps only the newest. The words that light are another view of the same, and are not announced.

import { createSpokenSentences, type SpokenSentences } from '../spoken-sentences.ts';
import { isOver, type SpokenTurn } from '../spoken-turn.ts';
import { madeElement } from './page-element.ts';

export type CaptionLog = {
  /** `begun`: words of the turn that have begun. */
  show(turn: SpokenTurn, begun: number): void;
};

const MAX_KEPT = 4;

export function createCaptionLog(region: HTMLElement): CaptionLog {
  let turn: SpokenTurn | undefined;
  let sentences: SpokenSentences = createSpokenSentences();
  return {
    show(next, begun) {
      if (turn !== next) {
        turn = next;
        sentences = createSpokenSentences();
        region.replaceChildren();
      }
      // Of what was cut the gateway tells what was heard, and that is announced instead.
      if (next.isCut) return;
      const { lines, track } = next;
      for (const text of sentences.take(lines, track.words, begun, isOver(next) ? 'over' : 'going-on'))
        region.append(madeElement('p', { text }));
      while (region.childElementCount > MAX_KEPT) region.firstElementChild!.remove();
    },
  };
}
