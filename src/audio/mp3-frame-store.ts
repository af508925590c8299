// MP3 frames that wait. What was lost before one is noted with it; that is hardly ever anything.

import { createFrameStore, type FrameStore } from './frame-store.ts';
import type { Mp3Frame } from './mp3-frame-parser.ts';
import type { Mp3Header } from './mp3-header.ts';

type Note = Mp3Header | { readonly header: Mp3Header; readonly afterGap: true };

export type Mp3FrameStore = Omit<FrameStore<Note, Mp3Frame>, 'add' | 'firstNote'> & {
  /** Copies the frame behind all others: what it is a view of may be freed. */
  add(frame: Mp3Frame): void;
};

const toFrame = (bytes: Uint8Array, note: Note): Mp3Frame =>
  'afterGap' in note ? { bytes, ...note } : { bytes, header: note };

export function createMp3FrameStore(): Mp3FrameStore {
  const store = createFrameStore(toFrame);
  return {
    ...store,
    add: ({ bytes, header, afterGap }) => store.add(bytes, afterGap === true ? { header, afterGap } : header),
  };
}
