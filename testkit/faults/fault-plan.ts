// Applies the faults of one engine: which of them meet a request, in which order, and when the request is over. Chance is
// drawn per fault and request from a seed, so that the same requests in the same order meet the same faults.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '../../src/base/clock.ts';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import type { FaultPlan, FaultyCaller } from '../../src/engine/fault-plan.ts';
import type { Bytes, Fault, FaultyReply, GateAnswer } from './fault.ts';

export type FaultPlanOptions = {
  readonly faults: readonly Fault[];
  readonly seed: number;
  readonly clock: Clock;
  readonly unixMs: () => number;
};

/** Rejects when the connection closes first, so that no generator is left waiting. */
function waiter(response: ServerResponse, clock: Clock): FaultyReply['wait'] {
  return (ms) =>
    new Promise((resolve, reject) => {
      const gone = () => {
        cancel();
        reject(new Error('The reader has gone.'));
      };
      const cancel =
        ms === Number.POSITIVE_INFINITY
          ? () => {}
          : clock.after(ms, () => {
              response.off('close', gone);
              resolve();
            });
      if (response.destroyed) gone();
      else response.once('close', gone);
    });
}

export function createFaultPlan({ faults, seed, clock, unixMs }: FaultPlanOptions): FaultPlan {
  const startedAtMs = clock.now();
  const inFlight = new WeakMap<object, number>();
  const onConnection = new WeakMap<object, number>();
  const known = faults.map(({ name, effect, share }, place) => {
    const tools = { clock, unixMs, number: seededNumbers(seed, 2 * place) };
    const chance = seededNumbers(seed, 2 * place + 1);
    return {
      name,
      effect,
      tools,
      isMet: () => chance() < share || share === 1,
      gate: effect.at === 'gate' ? effect.createGate(tools) : undefined,
      change: effect.at === 'job' ? effect.createChange(tools) : undefined,
    };
  });

  const enter = (caller: FaultyCaller, response: ServerResponse): number => {
    const count = (inFlight.get(caller) ?? 0) + 1;
    inFlight.set(caller, count);
    response.once('close', () => inFlight.set(caller, inFlight.get(caller)! - 1));
    return count;
  };

  const countOnConnection = ({ socket }: ServerResponse): number => {
    if (socket === null) return 0;
    const before = onConnection.get(socket) ?? 0;
    onConnection.set(socket, before + 1);
    return before;
  };

  return {
    begin(caller, response) {
      const met = known.filter((fault) => fault.isMet());
      const sinceStartMs = clock.now() - startedAtMs;
      const perMinute = met
        .flatMap(({ effect }) => (effect.at === 'limit' && effect.afterMs <= sinceStartMs ? [effect] : []))
        .at(-1)?.perMinute;
      const call = {
        caller,
        perMinute,
        inFlight: enter(caller, response),
        onConnectionBefore: countOnConnection(response),
      };
      const answers = met.flatMap(({ gate }): GateAnswer[] => (gate === undefined ? [] : [gate(call)]));
      const refusal = answers.find((answer) => answer.instead !== undefined);
      const wait = waiter(response, clock);
      return {
        met: met.map(({ name }) => name),
        headers: Object.assign({}, ...answers.map((answer) => answer.headers)) as Record<string, string>,
        instead: refusal?.instead,
        untilInstead: async () => {
          if (refusal?.afterMs !== undefined) await wait(refusal.afterMs);
        },
        isCutOff: answers.some((answer) => answer.isCutOff === true),
        bytes: met.some(({ effect }) => 'bytes' in effect && effect.bytes === 'others') ? 'others' : 'all',
        changeManner: (manner) => met.reduce((now, { change }) => change?.(now, caller) ?? now, manner),
        bendBody(body, bytesPerSecond) {
          const reply = {
            bytesPerSecond,
            wait,
            sendHead: () => response.flushHeaders(),
            reset() {
              response.socket?.resetAndDestroy();
              // What is left of it must not count as sent.
              response.destroy();
            },
          };
          const bent = met.reduce<Bytes>(
            (now, { effect, tools }) =>
              effect.at === 'body' ? effect.bend(now, { ...reply, ...tools }) : now,
            body,
          );
          return bent === body ? body : Readable.from(bent, { objectMode: false });
        },
      };
    },
  };
}
