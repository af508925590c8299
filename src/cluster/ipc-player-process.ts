// Processes that play, forked by node:cluster so that they share the ports on which they listen, and their channel to the
// process that forked them.

import cluster, { type Worker } from 'node:cluster';
import type { Line } from './peer.ts';
import type { SpawnPlayer } from './player-process.ts';

type Ipc = Pick<Worker, 'send' | 'on'>;

const lineOf = (ipc: Ipc): Line => ({
  send(message, onSent) {
    ipc.send(message, onSent);
  },
  onMessage: (listener) => void ipc.on('message', (message: unknown) => listener(message)),
});

/** `program` is started with `args`. Throws where processes cannot share a port. */
export function openPlayerProcesses(program: string, args: readonly string[]): SpawnPlayer {
  if (!cluster.isPrimary)
    throw new Error(
      'VOXGATE_PROCESSES is more than 1, but something else runs this program as one of several already; allowed: 1',
    );
  cluster.setupPrimary({ exec: program, args: [...args], serialization: 'advanced' });
  return () => {
    const worker = cluster.fork();
    const listeners: ((why: string) => void)[] = [];
    // A worker that cannot be started or reached also emits `exit`; without a listener `error` would end this process.
    worker.on('error', () => {});
    worker.once('exit', (code: number | null, signal: string | null) => {
      for (const listener of listeners) listener(signal ?? `exit ${code}`);
    });
    return {
      line: lineOf(worker),
      pid: worker.process.pid,
      onExit: (listener) => void listeners.push(listener),
      kill: () => void worker.process.kill('SIGKILL'),
    };
  };
}

export type PrimaryLine = {
  readonly line: Line;
  /** Lets go of the line and of shared ports, so that the process can end. */
  readonly leave: () => void;
};

/** The line to the process that has forked this one; undefined when none has. */
export function openPrimaryLine(): PrimaryLine | undefined {
  const { worker } = cluster;
  if (worker === undefined) return undefined;
  return { line: lineOf(worker), leave: () => void worker.disconnect() };
}
