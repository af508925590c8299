import { describe, expect, it } from 'vitest';
import { createLayer3Decoders } from '../../../src/audio/mp3/layer3-decoders.ts';
import { Mp3ToPcm, streamSamples } from '../../../src/audio/mp3/mp3-to-pcm.ts';
import { decodeMp3, mp3Fixture, mp3References, parseMp3 } from '../../support/mp3-fixtures.ts';

const decoders = createLayer3Decoders();

const samplesOf = (bytes: readonly Uint8Array[]) => decodeMp3(decoders, bytes).pcm;
const joined = (...files: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(files));

describe('one stream', () => {
  it.each(Object.entries(mp3References))(
    'decodes %s to the known samples, in any chunks',
    (name, reference) => {
      for (const chunkBytes of [1_000_000, 333]) {
        const decoded = decodeMp3(decoders, [mp3Fixture(name)], chunkBytes);
        expect(decoded.runs).toEqual(reference.runs);
        expect(decoded.sha256).toBe(reference.sha256);
        expect(decoded.emittedSamples).toBe(decoded.pcm.length);
        const ms = reference.runs.reduce((sum, run) => sum + (run.samples * 1000) / run.sampleRate, 0);
        expect(decoded.emittedMs).toBeCloseTo(ms, 9);
      }
      expect(decoders.live()).toBe(0);
    },
  );

  const tagged = Object.entries(mp3References).filter(([, reference]) => reference.tag !== undefined);
  it.each(tagged)('gives exactly the samples of the source of %s', (_, reference) => {
    expect(reference.runs).toEqual([{ sampleRate: expect.any(Number), samples: reference.sourceSamples }]);
  });

  it('predicts the samples of every stream of one format', () => {
    for (const [name, reference] of Object.entries(mp3References)) {
      if (reference.runs.length > 1) continue;
      const { frames, tags } = parseMp3([mp3Fixture(name)]);
      const predicted = streamSamples(tags[0], frames.length, frames[0]!.header.samplesPerFrame);
      expect([name, predicted]).toEqual([name, reference.runs[0]!.samples]);
    }
  });

  it('loses only the end of a stream that breaks off', () => {
    const whole = mp3Fixture('lame-cbr-24k.mp3');
    const cut = samplesOf([whole.slice(0, 192 * 41)]);
    expect(cut.length).toBe(40 * 576 - 1105);
    expect(cut).toEqual(samplesOf([whole]).slice(0, cut.length));
  });
});

describe('streamSamples', () => {
  const tag = { totalFrames: 10, encoderDelay: 576, padding: 700 };
  it.each([
    ['nothing', undefined, 0, 0],
    ['a frame that is all delay', undefined, 1, 0],
    ['no tag', undefined, 10, 5760 - 1105],
    ['a tag without delays', { totalFrames: 10 }, 10, 5760 - 1105],
    ['a whole stream', tag, 10, 5760 - 576 - 700],
    ['a stream that breaks off', tag, 8, 8 * 576 - 1105],
    ['a stream that breaks off inside the padding', { ...tag, padding: 2000 }, 8, 8 * 576 - 1105 - 319 - 576],
    ['a tag that counts its own frame', tag, 9, 9 * 576 - 576 - 700],
    ['a tag that counts its own frame, and much padding', { ...tag, padding: 1300 }, 9, 9 * 576 - 576 - 1300],
    ['less padding than the decoder needs', { ...tag, padding: 100 }, 10, 5760 - 1105],
    ['more frames than the tag counts', tag, 12, 5760 - 576 - 700 + 2 * 576],
    ['a tag of nothing but padding', { totalFrames: 1, encoderDelay: 576, padding: 4095 }, 1, 0],
  ])('counts %s', (_, given, frames, expected) => {
    expect(streamSamples(given, frames, 576)).toBe(expected);
  });

  it('never falls as frames are added, and grows by at most a frame', () => {
    for (const totalFrames of [1, 3, 10])
      for (const encoderDelay of [0, 576, 2257])
        for (const padding of [0, 529, 1300, 4095]) {
          const counts = Array.from({ length: 20 }, (_, n) =>
            streamSamples({ totalFrames, encoderDelay, padding }, n, 576),
          );
          const steps = counts.slice(1).map((count, i) => count - counts[i]!);
          expect(steps.every((step) => step >= 0 && step <= 576)).toBe(true);
        }
  });
});

describe('streams in a row', () => {
  const first = mp3Fixture('lame-cbr-24k.mp3');
  const second = mp3Fixture('lame-vbr-24k.mp3');

  it('joins two bodies to the sample', () => {
    const alone = [...samplesOf([first]), ...samplesOf([second])];
    expect(alone.length).toBe(2 * 54321);
    expect(samplesOf([first, second])).toEqual(alone);
  });

  it('joins two files in one body to the sample as well', () => {
    expect(samplesOf([joined(first, second)])).toEqual(samplesOf([first, second]));
  });

  it('keeps what follows in one body behind a tagged file, though no tag counts it', () => {
    const untagged = mp3Fixture('ffmpeg-live-24k.mp3');
    expect(samplesOf([joined(first, untagged)]).length).toBe(54321 + 97 * 576);
  });
});

describe('damage', () => {
  /** Loudness of each 10 ms. */
  const levels = (pcm: readonly number[], window = 240) =>
    Array.from({ length: Math.floor(pcm.length / window) }, (_, i) =>
      Math.hypot(...pcm.slice(i * window, (i + 1) * window)),
    );
  const clean = 'ffmpeg-live-24k.mp3';

  it('is never louder than the clean speech around it', () => {
    const before = levels(samplesOf([mp3Fixture(clean)]));
    const after = levels(samplesOf([mp3Fixture('damaged-24k.mp3')]));
    // Lost frames move the rest forward by up to 200 ms.
    const excess = after.map(
      (level, i) => level / Math.max(0.01, ...before.slice(Math.max(0, i - 2), i + 20)),
    );
    expect(20 * Math.log10(Math.max(...excess))).toBeLessThan(1);
    expect(Math.max(...after)).toBeGreaterThan(0.9 * Math.max(...before));
  });

  it('keeps time: damage inside frames moves nothing', () => {
    const bytes = mp3Fixture(clean);
    for (let at = 1000; at < bytes.length; at += 97) if (at % 192 >= 4) bytes[at] = bytes[at]! ^ 0x5a;
    expect(samplesOf([bytes]).length).toBe(mp3References[clean]!.runs[0]!.samples);
  });

  it('comes back to the clean decode behind the last damage', () => {
    const whole = samplesOf([mp3Fixture(clean)]);
    const damaged = samplesOf([mp3Fixture('damaged-24k.mp3')]);
    const tail = damaged.slice(-4 * 576);
    // The file ends inside frame 89: frames 85 to 88 are the last whole ones.
    const wanted = whole.slice(85 * 576 - 1105, 89 * 576 - 1105);
    // Not to the bit: the filter bank rounds by how many frames came before.
    expect(Math.max(...tail.map((x, i) => Math.abs(x - wanted[i]!)))).toBeLessThan(1e-6);
  });
});

describe('misuse', () => {
  it('refuses a frame outside a stream', () => {
    const toPcm = new Mp3ToPcm(decoders, () => expect.unreachable());
    const [frame] = parseMp3([mp3Fixture('lame-8k.mp3')]).frames;
    expect(() => toPcm.push(frame!)).toThrow(/outside a stream/);
  });

  it('frees its decoder once, however it ends', () => {
    const toPcm = new Mp3ToPcm(decoders, () => {});
    toPcm.beginStream();
    toPcm.beginStream();
    expect(decoders.live()).toBe(1);
    toPcm.endStream();
    toPcm.close();
    toPcm.close();
    expect(decoders.live()).toBe(0);
  });
});
