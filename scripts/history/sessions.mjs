// Sessions of a history trial: one after the other, each with some turns, whole or in pieces, some of them cut.

import { setTimeout as pause } from 'node:timers/promises';
import { headersOf } from '../instances.mjs';
import { ResumableClient } from '../resumable-client.mjs';
import { harmsOf } from './history.mjs';
import { WatchedClient } from './watched-client.mjs';

const SENTENCES = [
  'The last train to the harbour leaves in ten minutes.',
  'Please do not wait for me at the gate of the harbour.',
  'Boats of the harbour office go out at noon and come back at six in the evening.',
  'Nobody at the harbour gate knows when the next one will be there.',
];
/** 3 to 13 s of speech. */
export const TEXTS = [[0], [1, 0], [2, 3], [3, 1, 0, 2], [2, 1, 3]].map((order) =>
  order.map((at) => SENTENCES[at]).join(' '),
);
/** The speech service knows sessions by it. */
export const isOfSession = (text) => /harbour/.test(text);
/** Of appended text: pieces are spoken as they come, and a rest is made anew from a word. */
const LEAST_APPENDED = 0.8;
/** A turn whose end was not written when its instance died is said again. */
const HEARD_MS = 60_000;

/** The bytes of each text, said whole. */
export async function measureTexts(url, user) {
  const client = new ResumableClient(headersOf(user));
  await client.open(url);
  client.send({ type: 'configure', pace: 'burst' });
  for (const [at, text] of TEXTS.entries()) client.send({ type: 'speak', turn: `m${at}`, text });
  await client.until(({ type, turn }) => type === 'ended' && turn === `m${TEXTS.length - 1}`);
  client.socket.close(1000);
  return TEXTS.map((_, at) => client.bytesOf(`m${at}`));
}

/** Failures of a turn that tell its client to come again: the quota, or what cannot be known while a server is away. */
export const RETRYABLE = ['busy', 'upstream_busy'];

export function createSessions({ url, places, history, measured, isOver }) {
  async function say(client, turn, draw) {
    const at = Math.floor(draw.between(0, TEXTS.length));
    const text = TEXTS[at];
    const kind = draw.isIn(0.3) ? 'append' : 'whole';
    client.kinds.set(turn, kind);
    const fromMs = performance.now();
    if (kind === 'whole') client.send({ type: 'speak', turn, text });
    else {
      for (let from = 0; from < text.length; ) {
        const upTo = from + Math.ceil(draw.between(5, 40));
        client.send({ type: 'append', turn, text: text.slice(from, upTo) });
        from = upTo;
        await pause(draw.between(0, 150));
      }
      client.send({ type: 'end', turn });
    }
    const isEnded = (each) => each.type === 'ended' && each.turn === turn;
    const ended = client.untilOrGone(isEnded);
    ended.catch(() => {});
    if (draw.isIn(0.15)) {
      await Promise.race([pause(draw.between(100, 6000)), ended]);
      client.send({ type: 'cancel', turn });
      client.cancelled.add(turn);
    } else if (draw.isIn(0.2)) {
      await Promise.race([pause(draw.between(100, 6000)), ended]);
      if (client.socket.readyState === client.socket.OPEN) client.drop();
    }
    const { outcome } = await ended;
    if (client.isGone) return;
    history.note('turn', { session: client.name, turn, kind, outcome });
    judge(client, turn, { kind, outcome, at, fromMs });
  }
  function judge(client, turn, { kind, outcome, at, fromMs }) {
    const wrong = (words) => history.violation(`session ${client.name}, ${kind} turn ${turn}: ${words}`);
    const { length } = client.bytesOf(turn);
    const wanted = measured[at];
    if (outcome === 'cancelled' && client.cancelled.has(turn)) {
      if (kind === 'whole' && !wanted.subarray(0, length).equals(client.bytesOf(turn)))
        wrong('other bytes before it was cut');
      return;
    }
    // Text that was on its way when it failed is refused, too.
    const { code, message } = client.of('error', turn)[0] ?? {};
    if (outcome !== 'complete') {
      const isExcused = RETRYABLE.includes(code) && harmsOf(places, fromMs, 120_000).length > 0;
      if (!isExcused) return wrong(`${outcome}: ${code} ${message}`);
      return history.count(`turnsToComeAgain_${code}`);
    }
    if (client.of('started', turn).length > 1) return; // judged with its session
    if (kind === 'whole' ? !client.bytesOf(turn).equals(wanted) : length < LEAST_APPENDED * wanted.length)
      wrong(`${length} bytes of ${wanted.length}`);
  }
  return {
    async live(number, draw) {
      for (let life = 0; !isOver(); life += 1) {
        const name = `${number}.${life}`;
        const client = new WatchedClient({ user: 'ann', name, url, places, history });
        await client.begin();
        const turns = Math.ceil(draw.between(1, 7));
        for (let n = 0; n < turns && !isOver() && !client.isGone; n += 1) {
          await pause(draw.between(300, 3000));
          await client.returning;
          if (!client.isGone) await say(client, `t${n}`, draw);
        }
        await client.returning;
        // The `heard` of a turn that was not cut follows when it has been played.
        const last = [...client.kinds.keys()].at(-1);
        if (client.of('started', last).length > 0)
          await client
            .untilOrGone(({ type, turn }) => type === 'heard' && turn === last, HEARD_MS)
            .catch(() => {});
        client.leave();
        client.judgeTurns();
      }
    },
  };
}
