// The messages that `slices` times, one row each: what is sent before, and the message.

import type { SessionLimits } from '../../src/session/session-runtime.ts';

export type SliceRow = {
  readonly name: string;
  /** `hard`: with each of the hard texts; `prose`: its text says nothing about its time. */
  readonly texts: 'hard' | 'prose';
  /** `text`: the longest that one message may carry, of at most so many UTF-16 units. */
  make(
    text: (mostUnits: number) => string,
    limits: SessionLimits,
  ): { readonly before: readonly string[]; readonly message: string };
};

const frame = (message: object) => JSON.stringify(message);
const TURN = 'a';
const append = (text: string, fields = {}) => frame({ type: 'append', turn: TURN, text, ...fields });
/** What one request of the speech service takes. */
const REQUEST_UNITS = 20_000;

export const SLICE_ROWS: readonly SliceRow[] = [
  {
    name: 'append',
    texts: 'hard',
    make: (text, { pendingTextChars }) => ({ before: [], message: append(text(pendingTextChars)) }),
  },
  {
    name: 'append-kept',
    texts: 'hard',
    make: (text, { pendingTextChars }) => ({
      before: [frame({ type: 'configure', markup: 'keep' })],
      message: append(text(pendingTextChars)),
    }),
  },
  {
    name: 'append-prefixes',
    texts: 'hard',
    make: (text, { pendingTextChars }) => ({
      before: [],
      message: append(text(pendingTextChars), { turnPrefix: `${text(150)}:`, turnPrefix2: 'B:' }),
    }),
  },
  {
    name: 'speak',
    texts: 'hard',
    make: (text, { textChars }) => ({
      before: [],
      message: frame({ type: 'speak', turn: TURN, text: text(textChars) }),
    }),
  },
  {
    name: 'speak-one-request',
    texts: 'hard',
    make: (text) => ({
      before: [],
      message: frame({ type: 'speak', turn: TURN, text: text(REQUEST_UNITS) }),
    }),
  },
  {
    name: 'speak-cached',
    texts: 'prose',
    make: (text, { textChars }) => ({
      before: [],
      message: frame({ type: 'speak', turn: TURN, text: text(textChars), cache: 'on' }),
    }),
  },
  {
    name: 'dialogue',
    texts: 'hard',
    make: (text) => {
      const all = text(200_000);
      const lines = Array.from({ length: 50 }, (_, n) => ({
        speaker: (n % 2) + 1,
        text: all.slice((n * all.length) / 50, ((n + 1) * all.length) / 50) || 'a',
      }));
      return { before: [], message: frame({ type: 'speak', turn: TURN, dialogue: lines }) };
    },
  },
  {
    name: 'short-lines',
    texts: 'prose',
    make: () => {
      const lines = Array.from({ length: 1000 }, (_, n) => ({ speaker: (n % 2) + 1, text: 'a.' }));
      return { before: [], message: frame({ type: 'speak', turn: TURN, dialogue: lines }) };
    },
  },
  {
    name: 'seek',
    texts: 'hard',
    make: (text, { pendingTextChars }) => ({
      before: [append(`One.\n\n${text(pendingTextChars - 6)}`)],
      message: frame({ type: 'seek', turn: TURN, paragraph: 1 }),
    }),
  },
  {
    name: 'flush',
    texts: 'hard',
    make: (text, { pendingTextChars }) => ({
      before: [append(text(pendingTextChars))],
      message: frame({ type: 'flush', turn: TURN }),
    }),
  },
  {
    name: 'end',
    texts: 'hard',
    make: (text, { pendingTextChars }) => ({
      before: [append(text(pendingTextChars))],
      message: frame({ type: 'end', turn: TURN }),
    }),
  },
  {
    name: 'cancel',
    texts: 'hard',
    make: (text, { pendingTextChars }) => ({
      before: [append(text(pendingTextChars))],
      message: frame({ type: 'cancel', turn: TURN }),
    }),
  },
  {
    name: 'mark',
    texts: 'prose',
    make: (text, { pendingTextChars }) => ({
      before: [append(text(pendingTextChars))],
      message: frame({ type: 'mark', turn: TURN, name: 'm'.repeat(100) }),
    }),
  },
  {
    name: 'played',
    texts: 'prose',
    make: (text, { pendingTextChars }) => ({
      before: [append(text(pendingTextChars))],
      message: frame({ type: 'played', turn: TURN, ms: 1 }),
    }),
  },
  {
    name: 'configure',
    texts: 'prose',
    make: (text) => ({
      before: [],
      message: frame({ type: 'configure', prompt: text(20_000), prompt2: text(20_000) }),
    }),
  },
];
