// Two sockets joined into one connection through its toxics: both directions, each with its own end; a reset of one
// side is a reset of the other. When it is over nothing of it waits any longer.

import type { Socket } from 'node:net';
import type { Clock } from '../../src/base/clock.ts';
import { createWait, OVER, pour } from './flow.ts';
import type { Bytes, ConnectionTools, MetToxic, Stream } from './toxic.ts';

export type JoinedSockets = {
  readonly client: Socket;
  /** The target's side; both sockets allow half-open connections. */
  readonly server: Socket;
  readonly met: readonly MetToxic[];
  readonly clock: Clock;
  readonly onBytes: (stream: Stream, count: number) => void;
  readonly onOver: () => void;
};

/** Answers with what resets both sides. */
export function joinSockets({ client, server, met, clock, onBytes, onOver }: JoinedSockets): () => void {
  const over = new AbortController();
  const finish = (how: 'close' | 'reset') => {
    if (over.signal.aborted) return;
    over.abort(OVER);
    for (const socket of [client, server]) {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroySoon();
    }
    onOver();
  };
  const reset = () => finish('reset');
  const tools = { clock, wait: createWait(clock, over.signal), close: () => finish('close'), reset };

  async function* counted(bytes: Bytes, stream: Stream): Bytes {
    for await (const chunk of bytes) {
      onBytes(stream, chunk.length);
      yield chunk;
    }
  }
  const flow = async (stream: Stream, from: Socket, into: Socket) => {
    const own = met.filter(({ toxic }) => toxic.stream === stream);
    const bytes = own.reduce<Bytes>(
      (now, { toxic: { effect }, number }) =>
        effect.at === 'bytes' ? effect.bend(now, { ...tools, number } satisfies ConnectionTools) : now,
      from.iterator({ destroyOnReturn: false }) as Bytes,
    );
    await pour(counted(bytes, stream), into);
    if (!over.signal.aborted) into.end();
  };

  for (const socket of [client, server]) {
    socket.setNoDelay(true);
    socket.on('error', () => {}); // it is closed, and the flows break
    // One that was reset after its own end has no flow left to tell; one that closes properly may do so while its last
    // bytes are still on their way.
    socket.once('close', (hadError) => {
      if (hadError) reset();
    });
  }
  Promise.all([flow('upstream', client, server), flow('downstream', server, client)]).then(
    () => finish('close'),
    reset,
  );
  for (const { toxic, number } of met)
    if (toxic.effect.at === 'connection') toxic.effect.begin({ ...tools, number });
  return reset;
}
