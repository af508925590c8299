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
export const serverFrameBytes = (payload: FramePayload): number => {
  const length = payloadBytes(payload);
  return frameHeaderBytes(length) + length;
};

/** Writes the frame, of `frameBytes`, into `memory` from `at` on; there is room for it. */
export function putServerFrame(payload: FramePayload, frameBytes: number, memory: Buffer, at: number): void {
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
