// Samples → FLAC as it is made: 16-bit mono in blocks of 20 ms, each a frame of its own, none waiting for a
// later one (RFC 9639). Lossless of the same 16-bit values that raw and wav carry. Our own: codecs in WASM are made
// for files, and hold back a tenth of a second or more.

import { toOffset16 } from '../dsp/pcm16.ts';
import type { AudioFrame, ReleasableStage } from '../stage.ts';
import { createBitWriter } from './bit-writer.ts';
import { createCrc } from './crc.ts';
import { flacStreamHeader, writeFlacBlockHeader } from './flac-headers.ts';
import { createSubframeWriter } from './flac-subframe.ts';

const crc16 = createCrc(16, 0x8005);

const BLOCKS_PER_SECOND = 50;
/** Block header, subframe type, padding to a byte, CRC-16. */
const MAX_OVERHEAD_BYTES = 20;

export type FlacRule = {
  readonly sampleRate: number;
  /** Samples of every block but the last, from 16 to 4608. */
  readonly blockLength: number;
  /** What stands in front of the first block. */
  readonly header: Uint8Array;
};

/**
 * Any whole `sampleRate` from 8000 to 48000 Hz. A frame is one block of at most 20 ms; the first has the stream's
 * header in front, the last is as short as it comes out. The split of the samples does not change the bytes, and
 * without a sample there is no frame.
 */
export function createFlacEncoder(
  sampleRate: number,
  emit: (frame: AudioFrame) => void,
): ReleasableStage<Float32Array> {
  const blockLength = Math.floor(sampleRate / BLOCKS_PER_SECOND);
  return createFlacBlocks(
    { sampleRate, blockLength, header: flacStreamHeader(sampleRate, blockLength) },
    emit,
  );
}

/** As `createFlacEncoder`, in blocks of another length and behind another header. */
export function createFlacBlocks(
  { sampleRate, blockLength, header: streamHeader }: FlacRule,
  emit: (frame: AudioFrame) => void,
): ReleasableStage<Float32Array> {
  const block = new Int32Array(blockLength);
  const coded = new Uint8Array(2 * blockLength + MAX_OVERHEAD_BYTES);
  const bits = createBitWriter(coded);
  const writeSubframe = createSubframeWriter(blockLength);
  let held = 0;
  let index = 0;

  const emitBlock = (): void => {
    const length = held;
    bits.reset(writeFlacBlockHeader(coded, { index, length, sampleRate }));
    writeSubframe(block, length, bits);
    bits.align();
    const end = bits.length();
    const crc = crc16(coded, 0, end);
    coded[end] = crc >> 8;
    coded[end + 1] = crc;
    const header = index === 0 ? streamHeader : NO_BYTES;
    const bytes = new Uint8Array(header.length + end + 2);
    bytes.set(header);
    bytes.set(coded.subarray(0, end + 2), header.length);
    held = 0;
    index += 1;
    emit({ bytes, samples: length });
  };

  return {
    push(samples) {
      for (let i = 0; i < samples.length; i++) {
        block[held++] = toOffset16(samples[i]!) - 32768;
        if (held === blockLength) emitBlock();
      }
    },
    release() {
      if (held === 0) return;
      // Only the last block of a stream may be shorter (RFC 9639, 8.2), and this need not be the last.
      block.fill(0, held);
      held = blockLength;
      emitBlock();
    },
    flush() {
      if (held > 0) emitBlock();
    },
  };
}

const NO_BYTES = new Uint8Array(0);
