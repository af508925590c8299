// The frames that were sent last, as far back as they may be given back: a call that is interrupted has not played them, and a
// turn that goes on at a word says it from its beginning.

import { createAudioFrameStore, type FrameStore } from '../audio/frame-store.ts';
import type { AudioFrame } from '../audio/stage.ts';

export class SentFrames {
  private readonly store: FrameStore<number, AudioFrame> = createAudioFrameStore();
  private samples = 0;

  /** Keeps a copy, and forgets what lies more than `mostSamples` back. */
  add({ bytes, samples }: AudioFrame, mostSamples: number): void {
    const { store } = this;
    store.add(bytes, samples);
    this.samples += samples;
    for (let first = store.firstNote()!; this.samples - first > mostSamples; first = store.firstNote()!) {
      store.dropFirst();
      this.samples -= first;
    }
  }
  /** Samples of the last one. */
  lastSamples(): number | undefined {
    return this.store.lastNote();
  }
  /** A copy of the last one, which is forgotten. */
  takeLast(): AudioFrame {
    const { bytes, samples } = this.store.takeLast()!;
    this.samples -= samples;
    return { bytes: new Uint8Array(bytes), samples };
  }
  clear(): void {
    this.store.clear();
    this.samples = 0;
  }
}
