// The embedded engine as a process of its own: forked by the gateway, which sends it its key and its connections over the IPC
// channel; it ends when the channel closes. Its log lines go into the gateway's log.

import { Socket } from 'node:net';
import { systemClock } from '../base/clock.ts';
import { faultKind, forwardingLog } from '../base/log.ts';
import { yieldToPlayback } from '../base/processes/yield-to-playback.ts';
import { systemRandom } from '../base/random.ts';
import type { EngineNews, EngineOrder } from '../speech/engine-messages.ts';
import { listedVoices } from './engine-routes.ts';
import { type ConnectedEngine, connectEngine } from './engine-server.ts';

let engine: ConnectedEngine | undefined;

/** A closed channel is no error here: its end ends the process. */
const tell = (news: EngineNews) => {
  if (process.connected) process.send?.(news, undefined, {}, () => {});
};

async function start({ key, logFrom }: Extract<EngineOrder, { is: 'start' }>): Promise<void> {
  engine = await connectEngine({
    keys: [key],
    log: forwardingLog((level, event, fields) => tell({ is: 'log', level, event, fields }), logFrom),
    clock: systemClock,
    random: systemRandom,
  });
  await engine.ready;
  await engine.warmUp();
  tell({ is: 'ready', voices: listedVoices });
}

async function end(): Promise<void> {
  await engine?.close();
  process.exit(0);
}

function give(socket: unknown): void {
  if (!(socket instanceof Socket)) return;
  if (engine === undefined) socket.destroy();
  else engine.accept(socket);
}

function die(fault: unknown): void {
  tell({ is: 'log', level: 'error', event: 'engine_process_failed', fields: { cause: faultKind(fault) } });
  process.exit(1);
}

yieldToPlayback();
// Both reach the whole group of processes; the gateway says when its engine has to end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('uncaughtException', die);
// Also when the gateway was killed: the system closes what it had open.
process.on('disconnect', () => void end());
process.on('message', (message, socket) => {
  const order = message as EngineOrder;
  if (order.is === 'connection') give(socket);
  else if (order.is === 'stop') void end();
  else start(order).catch(die);
});
tell({ is: 'hello' });
