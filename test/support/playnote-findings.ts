// What a critical listener would hold against a PlayNote's script, found by rule: what is not in the source, what belongs
// to the page and not to the text, who holds the floor too long. For the tests and for scripts/playnote-trial.mjs.

import { languageReaderOf } from '../../src/script/language-reader.ts';
import type { Speakers } from '../../src/script/script.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';
import type { SourceDocument } from '../../src/script/source-document.ts';
import { toSourceSentences } from '../../src/script/source-sentences.ts';
import type { TimedScript } from '../../src/service/playnotes/playnote-script.ts';
import { cutSentences } from '../../src/service/playnotes/sentence-cutter.ts';
import type { Language } from '../../src/speech/language.ts';
import { LEFTOVERS } from '../reading/read-fixture.ts';
import { repeatedIn, unanchored, ungrounded, untabled } from '../script/grounding.ts';

export type PlayNoteFindings = {
  readonly lines: number;
  /** With what is wrong with each. */
  readonly ungrounded: readonly string[];
  /** Sentences without the one that they lean on right before them, as they are in the source. */
  readonly unanchored: readonly string[];
  /** Sentences that are said twice. */
  readonly repeated: number;
  /** Lines with marks of the page: running heads, numbers of notes, addresses. */
  readonly leftovers: readonly string[];
  /** The longest that one speaker is heard without the other, ms. */
  readonly longestTurnMs: number;
  /** Numbers of sentences that are told otherwise than the source has them. */
  readonly miscited: readonly number[];
  readonly speakers: ReadonlySet<1 | 2>;
};

export function findingsOf(
  script: TimedScript,
  document: SourceDocument,
  speakers: Speakers,
): PlayNoteFindings {
  const language = script.language as Language;
  const spoken = scriptLanguageOf(language);
  const sentences = toSourceSentences(document, cutSentences, language, languageReaderOf(spoken?.cues));
  const lines = script.chapters.flatMap((chapter) => chapter.lines);
  let longestTurnMs = 0;
  let turn: { speaker: 1 | 2; startMs: number } | undefined;
  for (const { speaker, startMs, endMs } of lines) {
    if (startMs === null || endMs === null) continue;
    if (turn?.speaker !== speaker) turn = { speaker, startMs };
    longestTurnMs = Math.max(longestTurnMs, endMs - turn.startMs);
  }
  return {
    lines: lines.length,
    ungrounded: lines.flatMap(
      (line) =>
        (line.sources.length > 0
          ? ungrounded(line, sentences)
          : untabled(line, spoken, document, speakers)) ?? [],
    ),
    unanchored: unanchored(script, sentences).map(({ text }) => text),
    repeated: repeatedIn(script).length,
    leftovers: lines
      .filter(
        ({ text, sources }) =>
          LEFTOVERS.test(text) || (sources.length > 0 && text.includes(document.title ?? '\n')),
      )
      .map(({ text }) => text),
    longestTurnMs,
    miscited: script.sentences
      .filter(({ number, text, path }) => {
        const own = sentences[number];
        return own?.text !== text || own.path.join('\n') !== path.join('\n');
      })
      .map(({ number }) => number),
    speakers: new Set(lines.map(({ speaker }) => speaker)),
  };
}
