// The process of the embedded engine, as its keeper sees it: orders to it, news from it, and its end.

import type { Socket } from 'node:net';
import type { EngineNews, EngineOrder } from '../speech/engine-messages.ts';

export type EngineProcess = {
  /** With a socket, that socket is its own from then on. `onSent` is called unless the process ends before. */
  order(order: EngineOrder, socket?: Socket, onSent?: () => void): void;
  onNews(listener: (news: EngineNews) => void): void;
  /** Once; `why` is for the log. */
  onExit(listener: (why: string) => void): void;
  /** At once. */
  kill(): void;
};

export type SpawnEngine = () => EngineProcess;
