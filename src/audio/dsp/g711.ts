// G.711 companding by tables: µ-law and A-law codes of all 65,536 16-bit values, and back.
// The rounding is that of the ITU-T G.191 software tools (ulaw_compress, alaw_compress), which takes the one's
// complement of negative values; the common Sun, audioop, SoX and ffmpeg variants each differ from it.

import { toOffset16 } from './pcm16.ts';

/** The codes of +0 (G.711 tables 2a and 1a, even bits of A-law inverted). */
export const MULAW_SILENCE = 0xff;
export const ALAW_SILENCE = 0xd5;

/** 14-bit magnitude with G.711's bias of 33: the leading one gives the segment, the four bits after it the step. */
function toMulaw(value: number): number {
  const biased = Math.min(((value < 0 ? ~value : value) >> 2) + 33, 0x1fff);
  const segment = 26 - Math.clz32(biased);
  const step = (biased >> (segment + 1)) & 0x0f;
  return ~((value < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff;
}

/** 12-bit magnitude: the two lowest segments share a step size, every further one doubles it. */
function toAlaw(value: number): number {
  const magnitude = (value < 0 ? ~value : value) >> 4;
  const shift = Math.max(27 - Math.clz32(magnitude), 0);
  return ((value < 0 ? 0 : 0x80) | ((shift << 4) + (magnitude >> shift))) ^ 0x55;
}

function fromMulaw(code: number): number {
  const bits = ~code;
  const segment = (bits >> 4) & 0x07;
  const magnitude = ((((bits & 0x0f) * 2 + 33) << segment) - 33) * 4;
  return code < 0x80 ? -magnitude : magnitude;
}

function fromAlaw(code: number): number {
  const bits = code ^ 0x55;
  const segment = (bits >> 4) & 0x07;
  const step = (bits & 0x0f) * 16 + 8;
  const magnitude = segment === 0 ? step : (step + 256) << (segment - 1);
  return code < 0x80 ? -magnitude : magnitude;
}

const codesOf = (compress: (value: number) => number) =>
  Uint8Array.from({ length: 65_536 }, (_, offset) => compress(offset - 32_768));
const valuesOf = (expand: (code: number) => number) =>
  Int16Array.from({ length: 256 }, (_, code) => expand(code));

const MULAW_CODES = codesOf(toMulaw);
const ALAW_CODES = codesOf(toAlaw);

/** The 16-bit value of each code. µ-law's 0x7F is −0, which 16 bits cannot tell from 0xFF. */
export const MULAW_VALUES: Readonly<Int16Array> = valuesOf(fromMulaw);
export const ALAW_VALUES: Readonly<Int16Array> = valuesOf(fromAlaw);

function compress(samples: Float32Array, codes: Uint8Array, into: Uint8Array): void {
  for (let i = 0; i < samples.length; i++) into[i] = codes[toOffset16(samples[i]!)]!;
}

/** Samples in −1…1 as µ-law, one byte each, into `into`. */
export function encodeMulaw(samples: Float32Array, into: Uint8Array): void {
  compress(samples, MULAW_CODES, into);
}

/** Samples in −1…1 as A-law, one byte each, into `into`. */
export function encodeAlaw(samples: Float32Array, into: Uint8Array): void {
  compress(samples, ALAW_CODES, into);
}
