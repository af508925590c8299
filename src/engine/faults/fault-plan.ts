// The faults of one engine put to work: which of them meet a request, in which order, and when the request is over.
// Chance is drawn per fault and request from a seed, so that the same requests in the same order fare the same.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { seededNumbers } from '../../base/seeded-numbers.ts';
import { REPLY_FORMATS } from '../reply-format.ts';
import type { SpeechJob } from '../speech-stream.ts';
import type { Bytes, Fault, FaultyCaller, FaultyReply, GateAnswer, Instead } from './fault.ts';

export type FaultPlan = {
  /** Once for each speech request whose credentials are good. */
  begin(caller: FaultyCaller, response: ServerResponse): FaultyCall;
};

export type FaultyCall = {
  /** The names of the faults that meet it, in the order in which they were given. */
  readonly met: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** What to answer in place of speech. */
  readonly instead: Instead | undefined;
  changeJob(job: SpeechJob): SpeechJob;
  bendBody(body: Readable, job: SpeechJob): Readable;
  /** Whether all bytes of the body are sent, and no others. */
  readonly bytes: 'all' | 'others';
};

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

  return {
    begin(caller, response) {
      const met = known.filter((fault) => fault.isMet());
      const sinceStartMs = clock.now() - startedAtMs;
      const perMinute = met
        .flatMap(({ effect }) => (effect.at === 'limit' && effect.afterMs <= sinceStartMs ? [effect] : []))
        .at(-1)?.perMinute;
      const call = { caller, perMinute, inFlight: enter(caller, response) };
      const answers = met.flatMap(({ gate }): GateAnswer[] => (gate === undefined ? [] : [gate(call)]));
      return {
        met: met.map(({ name }) => name),
        headers: Object.assign({}, ...answers.map((answer) => answer.headers)) as Record<string, string>,
        instead: answers.find((answer) => answer.instead !== undefined)?.instead,
        bytes: met.some(({ effect }) => effect.at === 'body' && effect.bytes === 'others') ? 'others' : 'all',
        changeJob: (job) => met.reduce((now, { change }) => change?.(now, caller) ?? now, job),
        bendBody(body, { format, sampleRate }) {
          const bytesPerSecond = REPLY_FORMATS[format].bytesPerSecond(sampleRate);
          const reply = {
            bytesPerSecond,
            wait: waiter(response, clock),
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
