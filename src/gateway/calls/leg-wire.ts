// What carries a leg's frames: a WebSocket, or a TCP connection cut into messages.

import type { LegFrame, LegRules } from '../../legs/leg.ts';
import type { FrameMeter } from '../../playout/frame-meter.ts';
import type { FrameRingMemory } from '../../playout/frame-ring.ts';

/** Writes the frames of a ring in their time. */
export type WireMeter = (memory: FrameRingMemory, rules: Pick<LegRules, 'leadMs' | 'stepMs'>) => FrameMeter;

export type LegWire = {
  send(frame: LegFrame): void;
  bufferedBytes(): number;
  /** Behind what has been sent. */
  close(code: number, reason: string): void;
  terminate(): void;
  /** Off the thread that makes the frames; absent: this thread writes them. */
  readonly meter?: WireMeter;
};
