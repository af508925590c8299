// The settings of a session before its first turn; what the gateway does not take is wrong usage.

import type { SessionClient } from '../client/session-client.ts';
import type { Preset } from '../dialects/native-messages.ts';
import { UsageError } from './command.ts';

export async function configureSession(client: SessionClient, settings: Preset): Promise<void> {
  const refused = client.next('error', (event) => event.scope === 'session');
  refused.catch(() => {}); // it waits on when nothing is refused, until the connection ends
  const configured = client.next('configured');
  client.send({ type: 'configure', ...settings });
  await Promise.race([configured, refused.then((event) => Promise.reject(new UsageError(event.message)))]);
}
