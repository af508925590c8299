// MP3 frames that wait. What was lost before one is noted with it; that is hardly ever anything.

import { createFrameStore, type FrameStore } from '../frame-store.ts';
import type { Mp3Frame } from './mp3-frame-parser.ts';
import type { Mp3Header } from './mp3-header.ts';

type Note = Mp3Header | { readonly header: Mp3Header; readonly afterGap: true };

export type Mp3FrameStore = FrameStore<Note, Mp3Frame>;

const toFrame = (bytes: Uint8Array, note: Note): Mp3Frame =>
  'afterGap' in note ? { bytes, ...note } : { bytes, header: note };

export const createMp3FrameStore = (): Mp3FrameStore => createFrameStore(toFrame);

/** Copies the frame behind all others: what it is a view of may be freed. */
export function addMp3Frame(store: Mp3FrameStore, { bytes, header, afterGap }: Mp3Frame): void {
  store.add(bytes, afterGap === true ? { header, afterGap } : header);
}
