// Queue and codec of a turn as one take of its speech has them: lent, until the take is cut. From then on another take
// uses them, and whatever of this one is still under way finds nothing that it could do to them.

import type { TranscoderItem } from '../../audio/transcoder.ts';
import type { SpeechSink, TurnAudio } from '../../pipeline/speak.ts';

/** The queue, as far as a take needs it. */
type TakeFrames = TurnAudio['frames'];

/** Both in one: what they are asked has no name in common. */
export type LentAudio = TakeFrames &
  SpeechSink & {
    takeAway(): void;
  };

const NOTHING_TO_DO = Promise.resolve();

/** One for each take, asked for each frame. */
class BorrowedAudio implements LentAudio {
  private readonly queue: TakeFrames;
  private readonly sink: SpeechSink;
  private isLent = true;

  constructor(queue: TakeFrames, sink: SpeechSink) {
    this.queue = queue;
    this.sink = sink;
  }

  takeAway(): void {
    this.isLent = false;
  }

  isFull(): boolean {
    return this.queue.isFull();
  }
  room(signal: AbortSignal): Promise<void> {
    return this.queue.room(signal);
  }
  end(): void {
    if (this.isLent) this.queue.end();
  }

  prepare(): void {
    this.sink.prepare();
  }
  push(item: TranscoderItem): void {
    if (this.isLent) this.sink.push(item);
  }
  release(): Promise<void> {
    return this.isLent ? this.sink.release() : NOTHING_TO_DO;
  }
  silence(ms: number): void {
    if (this.isLent) this.sink.silence(ms);
  }
  rest(ms: number): void {
    if (this.isLent) this.sink.rest(ms);
  }
  flush(): Promise<void> {
    return this.isLent ? this.sink.flush() : NOTHING_TO_DO;
  }
  close(): void {
    if (this.isLent) this.sink.close();
  }
  isSilent(): boolean {
    return this.sink.isSilent();
  }
}

export const lendAudio = (queue: TakeFrames, sink: SpeechSink): LentAudio => new BorrowedAudio(queue, sink);
