// One spoken part from its file to MP3 frames, through one buffer that is used again for each piece.

import { open } from 'node:fs/promises';
import { Mp3FrameParser, type Mp3FrameSink } from '../../audio/mp3/mp3-frame-parser.ts';
import type { Mp3Header } from '../../audio/mp3/mp3-header.ts';

const PIECE_BYTES = 64 * 1024;

/**
 * Tells `sink` all frames and tags, and `onBytes` how much has been read; frames are valid during the call only.
 * Rejects when the file cannot be read.
 */
export async function readPart(
  path: string,
  sink: Mp3FrameSink,
  onBytes: (bytes: number) => 'go-on' | 'enough',
): Promise<void> {
  const parser = new Mp3FrameParser(sink);
  const file = await open(path);
  try {
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, null);
      if (bytesRead === 0) break;
      parser.push(piece.subarray(0, bytesRead));
      if (onBytes(bytesRead) === 'enough') return;
    }
    parser.flush();
  } finally {
    await file.close();
  }
}

/** The header of its first frame; undefined when it has none. Reads little further. */
export async function readFirstHeader(path: string): Promise<Mp3Header | undefined> {
  let first: Mp3Header | undefined;
  const sink: Mp3FrameSink = {
    onFrame({ header }) {
      first ??= header;
    },
    onTag() {},
  };
  await readPart(path, sink, () => (first === undefined ? 'go-on' : 'enough'));
  return first;
}
