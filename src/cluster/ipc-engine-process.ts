// The process of the embedded engine, forked: a program of its own next to this one. It gets no environment of ours beyond
// what a program needs to start, no argument, and its key as a message, so that nobody reads it in the list of processes.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { EngineNews } from '../speech/engine-messages.ts';
import { bareEnvironment } from '../speech-program/bare-environment.ts';
import type { EngineProcess, SpawnEngine } from './engine-process.ts';

const PROGRAM = fileURLToPath(new URL('../engine/engine-process.js', import.meta.url));
/** What is young in it are samples that live for a moment. */
const HEAP_FLAGS = ['--max-semi-space-size=2'];
/** Of what Node itself prints at the end of a process, which may repeat anything; the names of its errors repeat nothing. */
const KNOWN_COMPLAINT = /FATAL ERROR: [\w :]{1,120}|\bERR_[A-Z_]{1,60}\b/;
const MAX_COMPLAINT_CHARACTERS = 4000;

export function openEngineProcesses(program: string = PROGRAM): SpawnEngine {
  return (): EngineProcess => {
    const child = fork(program, [], {
      env: bareEnvironment(),
      // One debugger has one port, and it is the gateway's.
      execArgv: [...process.execArgv.filter((flag) => !flag.startsWith('--inspect')), ...HEAP_FLAGS],
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
      order(order, socket, onSent = () => {}) {
        if (!child.connected) return;
        // An error is that it has ended, which is told by 'exit'.
        child.send(order, socket, { keepOpen: false }, (error) => {
          if (error === null) onSent();
        });
      },
      onNews: (listener) => void child.on('message', (news) => listener(news as EngineNews)),
      onExit: (listener) => void listeners.push(listener),
      kill: () => void child.kill('SIGKILL'),
    };
  };
}
