// The messages between the gateway and the process that times words, and the batching of those to it.

import type { LogEvent } from '../../base/log-events.ts';
import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import type { WordEstimate } from '../../captions/alignment/word-estimate.ts';
import type { Language } from '../../speech/language.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import type { PackedItem } from './packed-items.ts';
import type { TimedSpeech } from './word-timer.ts';

/** A speech has a number that is never used again. */
export type WordTimerOrder = { readonly speech: number } & (
  | {
      readonly kind: 'open';
      readonly language: Language;
      readonly speed: number;
      readonly voice: string | undefined;
      readonly wants: TimedSpeech['wants'];
    }
  /** Requests from here on are spoken by another voice. */
  | { readonly kind: 'voice'; readonly voice: string | undefined }
  | { readonly kind: 'request'; readonly index: number; readonly text: AlignedText }
  /** `leadIsHeard`: the encoder's delay of these frames is played, because they go out undecoded. */
  | { readonly kind: 'items'; readonly items: readonly PackedItem[]; readonly leadIsHeard: boolean }
  | { readonly kind: 'take-back'; readonly frames: number }
  | { readonly kind: 'ending'; readonly likeness: 'asked' | 'on-suspicion' }
  | { readonly kind: 'settle' }
  | { readonly kind: 'close' }
);

export type WordTimerMessage =
  /** The first. `command` starts the local engine's speech program; undefined: there is none. */
  | {
      readonly kind: 'start';
      readonly command: readonly string[] | undefined;
      readonly works: 'in-spare-time' | 'in-background';
    }
  /** The orders of one iteration of the event loop: a message costs more than an order. */
  | { readonly kind: 'orders'; readonly orders: readonly WordTimerOrder[] }
  /** The process ends, and its speech program with it. */
  | { readonly kind: 'stop' };

export type WordTimerAnswer =
  | {
      readonly kind: 'estimate';
      readonly speech: number;
      readonly index: number;
      readonly startsMs: Float64Array;
      readonly endsMs: Float64Array;
      readonly reached: number;
      readonly withinMs: number;
      readonly unsure?: WordEstimate['unsure'];
      readonly soundMs?: number | undefined;
      readonly usualMs?: ArrayLike<number> | undefined;
      /** It is also the answer to `items`: saves a message. */
      readonly hasTaken: boolean;
    }
  /** One for each `items` that brought no estimate, so that no more are sent than are processed. */
  | { readonly kind: 'taken'; readonly speech: number }
  | { readonly kind: 'settled'; readonly speech: number }
  /** One for each `ending`; undefined where it cannot be known. */
  | { readonly kind: 'ending'; readonly speech: number; readonly ending: HeardEnding | undefined }
  | { readonly kind: 'log'; readonly event: LogEvent; readonly cause: string };

/** Sends the messages of one iteration of the event loop as one: posting costs far more than the content of a small message. */
export type GatheredPosts<Message> = {
  tell(message: Message): void;
  /** Posts what has been gathered now. */
  readonly flush: () => void;
};

export function createGatheredPosts<Message>(
  soon: (task: () => void) => void,
  post: (messages: readonly Message[]) => void,
): GatheredPosts<Message> {
  let messages: Message[] = [];
  const flush = () => {
    if (messages.length === 0) return;
    const told = messages;
    messages = [];
    post(told);
  };
  return {
    tell(message) {
      if (messages.length === 0) soon(flush);
      messages.push(message);
    },
    flush,
  };
}
