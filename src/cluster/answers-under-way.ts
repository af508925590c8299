// HTTP answers that are being sent, so that a listener that stops can let them finish.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';

export type AnswersUnderWay = {
  add(response: ServerResponse): void;
  /** Resolves when all of them have ended, or after SETTLE_MS. */
  settle(): Promise<void>;
};

/** What is in buffers of this machine is sent quickly. */
const SETTLE_MS = 1000;

export function createAnswersUnderWay(clock: Clock): AnswersUnderWay {
  const underWay = new Set<ServerResponse>();
  let onEnded = () => {};
  return {
    add(response) {
      underWay.add(response);
      response.once('close', () => {
        underWay.delete(response);
        onEnded();
      });
    },
    settle: () =>
      new Promise((resolve) => {
        const disarm = clock.after(SETTLE_MS, resolve);
        onEnded = () => {
          if (underWay.size > 0) return;
          disarm();
          resolve();
        };
        onEnded();
      }),
  };
}
