// The only file that knows the packages `prism-media` (the Opus stream) and `opusscript` (libopus 1.3.1 in WASM).
// The stream is used one frame at a time, written and read within one call, because its flow control would spread
// the packets over later ticks and its end would drop a frame that is not whole.

import { opus } from 'prism-media';
import { OPUS_SAMPLE_RATES } from '../../speech/audio-format.ts';

/** Encoders share one WASM memory, which must not grow under them: the package keeps views of it (room for 108). */
export const MAX_OPUS_ENCODERS = 64;

/** Length of a packet, and the encoder's own delay, which is that of libopus at every rate (measured), at 48 kHz. */
export const OPUS_PACKET_MS = 20;
export const OPUS_LOOKAHEAD_48K = 312;

export type OpusEncoder = {
  /** 20 ms of s16le mono → one packet in memory of its own. */
  encode(pcm: Uint8Array): Uint8Array;
  /** Frees its 100 KB of the shared memory. Once. */
  close(): void;
};

/**
 * Mode AUDIO, because VOIP cuts low frequencies away and turns the phase of the rest: 11 dB SNR at any bit rate,
 * where AUDIO has 22 dB (16 kHz, 32 kbit/s). Up to 16 kHz with the hint that the sound is speech, which chooses the
 * linear-predictive coder: 1 to 6 dB better than without. Above, that hint means two coders at once, which stay near
 * 16 dB up to 64 kbit/s; the transform coder alone, chosen by the other hint, has 23 dB there. Levels are kept to 0.2 dB.
 */
const APPLICATION = 'AUDIO';
/** opus_defines.h: requests and values. */
const SET_COMPLEXITY = 4010;
const SET_SIGNAL = 4024;
const SIGNAL_VOICE = 3001;
const SIGNAL_MUSIC = 3002;
/** From 0 to 10; 9 is 0.2 to 0.9 dB better and costs up to twice as much. */
const COMPLEXITY = 5;
/** Measured on speech: more than 20 dB SNR at every rate. */
const tuning = (sampleRate: number): { readonly signal: number; readonly bitsPerSecond: number } => {
  if (sampleRate > 16_000) return { signal: SIGNAL_MUSIC, bitsPerSecond: 64_000 };
  return { signal: SIGNAL_VOICE, bitsPerSecond: sampleRate === 8000 ? 24_000 : 32_000 };
};

/** The bit rate that speech gets unless another is asked for. */
export const opusSpeechKbps = (sampleRate: number): number => tuning(sampleRate).bitsPerSecond / 1000;

/** What the stream has inside when it runs on `opusscript`. */
type OpusScript = {
  inPCM: Uint16Array;
  readonly inPCMPointer: number;
  readonly inPCMLength: number;
  encoderCTL(request: number, value: number): void;
};

/**
 * `sampleRate` is one of Opus' five, else RangeError; without `bitrateKbps` it has the bit rate that speech needs there.
 * The same samples give the same packets, whatever else runs.
 */
export function openOpusEncoder(sampleRate: number, bitrateKbps?: number): OpusEncoder {
  if (!(OPUS_SAMPLE_RATES as readonly number[]).includes(sampleRate))
    throw new RangeError(`Opus has no sample rate ${sampleRate}; it has ${OPUS_SAMPLE_RATES.join(', ')}`);

  const frameSize = (sampleRate * OPUS_PACKET_MS) / 1000;
  const options = { rate: sampleRate, channels: 1, frameSize, application: APPLICATION };
  const stream = new opus.Encoder(options);
  if (opus.Encoder.type !== 'opusscript') {
    stream.destroy();
    throw new Error(`prism-media has found ${opus.Encoder.type} installed; Voxgate is made for opusscript`);
  }
  const codec = stream.encoder as OpusScript;
  // The package takes the address of its buffer for an index of 16-bit words, and so writes to twice that address,
  // where the 30th encoder finds no memory. This is the buffer that it has reserved.
  codec.inPCM = new Uint16Array(codec.inPCM.buffer, codec.inPCMPointer, codec.inPCMLength / 2);
  codec.encoderCTL(SET_COMPLEXITY, COMPLEXITY);
  const { signal, bitsPerSecond } = tuning(sampleRate);
  codec.encoderCTL(SET_SIGNAL, signal);
  stream.setBitrate(bitrateKbps === undefined ? bitsPerSecond : bitrateKbps * 1000);

  return {
    encode(pcm) {
      if (pcm.length !== 2 * frameSize)
        throw new RangeError(`${pcm.length} bytes are not one packet's samples`);
      stream.write(pcm);
      const packet = stream.read() as Uint8Array | null;
      if (packet === null) throw new Error('the Opus encoder has kept a packet');
      return packet;
    },
    close() {
      stream.destroy();
    },
  };
}
