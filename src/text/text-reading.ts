// What every text of a turn passes before its sentences are looked for: what a model thinks or calls is left out where markup is
// removed, then the caller's turn prefixes part the rest. In this order, for a thought may name a speaker.

import { codePointLength } from './code-points.ts';
import { ModelTalk, mayHoldTalk, type TalkOptions, type TalkSink, type TalkState } from './model-talk.ts';
import type { TextPlace } from './paragraphs.ts';
import type { Run, Speaker } from './segment.ts';
import { createTurnPrefixReader, type TurnPrefixes } from './turn-prefix-reader.ts';

/** What a text is cut from: its own positions, and the speakers that the text does not name. */
export type SaidText = {
  readonly text: string;
  /** From here on; positions stay those of the whole text. */
  readonly from: TextPlace;
  /** Changes of speaker that are not in the text, in order, by the UTF-16 unit before which they stand. */
  readonly speakers: readonly { readonly unit: number; readonly speaker: Speaker }[];
};

export type ReadingOptions = Partial<TurnPrefixes> & {
  readonly markup: 'strip' | 'keep';
  /** `whole`: all of the text is there. `coming`: it is held no longer than it must. */
  readonly text: 'whole' | 'coming';
};

export type ReadingSink = TalkSink & { speaker(speaker: Speaker, emphasis: string): void };

export type TextReading = {
  /** `text` adjoins what was pushed before, and parts no surrogate pair. */
  push(text: string, start: number): void;
  flush(): void;
  idle(): void;
  heldCharacters(): number;
};

/** Where a text is read on from. */
export type ReadingState = {
  /** Undefined: none has been named. */
  readonly speaker: Speaker | undefined;
  readonly talk: TalkState | undefined;
};

const talkOptions = (
  { turnPrefix, turnPrefix2, text }: ReadingOptions,
  place: 'start' | 'within',
): TalkOptions => ({
  prefixes: [turnPrefix, turnPrefix2].filter((prefix) => prefix !== undefined),
  front: place === 'within' ? 'none' : text === 'whole' ? 'long' : 'short',
});

/** `place` is where the text begins: front matter is found at its start only. */
export function openReading(
  options: ReadingOptions,
  place: 'start' | 'within',
  sink: ReadingSink,
  state?: TalkState,
): TextReading {
  const { markup } = options;
  const { turnPrefix, turnPrefix2 } = options;
  const prefixes = createTurnPrefixReader(
    { turnPrefix, turnPrefix2 },
    {
      onSpeaker: (speaker, emphasis) => sink.speaker(speaker, emphasis),
      onText: (text, start) => sink.text(text, start),
    },
    markup,
  );
  if (markup === 'keep') return Object.assign(prefixes, { idle() {} });
  const talk = new ModelTalk(
    talkOptions(options, place),
    {
      text: (text, start) => prefixes.push(text, start),
      gap() {
        prefixes.gap();
        sink.gap();
      },
      lineBreak: () => sink.lineBreak(),
    },
    state,
  );
  return {
    push: (text, start) => talk.push(text, start),
    flush() {
      talk.flush();
      prefixes.flush();
    },
    idle: () => talk.idle(),
    heldCharacters: () => talk.heldCharacters() + prefixes.heldCharacters(),
  };
}

const NOWHERE: TalkSink = { text() {}, gap() {}, lineBreak() {} };

/** The end of a thought may lie among a few others; its beginning was in the prompt. */
const LONE_END = /<\/|END_|end_of|<channel\|>|\[\/THINK|◁\//i;
const LOOK_UNITS = 4096;

/** How much of a whole text is a thought whose beginning is missing, in UTF-16 units from its start. */
function strayThought(
  { text, speakers }: Pick<SaidText, 'text' | 'speakers'>,
  options: ReadingOptions,
): number {
  if (options.text === 'coming' || speakers.length > 0 || !LONE_END.test(text)) return 0;
  const talk = new ModelTalk(talkOptions(options, 'start'), NOWHERE);
  for (let at = 0; at < text.length && talk.firstThought() === undefined; at += LOOK_UNITS)
    talk.push(text.slice(at, at + LOOK_UNITS), at);
  talk.flush();
  const first = talk.firstThought();
  return first?.does === 'closes' ? first.end : 0;
}

const stateBehind = (skip: number): TalkState => ({ block: undefined, fence: '', skip });

/** The index of the first change behind `unit`. */
export function firstBehind(speakers: SaidText['speakers'], unit: number): number {
  let [from, to] = [0, speakers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (speakers[middle]!.unit > unit) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Who speaks at the place where `said` begins, and what a model was doing there. */
export function readingAt(said: SaidText, options: ReadingOptions): ReadingState {
  const { text, from, speakers } = said;
  const told = speakers[firstBehind(speakers, from.unit) - 1];
  let speaker = told?.speaker;
  const skip = options.markup === 'keep' ? 0 : strayThought(said, options);
  const start = skip === 0 ? undefined : stateBehind(skip);
  const hasPrefixes = options.turnPrefix !== undefined || options.turnPrefix2 !== undefined;
  const at = told?.unit ?? 0;
  const before = text.slice(at, from.unit);
  if (before === '') return { speaker, talk: start };
  const mayTalk = options.markup === 'strip' && (skip > 0 || mayHoldTalk(before));
  if (!hasPrefixes && !mayTalk) return { speaker, talk: undefined };
  const prefixes = createTurnPrefixReader(
    { turnPrefix: options.turnPrefix, turnPrefix2: options.turnPrefix2 },
    {
      onSpeaker(found) {
        speaker = found;
      },
      onText() {},
    },
    options.markup,
  );
  if (!mayTalk) {
    prefixes.push(before, 0);
    prefixes.flush();
    return { speaker, talk: undefined };
  }
  const talk = new ModelTalk(
    talkOptions(options, at === 0 ? 'start' : 'within'),
    { text: (read, place) => prefixes.push(read, place), gap: () => prefixes.gap(), lineBreak() {} },
    start,
  );
  talk.push(before, 0);
  talk.flush();
  prefixes.flush();
  return { speaker, talk: talk.state() };
}

/** What is told of a text to those who ask what was heard of it: all of it but what was left out. */
export function toldRuns(
  { text, speakers }: Pick<SaidText, 'text' | 'speakers'>,
  options: ReadingOptions,
): readonly Run[] {
  if (options.markup === 'keep' || !mayHoldTalk(text)) return [{ text, start: 0 }];
  const runs: Run[] = [];
  const sink: TalkSink = { ...NOWHERE, text: (kept, start) => runs.push({ text: kept, start }) };
  const skip = strayThought({ text, speakers }, options);
  let point = 0;
  for (let at = 0, change = firstBehind(speakers, 0); at < text.length; change += 1) {
    const end = speakers[change]?.unit ?? text.length;
    const place = at === 0 ? 'start' : 'within';
    const talk = new ModelTalk(talkOptions(options, place), sink, at === 0 ? stateBehind(skip) : undefined);
    const part = text.slice(at, end);
    talk.push(part, point);
    talk.flush();
    point += codePointLength(part);
    at = end;
  }
  return runs;
}
