import { describe, expect, it } from 'vitest';
import { createPauseFinder, type Pause } from '../../../src/captions/alignment/pause-finder.ts';
import { FRAME_MS, framesIn } from '../../../src/captions/alignment/speech-features.ts';

const SILENCE = -11;
const SPEECH = 0;
/** Of a sound that begins at once. */
const NONE_BEFORE = [0, 0];

/** Pauses of silence and sound by turns, for so many ms each, silence first: from and to, ms. */
function pausesOf(...turnsMs: number[]) {
  const pauses: Pause[] = [];
  const finder = createPauseFinder((pause) => pauses.push(pause));
  turnsMs.forEach((ms, turn) => {
    for (let frame = 0; frame < framesIn(ms); frame += 1) finder.push(turn % 2 === 0 ? SILENCE : SPEECH);
  });
  const silentFrom = finder.silentFrom();
  return {
    pausesMs: pauses.map(({ from, to }) => [from * FRAME_MS, to * FRAME_MS]),
    silentFromMs: silentFrom === undefined ? undefined : silentFrom * FRAME_MS,
  };
}

describe('pause finder', () => {
  it('calls a silence of 100 ms a pause once speech has followed it', () => {
    expect(pausesOf(0, 500, 100).pausesMs).toEqual([NONE_BEFORE]);
    expect(pausesOf(0, 500, 100, 200).pausesMs).toEqual([NONE_BEFORE, [500, 600]]);
  });

  it('does not call the 80 ms of a stop consonant one', () => {
    expect(pausesOf(0, 500, 80, 200)).toEqual({ pausesMs: [NONE_BEFORE], silentFromMs: undefined });
  });

  it('calls any silence one that a sound begins with', () => {
    expect(pausesOf(20, 500).pausesMs).toEqual([[0, 20]]);
  });

  it('hears 20 ms of sound in a silence as a click, and 40 ms as speech', () => {
    expect(pausesOf(0, 500, 200, 20, 200, 300).pausesMs).toEqual([NONE_BEFORE, [500, 920]]);
    expect(pausesOf(0, 500, 200, 40, 200, 300).pausesMs).toEqual([NONE_BEFORE, [500, 700], [740, 940]]);
  });

  it('tells where the silence began that lasts', () => {
    expect(pausesOf(300).silentFromMs).toBe(0);
    expect(pausesOf(0, 500).silentFromMs).toBeUndefined();
    expect(pausesOf(0, 500, 40).silentFromMs).toBe(500);
  });
});
