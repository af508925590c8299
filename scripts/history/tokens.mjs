// Tokens of a history trial: issued at one instance, good at another one, taken back at a third, then tried at all.

import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { harmsOf } from './history.mjs';

/** Known everywhere at once (docs/scaling.md, revoked tokens); where news do not pass, with the next look. */
const AT_ONCE_MS = 1000;
const NEXT_LOOK_MS = 5000;
/** PostgreSQL is tried again up to 5 s after it is back, then the look is due. */
const BACK_MS = 5000 + NEXT_LOOK_MS;
const UNKNOWING = ['freeze', 'redis', 'postgres'];

/** What an upgrade with this token is answered with; undefined: nothing. */
async function enter({ url }, token) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/session`, ['voxgate.v1', `token.${token}`], {
    handshakeTimeout: 2000,
  });
  const answer = await new Promise((told) => {
    socket.on('open', () => told('open'));
    socket.on('unexpected-response', (_request, { statusCode }) => told(statusCode));
    socket.on('error', () => told(undefined));
  });
  socket.terminate();
  return answer;
}

export function createTokens({ places, asking, history, isOver }) {
  const everyPlace = (draw) => () => draw.of([undefined, ...places]);
  /** At this instance nobody comes in with it any more, from when on that is promised. */
  async function judge(place, token, id, takenBackMs) {
    for (;;) {
      const fromMs = performance.now();
      const answer = await enter(place, token);
      history.count('tokenTries');
      if (answer === 401) return history.count('tokensRefused');
      if (answer !== 'open') {
        if (harmsOf([place], fromMs).length === 0)
          return history.violation(`a token at instance ${place.at}: ${answer}, and nothing is amiss there`);
        await pause(1000);
        continue;
      }
      const harms = harmsOf([place], takenBackMs, BACK_MS).filter(({ kind }) => UNKNOWING.includes(kind));
      const sinceMs = Math.max(takenBackMs, ...harms.map(({ untilMs }) => untilMs));
      const allowedMs = harms.length === 0 ? AT_ONCE_MS : BACK_MS;
      if (harms.length > 0) history.count('tokensLetInWhereNewsAreCut');
      else history.count('tokensLetInLate');
      if (fromMs - sinceMs > allowedMs)
        return history.violation(
          `a token (${id}) that was taken back is good at instance ${place.at} ${Math.round(fromMs - takenBackMs)} ms later`,
        );
      await pause(200);
      if (sinceMs === Number.POSITIVE_INFINITY) await pause(2000);
    }
  }
  return {
    async live(draw) {
      const looking = new Set();
      while (!isOver()) {
        await pause(draw.between(500, 4000));
        const pick = everyPlace(draw);
        const issued = await asking.answered(pick, 60_000, 'ann', 'POST', '/v1/tokens', {
          json: { scope: 'speak', expiresInSeconds: 900 },
        });
        history.count('tokens');
        const { id, token } = issued.json;
        const place = draw.of(places);
        const fromMs = performance.now();
        const answer = await enter(place, token);
        if (answer !== 'open' && (answer === 401 || harmsOf([place], fromMs).length === 0))
          history.violation(`a good token at instance ${place.at}: ${answer}`);
        const { status } = await asking.answered(pick, 60_000, 'ann', 'DELETE', `/v1/tokens/${id}`);
        if (status !== 204) history.violation(`a token is taken back with ${status}`);
        const takenBackMs = performance.now();
        for (const each of places) {
          const look = judge(each, token, id, takenBackMs)
            .catch((error) => history.violation(error.message))
            .finally(() => looking.delete(look));
          looking.add(look);
        }
      }
      await Promise.all(looking);
    },
  };
}
