import { describe, expect, it } from 'vitest';
import { heardInTime } from '../../../bench/lab/heard-in-time.ts';

const sound = new Uint8Array(320).fill(3);
const silence = new Uint8Array(320);
/** One letter a frame of 20 ms: s sound, o silence, - nothing at all. */
const heard = (frames: string) =>
  [...frames].flatMap((frame, index) =>
    frame === '-' ? [] : [{ atMs: 1000 + index * 20, bytes: frame === 's' ? sound : silence }],
  );

describe('heardInTime', () => {
  it('has nothing to tell of speech that is whole, whatever silence lies around it', () => {
    expect(heardInTime(heard('ooossssssoo'), 20)).toEqual({ silentFrames: 0, driftMs: 0 });
    expect(heardInTime(heard('ooo'), 20)).toEqual({ silentFrames: 0, driftMs: 0 });
    expect(heardInTime([], 20)).toEqual({ silentFrames: 0, driftMs: 0 });
  });

  it('counts silence that was sent, and frames that were not', () => {
    expect(heardInTime(heard('sssoosss'), 20)).toEqual({ silentFrames: 2, driftMs: 40 });
    expect(heardInTime(heard('sss-sos'), 20)).toEqual({ silentFrames: 2, driftMs: 40 });
  });

  it('tells of frames that come too fast', () => {
    const early = heard('ssssssss').map((block, index) => ({ ...block, atMs: block.atMs - index }));
    expect(heardInTime(early, 20)).toEqual({ silentFrames: 0, driftMs: -7 });
  });
});
