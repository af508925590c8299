// `voxgate say --captions FILE`: the words of the turn with their times, in the format that the ending of the file's name says.

import type { CueOptions } from '../captions/caption-cues.ts';
import { captionsSrt } from '../captions/sub-rip.ts';
import { captionsVtt } from '../captions/web-vtt.ts';
import type { TimedWord } from '../captions/word-timeline.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import type { Language } from '../speech/language.ts';
import type { Terminal } from './command.ts';
import { type CaptionFormat, captionFormatOf } from './output/file-endings.ts';

type Writer = (words: readonly TimedWord[], options: CueOptions) => string;

const captionsJson: Writer = (words) => {
  const listed = words.map(({ text, startMs, endMs, withinMs, charStart, charEnd, speaker }) => ({
    text,
    startMs,
    endMs,
    withinMs,
    charStart,
    charEnd,
    speaker,
  }));
  return `${JSON.stringify(listed, null, 2)}\n`;
};

const WRITERS: Readonly<Record<CaptionFormat, Writer>> = {
  vtt: captionsVtt,
  srt: captionsSrt,
  json: captionsJson,
};

/** Throws a UsageError when the name does not say a format. */
export const captionWriter = (path: string): Writer =>
  WRITERS[captionFormatOf('--captions', path, ['vtt', 'srt', 'json'], 'refused')];

export type CaptionKeeper = {
  /** Text that is spoken, in order: cues quote it. */
  addText(text: string): void;
  /** What the gateway says, for the captions among it, and for the list of words that replaces them in the end. */
  onEvent(event: ServerEvent): void;
  /** Words so far. */
  words(): number;
  /** Complains of words that were not found in the audio, if there are any. */
  check(terminal: Pick<Terminal, 'complain'>): 'fine' | 'faulty';
  /** The file. */
  write(writer: Writer): Uint8Array;
};

/** `language`: of the text; undefined: English. */
export function createCaptionKeeper(language: Language | undefined): CaptionKeeper {
  let words: TimedWord[] = [];
  let listed: TimedWord[] = [];
  let spoken = '';
  let endMs: number | undefined;
  // What a word weighs was needed to time it, and no caption shows it.
  const wordsOf = ({ words, line, withinMs }: EventOf<'caption' | 'words'>): TimedWord[] =>
    words.map(({ speaker, ...word }) => ({ ...word, speaker, line, withinMs, weight: 0, pause: 0 }));
  return {
    addText(text) {
      spoken += text;
    },
    onEvent(event) {
      if (event.type === 'caption') words.push(...wordsOf(event));
      else if (event.type === 'ended') endMs = event.audioMs;
      else if (event.type === 'words') {
        listed.push(...wordsOf(event));
        if (event.more) return;
        words = listed;
        listed = [];
      }
    },
    words: () => words.length,
    check(terminal) {
      const unfound = words.filter(({ withinMs }) => withinMs === undefined).length;
      if (unfound === 0) return 'fine';
      terminal.complain(
        `${unfound} of ${words.length} words were not found in the audio: their times are estimated from their length.`,
      );
      return 'faulty';
    },
    write: (writer) =>
      Buffer.from(writer(words, { lines: [spoken], nameOf: () => undefined, language, endMs })),
  };
}
