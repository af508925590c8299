import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimationOf } from '../../../src/audio/dsp/decimation.ts';
import { createFilterBanks } from '../../../src/audio/dsp/filter-bank.ts';
import { createPlainMixer, type FrameLength } from '../../../src/audio/dsp/mix-down.ts';
import { createPcmEncoder, type PcmFormat } from '../../../src/audio/dsp/pcm-format.ts';
import { createPlainSoundPath } from '../../../src/audio/dsp/plain-sound-path.ts';
import type { Rates, SoundPath } from '../../../src/audio/dsp/sound-path.ts';
import { createSoundPath } from '../../../src/audio/dsp/wasm-sound-path.ts';
import { decibels, noise, pushInChunks } from '../../support/tone.ts';

const banks = createFilterBanks();
const plain = createPlainSoundPath(banks);
const wasm = createSoundPath(banks);
const CODES: readonly PcmFormat[] = ['mulaw', 'alaw', 'pcm16'];

const RATES: readonly Rates[] = [
  { fromRate: 24_000, toRate: 8000 },
  { fromRate: 44_100, toRate: 8000 },
  { fromRate: 22_050, toRate: 8000 },
  { fromRate: 24_000, toRate: 16_000 },
  { fromRate: 44_100, toRate: 8009 },
];

const anyRate = fc.oneof(
  fc.constantFrom(8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000),
  fc.integer({ min: 8000, max: 48_000 }),
);
const anyRates: fc.Arbitrary<Rates> = fc.oneof(
  fc.record({ fromRate: anyRate, toRate: anyRate }),
  fc.record({
    fromRate: fc.constantFrom(22_050, 24_000, 32_000, 44_100, 48_000),
    toRate: fc.constantFrom(8000, 11_025, 16_000),
    belowHz: fc.integer({ min: 4000, max: 24_000 }),
  }),
);
const anySizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 8 });

function resample(path: SoundPath, rates: Rates, samples: Float32Array, sizes: readonly number[] = [576]) {
  const parts: number[] = [];
  const stage = path.resample(rates, (block) => parts.push(...block));
  pushInChunks(stage, samples, sizes);
  return Float32Array.from(parts);
}

function encode(
  path: SoundPath,
  rates: Rates,
  code: PcmFormat,
  samples: Float32Array,
  sizes: readonly number[] = [576],
) {
  const parts: number[] = [];
  const stage = path.encode(rates, code, (bytes) => parts.push(...bytes));
  pushInChunks(stage, samples, sizes);
  return Uint8Array.from(parts);
}

const codesOf = (code: PcmFormat, samples: Float32Array): Uint8Array => {
  let codes = new Uint8Array();
  createPcmEncoder(code, (bytes) => {
    codes = bytes.slice();
  })(samples);
  return codes;
};

/** The kernel's arithmetic operation by operation, in single precision. */
function resampleInFloats(rates: Rates, all: Float32Array): Float32Array {
  const { fromRate, toRate } = rates;
  if (fromRate === toRate) return all;
  const decimation = decimationOf(rates);
  const samples = all.filter((_, i) => i % decimation === 0);
  const { up, down, taps, phases, rows } = banks.of(fromRate / decimation, toRate);
  const lead = taps / 2 - 1;
  const padded = new Float32Array(samples.length + taps);
  padded.set(samples, lead);
  const dot = (at: number, row: number): number => {
    const sums = new Float32Array(8);
    for (let j = 0; j < taps; j++)
      sums[j % 8]! += Math.fround(padded[at + j]! * Math.fround(rows[row * taps + j]!));
    const lanes = [0, 1, 2, 3].map((lane) => Math.fround(sums[lane]! + sums[lane + 4]!));
    return Math.fround(Math.fround(lanes[0]! + lanes[2]!) + Math.fround(lanes[1]! + lanes[3]!));
  };
  const length = Math.floor((2 * all.length * toRate + fromRate) / (2 * fromRate));
  return Float32Array.from({ length }, (_, k) => {
    const at = Math.floor((k * down) / up);
    const place = (((k * down) % up) * phases) / up;
    const phase = Math.floor(place);
    const first = dot(at, phase);
    if (place === phase) return first;
    return first + Math.fround(Math.fround(place - phase) * Math.fround(dot(at, phase + 1) - first));
  });
}

describe('the sound path in WASM', () => {
  it('is its own arithmetic bit for bit, at any rates and in any split', () => {
    fc.assert(
      fc.property(anyRates, anySizes, fc.integer({ min: 0, max: 2500 }), (rates, sizes, length) => {
        const samples = noise(length, length);
        expect(resample(wasm, rates, samples, sizes)).toEqual(resampleInFloats(rates, samples));
      }),
      { numRuns: 40 },
    );
  });

  // The twin sums in doubles because the embedded engine does, whose bytes are promised; so the two agree to what
  // single precision can tell, and a sample on the edge of two codes may fall to either side.
  it('agrees with its twin in TypeScript to 120 dB, and to one step of each code', () => {
    fc.assert(
      fc.property(anyRates, (rates) => {
        const samples = noise(3000, 7);
        const wanted = resample(plain, rates, samples);
        const got = resample(wasm, rates, samples);
        expect(got).toHaveLength(wanted.length);
        const error = got.reduce((most, sample, i) => Math.max(most, Math.abs(sample - wanted[i]!)), 0);
        expect(decibels(error)).toBeLessThan(-120);
        const codes = encode(wasm, rates, 'mulaw', samples);
        const steps = encode(plain, rates, 'mulaw', samples).map((code, i) => Math.abs(code - codes[i]!));
        // Plus and minus nothing are 0xff and 0x7f.
        expect(steps.every((step) => step <= 1 || step === 0x80)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('writes the same bytes as the tables for every 16-bit value and every edge between two', () => {
    const values = Float32Array.from({ length: 4 * 65_536 + 3 }, (_, i) => (i / 4 - 32_768) / 32_768);
    for (const code of CODES) {
      const got = Buffer.from(encode(wasm, { fromRate: 8000, toRate: 8000 }, code, values, [5000]));
      expect(got.equals(codesOf(code, values)), code).toBe(true);
    }
  });

  it('writes the same bytes as the tables for any float at all', () => {
    const anyFloats = fc.array(fc.float(), { maxLength: 40 }).map((floats) => Float32Array.from(floats));
    fc.assert(
      fc.property(fc.constantFrom(...CODES), anyFloats, (code, samples) => {
        expect(encode(wasm, { fromRate: 8000, toRate: 8000 }, code, samples)).toEqual(codesOf(code, samples));
      }),
      { numRuns: 300 },
    );
  });

  it('resamples and codes as one step what it resamples alone', () => {
    fc.assert(
      fc.property(anyRates, anySizes, fc.constantFrom(...CODES), (rates, sizes, code) => {
        const samples = noise(2000, 5);
        const wanted = codesOf(code, resample(wasm, rates, samples));
        expect(encode(wasm, rates, code, samples, sizes)).toEqual(wanted);
      }),
      { numRuns: 30 },
    );
  });

  it('mixes down as the plain mixer does, damage included', () => {
    const mixer = createPlainMixer();
    const anySample = fc.oneof(
      { weight: 20, arbitrary: fc.float({ min: -1, max: 1, noNaN: true }) },
      fc.float({ min: -3, max: 3, noNaN: true }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    );
    fc.assert(
      fc.property(
        fc.array(anySample, { minLength: 1, maxLength: 2304 }),
        fc.constantFrom<1 | 2>(1, 2),
        fc.constantFrom<FrameLength>(576, 1152),
        (some, channels, length) => {
          const decoded = Float32Array.from({ length: 2304 }, (_, i) => some[i % some.length]!);
          const peak = wasm.mixDown(decoded, channels, length);
          expect(peak).toBe(mixer.mixDown(decoded, channels, length));
          // 0 and −0 are the same silence.
          const mixed = Array.from(wasm.mono(length), (sample) => sample + 0);
          expect(mixed).toEqual(Array.from(mixer.mono(length), (sample) => sample + 0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('clips what is too loud and recovers from what is no number', () => {
    const samples = new Float32Array(6000);
    samples.fill(1e30, 1000, 1010);
    samples[2000] = Number.NaN;
    samples[3000] = Number.POSITIVE_INFINITY;
    const rates = { fromRate: 24_000, toRate: 8000 };
    for (const code of CODES) {
      const bytes = encode(wasm, rates, code, samples);
      const silence = codesOf(code, new Float32Array(1))[0];
      expect(bytes).toHaveLength(2000 * (code === 'pcm16' ? 2 : 1));
      expect(new Set(bytes.subarray(-800))).toEqual(new Set([silence]));
    }
  });

  it('takes empty pushes, and nothing after its end', () => {
    for (const rates of [
      { fromRate: 24_000, toRate: 8000 },
      { fromRate: 8000, toRate: 8000 },
    ]) {
      let made = 0;
      const stage = wasm.encode(rates, 'mulaw', (bytes) => {
        made += bytes.length;
      });
      stage.push(new Float32Array(0));
      expect(made).toBe(0);
      stage.push(new Float32Array(240));
      stage.flush();
      const whole = made;
      expect(whole).toBe((240 * rates.toRate) / rates.fromRate);
      stage.flush();
      stage.push(new Float32Array(1000));
      stage.close();
      expect(made).toBe(whole);
    }
    const closed = wasm.resample({ fromRate: 24_000, toRate: 8000 }, () => expect.unreachable());
    closed.close();
    closed.push(new Float32Array(1000));
    closed.flush();
    expect(wasm.openStreams()).toBe(0);
  });
});

describe('a mixed frame', () => {
  it('outlives the flush of the stage before it, when the rate changes between two frames', () => {
    const path = createSoundPath(banks);
    const before = path.encode({ fromRate: 24_000, toRate: 8000 }, 'pcm16', () => {});
    before.push(new Float32Array(576));
    path.mixDown(new Float32Array(1152).fill(0.5), 1, 1152);
    const mono = path.mono(1152);
    before.flush();
    expect(mono.every((sample) => sample === 0.5)).toBe(true);
  });

  it('is still there when a stage is opened for it, be it one that was never mixed', () => {
    const path = createSoundPath(banks);
    for (let stream = 0; stream < 200; stream++) {
      const mono = path.mono(1152);
      const stage = path.resample(RATES[stream % RATES.length]!, () => {});
      stage.push(mono);
      expect(mono).toHaveLength(1152);
    }
  });
});

describe('the places in its memory', () => {
  /** Streams that come, go on and end in any order; each must sound as if it were alone. */
  type Step = { readonly stream: number; readonly act: 'push' | 'flush' | 'close'; readonly size: number };
  const anySteps: fc.Arbitrary<Step[]> = fc.array(
    fc.record({
      stream: fc.nat({ max: 70 }),
      act: fc.constantFrom('push', 'push', 'push', 'flush', 'close'),
      size: fc.integer({ min: 1, max: 1500 }),
    }),
    { maxLength: 300 },
  );

  function play(path: SoundPath, steps: readonly Step[], only?: number): number[][] {
    const heard = Array.from({ length: 71 }, (): number[] => []);
    const lives = new Map<number, ReturnType<SoundPath['resample']>>();
    for (const { stream, act, size } of steps) {
      if (only !== undefined && stream !== only) continue;
      let stage = lives.get(stream);
      if (stage === undefined) {
        stage = path.resample(RATES[stream % RATES.length]!, (block) => heard[stream]!.push(...block));
        lives.set(stream, stage);
      }
      stage[act](noise(size, stream * 100 + size));
      if (act !== 'push') lives.delete(stream);
    }
    for (const stage of lives.values()) stage.close();
    return heard;
  }

  it('are nobody else’s, while many streams come and go and the memory grows under them', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const path = createSoundPath(banks);
        const heard = play(path, steps);
        expect(path.openStreams()).toBe(0);
        for (const stream of new Set(steps.slice(0, 8).map((step) => step.stream)))
          expect(heard[stream]).toEqual(play(wasm, steps, stream)[stream]);
      }),
      { numRuns: 15 },
    );
  });

  it('are given back: a hundred thousand streams need no more memory than one', () => {
    const path = createSoundPath(banks, { streams: 1, banks: 1 });
    const rates = RATES[0]!;
    for (let i = 0; i < 100_000; i++) {
      const stage = path.resample(rates, () => {});
      if (i % 2 === 0) stage.close();
      else stage.flush();
    }
    expect(path.openStreams()).toBe(0);
    path.resample(rates, () => {});
    expect(path.openStreams()).toBe(1);
  });

  it('are found by a frame that was mixed before its stage was opened, when the memory is full', () => {
    const path = createSoundPath(banks);
    const decoded = noise(1152, 3);
    const rates = RATES[0]!;
    const alone = resample(wasm, rates, decoded.slice(0, 576));
    for (let i = 0; i < 300; i++) {
      path.mixDown(decoded, 1, 576);
      const mono = path.mono(576);
      const heard: number[] = [];
      const stage = path.resample(rates, (block) => heard.push(...block));
      stage.push(mono);
      expect(heard.length).toBeGreaterThan(150);
      expect(Float32Array.from(heard)).toEqual(alone.slice(0, heard.length));
    }
    expect(path.openStreams()).toBe(300);
  });

  it('run out at the bound, and the next streams are served in TypeScript', () => {
    const path = createSoundPath(banks, { streams: 3, banks: 2 });
    const samples = noise(2000, 9);
    const rates = RATES[0]!;
    const held = [0, 1, 2].map(() => path.resample(rates, () => {}));
    expect(resample(path, rates, samples)).toEqual(resample(plain, rates, samples));
    held[1]!.close();
    expect(resample(path, rates, samples)).toEqual(resample(wasm, rates, samples));
    expect(path.openStreams()).toBe(2);
  });

  it('keep the banks that are in use, and change the others', () => {
    const path = createSoundPath(banks, { streams: 10, banks: 2 });
    const samples = noise(2000, 9);
    const [first, second, third] = RATES as [Rates, Rates, Rates];
    const heard: number[] = [];
    const stage = path.resample(first, (block) => heard.push(...block));
    stage.push(samples.slice(0, 1000));
    for (const rates of [second, third, second])
      expect(resample(path, rates, samples)).toEqual(resample(wasm, rates, samples));
    const other = path.resample(third, () => {});
    expect(resample(path, second, samples)).toEqual(resample(plain, second, samples));
    other.close();
    stage.push(samples.slice(1000));
    stage.flush();
    expect(Float32Array.from(heard)).toEqual(resample(wasm, first, samples));
  });
});
