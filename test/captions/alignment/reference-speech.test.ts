import { describe, expect, it } from 'vitest';
import {
  BETWEEN_WORDS,
  createReferenceSpeech,
  NO_PAUSE,
  REFERENCE_PAUSE,
  speechMean,
} from '../../../src/captions/alignment/reference-speech.ts';
import { CEPSTRA, FRAME_MS, framesIn } from '../../../src/captions/alignment/speech-features.ts';

/** A track in which the letter of each frame is a sound, and a dot is silence. */
function trackOf(frames: string) {
  return {
    cepstra: Float32Array.from(
      [...frames].flatMap((sign) => new Array<number>(CEPSTRA).fill(sign.charCodeAt(0))),
    ),
    levels: Float32Array.from(frames, (sign) => (sign === '.' ? -11 : 0)),
  };
}
/** A sound, or silence, for so long. */
const held = (sign: string, ms: number) => sign.repeat(framesIn(ms));
const pause = (ms: number) => held('.', ms);
/** When the frames of a stretch are. */
const timesMs = (from: number, to: number) =>
  Array.from({ length: framesIn(to - from) }, (_, frame) => from + frame * FRAME_MS);

describe('reference speech', () => {
  it('keeps the edges of its pauses only, and where in time its frames were', () => {
    const track = trackOf(held('a', 100) + pause(300) + held('b', 100));
    const { frames, frameMs, silent } = createReferenceSpeech(track, [0, 400]);
    const keptMs = [...timesMs(0, 140), ...timesMs(360, 500)];
    expect(frames).toBe(keptMs.length);
    expect(Array.from(frameMs)).toEqual(keptMs);
    expect(Array.from(silent)).toEqual(keptMs.map((ms) => (ms < 100 || ms >= 400 ? 0 : 1)));
  });

  it('leaves the silence inside a consonant as it is', () => {
    const track = trackOf(held('a', 100) + pause(70) + held('b', 100));
    const { frames, silent } = createReferenceSpeech(track, [0]);
    expect([frames, silent.includes(1)]).toEqual([track.levels.length, false]);
  });

  it('lets a voice pause in front of words, at once where it does so itself, and at both ends', () => {
    const track = trackOf(held('a', 100) + held('b', 100) + pause(200) + held('c', 100));
    const { pausing, frames } = createReferenceSpeech(track, [0, 100, 400]);
    const at = (kind: number) => Array.from(pausing.keys()).filter((frame) => pausing[frame] === kind);
    expect(at(BETWEEN_WORDS)).toEqual([framesIn(100)]);
    expect(at(REFERENCE_PAUSE)).toEqual([0, framesIn(240), frames]);
    expect(at(NO_PAUSE)).toHaveLength(frames + 1 - 4);
  });

  it('finds its words among the frames that stay, between frames too', () => {
    const track = trackOf(held('a', 100) + pause(300) + held('b', 100) + pause(200));
    const { wordFrames } = createReferenceSpeech(track, [0, 46, 200, 450]);
    // Inside the pause is where it is cut; behind it 220 ms are not there.
    expect(Array.from(wordFrames, (frame) => frame * FRAME_MS)).toEqual([0, 46, 140, expect.closeTo(230, 5)]);
  });

  it('takes words that fall back in time, or are behind the end, as no earlier than others and at the end', () => {
    const track = trackOf(held('a', 100) + held('b', 100));
    const { wordFrames, wordMs } = createReferenceSpeech(track, [60, 40, 5000]);
    expect(Array.from(wordMs)).toEqual([60, 60, 5000]);
    expect(Array.from(wordFrames)).toEqual([framesIn(60), framesIn(60), track.levels.length - 1]);
  });

  it('has the mean of what is spoken, silence apart', () => {
    expect(speechMean(trackOf(`ac${pause(500)}`))[3]).toBeCloseTo('b'.charCodeAt(0));
    expect(Array.from(speechMean(trackOf('')))).toEqual(new Array(CEPSTRA).fill(0));
  });

  it('can be of nothing', () => {
    const { frames, wordFrames, lengthMs } = createReferenceSpeech(trackOf(''), []);
    expect([frames, wordFrames.length, lengthMs]).toEqual([0, 0, 0]);
  });
});
