// Copies of a listening handle. Node 20 makes no second handle of a socket; but what is sent to another process is a copy (SCM_RIGHTS,
// unix(7)), and so is what comes back. So a process that lives for a moment gets the handle and sends it back.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:net';
import type { Clock } from '../base/clock.ts';

/** What a server on TCP listens with. */
export type TcpHandle = { close(): void };

export type HandleCopies = {
  /** When there will be no more, and the other process has none: what went wrong, if anything has. Never rejects. */
  readonly over: Promise<string | undefined>;
  /** There are to be no more. */
  stop(): void;
};

export type HandleCopiesOptions = {
  readonly clock: Clock;
  readonly copies: number;
  readonly onCopy: (copy: TcpHandle) => void;
  /** The program that sends them back: Node. */
  readonly program: string;
};

const DEADLINE_MS = 5000;
/** For `node --eval`. */
const ECHO =
  'process.on("message", (copies, handle) => { for (let n = 0; n < copies; n += 1) process.send(n, handle); });';

/** Some faults of a start are thrown, others told; and one leaves a child that cannot be spoken to. */
function startEcho(program: string, handle: TcpHandle, copies: number): ChildProcess | string {
  let child: ChildProcess | undefined;
  try {
    // It gets nothing of our environment.
    const stdio: ('ignore' | 'ipc')[] = ['ignore', 'ignore', 'ignore', 'ipc'];
    child = spawn(program, ['--eval', ECHO], { stdio, env: {}, windowsHide: true });
    child.on('error', () => {}); // told by its end
    // A bare handle: if a server were sent, the child would accept connections and take them down with it.
    child.send(copies, handle as unknown as Server, () => {});
    return child;
  } catch (fault) {
    child?.kill('SIGKILL');
    return String(fault);
  }
}

export function copyHandle(handle: TcpHandle | undefined, options: HandleCopiesOptions): HandleCopies {
  const { clock, copies, onCopy, program } = options;
  const child = handle === undefined ? 'the server does not listen' : startEcho(program, handle, copies);
  if (typeof child === 'string') return { over: Promise.resolve(child), stop() {} };
  let came = 0;
  let fault: string | undefined;
  let isEnough = false;
  const stop = () => {
    isEnough = true;
    child.kill('SIGKILL');
  };
  const over = new Promise<string | undefined>((resolve) => {
    const cancel = clock.after(DEADLINE_MS, () => {
      fault = `${came} of ${copies} within ${DEADLINE_MS} ms`;
      stop();
    });
    child.on('error', (error) => {
      fault ??= String(error);
    });
    child.on('message', (_sent, copy) => {
      if (copy === undefined) return;
      came += 1;
      onCopy(copy as unknown as TcpHandle);
      if (came === copies) stop();
    });
    // Behind all messages.
    child.once('close', (code, signal) => {
      cancel();
      resolve(fault ?? (isEnough ? undefined : `${came} of ${copies}, then it ended (${code ?? signal})`));
    });
  });
  return { over, stop };
}
