// `voxgate say --captions FILE`: the words of the turn with their times, in the format that the file's name ends in.

import { extname } from 'node:path';
import type { CueOptions } from '../captions/caption-cues.ts';
import { captionsSrt } from '../captions/sub-rip.ts';
import { captionsVtt } from '../captions/web-vtt.ts';
import type { TimedWord } from '../captions/word-timeline.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import { type Terminal, UsageError } from './command.ts';
import type { TextInput } from './text-input.ts';

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

const WRITERS: Readonly<Record<string, Writer>> = {
  '.vtt': captionsVtt,
  '.srt': captionsSrt,
  '.json': captionsJson,
};

/** Throws a UsageError when the name does not say a format. */
export function captionWriter(path: string): Writer {
  const ending = extname(path).toLowerCase();
  const writer = Object.hasOwn(WRITERS, ending) ? WRITERS[ending] : undefined;
  if (writer !== undefined) return writer;
  throw new UsageError(
    `--captions is ${JSON.stringify(path)}; allowed: a name that ends in ${Object.keys(WRITERS).join(' ')}`,
  );
}

export type CaptionKeeper = {
  /** Text that is spoken, in order: cues quote it. */
  addText(text: string): void;
  /** The same input, whose text is added as it is read. */
  overhear(input: TextInput): TextInput;
  /** What the gateway says, for the captions among it, and for the list of words that replaces them in the end. */
  onEvent(event: ServerEvent): void;
  /** Words so far. */
  words(): number;
  /** Complains of words that were not found in the audio, if there are any. */
  check(terminal: Pick<Terminal, 'complain'>): 'fine' | 'faulty';
  /** The file. */
  write(writer: Writer): Uint8Array;
};

export function createCaptionKeeper(): CaptionKeeper {
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
    overhear(input) {
      return {
        async *[Symbol.asyncIterator]() {
          for await (const text of input) {
            spoken += text;
            yield text;
          }
        },
        destroy: () => input.destroy?.(),
      };
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
    write: (writer) => Buffer.from(writer(words, { lines: [spoken], nameOf: () => undefined, endMs })),
  };
}
