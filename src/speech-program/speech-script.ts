// A request's text as the lines that are spoken one by one: who speaks, what, and which pause comes before.
// Turns are found by their prefixes in the whole text (interface 4.5, "Multi-turn use"). Pure.

import type { Language } from '../speech/language.ts';
import { codePointLength } from '../text/code-points.ts';
import { type Boundary, isSpeakable, segmentText } from '../text/segment.ts';
import { createSegmenter } from '../text/sentences/segmenter.ts';
import { toSpokenForm } from '../text/spoken-form/spoken-form.ts';
import { createTurnPrefixReader } from '../text/turn-prefix-reader.ts';
import { type LineOrigin, originOf } from './line-origin.ts';
import { spaceWords } from './space-words.ts';

/** What separates a line from the one before it; `none` before the first and within a cut sentence. */
export type Pause = 'none' | 'clause' | 'sentence' | 'speaker' | 'paragraph';

export type SpokenLine = {
  readonly text: string;
  readonly speaker: 1 | 2;
  readonly pause: Pause;
  /** Where it stands in the request's text: worked out when asked for, which only word times need. */
  readonly origin: () => LineOrigin;
};

export type ScriptSource = {
  readonly text: string;
  readonly language: Language;
  /** Markers that begin a turn of voice and of voice2; space around them does not matter. */
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
};

/** A part of a text, from its code point `start` on. */
type TextPart = { readonly text: string; readonly start: number };

type Turn = { readonly speaker: 1 | 2; text: string; start: number };

type Sentence = TextPart & { readonly boundary: Boundary };

/** What is said for a sentence or a part of it; `start` counts in what is said for all of `written`. */
type SpokenPart = Sentence & { readonly written: TextPart };

const PAUSE_AFTER: Readonly<Record<Boundary, Pause>> = {
  sentence: 'sentence',
  line: 'sentence',
  end: 'sentence',
  clause: 'clause',
  words: 'none',
};

function splitTurns({ text, turnPrefix, turnPrefix2 }: ScriptSource): Turn[] {
  const turns: Turn[] = [{ speaker: 1, text: '', start: 0 }];
  const markers = { turnPrefix: turnPrefix?.trim(), turnPrefix2: turnPrefix2?.trim() };
  const reader = createTurnPrefixReader(markers, {
    onSpeaker(speaker) {
      turns.push({ speaker, text: '', start: 0 });
    },
    onText(said, start) {
      const turn = turns.at(-1)!;
      // Between two prefixes the text is whole.
      if (turn.text === '') turn.start = start;
      turn.text += said;
    },
  });
  reader.push(text, 0);
  reader.flush();
  return turns;
}

function splitParagraphs({ text, start }: TextPart): TextPart[] {
  const paragraphs: TextPart[] = [];
  let [from, position] = [0, start];
  for (const gap of text.matchAll(/\n\s*\n/gu)) {
    paragraphs.push({ text: text.slice(from, gap.index), start: position });
    const to = gap.index + gap[0].length;
    position += codePointLength(text.slice(from, to));
    from = to;
  }
  return [...paragraphs, { text: text.slice(from), start: position }];
}

function splitSentences({ text, start }: TextPart, language: Language): Sentence[] {
  const sentences: Sentence[] = [];
  const segmenter = createSegmenter({ language, early: 'off' }, (cut) =>
    sentences.push({ text: segmentText(cut), start: cut.runs[0]!.start, boundary: cut.boundary }),
  );
  segmenter.push(text, start);
  segmenter.flush();
  return sentences;
}

/** The segmenter's bound, and the longest line that a speech program must take. */
const MAX_LINE = 1200;

/** A sentence in words. They may outgrow one line; then they are cut like a sentence that is too long. */
function spokenParts(written: Sentence, language: Language): SpokenPart[] {
  const { boundary } = written;
  const text = toSpokenForm(written.text, language);
  if (text.length <= MAX_LINE) return [{ text, start: 0, boundary, written }];
  const parts = splitSentences({ text, start: 0 }, language);
  return parts.map((part, index) => ({
    ...part,
    boundary: index < parts.length - 1 ? part.boundary : boundary,
    written,
  }));
}

/**
 * The lines of a text in order, each of at most 1,200 UTF-16 units (the segmenter's bound); none when it holds nothing to say.
 */
export function createScript(source: ScriptSource): SpokenLine[] {
  const { language } = source;
  const lines: SpokenLine[] = [];
  let boundary: Boundary = 'end';
  for (const { speaker, ...turn } of splitTurns(source)) {
    for (const [index, paragraph] of splitParagraphs(turn).entries()) {
      let isNewParagraph = index > 0;
      const sentences = splitSentences(paragraph, language);
      for (const part of sentences.flatMap((sentence) => spokenParts(sentence, language))) {
        if (!isSpeakable(part.text)) continue;
        const previous = lines.at(-1);
        let pause = PAUSE_AFTER[boundary];
        if (previous === undefined) pause = 'none';
        else if (previous.speaker !== speaker) pause = 'speaker';
        else if (isNewParagraph) pause = 'paragraph';
        const text = spaceWords(part.text.trim(), language);
        const origin = () => originOf(part.written, { start: part.start, text: part.text }, language);
        lines.push({ text, speaker, pause, origin });
        boundary = part.boundary;
        isNewParagraph = false;
      }
    }
  }
  return lines;
}
