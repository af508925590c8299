// Our own decoder, compared with mpg123 in floats, and tried with damaged input.
import FFT from 'fft.js';
import { describe, expect, it } from 'vitest';
import { createMp3Encoder } from 'wasm-media-encoders';
import { decimationOf } from '../../../src/audio/dsp/decimation.ts';
import { createFilterBanks, heardBelowHz } from '../../../src/audio/dsp/filter-bank.ts';
import { createResampler } from '../../../src/audio/dsp/resampler.ts';
import { createLayer3Decoders, type Layer3Kernel } from '../../../src/audio/mp3/layer3-decoders.ts';
import { LAYER3_WASM } from '../../../src/audio/mp3/layer3-wasm.ts';
import type { Mp3Decoder, Mp3Decoders } from '../../../src/audio/mp3/mp3-decoder.ts';
import { Mp3HeaderReader, parseMp3Header, wordAt } from '../../../src/audio/mp3/mp3-header.ts';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { type TrialKind, trialFrames } from '../../support/layer3-trial.ts';
import { decodeFrame, framesOf, mp3References, parseMp3, peakOf } from '../../support/mp3-fixtures.ts';
import { decodeByMpg123 } from '../../support/mpg123.ts';
import { trialSize } from '../../support/trial-size.ts';

/** Both round to floats: −125 dB or less each, and where a signal is faint, the sum of its own roundings. */
const MIN_SNR_DB = 118;
/** The resampler's filter leaves −85 dB of what lies above. */
const MIN_PART_DB = 80;
const FFT_SAMPLES = 4096;
const MUTATED_FRAMES = trialSize(200_000, 4000);
const RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const;

const instantiate = (): Layer3Kernel =>
  new WebAssembly.Instance(new WebAssembly.Module(LAYER3_WASM)).exports as unknown as Layer3Kernel;
const bytesFrom = (samples: Float32Array, at: number, count: number) =>
  Buffer.from(samples.buffer, at * 4, count * 4);

const own = createLayer3Decoders();

const kinds = ([1, 2, 2.5] as const).flatMap((version) =>
  ([0, 1, 2] as const).flatMap((rate) =>
    (['mono', 'left-right', 'middle-side', 'intensity', 'both'] as const).map((stereo) => ({
      version,
      rate,
      stereo,
    })),
  ),
);

/** Every frame's samples one behind the other. */
function decodeAll(decoders: Mp3Decoders, frames: readonly Uint8Array[], heardHz?: number): Float32Array {
  const decoder = decoders.open(heardHz);
  const parts = frames.map((frame) => decodeFrame(decoder, frame));
  decoder.close();
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const snrDb = async (frames: readonly Uint8Array[]): Promise<number> =>
  snrOf(await decodeByMpg123(frames), decodeAll(own, frames));

function snrOf(wanted: Float32Array, given: Float32Array): number {
  expect(given.length).toBe(wanted.length);
  let power = 0;
  let error = 0;
  for (let i = 0; i < wanted.length; i++) {
    power += wanted[i]! ** 2;
    error += (wanted[i]! - given[i]!) ** 2;
  }
  expect(power).toBeGreaterThan(0);
  return 10 * Math.log10(power / error);
}

const bytesOf = (name: string) => framesOf(name).map((frame) => frame.bytes);

/** A second of two voices and bursts, which make LAME switch to short blocks. */
function lively(sampleRate: number): [Float32Array, Float32Array] {
  const random = seededNumbers(sampleRate, 1);
  const left = new Float32Array(sampleRate);
  const right = new Float32Array(sampleRate);
  for (let i = 0; i < sampleRate; i++) {
    const time = i / sampleRate;
    const burst = (random() - 0.5) * Math.exp(-60 * ((time * 5) % 1));
    const voice = 0.2 * Math.sin(2 * Math.PI * (150 + 40 * Math.sin(9 * time)) * time * 3);
    left[i] = voice + burst;
    right[i] = 0.7 * voice + 0.1 * Math.sin(2 * Math.PI * 700 * time) + (time > 0.5 ? burst : 0);
  }
  return [left, right];
}

describe('mpg123 and our own decoder', () => {
  it.each(
    Object.keys(mp3References).filter((name) => name !== 'damaged-24k.mp3' && !name.startsWith('change')),
  )('give the same of %s', async (name) => expect(await snrDb(bytesOf(name))).toBeGreaterThan(MIN_SNR_DB));

  it.each(RATES)('give the same of what LAME makes at %d Hz', async (sampleRate) => {
    const encoder = await createMp3Encoder();
    const [left, right] = lively(sampleRate);
    const isMpeg1 = sampleRate >= 32_000;
    for (const channels of [1, 2] as const)
      for (const rule of [
        { bitrate: isMpeg1 ? 40 : 24 },
        { bitrate: isMpeg1 ? 128 : 64 },
        { bitrate: isMpeg1 ? 320 : sampleRate > 12_000 ? 160 : 64 },
        { vbrQuality: 0 },
        { vbrQuality: 9 },
      ] as const) {
        encoder.configure({ sampleRate, outputSampleRate: sampleRate, channels, ...rule } as never);
        const input = channels === 1 ? [left] : [left, right];
        const bytes = Uint8Array.from([...encoder.encode(input), ...encoder.finalize()]);
        const { frames } = parseMp3([bytes]);
        expect(frames.length).toBeGreaterThan(10);
        expect(frames[5]!.header).toMatchObject({ sampleRate, channels });
        expect([rule, channels, (await snrDb(frames.map((frame) => frame.bytes))) > MIN_SNR_DB]).toEqual([
          rule,
          channels,
          true,
        ]);
      }
  });

  it.each(kinds)('give the same of all that MPEG-$version allows, rate $rate, $stereo', async (kind) => {
    for (const areAlike of kind.stereo === 'mono' ? [true] : [true, false]) {
      // Intensity stereo of unlike blocks is read in different ways.
      if (!areAlike && (kind.stereo === 'intensity' || kind.stereo === 'both')) continue;
      const trial: TrialKind = { ...kind, areAlike };
      expect(await snrDb(trialFrames(trial, 7, 30))).toBeGreaterThan(MIN_SNR_DB);
    }
  });
});

describe('what is heard below a frequency', () => {
  const banks = createFilterBanks();
  const toRate = (samples: Float32Array, from: number, to: number, belowHz?: number): Float32Array => {
    const parts: Float32Array[] = [];
    const rates = { fromRate: from, toRate: to, belowHz };
    const resampler = createResampler(banks, rates, (part) => parts.push(part.slice()));
    resampler.push(samples);
    resampler.flush();
    return Float32Array.from(parts.flatMap((part) => [...part]));
  };
  /** Of what is brought to `to`, whether all was decoded or only what is heard then. */
  const partDb = (frames: readonly Uint8Array[], to: number): number => {
    const { sampleRate } = parseMp3Header(wordAt(frames[0]!, 0))!;
    const whole = decodeAll(own, frames);
    const part = decodeAll(own, frames, heardBelowHz(to));
    return snrOf(toRate(whole, sampleRate, to), toRate(part, sampleRate, to));
  };

  it.each(
    Object.keys(mp3References).filter((name) => name !== 'damaged-24k.mp3' && !name.startsWith('change')),
  )('is the same of %s at 8 and 16 kHz', (name) => {
    const at = (to: number) => partDb(bytesOf(name), to);
    expect([at(8000) > MIN_PART_DB, at(16_000) > MIN_PART_DB]).toEqual([true, true]);
  });

  /** Power below `hz` of what the signal begins with. */
  const powerBelow = (hz: number, signal: Float32Array, sampleRate: number): number => {
    const transform = new FFT(FFT_SAMPLES);
    const bins: number[] = transform.createComplexArray();
    const hannSquared = (i: number) => Math.sin((Math.PI * i) / FFT_SAMPLES) ** 4;
    transform.realTransform(
      bins,
      Array.from({ length: FFT_SAMPLES }, (_, i) => signal[i]! * hannSquared(i)),
    );
    const values = bins.slice(0, 2 * Math.floor((hz / sampleRate) * FFT_SAMPLES));
    return values.reduce((power, value) => power + value ** 2, 0);
  };

  it.each(kinds)(
    'ends where it is said to, in all that MPEG-$version allows, rate $rate, $stereo',
    (kind) => {
      for (const areAlike of kind.stereo === 'mono' ? [true] : [true, false]) {
        const draws = Array.from({ length: 30 }, (_, seed) => trialFrames({ ...kind, areAlike }, seed, 10));
        const { sampleRate } = parseMp3Header(wordAt(draws[0]![0]!, 0))!;
        const belowHz = own.belowHz(heardBelowHz(8000), sampleRate);
        if (belowHz >= sampleRate / 2) return;
        // What is clipped or muted has edges, which know no band.
        const isWhole = (frames: readonly Uint8Array[]): boolean => {
          const decoder = own.open();
          const peaks = frames.map((frame) => peakOf(decodeFrame(decoder, frame)));
          decoder.close();
          return Math.max(...peaks) < 1 && peaks.slice(1, -1).every((peak) => peak > 0);
        };
        for (const frames of draws.filter(isWhole).slice(0, 3)) {
          const heard = decodeAll(own, frames, heardBelowHz(8000));
          const all = powerBelow(sampleRate / 2, heard, sampleRate);
          const above = all - powerBelow(belowHz, heard, sampleRate);
          expect(10 * Math.log10(Math.max(above, 1e-30) / all)).toBeLessThan(-80);
        }
      }
    },
  );

  it.each(
    Object.keys(mp3References).filter((name) => name !== 'damaged-24k.mp3' && !name.startsWith('change')),
  )('leaves so much empty of %s that a part of its samples tells the rest', (name) => {
    const frames = bytesOf(name);
    const { sampleRate } = parseMp3Header(wordAt(frames[0]!, 0))!;
    for (const to of [8000, 16_000]) {
      if (sampleRate <= to) continue;
      const heard = decodeAll(own, frames, heardBelowHz(to));
      const belowHz = own.belowHz(heardBelowHz(to), sampleRate);
      if (to === 8000) {
        const expected: Record<number, number> = { 22050: 2, 24000: 2, 44100: 3, 48000: 4 };
        expect(decimationOf({ fromRate: sampleRate, toRate: to, belowHz })).toBe(expected[sampleRate]);
      }
      const decimated = toRate(heard, sampleRate, to, belowHz);
      const whole = toRate(heard, sampleRate, to);
      expect(decimated).toHaveLength(whole.length);
      // Where the filters close they differ a little, as one is longer than the other.
      const errors = decimated.map((sample, i) => sample - whole[i]!);
      const flatHz = (0.85 * to) / 2;
      const snr = 10 * Math.log10(powerBelow(flatHz, whole, to) / powerBelow(flatHz, errors, to));
      expect(snr).toBeGreaterThan(MIN_PART_DB);
    }
  });

  const widths = kinds.flatMap((kind) =>
    ([16, 7] as const).flatMap((part) =>
      ([true, false] as const).map((areAlike) => ({ ...kind, part, areAlike })),
    ),
  );
  it.each(widths)(
    'is the same of all that MPEG-$version allows, rate $rate, $stereo, a $part th of it, alike: $areAlike',
    ({ part, ...kind }) => {
      // What is too loud is clipped or silenced, and that depends on all of it.
      const seeds = Array.from({ length: 30 }, (_, seed) => seed);
      const draws = seeds.map((seed) => trialFrames(kind, seed, 10));
      const frames = draws.find((drawn) => {
        const decoder = own.open();
        const peaks = drawn.map((frame) => peakOf(decodeFrame(decoder, frame)));
        decoder.close();
        return peaks.every((peak) => peak > 0 && peak < 1);
      })!;
      const { sampleRate } = parseMp3Header(wordAt(frames[0]!, 0))!;
      const heardHz = sampleRate / part;
      const whole = decodeAll(own, frames);
      const missing = decodeAll(own, frames, heardHz).map((sample, i) => sample - whole[i]!);
      if (part === 16) expect(peakOf(missing)).toBeGreaterThan(0.001);
      const all = powerBelow(sampleRate / 2, whole, sampleRate);
      const lost = powerBelow(heardHz, missing, sampleRate);
      expect(10 * Math.log10(all / lost)).toBeGreaterThan(100);
    },
  );
});

describe('streams', () => {
  it('are the same to the bit however their frames take turns with others', () => {
    const sources = ['ffmpeg-live-24k.mp3', 'lame-joint-44k.mp3', 'lame-8k.mp3', 'lame-vbr-24k.mp3'].map(
      bytesOf,
    );
    const alone = sources.map((frames) => decodeAll(own, frames.slice(0, 30)));
    const together = sources.map(() => own.open());
    const at = sources.map(() => 0);
    for (let step = 0; step < 30; step++)
      for (const [i, decoder] of together.entries()) {
        const samples = decodeFrame(decoder, sources[i]![step]!);
        expect(
          Buffer.compare(Buffer.from(samples.buffer), bytesFrom(alone[i]!, at[i]!, samples.length)),
        ).toBe(0);
        at[i]! += samples.length;
      }
    for (const decoder of together) decoder.close();
  });

  it('begin anew in the memory of those that ended', () => {
    const frames = bytesOf('lame-joint-44k.mp3').slice(0, 10);
    const decoders = createLayer3Decoders(instantiate(), 1);
    const [first, second] = [decodeAll(decoders, frames), decodeAll(decoders, frames)];
    expect(second).toEqual(first);
  });

  it('are refused when there is no memory, and opened when there is again', () => {
    const decoders = createLayer3Decoders(instantiate(), 2);
    const [first] = [decoders.open(), decoders.open()];
    expect(() => decoders.open()).toThrow(/no memory for more than 2/);
    first.close();
    first.close();
    const third = decoders.open();
    expect(() => decoders.open()).toThrow();
    expect(decoders.live()).toBe(2);
    third.close();
  });

  it('are opened while samples are handed out, and leave them whole', () => {
    const decoders = createLayer3Decoders();
    const opened: Mp3Decoder[] = [];
    const [frame] = bytesOf('lame-joint-44k.mp3');
    const decoder = decoders.open();
    for (let i = 0; i < 40; i++)
      decoder.decode(frame!, (samples) => {
        opened.push(decoders.open());
        expect(samples.length).toBe(1152);
      });
    expect(decoders.live()).toBe(41);
  });

  it('cost 5 kB each', () => {
    const kernel = instantiate();
    expect(kernel.streamBytes.value).toBeLessThan(5000);
    const before = kernel.memory.buffer.byteLength;
    const decoders = createLayer3Decoders(kernel);
    for (let i = 0; i < 1000; i++) decoders.open();
    expect(kernel.memory.buffer.byteLength - before).toBeLessThan(1000 * 5100 + 65_536);
  });

  it('are silent for a frame that traps, and go on', () => {
    let isTrapping = false;
    const kernel = instantiate();
    const decode: Layer3Kernel['decode'] = (stream, bytes, subbands) => {
      if (isTrapping) throw new Error('unreachable');
      return kernel.decode(stream, bytes, subbands);
    };
    const decoder = createLayer3Decoders({ ...kernel, decode }).open();
    const frames = bytesOf('lame-cbr-24k.mp3').slice(20, 23);
    decodeFrame(decoder, frames[0]!);
    isTrapping = true;
    const samples = decodeFrame(decoder, frames[1]!);
    expect([samples.length, peakOf(samples)]).toEqual([576, 0]);
    isTrapping = false;
    expect(decodeFrame(decoder, frames[2]!).length).toBe(576);
  });
});

describe('hostile frames', () => {
  it(`give their own number of samples and harm nobody: ${MUTATED_FRAMES} of them`, () => {
    const random = seededNumbers(20_261_123, 2);
    const whole = (below: number) => Math.min(below - 1, Math.floor(random() * below));
    const sources = [
      ...[
        'ffmpeg-live-24k.mp3',
        'lame-joint-44k.mp3',
        'lame-8k.mp3',
        'lame-id3-crc-24k.mp3',
        'shine-44k.mp3',
      ].map(bytesOf),
      ...kinds.map((kind) => trialFrames({ ...kind, areAlike: false }, 3, 12)),
    ];
    const kernel = instantiate();
    let traps = 0;
    const decode: Layer3Kernel['decode'] = (stream, bytes, subbands) => {
      try {
        return kernel.decode(stream, bytes, subbands);
      } catch (trap) {
        traps++;
        throw trap;
      }
    };
    const decoders = createLayer3Decoders({ ...kernel, decode });
    // Clean streams in the places before and behind; a table that is written over is heard in them as well.
    const clean = bytesOf('lame-joint-44k.mp3');
    const wanted = decodeAll(own, clean);
    const above = decoders.open();
    const hostiles = [decoders.open(), decoders.open(4200)];
    const below = decoders.open();
    // Nothing of other streams is in what the hostile ones hear.
    const elsewhere = createLayer3Decoders();
    const alones = [elsewhere.open(), elsewhere.open(4200)];
    const headers = new Mp3HeaderReader();
    let at = 0;
    let heard = 0;
    for (let i = 0; i < MUTATED_FRAMES; i++) {
      const [hostile, alone] = [hostiles[i % 2]!, alones[i % 2]!];
      const source = sources[whole(sources.length)]!;
      const frame = source[whole(source.length)]!.slice();
      const way = whole(4);
      // Side information, anything, long runs, and all of the body.
      const from = way === 0 ? 4 : way === 1 ? 0 : 4 + whole(frame.length - 4);
      const to = way === 0 ? Math.min(frame.length, 38) : frame.length;
      const changes = way === 3 ? to - 4 : 1 + whole(8);
      for (let k = 0; k < changes; k++) {
        const place = way === 3 ? 4 + k : from + whole(to - from);
        frame[place] = way === 2 ? 0xff * whole(2) : whole(256);
      }
      const samples = decodeFrame(hostile, frame);
      expect(samples.length).toBe(headers.ofFrame(frame)?.samplesPerFrame ?? 0);
      expect(
        Buffer.compare(
          bytesFrom(samples, 0, samples.length),
          bytesFrom(decodeFrame(alone, frame), 0, samples.length),
        ),
      ).toBe(0);
      const peak = peakOf(samples);
      expect(peak).toBeLessThanOrEqual(1);
      if (peak > 0) heard++;
      if (whole(50) === 0) {
        hostile.gap();
        alone.gap();
      }
      if (i % 20 > 0 || at >= wanted.length) continue;
      const next = clean[at / 1152]!;
      for (const decoder of [above, below])
        expect(
          Buffer.compare(Buffer.from(decodeFrame(decoder, next).buffer), bytesFrom(wanted, at, 1152)),
        ).toBe(0);
      at += 1152;
    }
    expect(traps).toBe(0);
    expect(heard).toBeGreaterThan(MUTATED_FRAMES / 10);
    // The tables are as they were.
    expect(decodeAll(decoders, clean)).toEqual(wanted);
  });
});
