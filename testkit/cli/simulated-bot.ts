// The bot of `voxgate simulate`: it attaches a simulated call to a session of its own, speaks one turn after another, cuts
// them where it is told to, and compares what the gateway says was heard with what the far side has played.

import type { SessionClient } from '../../src/client/voxgate-client.ts';
import type { SimulatedCall } from '../carriers/simulated-call.ts';

export type SpokenTurn = {
  readonly turn: string;
  readonly outcome: string;
  /** What the gateway says was heard, and what the far side has played, ms. */
  readonly playedMs: number;
  readonly heardMs: number;
};

export type BotPlan = {
  readonly text: string;
  readonly repeat: number;
  /** After a turn has started; undefined lets it end. */
  readonly bargeInMs: number | undefined;
};

/** Between two turns nothing is due: what comes then is stale. */
const QUIET_MS = 300;
const LOOK_MS = 20;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The text is spoken `repeat` times, or until the call is over; `heardMs` tells what the far side has played of it. */
export async function speakToCall(
  client: SessionClient,
  call: SimulatedCall,
  { text, repeat, bargeInMs }: BotPlan,
): Promise<readonly SpokenTurn[]> {
  const spoken: SpokenTurn[] = [];
  let isOver = false;
  void call.closed.then(() => {
    isOver = true;
  });
  for (let number = 1; number <= repeat && !isOver; number += 1) {
    const turn = `turn-${number}`;
    const beforeMs = call.report().heardMs;
    const ended = client.next('ended', (event) => event.turn === turn);
    const heard = client.next('heard', (event) => event.turn === turn);
    heard.catch(() => {}); // a turn that never started is not heard
    const started = client.next('started', (event) => event.turn === turn);
    started.catch(() => {});
    call.announceTurn();
    client.send({ type: 'speak', turn, text });
    const first = await Promise.race([started, ended]);
    if (first.type === 'started' && bargeInMs !== undefined) {
      await Promise.race([pause(bargeInMs), heard]);
      client.send({ type: 'cancel', turn });
    }
    const { outcome } = await ended;
    const playedMs = outcome === 'failed' ? 0 : (await heard).playedMs;
    await pause(QUIET_MS);
    // What a call had not played when it ended stays where it is.
    while (!isOver && call.playout.bufferedMs() > 0) await pause(LOOK_MS);
    spoken.push({
      turn,
      outcome,
      playedMs: Math.round(playedMs),
      heardMs: call.report().heardMs - beforeMs,
    });
  }
  return spoken;
}

/** What is wrong with turns as they went. */
export function turnFaults(turns: readonly SpokenTurn[], { bargeInMs }: BotPlan): readonly string[] {
  const allowed = bargeInMs === undefined ? ['complete'] : ['complete', 'cancelled'];
  return turns
    .filter(({ outcome }) => !allowed.includes(outcome))
    .map(({ turn, outcome }) => `${turn} ended ${outcome}`);
}
