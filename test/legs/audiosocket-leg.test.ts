// AudioSocket as a codec: messages out of a byte stream in any split, and what may be sent.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioSocketLeg, audioSocketMessage } from '../../src/legs/audiosocket-leg.ts';
import type { LegCodec, LegInput } from '../../src/legs/leg.ts';
import '../support/property-seed.ts';

const UUID = '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405162';
const NOTHING = new Uint8Array(0);
const hello = audioSocketMessage(0x01, Buffer.from(UUID.replaceAll('-', ''), 'hex'));
const slin = (kind: number, bytes = 320) => audioSocketMessage(kind, new Uint8Array(bytes).fill(5));
const START: LegInput = {
  kind: 'start',
  callId: UUID,
  token: UUID,
  audio: { format: 'raw', sampleRate: 8000 },
};
const AUDIO: LegInput = { kind: 'audio', bytes: new Uint8Array(320).fill(5) };
const UNKNOWN: LegInput = { kind: 'unknown' };

const plain = (inputs: readonly LegInput[]) =>
  inputs.map((input) => (input.kind === 'audio' ? { ...input, bytes: new Uint8Array(input.bytes) } : input));
/** Reads `stream` in chunks that end at `cuts`. */
const readSplit = (codec: LegCodec, stream: Uint8Array, cuts: readonly number[]): LegInput[] => {
  const ends = [...new Set(cuts.map((cut) => cut % (stream.length + 1))), stream.length].sort(
    (a, b) => a - b,
  );
  let from = 0;
  return ends.flatMap((end) => {
    const chunk = stream.subarray(from, end);
    from = end;
    return chunk.length === 0 ? [] : plain(codec.read(Buffer.from(chunk)));
  });
};

describe('AudioSocket', () => {
  it('starts with the UUID and the first audio, whose kind tells the rate', () => {
    const codec = audioSocketLeg.open();
    expect(codec.read(hello)).toEqual([]);
    expect(plain(codec.read(slin(0x10)))).toEqual([START, AUDIO]);
    expect(plain(codec.read(slin(0x10)))).toEqual([AUDIO]);
  });

  it.each([
    [0x10, 8000],
    [0x11, 12_000],
    [0x12, 16_000],
    [0x13, 24_000],
    [0x14, 32_000],
    [0x15, 44_100],
    [0x16, 48_000],
    [0x17, 96_000],
    [0x18, 192_000],
  ])('hears kind %i as signed linear of %i Hz, and speaks the same', (kind, sampleRate) => {
    const codec = audioSocketLeg.open();
    codec.read(hello);
    expect(codec.read(slin(kind))[0]).toMatchObject({ kind: 'start', audio: { format: 'raw', sampleRate } });
    expect(codec.media(new Uint8Array(640))).toEqual([audioSocketMessage(kind, new Uint8Array(640))]);
  });

  it.each([0x0f, 0x20, 0xff, 0x02])('has no use for kind %i', (kind) => {
    const codec = audioSocketLeg.open();
    codec.read(hello);
    expect(codec.read(slin(kind))).toEqual([UNKNOWN]);
  });

  it('turns a call away whose first audio is of a kind without a rate, by name', () => {
    const codec = audioSocketLeg.open();
    codec.read(hello);
    expect(codec.read(slin(0x19))).toEqual([
      {
        kind: 'unserved',
        callId: UUID,
        token: UUID,
        came: 'AudioSocket kind 0x19',
        served: 'kinds 0x10 to 0x18 (slin to slin192)',
      },
    ]);
    codec.read(slin(0x10));
    expect(codec.read(slin(0x19))).toEqual([UNKNOWN]);
  });

  it('takes a call from which nothing comes for one of 8 kHz, once, and follows when audio comes', () => {
    const codec = audioSocketLeg.open();
    expect(codec.read(NOTHING)).toEqual([]);
    codec.read(hello);
    expect(codec.read(NOTHING)).toEqual([START]);
    expect(codec.read(NOTHING)).toEqual([]);
    expect(plain(codec.read(slin(0x10)))).toEqual([AUDIO]);
    const changed = { kind: 'audio-changed', audio: { format: 'raw', sampleRate: 16_000 } };
    expect(plain(codec.read(slin(0x12)))).toEqual([changed, AUDIO]);
    expect(plain(codec.read(slin(0x12)))).toEqual([AUDIO]);
    expect(codec.media(new Uint8Array(640))).toEqual([audioSocketMessage(0x12, new Uint8Array(640))]);
  });

  it('knows nobody before the UUID, and one UUID', () => {
    const codec = audioSocketLeg.open();
    expect(codec.read(slin(0x10))).toEqual([UNKNOWN]);
    expect(codec.read(audioSocketMessage(0x01, new Uint8Array(15)))).toEqual([UNKNOWN]);
    codec.read(hello);
    expect(codec.read(hello)).toEqual([UNKNOWN]);
  });

  it('reads digits and the end of the call', () => {
    const codec = audioSocketLeg.open();
    codec.read(hello);
    const digits = [...'0123456789ABCD*#'].map((digit) => audioSocketMessage(0x03, Buffer.from(digit)));
    expect(codec.read(Buffer.concat(digits))).toEqual(
      [...'0123456789ABCD*#'].map((digit) => ({ kind: 'digit', digit })),
    );
    for (const wrong of ['', '12', 'x', '\0'])
      expect(codec.read(audioSocketMessage(0x03, Buffer.from(wrong)))).toEqual([UNKNOWN]);
    expect(codec.read(audioSocketMessage(0x00, NOTHING))).toEqual([{ kind: 'stop' }]);
  });

  it('sends audio and a hang-up, never a message without payload but that one', () => {
    const codec = audioSocketLeg.open();
    expect(codec.media(new Uint8Array(320))).toEqual([audioSocketMessage(0x10, new Uint8Array(320))]);
    expect(
      Buffer.from(codec.media(new Uint8Array(320))[0] as Uint8Array)
        .subarray(0, 3)
        .toString('hex'),
    ).toBe('100140');
    expect(codec.media(NOTHING)).toEqual([]);
    expect(codec.hangUp!()).toEqual([Buffer.from([0, 0, 0])]);
    expect(Object.keys(codec).sort()).toEqual(['hangUp', 'media', 'read', 'rules']);
  });

  it('reads the same from any split of the stream', () => {
    const messages = [
      hello,
      slin(0x10),
      audioSocketMessage(0x03, Buffer.from('7')),
      slin(0xff, 1),
      slin(0x10, 2),
    ];
    const stream = Buffer.concat([...messages, audioSocketMessage(0x00, NOTHING)]);
    const whole = plain(audioSocketLeg.open().read(stream));
    expect(whole.map(({ kind }) => kind)).toEqual(['start', 'audio', 'digit', 'unknown', 'audio', 'stop']);
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 40 }), (cuts) => {
        expect(readSplit(audioSocketLeg.open(), stream, cuts)).toEqual(whole);
      }),
    );
    const bytewise = Array.from(stream, (_byte, at) => at);
    expect(readSplit(audioSocketLeg.open(), stream, bytewise)).toEqual(whole);
  });

  it('reads 100,000 malformed chunks in any split without a throw, in kinds that are documented', () => {
    const kinds = new Set<LegInput['kind']>(['start', 'audio-changed', 'audio', 'digit', 'stop', 'unknown']);
    const message = fc
      .tuple(fc.constantFrom(0, 1, 2, 3, 0x10, 0x12, 0x18, 0xff), fc.uint8Array({ maxLength: 40 }))
      .map(([kind, payload]) => audioSocketMessage(kind, payload));
    const chunk = fc.oneof(
      fc.uint8Array({ maxLength: 24 }),
      message,
      fc.tuple(message, fc.nat(40)).map(([bytes, end]) => bytes.subarray(0, end)),
      fc.tuple(message, fc.nat(40)).map(([bytes, start]) => bytes.subarray(start)),
    );
    let seen = 0;
    const property = fc.property(
      fc.boolean(),
      fc.array(chunk, { minLength: 100, maxLength: 110 }),
      (isNamed, chunks) => {
        const codec = audioSocketLeg.open();
        if (isNamed) codec.read(hello);
        for (const each of chunks) {
          seen += 1;
          for (const { kind } of codec.read(each)) if (!kinds.has(kind)) throw new Error(kind);
        }
      },
    );
    fc.assert(property, { numRuns: 1000 });
    expect(seen).toBeGreaterThanOrEqual(100_000);
    expect(audioSocketLeg.open().read('text')).toEqual([UNKNOWN]);
  });
});
