// A program of ours in a process of its own, forked: what Node's child processes need from their parent. It gets no
// environment of ours beyond what a program needs to start, and no argument: its input comes as a message, so that it
// does not show in the list of processes. It has to end by itself when its channel does ('disconnect').

import { fork, type SerializationType } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from './bare-environment.ts';

export type ForkedProgram = {
  /** With a socket, that socket is its own from then on. `onSent` is called unless the process ends before. */
  send(message: object, socket?: Socket, onSent?: () => void): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Once; `why` is for the log, and repeats nothing that the program was told. */
  onExit(listener: (why: string) => void): void;
  /** While it is not kept, our process may end although it runs. */
  keep(isKept: boolean): void;
  /** At once, whatever it does. */
  kill(): void;
};

export type ForkedProgramOptions = {
  /** Of V8, beside those of this process. */
  readonly flags: readonly string[];
  /** `advanced` for messages with typed arrays. */
  readonly serialization: SerializationType;
};

/**
 * Of what Node itself prints at the end of a process, which may repeat anything; the names of its errors repeat nothing.
 */
const KNOWN_COMPLAINT = /FATAL ERROR: [\w :]{1,120}|\bERR_[A-Z_]{1,60}\b/;
const MAX_COMPLAINT_CHARACTERS = 4000;

/** Of this process alone: one debugger has one port, and a file of settings has keys in it. */
const OWN_FLAG = /^--(?:inspect|env-file)/;

export function forkProgram(program: URL, { flags, serialization }: ForkedProgramOptions): ForkedProgram {
  const child = fork(fileURLToPath(program), [], {
    env: bareEnvironment(),
    execArgv: [...process.execArgv.filter((flag) => !OWN_FLAG.test(flag)), ...flags],
    serialization,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const listeners: ((why: string) => void)[] = [];
  let complaint = '';
  let over: 'no' | 'told' = 'no';
  const end = (why: string) => {
    if (over === 'told') return;
    over = 'told';
    for (const listener of listeners) listener(why);
  };
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(0, MAX_COMPLAINT_CHARACTERS);
  });
  child.once('error', (error) => {
    if (child.pid === undefined) end(error.message);
  });
  child.once('exit', (code, signal) => {
    const known = KNOWN_COMPLAINT.exec(complaint)?.[0];
    end([signal ?? `exit ${code}`, known].filter((part) => part !== undefined).join(', '));
  });
  return {
    send(message, socket, onSent = () => {}) {
      if (!child.connected) return;
      // An error is that it has ended, which is told by 'exit'.
      child.send(message, socket, { keepOpen: false }, (error) => {
        if (error === null) onSent();
      });
    },
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void listeners.push(listener),
    keep(isKept) {
      const way = isKept ? 'ref' : 'unref';
      child[way]();
      child.channel?.[way]();
      (child.stderr as Socket | null)?.[way]();
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
