// The binary half of the speech program's protocol (docs/engine.md): frames cut from a byte stream.
// Pure; any split of the bytes gives the same frames.

/** `R` ready, `A` audio, `W` words, `D` done, `E` could not be spoken; a reader skips the kinds it does not know. */
export type SpeechFrame = { readonly kind: string; readonly id: number; readonly payload: Uint8Array };

const HEADER_BYTES = 9;
/** Ten seconds of 16-bit audio at 48 kHz: more in one frame is not a frame but a program that prints text. */
const LARGEST_PAYLOAD_BYTES = 1 << 20;

/**
 * `push` takes bytes as they come and emits every frame that is complete: kind (one latin-1 character),
 * id and payload length (32 bits each, little-endian), payload. Throws on a length over 1 MiB.
 * A payload may share memory with the pushed chunk.
 */
export function createSpeechFrameReader(emit: (frame: SpeechFrame) => void): { push(chunk: Buffer): void } {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = HEADER_BYTES;

  return {
    push(chunk) {
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes < wantedBytes) return;
      const bytes = held.length === 1 ? chunk : Buffer.concat(held);
      let at = 0;
      wantedBytes = HEADER_BYTES;
      while (bytes.length - at >= HEADER_BYTES) {
        const payloadBytes = bytes.readUInt32LE(at + 5);
        if (payloadBytes > LARGEST_PAYLOAD_BYTES)
          throw new Error('the speech program does not speak in frames');
        const end = at + HEADER_BYTES + payloadBytes;
        if (end > bytes.length) {
          wantedBytes = end - at;
          break;
        }
        emit({
          kind: String.fromCharCode(bytes[at]!),
          id: bytes.readUInt32LE(at + 1),
          payload: bytes.subarray(at + HEADER_BYTES, end),
        });
        at = end;
      }
      held = at === bytes.length ? [] : [bytes.subarray(at)];
      heldBytes = bytes.length - at;
    },
  };
}
