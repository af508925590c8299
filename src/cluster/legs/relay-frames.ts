// How the messages of a leg travel between two processes: a length, a kind, and the message as it is. One side has the
// leg's socket, the other plays to it.

import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { LegEndCode } from '../../gateway/calls/leg-connection.ts';
import type { LegFrame } from '../../legs/leg.ts';

/** What the side with the socket sends about the call before its first messages. */
export type LegOpening = {
  readonly id: string;
  readonly kind: string;
  readonly callId: string | undefined;
  readonly token: string | undefined;
  /** How often the call has been started; each start has marks of its own. */
  readonly lives: number;
};

export type RelayMessage =
  | { readonly is: 'frame'; readonly frame: LegFrame }
  | { readonly is: 'opening'; readonly opening: LegOpening }
  /** From the socket's side: bytes of frames that it was given so far, and of these those that still wait. */
  | { readonly is: 'taken'; readonly bytes: number; readonly waiting: number }
  /** From the socket's side: the socket is closed; `because`: not by the far side. */
  | { readonly is: 'closed'; readonly because?: LegEndCode | undefined }
  /** From the socket's side: its process stops within so long, and the call with it. */
  | { readonly is: 'leaving'; readonly deadlineMs: number }
  /** From the socket's side: another process goes on with the call. */
  | { readonly is: 'handed-on' }
  | { readonly is: 'close'; readonly code: number; readonly reason: string }
  | { readonly is: 'terminate' }
  /** From both sides, at once and now and then, and when the other asks. `answers`: it answers `ask`; some versions that
   * do not say so do, too. */
  | { readonly is: 'alive'; readonly answers?: true }
  | { readonly is: 'ask' };

const HEADER_BYTES = 5;
/** The largest message of a platform is a quarter of this. */
const MAX_BYTES = 1024 * 1024;
const TEXT = 1;
const BINARY = 2;
const NOTE = 3;

const pack = (kind: number, payload: Uint8Array): Buffer => {
  const packed = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  packed.writeUInt32BE(payload.length, 0);
  packed.writeUInt8(kind, 4);
  packed.set(payload, HEADER_BYTES);
  return packed;
};

export const frameBytes = (frame: LegFrame): number =>
  typeof frame === 'string' ? Buffer.byteLength(frame) : frame.length;

export function packRelay(message: RelayMessage): Buffer {
  if (message.is !== 'frame') return pack(NOTE, Buffer.from(JSON.stringify(message)));
  const { frame } = message;
  return typeof frame === 'string' ? pack(TEXT, Buffer.from(frame)) : pack(BINARY, frame);
}

/** Takes a stream in any split. Throws a RangeError for what no process of ours sends. */
export function createRelayReader(onMessage: (message: RelayMessage) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES) {
      const length = rest.readUInt32BE(0);
      if (length > MAX_BYTES) throw new RangeError('a relayed message is too long');
      if (rest.length < HEADER_BYTES + length) return;
      const kind = rest[4];
      const payload = rest.subarray(HEADER_BYTES, HEADER_BYTES + length);
      rest = rest.subarray(HEADER_BYTES + length);
      if (kind === TEXT) onMessage({ is: 'frame', frame: payload.toString('utf8') });
      else if (kind === BINARY) onMessage({ is: 'frame', frame: payload });
      else if (kind === NOTE) onMessage(JSON.parse(payload.toString('utf8')) as RelayMessage);
      else throw new RangeError('a relayed message is of no kind');
    }
  };
}

const ALIVE = { is: 'alive', answers: true } as const satisfies RelayMessage;
const ALIVE_MS = 2000;
/** Three of them are missing: the machine at the other end is gone, or its process stands still. */
const SILENT_MS = 6000;
/** A process that is asked answers within this, or stands still. */
const ANSWER_MS = 400;

/**
 * Reads what comes over a relay, and says that this side is alive. It is cut when the other side brings what no process of ours
 * sends, or has said that it is alive and is silent. `ask` cuts it unless the other side, which has said that it answers, says
 * something at once.
 */
export function readRelay(
  relay: Duplex,
  onMessage: (message: RelayMessage) => void,
  clock: Clock,
): { readonly ask: () => void } {
  let heardAtMs = Number.POSITIVE_INFINITY;
  let answers = false;
  let chunks = 0;
  const say = (message: RelayMessage) => void (relay.writable && relay.write(packRelay(message)));
  const read = createRelayReader((message) => {
    if (message.is === 'alive') {
      heardAtMs = clock.now();
      answers ||= message.answers === true;
    } else if (message.is === 'ask') say(ALIVE);
    else onMessage(message);
  });
  let disarm = () => {};
  const beat = () => {
    disarm = clock.after(ALIVE_MS, beat);
    if (clock.now() - heardAtMs >= SILENT_MS) relay.destroy();
    else say(ALIVE);
  };
  // Behind what its owner says first.
  disarm = clock.after(0, beat);
  relay.once('close', () => disarm());
  relay.on('data', (chunk: Buffer) => {
    chunks += 1;
    if (Number.isFinite(heardAtMs)) heardAtMs = clock.now();
    try {
      read(chunk);
    } catch {
      relay.destroy();
    }
  });
  relay.on('error', () => {}); // its close is what matters
  return {
    ask() {
      if (!answers) return;
      say({ is: 'ask' });
      const before = chunks;
      // Where this process was late itself, the answer waits to be read.
      clock.after(ANSWER_MS, () => clock.soon(() => chunks === before && relay.destroy()));
    },
  };
}
