// mpg123 as the reference of our MP3 decoder, by the public interface of its package: one instance for each stream. Frames that our
// decoder does not play reach it empty, with zeros as side information, because mpg123 would make noise of them.

import { MPEGDecoder } from 'mpg123-decoder';
import { createPlainMixer } from '../../src/audio/dsp/mix-down.ts';
import { Mp3HeaderReader, sideInfoBytes } from '../../src/audio/mp3/mp3-header.ts';
import { mainDataBegin, mainDataBits, sideInfoOffset } from '../../src/audio/mp3/mp3-side-info.ts';

/** Twice full scale comes only from damaged gains: such a frame is muted, and the next one is not played. */
const LOUDEST_SAMPLE = 2;
/** main_data_begin has nine bits. */
const MAX_RESERVOIR_BYTES = 511;

/** The samples of `frames`, which are one stream, as our decoder promises them: mono, clipped, as many as each frame has. */
export async function decodeByMpg123(frames: readonly Uint8Array[]): Promise<Float32Array> {
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  const headers = new Mp3HeaderReader();
  const mixer = createPlainMixer();
  const parts: Float32Array[] = [];
  let isTainted = false;
  /** Bytes of earlier bodies that no frame has used yet. */
  let reservoirBytes = 0;
  for (const frame of frames) {
    const header = headers.ofFrame(frame);
    if (header === undefined) continue;
    const length = header.samplesPerFrame;
    const part = new Float32Array(length);
    parts.push(part);

    const sideInfoAt = sideInfoOffset(header);
    const bodyAt = sideInfoAt + sideInfoBytes(header);
    const atHand = mainDataBegin(frame, header) + frame.length - bodyAt;
    const bits = mainDataBits(frame, header);
    const isWhole = mainDataBegin(frame, header) <= reservoirBytes && bits >= 0 && bits <= atHand * 8;
    const isPlayed = isWhole && !isTainted;
    const left = isPlayed ? atHand - Math.ceil(bits / 8) : reservoirBytes + frame.length - bodyAt;
    reservoirBytes = Math.min(MAX_RESERVOIR_BYTES, left);

    const { channelData, samplesDecoded } = decoder.decodeFrame(
      isPlayed ? frame : frame.slice().fill(0, sideInfoAt, bodyAt),
    );
    if (samplesDecoded !== length) continue;
    const peak = mixer.mixDown(Float32Array.from([...channelData[0]!, ...channelData[1]!]), 2, length);
    if (!isTainted && peak <= LOUDEST_SAMPLE) part.set(mixer.mono(length));
    isTainted = peak > LOUDEST_SAMPLE;
  }
  decoder.free();
  return Float32Array.from(parts.flatMap((part) => [...part]));
}
