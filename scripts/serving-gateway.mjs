// A gateway of the compiled program on a free loopback port, for scripts that try it from outside.

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

/** {child, url} as soon as it tells its address; rejects with what it printed when it ends before that. `port` 0: a free one. */
export async function startServing(program, dataDir, env = {}, port = 0) {
  const child = spawn(
    process.execPath,
    [program, 'serve', '--port', `${port}`, '--host', '127.0.0.1', '--data-dir', dataDir],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  );
  const url = await new Promise((found, failed) => {
    let printed = '';
    const look = (part) => {
      printed += part;
      // Its log names addresses of other instances, too.
      const match = /is listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(printed);
      if (match !== null) found(match[1]);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => failed(new Error(printed)));
  });
  return { child, url };
}

/** Credentials of a gateway that knows no keys: any will do. */
export const ANYBODY = { authorization: 'Bearer any', 'x-user-id': 'trial' };

/** What ends a trial, also when it throws or is told to stop: `children` are killed, `servers` closed, `folder` is removed. */
export function endOfTrial({ children, servers, folder }) {
  const close = async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const server of servers) await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const stop = (why) => {
    console.error(why);
    void close().finally(() => process.exit(1));
  };
  for (const reason of ['uncaughtException', 'SIGINT', 'SIGTERM']) process.on(reason, stop);
  return close;
}
