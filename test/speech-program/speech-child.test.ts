import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSpeechFrameReader, type SpeechFrame } from '../../src/speech-program/speech-child.ts';

const encode = ({ kind, id, payload }: SpeechFrame): Buffer => {
  const header = Buffer.alloc(9);
  header.write(kind, 0, 'latin1');
  header.writeUInt32LE(id, 1);
  header.writeUInt32LE(payload.length, 5);
  return Buffer.concat([header, payload]);
};

const frames = fc.array(
  fc.record({
    kind: fc.constantFrom('R', 'A', 'D', 'E', 'x'),
    id: fc.nat(0xffffffff),
    payload: fc.uint8Array({ maxLength: 40 }),
  }),
  { maxLength: 8 },
);

describe('createSpeechFrameReader', () => {
  it('gives the same frames however the bytes are split', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(encode));
        const got: SpeechFrame[] = [];
        const reader = createSpeechFrameReader((frame) =>
          got.push({ ...frame, payload: frame.payload.slice() }),
        );
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length]!;
          reader.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(got.map((frame) => ({ ...frame, payload: [...frame.payload] }))).toEqual(
          sent.map((frame) => ({ ...frame, payload: [...frame.payload] })),
        );
      }),
    );
  });

  it('refuses a length that no frame has, before it holds that much', () => {
    const reader = createSpeechFrameReader(() => {});
    expect(() => reader.push(Buffer.from('Usage: say [options]\n'))).toThrow(/does not speak in frames/);
  });
});
