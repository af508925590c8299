// One whole turn of a bench's client, from its text to the moment when it has been heard.

import type { SessionClient } from '../../src/client/voxgate-client.ts';

export type BenchTurn = { readonly turn: string; readonly text: string; readonly seed: number };

/** Resolves also when nothing of the turn could be played; rejects when the connection ends first. */
export async function speakUntilHeard(client: SessionClient, { turn, text, seed }: BenchTurn): Promise<void> {
  const ended = client.next('ended', (event) => event.turn === turn);
  const heard = client.next('heard', (event) => event.turn === turn);
  heard.catch(() => {}); // nobody waits for it when the turn fails
  client.send({ type: 'speak', turn, text, seed });
  const { sentMs } = await ended;
  if (sentMs > 0) await heard;
}
