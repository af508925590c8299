// The process of the embedded engine, forked: a program of its own next to this one. Its key is a message.

import { forkProgram } from '../base/processes/forked-program.ts';
import type { EngineNews } from '../speech/engine-messages.ts';
import type { SpawnEngine } from './engine-process.ts';

const PROGRAM = new URL('../engine/engine-process.js', import.meta.url);
/** Its young generation holds samples that live for a moment. */
const FLAGS = ['--max-semi-space-size=2'];

export const spawnEngineProcess: SpawnEngine = () => {
  const child = forkProgram(PROGRAM, { flags: FLAGS, serialization: 'json' });
  return {
    order: (order, socket, onSent) => child.send(order, socket, onSent),
    onNews: (listener) => child.onMessage((news) => listener(news as EngineNews)),
    onExit: (listener) => child.onExit(listener),
    kill: () => child.kill(),
  };
};
