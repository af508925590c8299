// A Redis of the bench's own: a free port of the loopback, nothing on disk. It can die and come back empty at the
// same place, and be emptied while it runs. It is spoken to in inline commands, so that no client library with
// reconnections of its own stands between the bench and what happens.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { hasProgram } from './has-program.ts';

export type RedisProcess = {
  readonly url: string;
  flush(): Promise<void>;
  /** SIGKILL; whatever it held is gone. */
  kill(): Promise<void>;
  /** Starts it anew, empty; resolves when it answers. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export const HOW_TO_GET_REDIS =
  'redis-server is not on the PATH; on Debian or Ubuntu: apt-get install redis-server';

const START_DEADLINE_MS = 5000;
const REPLY_DEADLINE_MS = 1000;
const RETRY_MS = 20;

/** Resolves with the first line of the reply; rejects when there is none. */
const command = (port: number, line: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.setTimeout(REPLY_DEADLINE_MS, () => socket.destroy(new Error('Redis does not answer')));
    socket.once('error', reject);
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString('latin1').trim());
    });
  });

/** Throws, saying how to get it, when the program is not installed. */
export async function startRedisProcess(): Promise<RedisProcess> {
  if (!hasProgram('redis-server')) throw new Error(HOW_TO_GET_REDIS);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'voxgate-bench-redis-'));
  const flags = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  let child: ChildProcess | undefined;

  const start = async () => {
    child = spawn('redis-server', [...flags, '--dir', folder], { stdio: 'ignore' });
    child.on('error', () => {});
    const deadlineMs = performance.now() + START_DEADLINE_MS;
    while ((await command(port, 'PING').catch(() => '')) !== '+PONG') {
      if (performance.now() > deadlineMs) throw new Error('redis-server did not start');
      await pause(RETRY_MS);
    }
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const close = async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    async flush() {
      await command(port, 'FLUSHALL');
    },
    kill,
    start,
    close,
  };
}
