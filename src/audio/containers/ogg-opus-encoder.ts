// Samples → Ogg Opus: cuts them into packets of 20 ms, and adds what the encoder's delay and the last packet need in
// silence, so that exactly the samples that went in are heard, no more and no fewer. A release on the way puts at
// most 40 ms of silence in. Sound of a rate that Opus does not have is brought to the next one that it has.

import { opusRateOf } from '../../speech/audio-format.ts';
import { createFilterBanks, type FilterBanks } from '../dsp/filter-bank.ts';
import { encodePcm16 } from '../dsp/pcm16.ts';
import { createResampler } from '../dsp/resampler.ts';
import type { AudioFrame, ClosableStage, ReleasableStage, Stage } from '../stage.ts';
import { createOggOpusWriter, type OggOpusRule } from './ogg-opus-writer.ts';
import { OPUS_LOOKAHEAD_48K, OPUS_PACKET_MS, openOpusEncoder } from './opus-encoder.ts';

/** What a file has and a turn has not; `bitrateKbps` undefined: as a turn. */
export type OggOpusFileRule = Pick<OggOpusRule, 'tags' | 'packetsPerPage'> & {
  readonly bitrateKbps: number | undefined;
};

type OggOpusStage = ClosableStage<Float32Array> & ReleasableStage<Float32Array>;

/** The split of the samples does not change the bytes; none gives no frame. */
export function createOggOpusEncoder(
  sampleRate: number,
  emit: (frame: AudioFrame) => void,
  file: Partial<OggOpusFileRule> = {},
): OggOpusStage {
  const codedRate = opusRateOf(sampleRate);
  return codedRate === sampleRate
    ? createCodedStage(sampleRate, sampleRate, emit, file)
    : createConvertedStage(sampleRate, codedRate, emit, file);
}

/** One for each thread, and only where such a rate is asked for. */
let banks: FilterBanks | undefined;

/** Frames tell their samples at `sampleRate`, as they went in. */
function createConvertedStage(
  sampleRate: number,
  codedRate: number,
  emit: (frame: AudioFrame) => void,
  file: Partial<OggOpusFileRule>,
): OggOpusStage {
  banks ??= createFilterBanks();
  const filters = banks;
  let codedSamples = 0;
  let samples = 0;
  const coded = createCodedStage(
    codedRate,
    sampleRate,
    (frame) => {
      codedSamples += frame.samples;
      const until = Math.round((codedSamples * sampleRate) / codedRate);
      emit({ bytes: frame.bytes, samples: until - samples });
      samples = until;
    },
    file,
  );
  const open = (): Stage<Float32Array> =>
    createResampler(filters, { fromRate: sampleRate, toRate: codedRate }, (block) => coded.push(block));
  let way = open();
  return {
    push: (block) => way.push(block),
    release() {
      // What comes later begins anew: a filter that has been flushed has silence in it.
      way.flush();
      way = open();
      coded.release();
    },
    flush() {
      way.flush();
      coded.flush();
    },
    close: () => coded.close(),
  };
}

/** `sampleRate` is one of Opus' five. */
function createCodedStage(
  sampleRate: number,
  inputRate: number,
  emit: (frame: AudioFrame) => void,
  { bitrateKbps, ...file }: Partial<OggOpusFileRule>,
): OggOpusStage {
  const codec = openOpusEncoder(sampleRate, bitrateKbps);
  const writer = createOggOpusWriter({ sampleRate, inputRate, preSkip: OPUS_LOOKAHEAD_48K, ...file }, emit);
  const packetSamples = (sampleRate * OPUS_PACKET_MS) / 1000;
  const lookahead = (OPUS_LOOKAHEAD_48K * sampleRate) / 48_000;
  const held = new Float32Array(packetSamples);
  const pcm = new Uint8Array(2 * packetSamples);
  let heldSamples = 0;
  /** What went in, silence included. */
  let samples = 0;
  let packets = 0;
  let isReleased = true;

  const encodeHeld = (): Uint8Array => {
    encodePcm16(held.fill(0, heldSamples), pcm);
    heldSamples = 0;
    packets += 1;
    return codec.encode(pcm);
  };
  /** What goes in comes out later by the look-ahead, so its end may need a packet more. */
  const packetsNeeded = (): number => Math.ceil((samples + lookahead) / packetSamples);

  return {
    push(block) {
      if (block.length > 0) isReleased = false;
      samples += block.length;
      for (let at = 0; at < block.length; ) {
        const taken = Math.min(packetSamples - heldSamples, block.length - at);
        held.set(block.subarray(at, at + taken), heldSamples);
        heldSamples += taken;
        at += taken;
        if (heldSamples === packetSamples) writer.packet(encodeHeld());
      }
    },
    release() {
      if (isReleased) return;
      for (const needed = packetsNeeded(); packets < needed; ) writer.packet(encodeHeld());
      writer.turnPage();
      samples = packets * packetSamples;
      isReleased = true;
    },
    flush() {
      if (samples === 0) return;
      for (const last = packetsNeeded() - 1; packets < last; ) writer.packet(encodeHeld());
      writer.lastPacket(encodeHeld(), samples);
    },
    close: () => codec.close(),
  };
}
