// What reads a body of any type: bytes in any split go in, frames of sound come out as soon as they are certain. The MP3 parser is
// one, and the model of the others.

import type { Mp3StreamTag } from '../mp3/mp3-stream-tag.ts';
import type { SoundFrame } from './sound-frame.ts';

export type SoundSink = {
  /** Bytes of the frame are good until it returns. */
  onFrame(frame: SoundFrame): void;
  /** Of MP3 alone. */
  onTag(tag: Mp3StreamTag): void;
};

export type BodyParser = {
  /** Throws `upstream_bad_audio` that names what cannot be read. */
  push(chunk: Uint8Array): void;
  /** The body has ended, and another may bring the rest: an unfinished frame is held. */
  settle(): void;
  /** No more bytes will come: what is held is read as the end. */
  flush(): void;
  /** Bytes so far that belong to no frame and no header; `heldBytes`: those that may still do so. */
  junkBytes(): number;
  heldBytes(): number;
  /** Bytes that show that the body was cut: of a frame, sample or page that is not whole. 0: nothing shows it. */
  cutFrameBytes(): number;
  /** What is held and is sound, if nothing follows it; absent: nothing is held that could be. Its bytes are its own. */
  heldFrame?(): SoundFrame | undefined;
  /** Samples that the body itself has announced and that have not come. */
  missingSamples(): number;
};
