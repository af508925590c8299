// What the gateway and the process that times words say to each other.

import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
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
  | { readonly kind: 'start'; readonly command: readonly string[] | undefined }
  /** What one turn of the event loop has for it: a message is dearer than an order. */
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
      readonly soundMs?: number | undefined;
      readonly usualMs?: ArrayLike<number> | undefined;
      /** It answers `items`, too: a message less. */
      readonly hasTaken: boolean;
    }
  /** One for each `items` that brought no estimate, so that no more are sent than are worked off. */
  | { readonly kind: 'taken'; readonly speech: number }
  | { readonly kind: 'settled'; readonly speech: number }
  /** One for each `ending`; undefined where it cannot be told. */
  | { readonly kind: 'ending'; readonly speech: number; readonly ending: HeardEnding | undefined }
  | { readonly kind: 'log'; readonly event: string; readonly cause: string };
