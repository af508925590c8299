// The settings of a session before its first turn; what the gateway does not take is wrong usage.

import type { SessionClient } from '../client/voxgate-client.ts';
import type { Preset } from '../dialects/native-messages.ts';
import { UsageError } from './command.ts';
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
