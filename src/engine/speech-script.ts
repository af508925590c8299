// A request's text as the lines that are spoken one by one: who speaks, what, and which pause comes before.
// Turns are found by their prefixes in the whole text (interface 4.5, "Multi-turn use"). Pure.

import type { Language } from '../speech/language.ts';
import { type Boundary, isSpeakable, segmentText } from '../text/segment.ts';
import { createSegmenter } from '../text/segmenter.ts';
import { createTurnPrefixReader } from '../text/turn-prefix-reader.ts';
import { toSpokenForm } from './spoken-form/spoken-form.ts';

/** What separates a line from the one before it; `none` before the first and within a cut sentence. */
export type Pause = 'none' | 'clause' | 'sentence' | 'speaker' | 'paragraph';

export type SpokenLine = { readonly text: string; readonly speaker: 1 | 2; readonly pause: Pause };

export type ScriptSource = {
  readonly text: string;
  readonly language: Language;
  /** Markers that begin a turn of voice and of voice2; space around them does not matter. */
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
};

type Turn = { readonly speaker: 1 | 2; text: string };

type Sentence = { readonly text: string; readonly boundary: Boundary };

const PAUSE_AFTER: Readonly<Record<Boundary, Pause>> = {
  sentence: 'sentence',
  line: 'sentence',
  end: 'sentence',
  clause: 'clause',
  words: 'none',
};

function splitTurns({ text, turnPrefix, turnPrefix2 }: ScriptSource): Turn[] {
  const turns: Turn[] = [{ speaker: 1, text: '' }];
  const markers = { turnPrefix: turnPrefix?.trim(), turnPrefix2: turnPrefix2?.trim() };
  const reader = createTurnPrefixReader(markers, {
    onSpeaker(speaker) {
      turns.push({ speaker, text: '' });
    },
    onText(said) {
      turns.at(-1)!.text += said;
    },
  });
  reader.push(text, 0);
  reader.flush();
  return turns;
}

function splitSentences(text: string, language: Language): Sentence[] {
  const sentences: Sentence[] = [];
  const segmenter = createSegmenter({ language, early: 'off' }, (cut) =>
    sentences.push({ text: segmentText(cut), boundary: cut.boundary }),
  );
  segmenter.push(text, 0);
  segmenter.flush();
  return sentences;
}

/** The segmenter's bound, and the longest line that a speech program must take. */
const LONGEST_LINE = 1200;

/** A sentence in words. They may outgrow one line; then they are cut like a sentence that is too long. */
function spokenSentences(sentence: Sentence, language: Language): Sentence[] {
  const text = toSpokenForm(sentence.text, language);
  if (text.length <= LONGEST_LINE) return [{ text, boundary: sentence.boundary }];
  const parts = splitSentences(text, language);
  return parts.map((part, index) =>
    index < parts.length - 1 ? part : { ...part, boundary: sentence.boundary },
  );
}

/** Thai is written without spaces and eSpeak NG reads word by word. */
function spaceWords(text: string, language: Language): string {
  if (language !== 'thai') return text;
  return [...new Intl.Segmenter('th', { granularity: 'word' }).segment(text)]
    .map((part) => part.segment)
    .join(' ');
}

/** The lines of a text in order, each of at most 1,200 UTF-16 units (the segmenter's bound); none when it holds nothing to say. */
export function createScript(source: ScriptSource): SpokenLine[] {
  const { language } = source;
  const lines: SpokenLine[] = [];
  let boundary: Boundary = 'end';
  for (const { speaker, text } of splitTurns(source)) {
    for (const [index, paragraph] of text.split(/\n\s*\n/u).entries()) {
      let isNewParagraph = index > 0;
      const sentences = splitSentences(paragraph, language);
      for (const sentence of sentences.flatMap((written) => spokenSentences(written, language))) {
        if (!isSpeakable(sentence.text)) continue;
        const previous = lines.at(-1);
        let pause = PAUSE_AFTER[boundary];
        if (previous === undefined) pause = 'none';
        else if (previous.speaker !== speaker) pause = 'speaker';
        else if (isNewParagraph) pause = 'paragraph';
        lines.push({ text: spaceWords(sentence.text.trim(), language), speaker, pause });
        boundary = sentence.boundary;
        isNewParagraph = false;
      }
    }
  }
  return lines;
}
