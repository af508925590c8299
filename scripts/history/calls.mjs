// Calls of a history trial: a caller's socket at an instance that is known, a session behind the balancer that speaks to it, is cut, drops
// its connection and comes back.

import { setTimeout as pause } from 'node:timers/promises';
import { harmsOf, isHurt } from './history.mjs';
import { RETRYABLE, TEXTS } from './sessions.mjs';
import { WatchedClient } from './watched-client.mjs';

const { dial } = await import('../../test/support/fake-carrier.ts');
const { createTelnyxSide } = await import('../../testkit/carriers/telnyx-side.ts');

/** The clock of the caller's side moves in steps of 20 ms, and this process is late now and then. */
const TOLERANCE_MS = 150;
/** Of an instance that stands still no mark comes back: what it was sent is told as heard by the clock, up to what a leg takes ahead. */
const UNTOLD_MS = 500;
const BYTES_PER_MS = 8;
/** What ends a call at this instance: cut off from Redis it is not known to others after 6 s. */
const ENDS_CALLS = ['kill', 'stop', 'freeze'];

export function createCalls({ url, places, history, isOver }) {
  const heardMsOf = (leg) =>
    leg.playout.heard.reduce((sum, { bytes }) => sum + bytes.length / BYTES_PER_MS, 0);

  async function callIn(id, token, draw) {
    for (;;) {
      const place = draw.of(places);
      if (isHurt(place)) {
        await pause(200);
        continue;
      }
      const fromMs = performance.now();
      const address = `${place.url.replace('http', 'ws')}/v1/legs/telnyx/${token}`;
      const side = createTelnyxSide({ format: 'mulaw', sampleRate: 8000 });
      try {
        const leg = await dial(address, side, { callId: id });
        const call = { leg, place, isOpen: true, atMs: fromMs };
        void leg.closed.then((code) => {
          call.isOpen = false;
          call.closedMs = performance.now();
          history.note('leg closed', { call: id, code });
          if (call.isOurs || isOver()) return;
          const harms = harmsOf([place], fromMs).filter(({ kind, fromMs: at }) =>
            kind === 'redis' ? performance.now() - at > 6000 : ENDS_CALLS.includes(kind),
          );
          if (harms.length > 0) history.count('callsEndedWithInstance');
          else if (call.isLetGo) history.count('callsLetGo');
          else history.violation(`call ${id} at instance ${place.at} was closed with ${code}`);
        });
        history.count('calls');
        history.note('call', { call: id, instance: place.at });
        return call;
      } catch (error) {
        if (harmsOf([place], fromMs).length === 0)
          history.violation(`call ${id} is not let in at instance ${place.at}: ${error.message}`);
        await pause(500);
      }
    }
  }
  async function say(client, turn, draw) {
    const text = draw.of(TEXTS);
    client.kinds.set(turn, 'call');
    const fromMs = performance.now();
    client.send({ type: 'speak', turn, text });
    const isHeard = (each) =>
      ['heard', 'detached'].includes(each.type) && (each.turn ?? turn) === turn && each.atMs > fromMs;
    /** Nothing was heard of it. */
    const isOut = (each) =>
      each.type === 'ended' && each.turn === turn && client.of('started', turn).length === 0;
    const over = client.untilOrGone((each) => isHeard(each) || isOut(each));
    over.catch(() => {});
    if (draw.isIn(0.2)) {
      await Promise.race([pause(draw.between(200, 6000)), over]);
      client.send({ type: 'cancel', turn });
      client.cancelled.add(turn);
    } else if (draw.isIn(0.15)) {
      await Promise.race([pause(draw.between(200, 6000)), over]);
      if (client.socket.readyState === client.socket.OPEN) client.drop();
    }
    await over;
    await client.returning;
    // Behind `detached` its end follows, and what was heard of it.
    const isTold = (type) => (each) => each.type === type && each.turn === turn;
    await client.untilOrGone(isTold('ended'), 5000).catch(() => {});
    if (client.of('started', turn).length > 0)
      await client.untilOrGone(isTold('heard'), 5000).catch(() => {});
    const ended = client.of('ended', turn).at(-1);
    const heard = client.of('heard', turn).at(-1);
    history.note('call turn', {
      session: client.name,
      turn,
      outcome: ended?.outcome,
      playedMs: heard?.playedMs,
    });
    history.count('callTurns');
    if (
      heard !== undefined &&
      ended?.outcome === 'complete' &&
      heard.remainingText !== '' &&
      !client.cancelled.has(turn)
    )
      history.violation(`call ${client.name}: complete turn ${turn} leaves "${heard.remainingText}"`);
    if (ended !== undefined && ['truncated', 'failed'].includes(ended.outcome)) {
      const { code } = client.of('error', turn)[0] ?? {};
      const isDetached = client.messages.some(({ type, atMs }) => type === 'detached' && atMs >= fromMs);
      const isOfLeg = isDetached && /^leg_/.test(code ?? '');
      const mayComeAgain =
        RETRYABLE.includes(code) && harmsOf(places, fromMs, 120_000, ended.atMs).length > 0;
      if (isOfLeg || mayComeAgain) history.count(`callTurns_${ended.outcome}_${code}`);
      else history.violation(`call ${client.name}: turn ${turn} ended ${ended.outcome}: ${code}`);
    }
  }
  /** What its sessions were told to be heard is not more than the caller has heard. */
  function judge(call, id, clients) {
    const toldMs = clients
      .flatMap(({ client, since }) =>
        client.messages.filter(
          ({ type, atMs }) => type === 'heard' && atMs >= since && atMs <= (call.lastMs ?? Infinity),
        ),
      )
      .reduce((sum, { playedMs }) => sum + playedMs, 0);
    const heardMs = heardMsOf(call.leg);
    const said = clients.flatMap(({ client }) =>
      client.messages
        .filter(({ type }) => type === 'heard')
        .map(({ turn, playedMs, playedBy }) => [client.name, turn, playedMs, playedBy]),
    );
    const gaps = call.leg.playout.gaps.map(({ atMs, ms }) => [Math.round(atMs - history.beganMs), ms]);
    history.note('call over', { call: id, toldMs, heardMs: Math.round(heardMs), said, gaps });
    history.count('callMsTold', Math.round(toldMs));
    history.count('callMsHeard', Math.round(heardMs));
    const isHurtThere = harmsOf([call.place], call.atMs).length > 0;
    if (toldMs > heardMs + (isHurtThere ? UNTOLD_MS : TOLERANCE_MS))
      history.violation(
        `call ${id}: ${toldMs} ms are told as heard, ${Math.round(heardMs)} were played: ${JSON.stringify(said)}`,
      );
  }
  return {
    async live(number, draw) {
      let call;
      let id = '';
      let clients = [];
      for (let life = 0; !isOver(); life += 1) {
        const name = `call-${number}.${life}`;
        const client = new WatchedClient({ user: 'ann', name, url, places, history });
        const ready = await client.begin();
        if (call?.isOpen !== true) {
          id = `call-${number}-${life}`;
          clients = [];
          call = await callIn(id, ready.attachToken, draw);
        }
        clients.push({ client, since: performance.now() });
        client.send({ type: 'attach', leg: { callSid: id } });
        const first = await client.untilOrGone(({ type }) =>
          ['attached', 'detached', 'error'].includes(type),
        );
        const turns = first.type === 'attached' ? Math.ceil(draw.between(1, 6)) : 0;
        if (turns === 0) {
          history.count(`attach_${first.code ?? first.type}`);
          const harms = harmsOf(places, client.losses[0]?.atMs ?? first.atMs ?? 0, 60_000);
          if (harms.length === 0) history.violation(`call ${id} is not attached: ${JSON.stringify(first)}`);
        }
        const isDetached = () => client.messages.some(({ type }) => type === 'detached');
        const mayStay = () => !client.messages.some(({ type }) => type === 'goaway');
        for (let n = 0; n < turns && !isOver() && !client.isGone && !isDetached() && mayStay(); n += 1) {
          await pause(draw.between(300, 2000));
          await client.returning;
          if (!client.isGone && !isDetached() && mayStay()) await say(client, `t${n}`, draw);
        }
        await client.returning;
        for (const { reason, atMs } of client.messages.filter(({ type }) => type === 'detached')) {
          history.count(`detached_${reason}`);
          if (harmsOf([call.place], atMs, undefined, atMs).length === 0)
            history.violation(`call ${id} at instance ${call.place.at} is detached: ${reason}`);
        }
        const hangsUp = draw.isIn(0.5) || isOver();
        if (hangsUp && call.isOpen && !client.isGone) {
          call.isOurs = true;
          client.send({ type: 'hangup' });
          await Promise.race([call.leg.closed, pause(3000)]);
          call.leg.close();
        } else if (call.isOpen) call.isLetGo = true;
        client.leave();
        client.judgeTurns();
        if (!call.isOpen || call.isOurs) {
          judge(call, id, clients);
          call = undefined;
        }
      }
      if (call?.isOpen) {
        call.isOurs = true;
        call.leg.close();
      }
    },
  };
}
