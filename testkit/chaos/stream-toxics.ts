// Toxics of a TCP connection: they know nothing of what it carries. Each is a generator around the bytes of one
// direction, so that any number of them can be stacked and a slow reader holds back the sender through all of them.

import type { Bytes, ConnectionTools, ToxicEffect } from './toxic.ts';

const onBytes = (bend: (bytes: Bytes, tools: ConnectionTools) => Bytes): ToxicEffect => ({
  at: 'bytes',
  bend,
});

export const downToxic: ToxicEffect = { at: 'accept' };

export const resetPeerToxic = (timeoutMs: number): ToxicEffect => ({
  at: 'connection',
  begin({ reset, wait }) {
    wait(timeoutMs).then(reset, () => {});
  },
});

/** What may be on its way through one direction: no more is read from the sender. */
const MAX_DELAYED_BYTES = 1 << 20;

type Arrival = { readonly dueMs: number; readonly chunk?: Uint8Array; readonly error?: Error };

/** A queue as long as the delay, not a delay for each chunk: bytes leave at the pace at which they came. */
export const latencyToxic = (latencyMs: number, jitterMs: number): ToxicEffect =>
  onBytes(async function* (bytes, { clock, number, wait }) {
    const line: Arrival[] = [];
    let heldBytes = 0;
    let onArrival = () => {};
    let onRoom = () => {};
    let lastDueMs = 0;
    const arrive = (what: Omit<Arrival, 'dueMs'>) => {
      const delayMs = Math.max(0, latencyMs + (2 * number() - 1) * jitterMs);
      // Jitter does not overtake: TCP keeps the order.
      lastDueMs = Math.max(lastDueMs, clock.now() + delayMs);
      line.push({ dueMs: lastDueMs, ...what });
      onArrival();
    };
    const fill = async () => {
      for await (const chunk of bytes) {
        heldBytes += chunk.length;
        arrive({ chunk });
        if (heldBytes > MAX_DELAYED_BYTES)
          await new Promise<void>((resolve) => {
            onRoom = resolve;
          });
      }
    };
    fill().then(
      () => arrive({}),
      (error: Error) => arrive({ error }),
    );
    for (;;) {
      if (line.length === 0)
        await new Promise<void>((resolve) => {
          onArrival = resolve;
        });
      const { dueMs, chunk, error } = line.shift()!;
      if (dueMs > clock.now()) await wait(dueMs - clock.now());
      if (error !== undefined) throw error;
      if (chunk === undefined) return;
      heldBytes -= chunk.length;
      onRoom();
      yield chunk;
    }
  });

/** So much at once that ten pieces make a second. */
const PIECES_PER_SECOND = 10;

/** One kilobyte is 1000 bytes, as in Toxiproxy. */
export const bandwidthToxic = (kilobytesPerSecond: number): ToxicEffect =>
  onBytes(async function* (bytes, { clock, wait }) {
    const pieceBytes = (kilobytesPerSecond * 1000) / PIECES_PER_SECOND;
    let freeAtMs = 0;
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        const piece = chunk.subarray(at, at + pieceBytes);
        freeAtMs = Math.max(freeAtMs, clock.now()) + piece.length / kilobytesPerSecond;
        await wait(freeAtMs - clock.now());
        yield piece;
      }
    }
  });

export const slowCloseToxic = (delayMs: number): ToxicEffect =>
  onBytes(async function* (bytes, { wait }) {
    yield* bytes;
    await wait(delayMs);
  });

const NOTHING = new Uint8Array(0);

/** Goes on reading, so that the sender's own end is still seen. `timeoutMs` 0 never closes. */
export const timeoutToxic = (timeoutMs: number): ToxicEffect =>
  onBytes(async function* (bytes, { close, wait }) {
    wait(timeoutMs === 0 ? Number.POSITIVE_INFINITY : timeoutMs).then(close, () => {});
    for await (const _ of bytes) yield NOTHING;
  });

export type Slices = {
  readonly averageBytes: number;
  /** Sizes are even between average − variation and average + variation. */
  readonly variationBytes: number;
  readonly delayMs: number;
};

export const slicerToxic = ({ averageBytes, variationBytes, delayMs }: Slices): ToxicEffect =>
  onBytes(async function* (bytes, { number, wait }) {
    for await (const chunk of bytes) {
      let at = 0;
      while (at < chunk.length) {
        const size = Math.max(1, Math.round(averageBytes + (2 * number() - 1) * variationBytes));
        yield chunk.subarray(at, at + size);
        at += size;
        if (delayMs > 0) await wait(delayMs);
      }
    }
  });

/** Exactly so many bytes get through. */
export const limitDataToxic = (mostBytes: number): ToxicEffect =>
  onBytes(async function* (bytes, { close }) {
    let left = mostBytes;
    for await (const chunk of bytes) {
      yield chunk.subarray(0, left);
      left -= Math.min(left, chunk.length);
      if (left === 0) break;
    }
    if (left === 0) close();
  });
