// A telephony platform's media socket as a table of rules and a codec: what it says in our words, and how we say to it
// what there is to say. Codecs are pure; a connection has one of its own, because some learn from the first message.

import type { PlainSound } from '../speech/plain-sound.ts';

/** What a call carries, both ways. */
export type LegAudio = PlainSound;

/** One message on the wire: text as a string, binary as bytes. */
export type LegFrame = string | Uint8Array;

/** What a platform says. */
export type LegInput =
  | {
      readonly kind: 'start';
      /** The platform's id of the call; undefined where it has none. */
      readonly callId: string | undefined;
      /** Whom the leg belongs to, where the platform carries it in its first message. */
      readonly token: string | undefined;
      readonly audio: LegAudio;
    }
  /** A call whose codec or rate is none of ours. */
  | {
      readonly kind: 'unserved';
      readonly callId: string | undefined;
      readonly token: string | undefined;
      /** What the platform named, and what is served; both short and without what nobody is to read. */
      readonly came: string;
      readonly served: string;
    }
  /** From now on the call is in this audio, both ways. */
  | { readonly kind: 'audio-changed'; readonly audio: LegAudio }
  /** What the caller says, in the leg's audio. */
  | { readonly kind: 'audio'; readonly bytes: Uint8Array }
  /** `echoed`: played, unless everything was cleared after the mark had been sent. */
  | { readonly kind: 'mark'; readonly name: string; readonly fate: 'echoed' | 'played' | 'cleared' }
  | { readonly kind: 'digit'; readonly digit: string }
  | { readonly kind: 'flow'; readonly state: 'stop' | 'go' }
  | { readonly kind: 'stop' }
  /** Nothing that its documents tell of; counted, never harmful. */
  | { readonly kind: 'unknown' };

export type LegRules = {
  /** Whether the platform keeps the time and takes audio ahead of it, or plays what comes when it comes. */
  readonly clock: 'carrier' | 'sender';
  /** How far ahead of real time audio is sent. */
  readonly leadMs: number;
  /** Once a turn plays, a message holds so much audio at least. */
  readonly leastMs: number;
  /** A message holds so many bytes of audio at most. */
  readonly mostBytes: number;
  /** Messages hold multiples of this; a last one is filled up with silence. */
  readonly stepMs: number;
  /** No message holds less: what begins waits for so much, and what ends is filled up to it. */
  readonly shortestMs?: number;
  /** So many marks may be on their way; beyond that none is sent. */
  readonly mostMarks?: number;
};

export type LegCodec = {
  rules(): LegRules;
  read(frame: LegFrame): readonly LegInput[];
  media(bytes: Uint8Array): readonly LegFrame[];
  /** Comes back when what was sent before it has been played; absent: there is no such thing. */
  mark?(name: string): readonly LegFrame[];
  /** Drops all that was sent and not played; absent: there is no such thing. */
  clear?(): readonly LegFrame[];
  /** Ends the call; absent: closing the socket does. */
  hangUp?(): readonly LegFrame[];
};

export type Leg = {
  /** Its part of the path: /v1/legs/KIND. */
  readonly kind: string;
  /** Subprotocols that it speaks; the first that is offered is selected. */
  readonly protocols: readonly string[];
  open(): LegCodec;
};
