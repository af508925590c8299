// Toxics that know HTTP: they meet requests, not connections, and leave the framing of messages whole. They stand
// for a service, or something in front of it, that gives wrong answers over a working connection.

import type { Bytes, ToxicEffect } from './toxic.ts';

/** Flips one byte in `everyBytes` on average; the length stays. */
export const corruptToxic = (everyBytes: number): ToxicEffect => ({
  at: 'body',
  async *bend(body, { number }): Bytes {
    const gap = () => Math.floor(number() * 2 * everyBytes);
    let next = gap();
    for await (const chunk of body) {
      const bent = Uint8Array.from(chunk);
      while (next < bent.length) {
        bent[next]! ^= 1 + Math.floor(number() * 254);
        next += 1 + gap();
      }
      next -= bent.length;
      yield bent;
    }
  },
});

/** Every `every`-th request is told that there were too many; `retryAfterS` 0 does not tell for how long. */
export const dup429Toxic = (every: number, retryAfterS: number): ToxicEffect => ({
  at: 'reply',
  change({ requestNumber }) {
    if (requestNumber % every !== 0) return {};
    const headers = {
      'content-type': 'application/json',
      ...(retryAfterS > 0 && { 'retry-after': String(retryAfterS) }),
    };
    const error = { errorMessage: 'Too many requests, says the proxy in between.', errorId: 'RATE_LIMITED' };
    return { instead: { status: 429, headers, body: JSON.stringify(error) } };
  },
});

export const wrongTypeToxic = (contentType: string): ToxicEffect => ({
  at: 'reply',
  change: () => ({ contentType }),
});

export const earlyEndToxic = (afterBytes: number, by: 'chunk' | 'close'): ToxicEffect => ({
  at: 'reply',
  change: () => ({ end: { afterBytes, by } }),
});

/** The head of the reply gets through, and its body only after `forMs`; 0 is never. */
export const silent200Toxic = (forMs: number): ToxicEffect => ({
  at: 'body',
  async *bend(body, { wait }): Bytes {
    await wait(forMs === 0 ? Number.POSITIVE_INFINITY : forMs);
    yield* body;
  },
});

export const emptySuccessToxic = (contentType: string): ToxicEffect => ({
  at: 'reply',
  change: () => ({ instead: { status: 200, headers: { 'content-type': contentType }, body: '' } }),
});

const JSON_TYPE = { 'content-type': 'application/json' };

/** As ElevenLabs refuses a key whose characters are used up. */
export const quota401Toxic: ToxicEffect = {
  at: 'reply',
  change: () => ({
    instead: {
      status: 401,
      headers: JSON_TYPE,
      body: JSON.stringify({ detail: { status: 'quota_exceeded', message: 'The quota is used up.' } }),
    },
  }),
};

/** 429, after a time between the two that is evenly drawn. */
export const slowRefusalToxic = (fromMs: number, toMs: number): ToxicEffect => ({
  at: 'reply',
  change: ({ number }) => ({
    instead: {
      status: 429,
      headers: JSON_TYPE,
      body: JSON.stringify({
        errorMessage: 'At the limit, says the proxy in between.',
        errorId: 'RATE_LIMITED',
      }),
      afterMs: Math.round(fromMs + number() * Math.max(0, toMs - fromMs)),
    },
  }),
});

/** A connection that was kept is found closed by the next request on it. */
export const staleSocketToxic: ToxicEffect = {
  at: 'reply',
  change: ({ onConnectionBefore }) => ({ isCutOff: onConnectionBefore > 0 }),
};
