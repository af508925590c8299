// The text of a turn as it is spoken: whole from the beginning, and each word is wrapped when its caption comes, so that
// lighting it is one class on one element.

import type { CaptionMoment, TrackedWord } from '../caption-track.ts';
import type { SpokenTurn } from '../spoken-turn.ts';
import { madeElement } from './page-element.ts';

export type TranscriptView = {
  /** Text and words as they are now. */
  show(turn: SpokenTurn): void;
  light(moment: CaptionMoment): void;
};

/** A stretch of a line that no caption has told of yet, from code point `start` on. */
type Rest = { readonly start: number; readonly node: Text };
type LineView = {
  readonly paragraph: HTMLParagraphElement;
  shown: string;
  readonly rests: Rest[];
  readonly words: Map<number, HTMLSpanElement>;
};

const NONE: CaptionMoment = { begun: 0, lit: undefined };
const SPEAKERS = { 1: 'A', 2: 'B' };

/** Where `points` code points end in `text`. */
function unitsOf(text: string, points: number): number {
  let at = 0;
  for (let i = 0; i < points && at < text.length; i++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

function createLine(speaker: 1 | 2 | undefined, text: string): LineView {
  const paragraph = madeElement('p');
  if (speaker !== undefined) {
    paragraph.append(madeElement('span', { className: 'speaker', text: SPEAKERS[speaker] }));
  }
  const node = new Text(text);
  paragraph.append(node);
  return { paragraph, shown: text, rests: [{ start: 0, node }], words: new Map() };
}

function wrap(line: LineView, { charStart, charEnd }: TrackedWord): HTMLSpanElement | undefined {
  const known = line.words.get(charStart);
  if (known !== undefined) return known;
  const at = line.rests.findLastIndex(({ start }) => start <= charStart);
  const rest = line.rests[at];
  if (rest === undefined) return undefined;
  const word = rest.node.splitText(unitsOf(rest.node.data, charStart - rest.start));
  const after = word.splitText(unitsOf(word.data, charEnd - charStart));
  if (word.data === '') return undefined;
  const span = madeElement('span', { text: word.data });
  word.replaceWith(span);
  line.words.set(charStart, span);
  line.rests.splice(at + 1, 0, { start: charEnd, node: after });
  return span;
}

export function createTranscriptView(region: HTMLElement): TranscriptView {
  let turn: SpokenTurn | undefined;
  let lines: LineView[] = [];
  let spans: (HTMLSpanElement | undefined)[] = [];
  let shown: CaptionMoment = NONE;
  let isSplit = false;

  function open(next: SpokenTurn): void {
    turn = next;
    lines = next.lines.map(({ speaker, text }) => createLine(speaker, text));
    spans = [];
    shown = NONE;
    isSplit = false;
    region.replaceChildren(...lines.map(({ paragraph }) => paragraph));
    region.scrollTop = 0;
  }

  /** What the gateway says was heard, and what was not. */
  function showHeard({ spokenText, remainingText }: { spokenText: string; remainingText: string }): void {
    isSplit = true;
    const heard = madeElement('span', { className: 'said', text: spokenText.trimEnd() });
    heard.dataset.part = 'heard';
    const note = madeElement('span', { className: 'unseen', text: ' – interrupted here; not heard: ' });
    const rest = madeElement('span', { className: 'unheard', text: remainingText.trim() });
    rest.dataset.part = 'unheard';
    const paragraph = madeElement('p');
    paragraph.append(heard, madeElement('span', { className: 'cut-here' }), note, rest);
    region.replaceChildren(paragraph);
    region.scrollTop = 0;
  }

  function light(moment: CaptionMoment): void {
    if (isSplit) return;
    if (moment.begun < shown.begun) {
      for (const span of spans) span?.classList.remove('said');
      shown = { begun: 0, lit: shown.lit };
    }
    for (let i = shown.begun; i < moment.begun; i++) spans[i]?.classList.add('said');
    if (moment.lit !== shown.lit) {
      if (shown.lit !== undefined) spans[shown.lit]?.classList.remove('lit');
      const lit = moment.lit === undefined ? undefined : spans[moment.lit];
      lit?.classList.add('lit');
      if (lit !== undefined) keepInView(lit);
    }
    shown = moment;
  }

  function keepInView(word: HTMLElement): void {
    const [inside, box] = [region.getBoundingClientRect(), word.getBoundingClientRect()];
    if (box.bottom > inside.bottom - 8 || box.top < inside.top)
      region.scrollTop += box.top - inside.top - inside.height / 3;
  }

  return {
    show(next) {
      if (turn !== next) open(next);
      const { heard } = next.timeline;
      if (next.isCut && heard !== undefined) {
        if (!isSplit) showHeard(heard);
        return;
      }
      for (const [at, { text }] of next.lines.entries()) {
        const line = lines[at]!;
        if (text.length > line.shown.length)
          line.rests.at(-1)!.node.appendData(text.slice(line.shown.length));
        line.shown = text;
      }
      const { words } = next.track;
      if (words.length < spans.length) {
        light({ begun: Math.min(shown.begun, words.length), lit: undefined });
        spans.length = words.length;
      }
      for (const word of words.slice(spans.length)) {
        const line = lines[word.line];
        spans.push(line === undefined ? undefined : wrap(line, word));
      }
    },
    light,
  };
}
