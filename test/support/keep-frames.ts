// Frames are memory of who gives them out; a test that looks at them later keeps copies.

import type { AudioFrame } from '../../src/audio/stage.ts';

export const ownCopy = (frame: AudioFrame): AudioFrame => ({ ...frame, bytes: frame.bytes.slice() });
export const keepIn =
  (frames: AudioFrame[]) =>
  (frame: AudioFrame): void => {
    frames.push(ownCopy(frame));
  };
