// Messages to one socket, those of one task in one write. They are laid one behind the other into memory that all sockets
// of a server share, and the kernel copies them out of it: a frame needs no memory of its own, and one buffer costs the
// kernel half the price of two. What it does not take at once stays where it is, and others write behind it.
//
//   send buffer   │ waits in a slow socket │ held for this task │ free … │
//                                          └ begin              └ end

import type { Writable } from 'node:stream';

/** A lead of most sounds; beyond it the stream is to know how much waits in it. */
const MAX_HELD_BYTES = 16_384;
const SEND_BUFFER_BYTES = 4 * MAX_HELD_BYTES;

/** One for the sockets of a server. */
export type SendBuffer = {
  memory: Buffer;
  begin: number;
  end: number;
  /** Whose messages are between `begin` and `end`: one writer at a time. */
  holder: FrameWriter | undefined;
};

export const createSendBuffer = (): SendBuffer => ({
  memory: Buffer.allocUnsafeSlow(SEND_BUFFER_BYTES),
  begin: 0,
  end: 0,
  holder: undefined,
});

/** One for each client, used for each frame. */
export class FrameWriter {
  private readonly wire: Pick<Writable, 'write' | 'writableLength'>;
  private readonly buffer: SendBuffer;
  private isCorked = false;

  constructor(wire: Pick<Writable, 'write' | 'writableLength'>, buffer: SendBuffer) {
    this.wire = wire;
    this.buffer = buffer;
  }

  /** Answers with the bytes of the frame that the payload becomes. */
  write(payload: FramePayload): number {
    const { buffer } = this;
    const bytes = serverFrameBytes(payload);
    if (bytes > MAX_HELD_BYTES) {
      this.flush();
      this.wire.write(serverFrame(payload));
      return bytes;
    }
    this.makeRoom(bytes);
    putServerFrame(payload, bytes, buffer.memory, buffer.end);
    buffer.end += bytes;
    buffer.holder = this;
    if (!this.isCorked) this.flush();
    return bytes;
  }
  /** What is written until `uncork` leaves together. */
  cork(): void {
    this.isCorked = true;
  }
  uncork(): void {
    this.isCorked = false;
    this.flush();
  }
  /** Hands on what is held: somebody else is about to write to the stream. */
  flush(): void {
    const { wire, buffer } = this;
    if (buffer.holder !== this) return;
    const { memory, begin, end } = buffer;
    // Given to the stream in every case, so that the words of one client are never written to the socket of another.
    buffer.holder = undefined;
    buffer.begin = end;
    // A slow reader keeps alive what it is given: only its own bytes, and not all that was sent from this memory.
    const isBehind = wire.writableLength > 0;
    const bytes = memory.subarray(begin, end);
    wire.write(isBehind ? new Uint8Array(bytes) : bytes);
    if ((isBehind || wire.writableLength === 0) && buffer.memory === memory && buffer.end === end) {
      buffer.begin = begin;
      buffer.end = begin;
    }
  }
  /** What the stream has not been given yet, and does not count. */
  heldBytes(): number {
    const { holder, begin, end } = this.buffer;
    return holder === this ? end - begin : 0;
  }

  private makeRoom(bytes: number): void {
    const { buffer } = this;
    if (buffer.holder !== this) buffer.holder?.flush();
    if (buffer.end - buffer.begin + bytes > MAX_HELD_BYTES) this.flush();
    if (buffer.end + bytes <= buffer.memory.length) return;
    this.flush();
    if (buffer.end + bytes > buffer.memory.length) Object.assign(buffer, createSendBuffer());
  }
}

// A whole message as one unmasked WebSocket frame, header and payload in one buffer, so that it leaves in one write;
// `ws` writes the two apart. A server never masks (RFC 6455 5.1), and ours neither fragments nor compresses.
//
//   RFC 6455 5.2:  FIN 1, RSV 000, opcode │ MASK 0, length 0–125
//                                         │ MASK 0, 126, length in 2 bytes
//                                         │ MASK 0, 127, length in 8 bytes

/** A string becomes a text frame in UTF-8, bytes a binary one. */
export type FramePayload = string | Uint8Array;

const FINAL_TEXT = 0x81;
const FINAL_BINARY = 0x82;
const MAX_IN_7_BITS = 125;
const MAX_IN_16_BITS = 0xffff;

/** Bytes of a frame's header before so many bytes of payload. */
export const frameHeaderBytes = (payloadBytes: number): number => {
  if (payloadBytes <= MAX_IN_7_BITS) return 2;
  return payloadBytes <= MAX_IN_16_BITS ? 4 : 10;
};

/** Of the header in a frame of so many bytes. */
const headerBytesOf = (frameBytes: number): number => {
  if (frameBytes <= MAX_IN_7_BITS + 2) return 2;
  return frameBytes <= MAX_IN_16_BITS + 4 ? 4 : 10;
};

const payloadBytes = (payload: FramePayload): number =>
  typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length;

/** Bytes of the whole frame. */
const serverFrameBytes = (payload: FramePayload): number => {
  const length = payloadBytes(payload);
  return frameHeaderBytes(length) + length;
};

/** Writes the frame, of `frameBytes`, into `memory` from `at` on; there is room for it. */
function putServerFrame(payload: FramePayload, frameBytes: number, memory: Buffer, at: number): void {
  const isText = typeof payload === 'string';
  memory[at] = isText ? FINAL_TEXT : FINAL_BINARY;
  const start = headerBytesOf(frameBytes);
  const length = frameBytes - start;
  if (start === 2) memory[at + 1] = length;
  else if (start === 4) {
    memory[at + 1] = 126;
    memory.writeUInt16BE(length, at + 2);
  } else {
    memory[at + 1] = 127;
    memory.writeBigUInt64BE(BigInt(length), at + 2);
  }
  if (isText) memory.write(payload, at + start);
  else memory.set(payload, at + start);
}

/** The frame in memory of its own. */
export function serverFrame(payload: FramePayload): Buffer {
  const frame = Buffer.allocUnsafe(serverFrameBytes(payload));
  putServerFrame(payload, frame.length, frame, 0);
  return frame;
}
