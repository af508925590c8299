// Requests of a history trial over HTTP: at the balancer or at one instance, asked again as a client does, and judged: a refusal or
// silence needs an instance that is hurt or was a moment ago.

import { setTimeout as pause } from 'node:timers/promises';
import { harmsOf } from './history.mjs';

const NEVER = [401, 404, 422, 500];
/** From 502 on: of the balancer, or "later". */
const LATER = [429, 502, 503, 504, 507];

export function createAsking({ instances, history }) {
  const { places, ask } = instances;
  /** One request; undefined where there was no answer, or one that says later. `place` undefined: at the balancer. */
  async function once(place, user, method, at, more = {}) {
    const fromMs = performance.now();
    history.count('requests');
    const base = place === undefined ? {} : { base: place.url };
    const answer = await ask(user, method, at, { ...base, ...more }).catch((error) => ({
      status: error.cause?.code ?? error.name,
      said: '',
    }));
    const where = place === undefined ? 'the balancer' : `instance ${place.at}`;
    history.note('answer', {
      ...{ user, method, at, where, key: more.headers?.['idempotency-key'] },
      ...{ status: answer.status, id: answer.json?.id, state: answer.json?.status },
    });
    const isLater = typeof answer.status === 'string' || LATER.includes(answer.status);
    if (!isLater) {
      if (NEVER.includes(answer.status))
        history.violation(`${method} ${at} of ${user} at ${where}: ${answer.status} ${answer.said}`);
      return answer;
    }
    history.count('askedAgain');
    // What changes something asks the others, or waits for a lock that one which is cut off has for up to 10 s.
    const harms = harmsOf(place === undefined || method !== 'GET' ? places : [place], fromMs);
    if (harms.length === 0)
      history.violation(
        `${method} ${at} at ${where}: ${answer.status} ${answer.said}, and nothing is amiss there`,
      );
    return undefined;
  }
  /** Until it is answered, at what `pick` names for each attempt. */
  async function answered(pick, maxMs, ...request) {
    const endMs = performance.now() + maxMs;
    for (;;) {
      const answer = await once(pick(), ...request);
      if (answer !== undefined) return answer;
      if (performance.now() > endMs) throw new Error(`no answer to ${request[1]} ${request[2]}`);
      await pause(700);
    }
  }
  return { once, answered };
}
