import { describe, expect, it } from 'vitest';
import {
  BETWEEN_WORDS,
  createReferenceSpeech,
  NO_PAUSE,
  REFERENCE_PAUSE,
  speechMean,
} from '../../src/captions/reference-speech.ts';
import { CEPSTRA } from '../../src/captions/speech-features.ts';

/** A track in which the letter of each frame is a sound, and a dot is silence. */
function trackOf(frames: string) {
  return {
    cepstra: Float32Array.from(
      [...frames].flatMap((sign) => new Array<number>(CEPSTRA).fill(sign.charCodeAt(0))),
    ),
    levels: Float32Array.from(frames, (sign) => (sign === '.' ? -11 : 0)),
  };
}
const pause = (frames: number) => '.'.repeat(frames);

describe('reference speech', () => {
  it('keeps the edges of its pauses only, and where in time its frames were', () => {
    const { frames, frameMs, silent } = createReferenceSpeech(trackOf(`aaaaa${pause(30)}bbbbb`), [0, 350]);
    expect(frames).toBe(18);
    expect(Array.from(frameMs).slice(7, 11)).toEqual([70, 80, 310, 320]);
    expect(Array.from(silent).join('')).toBe('000001111111100000');
  });

  it('leaves the silence inside a consonant as it is', () => {
    expect(createReferenceSpeech(trackOf(`aaaaa${pause(7)}bbbbb`), [0]).frames).toBe(17);
  });

  it('lets a voice pause in front of words, at once where it does so itself, and at both ends', () => {
    const { pausing, frames } = createReferenceSpeech(trackOf(`aaaaabbbbb${pause(20)}ccccc`), [0, 50, 300]);
    const at = (kind: number) => Array.from(pausing.keys()).filter((frame) => pausing[frame] === kind);
    expect(at(BETWEEN_WORDS)).toEqual([5]);
    expect(at(REFERENCE_PAUSE)).toEqual([0, 14, frames]);
    expect(at(NO_PAUSE)).toHaveLength(frames + 1 - 4);
  });

  it('finds its words among the frames that stay, between frames too', () => {
    const track = trackOf(`aaaaa${pause(30)}bbbbb${pause(20)}`);
    const { wordFrames } = createReferenceSpeech(track, [0, 23, 200, 355]);
    expect(Array.from(wordFrames)).toEqual([0, 2.3, 9, expect.closeTo(13.5, 5)]);
  });

  it('takes words that fall back in time, or are behind the end, as no earlier than others and at the end', () => {
    const { wordFrames, wordMs } = createReferenceSpeech(trackOf('aaaaabbbbb'), [30, 20, 5000]);
    expect(Array.from(wordMs)).toEqual([30, 30, 5000]);
    expect(Array.from(wordFrames)).toEqual([3, 3, 9]);
  });

  it('has the mean of what is spoken, silence apart', () => {
    expect(speechMean(trackOf(`ac${pause(50)}`))[3]).toBeCloseTo('b'.charCodeAt(0));
    expect(Array.from(speechMean(trackOf('')))).toEqual(new Array(CEPSTRA).fill(0));
  });

  it('can be of nothing', () => {
    const { frames, wordFrames, lengthMs } = createReferenceSpeech(trackOf(''), []);
    expect([frames, wordFrames.length, lengthMs]).toEqual([0, 0, 0]);
  });
});
