// A whole message as one unmasked WebSocket frame, header and payload in one buffer, so that it leaves in one write;
// `ws` writes the two apart. A server never masks (RFC 6455 5.1), and ours neither fragments nor compresses.
//
//   RFC 6455 5.2:  FIN 1, RSV 000, opcode │ MASK 0, length 0–125
//                                         │ MASK 0, 126, length in 2 bytes
//                                         │ MASK 0, 127, length in 8 bytes

const FINAL_TEXT = 0x81;
const FINAL_BINARY = 0x82;
const MOST_IN_7_BITS = 125;
const MOST_IN_16_BITS = 0xffff;

/** Bytes of a frame's header before so many bytes of payload. */
export const frameHeaderBytes = (payloadBytes: number): number => {
  if (payloadBytes <= MOST_IN_7_BITS) return 2;
  return payloadBytes <= MOST_IN_16_BITS ? 4 : 10;
};

/** A string becomes a text frame in UTF-8, bytes a binary one; they are copied. */
export function serverFrame(payload: string | Uint8Array): Buffer {
  const isText = typeof payload === 'string';
  const length = isText ? Buffer.byteLength(payload) : payload.length;
  const start = frameHeaderBytes(length);
  // From the pool: a frame of audio is too small for memory of its own.
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = isText ? FINAL_TEXT : FINAL_BINARY;
  if (start === 2) frame[1] = length;
  else if (start === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  if (isText) frame.write(payload, start);
  else frame.set(payload, start);
  return frame;
}
