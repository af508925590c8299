// One context as the gateway keeps it: a chain of native turns, spoken one after another and beside those of other contexts.
// Mostly it is one turn; another is begun when the session has ended the text of the last one, or when a second voice joins.

import type { Aligner } from './aligner.ts';
import type { ContextMessage, TextPart } from './client-message.ts';
import type { ProtocolError } from './protocol-error.ts';

export type ContextTurn = {
  readonly id: string;
  readonly context: Context;
  /** `ended`: what comes now goes to another turn of the context. */
  text: 'open' | 'ended';
  /** How many voices it was opened with. */
  readonly voices: number;
  /** What its text ends with so far. */
  lastCharacter: string;
  /** Flushes behind the end of its text, answered with the end of its audio. */
  flushesOwed: number;
  /** Of audio whose length its bytes tell; known once it has started. */
  bytesPerMs: number | undefined;
};

export type Context = {
  readonly id: string;
  /**
   * `draining`: its client has closed it, and hears it to its end. `interrupted`: so it is, but the close came in the middle
   * of its audio; it is let go when another context is given its first words.
   */
  phase: 'open' | 'draining' | 'interrupted';
  /** The playout queue of its turns: the id of the first one. */
  queue: string | undefined;
  /** Those that have not ended, in order. */
  readonly turns: ContextTurn[];
  readonly aligner: Aligner;
  /** The last one that has ended: what was sent of it may be unheard. */
  lastEnded: string | undefined;
  /** Audio of the turns that have ended, ms. */
  baseMs: number;
  /** Whether something has been said since the last flush. */
  unflushed: 'nothing' | 'text';
  /** Where its audio was at its last flush, and where it is now, ms. */
  flushedAtMs: number;
  sentToMs: number;
  readonly speed: number | undefined;
  /** Speakers 1 and 2, as far as they are named. */
  readonly voices: string[];
  /** When the clock first found it without a new message; undefined while there is one that the clock has not seen. */
  quietSinceMs: number | undefined;
  /** Why it cannot go on; its client has been told. */
  failure: ProtocolError | undefined;
};

export const createContext = ({ context: id, speed, voices }: ContextMessage, aligner: Aligner): Context => ({
  id,
  phase: 'open',
  queue: undefined,
  turns: [],
  aligner,
  lastEnded: undefined,
  baseMs: 0,
  unflushed: 'nothing',
  flushedAtMs: 0,
  sentToMs: 0,
  speed,
  voices: [...new Set(voices)],
  quietSinceMs: undefined,
  failure: undefined,
});

export const MAX_VOICES = 2;

/** The speaker of a text; undefined where there is but one voice. A voice that was not named before is named by this. */
export function speakerOf(context: Context, { voice }: TextPart): 1 | 2 | undefined | 'one-too-many' {
  const { voices } = context;
  if (voice !== undefined && !voices.includes(voice)) {
    if (voices.length === MAX_VOICES) return 'one-too-many';
    voices.push(voice);
  }
  if (voices.length < MAX_VOICES) return undefined;
  return voice !== undefined && voices.indexOf(voice) === 1 ? 2 : 1;
}

/** What the first text of a turn says beside it. */
export const openingFields = ({ speed, voices }: Context) => ({
  ...(voices[0] !== undefined && { voice: voices[0] }),
  ...(voices[1] !== undefined && { voice2: voices[1] }),
  ...(speed !== undefined && { speed }),
});

/** The turn that takes text now, if one does. */
export function openTurnOf(context: Context): ContextTurn | undefined {
  const last = context.turns.at(-1);
  return last?.text === 'open' ? last : undefined;
}
