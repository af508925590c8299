// `import … from 'voxgate/client'`: the client of packages/client with the WebSocket of `ws`, which tells why an upgrade was
// refused. A session comes back after a drop where that is asked for. The program's own commands and tests use it.

import { WebSocket } from 'ws';
import * as client from '../../packages/client/src/voxgate-client.ts';

export type * from '../../packages/client/src/voxgate-client.ts';
export { SessionError, VoxgateError } from '../../packages/client/src/voxgate-client.ts';

export const createVoxgateClient = (options: client.ClientOptions): client.VoxgateClient =>
  client.createVoxgateClient({ WebSocket, resumable: false, ...options });

/** Resolves after `ready`; rejects with a `SessionError` that has what the gateway answered when it refuses the upgrade. */
export const connectSession = (options: client.SessionClientOptions): Promise<client.SessionClient> =>
  client.connectSession({ WebSocket, ...options });
