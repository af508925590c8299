// The clients of a load that one part of a bench makes: they end together, with the bench or before it.

import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionClient } from '../../src/client/voxgate-client.ts';

export type ClientGroup = {
  /** Aborted when it is over. */
  readonly until: AbortSignal;
  readonly clients: Set<SessionClient>;
  /** Waits, or rejects when it is over. */
  readonly wait: (ms: number) => Promise<void>;
  /** Resolves when what was on its way has come. */
  readonly stop: () => Promise<void>;
};

const ON_ITS_WAY_MS = 100;

export function openClientGroup(signal: AbortSignal): ClientGroup {
  const stopping = new AbortController();
  const until = AbortSignal.any([signal, stopping.signal]);
  setMaxListeners(0, until);
  const clients = new Set<SessionClient>();
  return {
    until,
    clients,
    wait: (ms) => pause(ms, undefined, { signal: until }),
    async stop() {
      stopping.abort();
      for (const client of clients) client.close();
      await pause(ON_ITS_WAY_MS);
    },
  };
}
