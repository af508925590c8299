// Bodies that are whole and do not look like it are heard whole, at one request; those that are cut are asked for again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mainDataBits } from '../../../src/audio/mp3/mp3-side-info.ts';
import { createSpeechRecovery } from '../../../src/pipeline/whole-body/speech-recovery.ts';
import { chunksOf, mp3Fixture, parseMp3 } from '../../support/mp3-fixtures.ts';
import { ODD_BODIES } from '../../support/odd-bodies.ts';
import { speakThrough } from '../../support/speak-through.ts';

/** Too short to say how long its speech must be. */
const TEXT = 'It is two.';

async function speakBodies(bodies: readonly Uint8Array[], format: 'raw' | 'mp3', chunkBytes = 1000) {
  const [first] = bodies.flatMap((body) => parseMp3([body]).frames);
  const sampleRate = first!.header.sampleRate;
  const texts = bodies.map((_, i) => (i === 0 ? TEXT : `And ${i} more.`));
  let asked = 0;
  const spoken = await speakThrough({
    texts,
    format,
    sampleRate,
    // Some of the recordings are cut out of longer ones.
    recovery: { ...createSpeechRecovery(), soundOfEnd: () => undefined },
    onRequest(request) {
      for (const chunk of chunksOf(bodies[Math.min(asked++, bodies.length - 1)]!, [chunkBytes]))
        request.send(chunk);
      request.end();
    },
  });
  return { ...spoken, sampleRate };
}

/** What one body after another gives, each alone; its last frame is filled up with silence. */
const soundOf = async (bodies: readonly Uint8Array[]) => (await speakBodies(bodies, 'raw')).bytes;

describe('an odd body that is whole', () => {
  it.each(ODD_BODIES)('$name', async ({ bytes, samples, soundsLike }) => {
    const spoken = await speakBodies([bytes], 'raw');
    expect(spoken.error).toBeUndefined();
    expect([spoken.requests.length, spoken.kinds]).toEqual([1, []]);
    const [request] = spoken.requestsMs;
    expect(request!.state).toBe('complete');
    expect((request!.ms * spoken.sampleRate) / 1000).toBeCloseTo(samples, 6);
    // What was told is what was made: whole frames of 20 ms.
    const frame = spoken.sampleRate / 50;
    expect(spoken.samples).toBe(Math.ceil(samples / frame) * frame);
    if (soundsLike?.length === 1) expect(spoken.bytes.equals(await soundOf(soundsLike))).toBe(true);
  });

  it.each(ODD_BODIES)('$name, undecoded', async ({ bytes }) => {
    const spoken = await speakBodies([bytes], 'mp3');
    expect([spoken.error, spoken.requests.length, spoken.requestsMs[0]!.state]).toEqual([
      undefined,
      1,
      'complete',
    ]);
    const { frames, junkBytes } = parseMp3([spoken.bytes]);
    expect(junkBytes).toBe(0);
    expect(frames).toHaveLength(parseMp3([bytes]).frames.length);
    expect(spoken.samples).toBe(frames.length * frames[0]!.header.samplesPerFrame);
  });

  it('is the same in any chunks', async () => {
    const wholes = ODD_BODIES.map(({ bytes }) => parseMp3([bytes]));
    fc.assert(
      fc.property(
        fc.nat({ max: ODD_BODIES.length - 1 }),
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 9 }),
        (which, lengths) => {
          const split = parseMp3(chunksOf(ODD_BODIES[which]!.bytes, lengths));
          const whole = wholes[which]!;
          expect(split.tags).toEqual(whole.tags);
          expect(split.junkBytes).toBe(whole.junkBytes);
          expect(split.frames.length).toBe(whole.frames.length);
          for (const [i, frame] of split.frames.entries()) {
            expect(Buffer.compare(frame.bytes, whole.frames[i]!.bytes)).toBe(0);
            expect(frame.afterGap).toBe(whole.frames[i]!.afterGap);
          }
        },
      ),
      { numRuns: 150 },
    );
    for (const { name, bytes } of ODD_BODIES) {
      const split = parseMp3(chunksOf(bytes, [1]));
      const whole = parseMp3([bytes]);
      expect([name, split.frames.length, split.junkBytes]).toEqual([
        name,
        whole.frames.length,
        whole.junkBytes,
      ]);
    }
  });
});

describe('a body that is cut', () => {
  const speech = mp3Fixture('lame-cbr-24k.mp3');
  const untagged = mp3Fixture('ffmpeg-live-24k.mp3');
  const FRAME = 192;

  /** The first answer is `cut`, every other one whole. */
  async function speakCut(cut: Uint8Array, whole: Uint8Array) {
    let asked = 0;
    return await speakThrough({
      texts: [TEXT],
      recovery: createSpeechRecovery(),
      onRequest(request) {
        asked += 1;
        request.send(asked === 1 ? cut : whole);
        request.end();
      },
    });
  }

  it.each([1, 2, 3, 4, 5, 100, 191])(
    '%i bytes behind a frame is asked for again, and heard whole',
    async (bytes) => {
      const whole = await speakCut(untagged, untagged);
      for (const body of [speech, untagged]) {
        const spoken = await speakCut(body.subarray(0, 50 * FRAME + bytes), body);
        expect([spoken.error, spoken.requests.length]).toEqual([undefined, 2]);
        expect(spoken.requestsMs[0]!.state).toBe('complete');
        if (body === untagged) expect(spoken.bytes.equals(whole.bytes)).toBe(true);
      }
    },
  );

  it('in a frame behind damage is asked for again', async () => {
    const damaged = untagged.slice(0, 50 * FRAME + 100);
    damaged.fill(0, 40 * FRAME, 41 * FRAME);
    const spoken = await speakCut(damaged, damaged);
    expect([spoken.error, spoken.requests.length]).toMatchObject([{ code: 'upstream_broken' }, 2]);
  });

  it('between frames is asked for again when its tag counts more than one that did not come', async () => {
    const noBytes = speech.slice();
    noBytes.fill(0, 25, 29);
    for (const body of [speech, noBytes])
      for (const [frames, requests] of [
        [50, 2],
        [96, 2],
        [97, 1],
      ] as const) {
        const spoken = await speakCut(body.subarray(0, frames * FRAME), body);
        expect([frames, spoken.error, spoken.requests.length]).toEqual([frames, undefined, requests]);
      }
  });
});

describe('damage', () => {
  const FRAME = 192;
  const untagged = mp3Fixture('ffmpeg-live-24k.mp3');
  const samplesOf = ({ bytes }: { bytes: Buffer }) => new Int16Array(Uint8Array.from(bytes).buffer);

  it('is heard where it is, and nowhere else', async () => {
    const whole = samplesOf(await speakBodies([untagged], 'raw'));
    const broken = untagged.slice();
    broken.fill(0x99, 56 * FRAME + 100, 59 * FRAME + 100);
    const heard = samplesOf(await speakBodies([broken], 'raw'));
    expect(heard.length).toBe(whole.length);
    const differences = Array.from(heard.keys()).filter((i) => Math.abs(heard[i]! - whole[i]!) > 1);
    // Frame 56, three without a header, and one whose main data begins in the last of them; the next one overlaps it.
    expect(differences[0]).toBeGreaterThanOrEqual(56 * 576 - 1105);
    expect(differences.at(-1)).toBeLessThan(63 * 576 - 1105);
    const hole = heard.subarray(59 * 576 - 1105, 60 * 576 - 1105);
    expect([hole.length, Math.max(...hole.map(Math.abs))]).toEqual([576, 0]);
  });

  it('is silence where the frames go out undecoded, and so is a frame whose main data lay in it', async () => {
    for (const fixture of ['ffmpeg-live-24k.mp3', 'lame-id3-crc-24k.mp3'] as const) {
      const whole = parseMp3([mp3Fixture(fixture)]).frames;
      const broken = mp3Fixture(fixture);
      const at = Buffer.from(broken.buffer).indexOf(whole[56]!.bytes);
      broken.fill(0x99, at, at + 3 * FRAME);
      const { bytes } = await speakBodies([broken], 'mp3');
      const { frames } = parseMp3([bytes]);
      expect(frames).toHaveLength(whole.length);
      const isSilent = (i: number) => mainDataBits(frames[i]!.bytes, frames[i]!.header) === 0;
      const isSame = (i: number) => Buffer.compare(frames[i]!.bytes, whole[i]!.bytes) === 0;
      const changed = Array.from(frames.keys()).filter((i) => !isSame(i));
      // The fourth begins in the third.
      expect(changed).toEqual([56, 57, 58, 59]);
      expect(changed.every(isSilent)).toBe(true);
      const passed = samplesOf(await speakBodies([bytes], 'raw'));
      const decoded = samplesOf(await speakBodies([broken], 'raw'));
      // As far as the source goes: its padding goes out undecoded, too.
      for (let i = 0; i < 54_321; i += 1) expect(Math.abs(passed[i]! - decoded[i]!)).toBeLessThanOrEqual(1);
    }
  });
});
