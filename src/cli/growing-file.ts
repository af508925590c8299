// An audio file that grows while it is made, so that a book need not be held in memory, and that has its name only when
// it can be played: until then it is NAME.part.

import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { finishedWavHeader, WAV_HEADER_BYTES } from '../audio/containers/wav.ts';

export type GrowingFile = {
  write(bytes: Uint8Array): void;
  bytes(): number;
  /** Gives it its name, its header the true sizes; nothing is left of one without a byte. */
  finish(): void;
};

export function openGrowingFile(path: string): GrowingFile {
  const unfinished = `${path}.part`;
  const file = openSync(unfinished, 'w+');
  let bytes = 0;
  const tellSizes = () => {
    const head = Buffer.alloc(WAV_HEADER_BYTES);
    const read = readSync(file, head, 0, head.length, 0);
    const header = finishedWavHeader(head.subarray(0, read), bytes);
    if (header !== undefined) writeSync(file, header, 0, header.length, 0);
  };
  return {
    write(more) {
      for (let at = 0; at < more.length; ) at += writeSync(file, more, at, more.length - at, bytes + at);
      bytes += more.length;
    },
    bytes: () => bytes,
    finish() {
      tellSizes();
      closeSync(file);
      if (bytes === 0) rmSync(unfinished, { force: true });
      else renameSync(unfinished, path);
    },
  };
}
