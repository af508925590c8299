// A process that plays, as the primary sees it: a channel to it, and its end.

import type { PlayerNumber } from './messages.ts';
import type { Line } from './peer.ts';

export type PlayerProcess = {
  readonly line: Line;
  readonly pid: number | undefined;
  /** Once; `why` is for the log. */
  onExit(listener: (why: string) => void): void;
  /** At once. */
  kill(): void;
};

export type SpawnPlayer = (player: PlayerNumber) => PlayerProcess;
