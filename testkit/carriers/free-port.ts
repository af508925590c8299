// A free port of the loopback, for listeners whose port has to be known before they start. It lies below the ephemeral ports
// (from 32,768 on Linux, 49,152 elsewhere), because the system may assign one of those before the listener starts.

import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 10_000;
const LAST = 32_000;
const MAX_TRIES = 50;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
};

/** Rejects when no port is free. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) return port;
  }
  throw new Error('no port of the loopback is free');
}
