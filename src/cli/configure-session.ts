// The settings of a session before its first turn, which the gateway may refuse as wrong usage, and what is told of its connection.

import type { ConnectionChange, SessionClient } from '../client/voxgate-client.ts';
import type { Preset } from '../dialects/native-messages.ts';
import { type Terminal, UsageError } from './command.ts';
import { inWordsOfFlags } from './words-of-flags.ts';

/** It needs nothing but the gateway itself. */
const ANSWER_DEADLINE_MS = 30_000;

export async function configureSession(client: SessionClient, settings: Preset): Promise<void> {
  const refused = client.next('error', (event) => event.scope === 'session');
  refused.catch(() => {}); // it waits on when nothing is refused, until the connection ends
  const configured = client.next('configured');
  client.send({ type: 'configure', ...settings });
  configured.catch(() => {}); // as it does
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const words = `The gateway did not answer within ${ANSWER_DEADLINE_MS / 1000} s; check the versions at both ends.`;
    timer = setTimeout(() => reject(new Error(words)), ANSWER_DEADLINE_MS);
  });
  try {
    await Promise.race([
      configured,
      late,
      refused.then((event) => Promise.reject(new UsageError(inWordsOfFlags(event.message)))),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** A drop is told once, however often it takes to come back, and that nothing is missing then, or that something may be. */
export function tellConnection(terminal: Pick<Terminal, 'complain'>): (change: ConnectionChange) => void {
  return (change) => {
    if (change.type === 'reconnecting') {
      if (change.attempt === 1) terminal.complain('The connection was lost; coming back …');
    } else if (change.exact)
      terminal.complain(`The connection is back after ${seconds(change.awayMs)}; nothing is missing.`);
    else
      terminal.complain(
        `The connection is back after ${seconds(change.awayMs)}; some of the speech may be missing.`,
      );
  };
}
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
