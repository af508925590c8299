// The faults of one engine put to work: which of them meet a request, in which order, and when the request is over.
// Chance is drawn per fault and request from a seed, so that the same requests in the same order fare the same.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { REPLY_FORMATS } from '../reply-format.ts';
import { seededNumbers } from '../seeded-numbers.ts';
import type { SpeechJob } from '../speech-stream.ts';
import type { Bytes, Fault, FaultyReply, GateAnswer, Instead } from './fault.ts';

export type FaultPlan = {
  /** Once for each speech request whose credentials are good. */
  begin(caller: object, response: ServerResponse): FaultyCall;
};

export type FaultyCall = {
  readonly headers: Readonly<Record<string, string>>;
  /** What to answer in place of speech. */
  readonly instead: Instead | undefined;
  changeJob(job: SpeechJob): SpeechJob;
  bendBody(body: Readable, job: SpeechJob): Readable;
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
  const inFlight = new WeakMap<object, number>();
  const known = faults.map(({ effect, share }, place) => {
    const tools = { clock, unixMs, number: seededNumbers(seed, 2 * place) };
    const chance = seededNumbers(seed, 2 * place + 1);
    return {
      effect,
      tools,
      isMet: () => chance() < share || share === 1,
      gate: effect.at === 'gate' ? effect.createGate(tools) : undefined,
    };
  });

  const enter = (caller: object, response: ServerResponse): number => {
    const count = (inFlight.get(caller) ?? 0) + 1;
    inFlight.set(caller, count);
    response.once('close', () => inFlight.set(caller, inFlight.get(caller)! - 1));
    return count;
  };

  return {
    begin(caller, response) {
      const met = known.filter((fault) => fault.isMet());
      const call = { caller, inFlight: enter(caller, response) };
      const answers = met.flatMap(({ gate }): GateAnswer[] => (gate === undefined ? [] : [gate(call)]));
      return {
        headers: Object.assign({}, ...answers.map((answer) => answer.headers)) as Record<string, string>,
        instead: answers.find((answer) => answer.instead !== undefined)?.instead,
        changeJob: (job) =>
          met.reduce(
            (now, { effect, tools }) => (effect.at === 'job' ? effect.change(now, tools) : now),
            job,
          ),
        bendBody(body, { format, sampleRate }) {
          const bytesPerSecond = REPLY_FORMATS[format].bytesPerSecond(sampleRate);
          const reply = {
            bytesPerSecond,
            wait: waiter(response, clock),
            reset: () => void response.socket?.resetAndDestroy(),
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
