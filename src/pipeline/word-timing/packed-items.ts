// Items of a speech on their way to the process that times words. Frames are laid one behind the other in one block as they
// come: many small ones would cost the sending path more, and objects that are kept until they are sent are copied by the
// garbage collector.

import type { FrameHeader, SoundFrame } from '../../audio/bodies/sound-frame.ts';
import type { TranscoderItem } from '../../audio/transcoder.ts';
import { itemMs } from '../body-spool.ts';

/** Frames that follow one another, all with the header of the first. */
export type PackedFrames = {
  /** Their bytes; until it is taken, with room for more behind them. */
  bytes: Uint8Array<ArrayBuffer>;
  readonly lengths: number[];
  readonly header: FrameHeader;
  /** Which of them come after a gap. */
  readonly gaps: number[];
};

export type PackedItem =
  | { readonly kind: 'frames'; readonly frames: PackedFrames }
  | Exclude<TranscoderItem, { readonly kind: 'frame' }>;

export type PackedPiece = { readonly items: readonly PackedItem[]; readonly ms: number };

export type ItemPacker = {
  /** Bytes of a frame are copied. */
  add(item: TranscoderItem): void;
  /** Audio that was added and not taken, ms. */
  heldMs(): number;
  /** Something was added and not taken. */
  hasSome(): boolean;
  /** The last item that was added and not taken is the end of a speech. */
  endsHere(): boolean;
  /** The oldest piece. */
  take(): PackedPiece | undefined;
  clear(): void;
};

const FIRST_BYTES = 2048;

/** MP3 frames tell the rest themselves; plain samples do not. */
const alike = (a: FrameHeader, b: FrameHeader) =>
  a === b ||
  (a.code === undefined &&
    b.code === undefined &&
    a.sampleRate === b.sampleRate &&
    a.samplesPerFrame === b.samplesPerFrame &&
    a.channels === b.channels);

/** `maxMs`: a piece with this much audio takes no further item. */
export function createItemPacker(maxMs: number): ItemPacker {
  let pieces: { items: PackedItem[]; ms: number }[] = [];
  let heldMs = 0;
  /** The last item of the last piece, while it takes further frames, and the bytes that are in use there. */
  let open: PackedFrames | undefined;
  let end = 0;
  let last: TranscoderItem['kind'] | undefined;

  const pieceFor = () => {
    const piece = pieces.at(-1);
    if (piece !== undefined && piece.ms < maxMs) return piece;
    const next = { items: [], ms: 0 };
    open = undefined;
    pieces.push(next);
    return next;
  };
  const addFrame = (piece: { items: PackedItem[] }, { bytes, header, afterGap }: SoundFrame) => {
    if (open === undefined || !alike(open.header, header)) {
      open = {
        bytes: new Uint8Array(Math.max(FIRST_BYTES, bytes.length)),
        lengths: [],
        header,
        gaps: [],
      };
      end = 0;
      piece.items.push({ kind: 'frames', frames: open });
    }
    if (end + bytes.length > open.bytes.length) {
      const wider = new Uint8Array(2 * (end + bytes.length));
      wider.set(open.bytes.subarray(0, end));
      open.bytes = wider;
    }
    open.bytes.set(bytes, end);
    end += bytes.length;
    if (afterGap === true) open.gaps.push(open.lengths.length);
    open.lengths.push(bytes.length);
  };

  return {
    add(item) {
      const piece = pieceFor();
      if (item.kind === 'frame') addFrame(piece, item.frame);
      else {
        open = undefined;
        piece.items.push(item);
      }
      const ms = itemMs(item);
      piece.ms += ms;
      heldMs += ms;
      last = item.kind;
    },
    heldMs: () => heldMs,
    hasSome: () => pieces.length > 0,
    endsHere: () => pieces.length > 0 && last === 'end',
    take() {
      const piece = pieces.shift();
      for (const item of piece?.items ?? []) if (item.kind === 'frames') leaveNoRoom(item.frames);
      if (pieces.length === 0) {
        open = undefined;
        heldMs = 0; // sums of fractions leave something
      } else heldMs -= piece!.ms;
      return piece;
    },
    clear() {
      pieces = [];
      open = undefined;
      heldMs = 0;
    },
  };
}

/** Sending copies the whole block: cuts off the unused room. */
function leaveNoRoom(frames: PackedFrames): void {
  let end = 0;
  for (const length of frames.lengths) end += length;
  frames.bytes = frames.bytes.subarray(0, end);
}

function unpackFrames({ bytes, lengths, header, gaps }: PackedFrames): SoundFrame[] {
  let at = 0;
  const gapsAt = new Set(gaps);
  return lengths.map((length, index) => {
    const frame = { bytes: bytes.subarray(at, at + length), header };
    at += length;
    return gapsAt.has(index) ? { ...frame, afterGap: true as const } : frame;
  });
}

export const unpackItems = (items: readonly PackedItem[]): TranscoderItem[] =>
  items.flatMap((item): TranscoderItem[] =>
    item.kind === 'frames' ? unpackFrames(item.frames).map((frame) => ({ kind: 'frame', frame })) : [item],
  );
