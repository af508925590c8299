// Judges by its own reading of the bytes whether a file holds speech, so that no decoder of ours can excuse it.

/** Of full scale. Speech lies above a twentieth; dither, clicks and a lost codec table far below or at full. */
const LEAST_RMS = 0.01;
const MOST_RMS = 0.5;

const rms = (samples) => Math.sqrt(samples.reduce((sum, each) => sum + each * each, 0) / samples.length);

/** Samples of a 16-bit PCM WAV file, −1 to 1, channels as they lie; chunks other than fmt and data are passed over. */
export function readWav(bytes, name) {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error(`${name} is not a WAV file`);
  let format;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const id = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + 8, at + 8 + size);
    if (id === 'fmt ')
      format = { tag: body.readUInt16LE(0), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
    if (id === 'data') {
      if (format?.tag !== 1 || format.bits !== 16) throw new Error(`${name} is not 16-bit PCM`);
      if (body.length !== size) throw new Error(`${name} is shorter than its header says`);
      const samples = Array.from(
        { length: body.length >> 1 },
        (_, index) => body.readInt16LE(index * 2) / 32_768,
      );
      return { samples, rate: format.rate };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error(`${name} has no data`);
}

/** One µ-law byte as −1 to 1 (ITU-T G.711: complemented bits, sign, 3 bits exponent, 4 bits mantissa, bias 33). */
export function fromMulaw(byte) {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 1) + 33) << ((bits >> 4) & 7)) - 33;
  return ((bits & 0x80 ? -1 : 1) * magnitude) / 8192;
}

/** Throws when `samples` are shorter than `leastSeconds` or no speech; else one line about them. */
export function judgeSpeech(name, { samples, rate }, leastSeconds) {
  const seconds = samples.length / rate;
  const level = rms(samples);
  if (seconds < leastSeconds)
    throw new Error(`${name} lasts ${seconds.toFixed(1)} s, less than ${leastSeconds} s`);
  if (!(level >= LEAST_RMS && level <= MOST_RMS))
    throw new Error(`${name} does not sound like speech: level ${level.toFixed(3)}`);
  return `${name}: ${seconds.toFixed(1)} s at ${rate} Hz, level ${level.toFixed(3)}`;
}
