// A real Redis of one's own: nothing is kept on disk, it listens on a free port of the loopback, and it can be killed,
// stopped, and started again at the same place.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { isMissing } from './missing-programs.ts';

/** Tests that need one of them skip themselves where it could not be installed. */
export const hasRedis = !isMissing('redis-server');
export const hasFaketime = !isMissing('faketime');

export type RedisServer = {
  readonly port: number;
  readonly url: string;
  /** Any command, on a connection of the test's own. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** SIGKILL; whatever it held is gone. */
  kill(): Promise<void>;
  /** Starts it anew, empty, at the same port. */
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT: connected, and silent. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
};

export type RedisServerOptions = { readonly args?: readonly string[] };

/** A port of the loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const READY_MS = 5_000;

export async function startRedis({ args = [] }: RedisServerOptions = {}): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'voxgate-redis-'));
  let child: ChildProcess | undefined;
  let own: Redis | undefined;

  const start = async () => {
    const flags = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn('redis-server', [...flags, '--dir', folder, '--repl-diskless-sync-delay', '0', ...args], {
      stdio: 'ignore',
    });
    own?.disconnect();
    own = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
    own.on('error', () => {});
    const deadline = setTimeout(() => child?.kill('SIGKILL'), READY_MS);
    const died = once(child, 'exit').then(() => Promise.reject(new Error('redis-server did not start')));
    died.catch(() => {});
    await Promise.race([own.ping(), died]);
    clearTimeout(deadline);
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  await start();

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    call: (command, ...rest) => own!.call(command, ...rest),
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async close() {
      own?.disconnect();
      child?.kill('SIGCONT');
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
