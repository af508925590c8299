// Faults of a reply that has begun: each is a generator around the bytes, so that any number of them can be stacked.
// A generator that returns early destroys what it reads from, which gives up the rest of the speech.

import type { Bytes, FaultEffect, FaultyReply } from './fault.ts';

type Bend = (body: Bytes, reply: FaultyReply) => Bytes;
const onBody = (bend: Bend): FaultEffect => ({ at: 'body', bytes: 'others', bend });
const onPace = (bend: Bend): FaultEffect => ({ at: 'body', bytes: 'all', bend });

/** The bytes as they are; `act` is awaited between byte `at` and the next, and may end the body there. */
async function* interruptAt(body: Bytes, at: number, act: () => Promise<'go on' | 'end'>): Bytes {
  let sent = 0;
  for await (const chunk of body) {
    const head = at - sent;
    sent += chunk.length;
    if (head < 0 || head > chunk.length) {
      yield chunk;
      continue;
    }
    if (head > 0) yield chunk.subarray(0, head);
    if ((await act()) === 'end') return;
    if (head < chunk.length) yield chunk.subarray(head);
  }
}

export const firstByteFault = (delayMs: number): FaultEffect =>
  onPace(async function* (body, { wait }) {
    await wait(delayMs);
    yield* body;
  });

/** The head of the reply comes at once, as of one that speaks; `forMs` may be Infinity. */
export const silentReplyFault = (forMs: number): FaultEffect =>
  onPace(async function* (body, { wait, sendHead }) {
    sendHead();
    await wait(forMs);
    yield* body;
  });

/** A proper end, and nothing before it. */
export const emptyReplyFault: FaultEffect = onBody(async function* () {
  yield* [];
});

/** `forMs` may be Infinity. */
export const stallFault = (afterMs: number, forMs: number): FaultEffect =>
  onPace((body, { wait, bytesPerSecond }) =>
    interruptAt(body, Math.round((afterMs * bytesPerSecond) / 1000), async () => {
      await wait(forMs);
      return 'go on';
    }),
  );

/** For the last bytes to arrive before the reset, which drops what is still on its way. */
const SETTLE_MS = 50;

export const resetFault = (afterBytes: number): FaultEffect =>
  onBody((body, { wait, reset }) =>
    interruptAt(body, afterBytes, async () => {
      await wait(SETTLE_MS);
      reset();
      return 'end';
    }),
  );

export const shortFault = (byteLength: number): FaultEffect =>
  onBody((body) => interruptAt(body, byteLength, async () => 'end'));

/** What a drip sends at once; below ten bytes a second it is a byte at a time. */
const DRIPS_PER_SECOND = 10;

export const dripFault = (bytesPerSecond: number): FaultEffect =>
  onPace(async function* (body, { wait }) {
    const dripBytes = Math.max(1, Math.round(bytesPerSecond / DRIPS_PER_SECOND));
    for await (const chunk of body) {
      for (let at = 0; at < chunk.length; at += dripBytes) {
        const drip = chunk.subarray(at, at + dripBytes);
        yield drip;
        await wait((drip.length * 1000) / bytesPerSecond);
      }
    }
  });

/** As many bytes as the speech has, and none of them speech. */
export const garbageFault: FaultEffect = onBody(async function* (body, { number }) {
  for await (const chunk of body) yield Uint8Array.from(chunk, () => Math.floor(number() * 255.999));
});

/** More than this of a reply is not kept to be sent again. */
const MAX_REPEATED_BYTES = 1 << 20;

export const endlessFault: FaultEffect = onBody(async function* (body, { wait }) {
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  for await (const chunk of body) {
    keptBytes += chunk.length;
    if (keptBytes <= MAX_REPEATED_BYTES) kept.push(chunk);
    yield chunk;
  }
  for (;;) {
    yield* kept;
    // Yields to the event loop, however fast the reader is.
    await wait(0);
  }
});
