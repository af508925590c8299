// Judges what `npm run demo` left behind: demo.wav is a playable PCM file, demo.ulaw is µ-law 8000, and both
// hold seconds of sound, not silence. Reads the bytes itself, so that no decoder of ours can excuse them.

import { readFileSync } from 'node:fs';

const LEAST_SECONDS = 3;
/** Of full scale. Speech lies above a twentieth; dither, clicks and a lost codec table far below or at full. */
const LEAST_RMS = 0.01;
const MOST_RMS = 0.5;

const rms = (samples) => Math.sqrt(samples.reduce((sum, each) => sum + each * each, 0) / samples.length);

/** Samples of a 16-bit PCM WAV file, −1 to 1, channels as they lie; chunks other than fmt and data are passed over. */
function readWav(bytes) {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error('demo.wav is not a WAV file');
  let format;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const id = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + 8, at + 8 + size);
    if (id === 'fmt ')
      format = { tag: body.readUInt16LE(0), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
    if (id === 'data') {
      if (format?.tag !== 1 || format.bits !== 16) throw new Error('demo.wav is not 16-bit PCM');
      if (body.length !== size) throw new Error('demo.wav is shorter than its header says');
      const samples = Array.from(
        { length: body.length >> 1 },
        (_, index) => body.readInt16LE(index * 2) / 32_768,
      );
      return { samples, rate: format.rate };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('demo.wav has no data');
}

/** One µ-law byte as −1 to 1 (ITU-T G.711: complemented bits, sign, 3 bits exponent, 4 bits mantissa, bias 33). */
function fromMulaw(byte) {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 1) + 33) << ((bits >> 4) & 7)) - 33;
  return ((bits & 0x80 ? -1 : 1) * magnitude) / 8192;
}

function judge(name, samples, rate) {
  const seconds = samples.length / rate;
  const level = rms(samples);
  console.log(`${name}: ${seconds.toFixed(1)} s at ${rate} Hz, level ${level.toFixed(3)}`);
  if (seconds < LEAST_SECONDS) throw new Error(`${name} is shorter than ${LEAST_SECONDS} s`);
  if (!(level >= LEAST_RMS && level <= MOST_RMS)) throw new Error(`${name} does not sound like speech`);
}

try {
  const { samples, rate } = readWav(readFileSync('demo.wav'));
  judge('demo.wav', samples, rate);
  judge('demo.ulaw', Array.from(readFileSync('demo.ulaw'), fromMulaw), 8000);
} catch (error) {
  console.error(`demo check failed: ${error.message}`);
  process.exitCode = 1;
}
