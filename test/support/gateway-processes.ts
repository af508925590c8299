// The other end of gateway-program.mjs: a gateway of several processes as if it were in this one.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Gateway } from '../../src/app/gateway.ts';
import { buildProgram } from './program.ts';

const PROGRAM = fileURLToPath(new URL('gateway-program.mjs', import.meta.url));

type Told =
  | { readonly is: 'log'; readonly line: string }
  | { readonly is: 'started'; readonly urls: Omit<Gateway, 'stop'> }
  | { readonly is: 'stopped' }
  | { readonly is: 'failed'; readonly message: string };

/** How many processes play in the gateways of tests that do not say; `PROCESSES=2` has them run against two. */
export const PROCESSES = Number(process.env.PROCESSES ?? 1);

let built: 'no' | 'yes' = 'no';

/** `env` is all that the gateway has of an environment. */
export async function startGatewayProcesses(
  env: Readonly<Record<string, string>>,
  onLog: (line: string) => void,
): Promise<Gateway & { readonly child: ChildProcess }> {
  if (built === 'no') buildProgram();
  built = 'yes';
  const { PATH, HOME } = process.env;
  const child = fork(PROGRAM, {
    execArgv: [],
    env: { PATH, HOME },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const answer = (wanted: Told['is']) =>
    new Promise<Told>((resolve, reject) => {
      child.on('message', (told: Told) => {
        if (told.is === 'failed') reject(new Error(told.message));
        else if (told.is === wanted) resolve(told);
      });
      void gone.then(() => reject(new Error('the gateway has ended')));
    });
  child.on('message', (told: Told) => {
    if (told.is === 'log') onLog(told.line);
  });
  const started = answer('started');
  child.send({ is: 'start', env });
  const told = await started.catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  if (told.is !== 'started') throw new Error('the gateway has not started');
  let stopping: Promise<void> | undefined;
  return {
    ...told.urls,
    child,
    stop(drainMs) {
      stopping ??= (async () => {
        const stopped = answer('stopped');
        if (child.connected) child.send({ is: 'stop', drainMs });
        await stopped.catch(() => {}); // one that was killed is as good as stopped
        child.kill('SIGKILL');
        await gone;
      })();
      return stopping;
    },
  };
}
