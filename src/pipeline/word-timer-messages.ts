// What the main thread and the thread that times words say to each other. Frames of MP3 go as one block that changes
// hands, because many small ones cost the sending path more.

import type { Mp3Frame } from '../audio/mp3-frame-parser.ts';
import type { Mp3Header } from '../audio/mp3-header.ts';
import type { TranscoderItem } from '../audio/transcoder.ts';
import type { Language } from '../speech/language.ts';
import type { AlignedText } from '../text/aligned-text.ts';

/** Frames that follow one another, all with the header of the first. */
export type PackedMp3 = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lengths: readonly number[];
  readonly header: Mp3Header;
  /** Which of them come after a gap. */
  readonly gaps: readonly number[];
};

export type TimedItem =
  | { readonly kind: 'frames'; readonly frames: PackedMp3 }
  | Exclude<TranscoderItem, { readonly kind: 'frame' }>;

/** A speech has a number that is never used again. */
export type SpeechOrder = { readonly speech: number } & (
  | {
      readonly kind: 'open';
      readonly language: Language;
      readonly speed: number;
      readonly voice: string | undefined;
    }
  | { readonly kind: 'request'; readonly text: AlignedText }
  /** `leadIsHeard`: the encoder's delay of these frames is played, because they go out undecoded. */
  | { readonly kind: 'items'; readonly items: readonly TimedItem[]; readonly leadIsHeard: boolean }
  | { readonly kind: 'take-back'; readonly frames: number }
  | { readonly kind: 'settle' }
  | { readonly kind: 'close' }
);

/** `stop`: the thread ends, and its speech program with it. */
export type WordTimerOrder = SpeechOrder | { readonly kind: 'stop' };
/** What one turn of the event loop has for the thread: a message is dearer than an order. */
export type WordTimerOrders = readonly WordTimerOrder[];

export type WordTimerAnswer =
  | {
      readonly kind: 'estimate';
      readonly speech: number;
      readonly index: number;
      readonly startsMs: Float64Array;
      readonly endsMs: Float64Array;
      readonly reached: number;
      readonly withinMs: number;
      /** It answers `items`, too: a message less. */
      readonly hasTaken: boolean;
    }
  /** One for each `items` that brought no estimate, so that no more are sent than are worked off. */
  | { readonly kind: 'taken'; readonly speech: number }
  | { readonly kind: 'settled'; readonly speech: number }
  | { readonly kind: 'log'; readonly event: string; readonly cause: string };

const alike = (a: Mp3Header, b: Mp3Header) =>
  a.sampleRate === b.sampleRate && a.samplesPerFrame === b.samplesPerFrame && a.channels === b.channels;

function packMp3(frames: readonly Mp3Frame[]): PackedMp3 {
  const lengths = frames.map(({ bytes }) => bytes.length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  const gaps: number[] = [];
  let at = 0;
  for (const [index, frame] of frames.entries()) {
    bytes.set(frame.bytes, at);
    at += frame.bytes.length;
    if (frame.afterGap) gaps.push(index);
  }
  return { bytes, lengths, header: frames[0]!.header, gaps };
}

function unpackMp3({ bytes, lengths, header, gaps }: PackedMp3): Mp3Frame[] {
  let at = 0;
  const gapsAt = new Set(gaps);
  return lengths.map((length, index) => {
    const frame = { bytes: bytes.subarray(at, at + length), header };
    at += length;
    return gapsAt.has(index) ? { ...frame, afterGap: true as const } : frame;
  });
}

/** `items` with the frames that follow one another packed. */
export function packItems(items: readonly TranscoderItem[]): TimedItem[] {
  const packed: TimedItem[] = [];
  let frames: Mp3Frame[] = [];
  const pack = () => {
    if (frames.length > 0) packed.push({ kind: 'frames', frames: packMp3(frames) });
    frames = [];
  };
  for (const item of items) {
    if (item.kind !== 'frame') {
      pack();
      packed.push(item);
      continue;
    }
    if (frames.length > 0 && !alike(frames[0]!.header, item.frame.header)) pack();
    frames.push(item.frame);
  }
  pack();
  return packed;
}

export const unpackItems = (items: readonly TimedItem[]): TranscoderItem[] =>
  items.flatMap((item): TranscoderItem[] =>
    item.kind === 'frames' ? unpackMp3(item.frames).map((frame) => ({ kind: 'frame', frame })) : [item],
  );
