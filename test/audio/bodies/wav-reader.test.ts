import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMp3Frame } from '../../../src/audio/bodies/sound-frame.ts';
import { WavReader } from '../../../src/audio/bodies/wav-reader.ts';
import { wavHeader } from '../../../src/audio/containers/wav.ts';
import { AppError } from '../../../src/base/app-error.ts';
import { floatsOf, readBody } from './read-body.ts';

type Form = {
  tag: number;
  channels?: number;
  rate?: number;
  bits: number;
  blockBytes?: number;
  extensible?: boolean;
};

const u16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const chunk = (name: string, content: Uint8Array, size = content.length) =>
  Buffer.concat([Buffer.from(name, 'latin1'), u32(size), content, Buffer.alloc(content.length % 2)]);

function format({
  tag,
  channels = 1,
  rate = 24_000,
  bits,
  blockBytes = (channels * bits) / 8,
  extensible,
}: Form) {
  const plain = [
    u16(extensible ? 0xfffe : tag),
    u16(channels),
    u32(rate),
    u32(rate * blockBytes),
    u16(blockBytes),
    u16(bits),
  ];
  const more = [u16(22), u16(bits), u32(0), u16(tag), Buffer.from('000000001000800000aa00389b71', 'hex')];
  return chunk('fmt ', Buffer.concat(extensible ? [...plain, ...more] : plain));
}
const wav = (...chunks: Uint8Array[]) => {
  const content = Buffer.concat([Buffer.from('WAVE'), ...chunks]);
  return Buffer.concat([Buffer.from('RIFF'), u32(content.length), content]);
};
const SOUND = Buffer.from(
  Int16Array.from({ length: 3001 }, (_, i) => Math.round(20_000 * Math.sin(i / 7))).buffer,
);
const PCM = format({ tag: 1, bits: 16 });
const read = (body: Uint8Array, cuts: readonly number[] = []) =>
  readBody((sink) => new WavReader(sink), body, cuts);

describe('a WAV body', () => {
  const bodies: Readonly<Record<string, Uint8Array>> = {
    'with its true sizes': wav(PCM, chunk('data', SOUND)),
    'of our own encoder, as it is streamed': Buffer.concat([
      wavHeader({ sampleRate: 24_000, channels: 1 }),
      SOUND,
    ]),
    'with the size 0': wav(PCM, chunk('data', SOUND, 0)),
    'with the size 0xFFFFFFFF': wav(PCM, chunk('data', SOUND, 0xffff_ffff)),
    'with the size 0x7FFFFFFF': wav(PCM, chunk('data', SOUND, 0x7fff_ffff)),
    'with a size that is too small': wav(PCM, chunk('data', SOUND, 1000)),
    'with an odd size that is too small': wav(PCM, chunk('data', SOUND, 1001)),
    'with a size that is 4 bytes too small': wav(PCM, chunk('data', SOUND, SOUND.length - 4)),
    'with a size that is too large': wav(PCM, chunk('data', SOUND, SOUND.length + 500)),
    'with a list before its format': wav(
      chunk('LIST', Buffer.from('INFOISFT\x05\0\0\0Lavf\0\0')),
      PCM,
      chunk('data', SOUND),
    ),
    'with a list of odd length before its sound': wav(
      PCM,
      chunk('LIST', Buffer.from('INFOx')),
      chunk('data', SOUND),
    ),
    'with an empty chunk before its sound': wav(PCM, chunk('JUNK', Buffer.alloc(0)), chunk('data', SOUND)),
    'with chunks behind its sound': wav(
      PCM,
      chunk('data', SOUND),
      chunk('LIST', Buffer.from('INFO')),
      chunk('id3 ', Buffer.alloc(77)),
    ),
    'that is extensible': wav(format({ tag: 1, bits: 16, extensible: true }), chunk('data', SOUND)),
  };
  it.each(Object.entries(bodies))('%s gives its samples, wherever it is cut', (_, body) => {
    expect(read(body).bytes.equals(SOUND)).toBe(true);
    fc.assert(
      fc.property(fc.array(fc.nat(body.length), { maxLength: 20 }), fc.boolean(), (cuts, isHead) => {
        const all = read(body, isHead ? cuts.map((cut) => cut % 90) : cuts);
        expect(all.bytes.equals(SOUND)).toBe(true);
        expect(all.frames[0]!.header).toMatchObject({
          code: 'pcm16',
          sampleRate: 24_000,
          samplesPerFrame: 576,
        });
      }),
      { numRuns: 40 },
    );
  });
  it('is read byte by byte', () => {
    const body = bodies['with chunks behind its sound']!;
    expect(
      read(
        body,
        Array.from({ length: body.length }, (_, i) => i),
      ).bytes.equals(SOUND),
    ).toBe(true);
  });

  const floats = Float32Array.of(0, 0.5, -0.25, 0.75, -1, 1);
  const layouts: readonly [string, Form, Buffer][] = [
    ['8 bits', { tag: 1, bits: 8 }, Buffer.from([128, 192, 96, 224, 0, 255])],
    [
      '24 bits',
      { tag: 1, bits: 24 },
      Buffer.from([0, 0, 0, 0, 0, 0x40, 0, 0, 0xe0, 0, 0, 0x60, 0, 0, 0x80, 0xff, 0xff, 0x7f]),
    ],
    [
      '32 bits',
      { tag: 1, bits: 32 },
      Buffer.from(Int32Array.from([0, 2 ** 30, -(2 ** 29), 3 * 2 ** 29, -(2 ** 31), 2 ** 31 - 1]).buffer),
    ],
    ['float', { tag: 3, bits: 32 }, Buffer.from(floats.buffer.slice(0))],
    ['float, extensible', { tag: 3, bits: 32, extensible: true }, Buffer.from(floats.buffer.slice(0))],
    ['float of 64 bits', { tag: 3, bits: 64 }, Buffer.from(Float64Array.from(floats).buffer)],
  ];
  it.each(layouts)('of %s is exact', (_, form, sound) => {
    const { bytes, frames } = read(wav(format(form), chunk('data', sound)), [1, 45, 47, 60]);
    expect(frames[0]!.header).toMatchObject({ code: 'float32', samples: 6 });
    const found = [...floatsOf(bytes)];
    for (const [i, value] of [...floats].entries())
      expect(found[i]).toBeCloseTo(value, form.bits === 8 ? 1 : 6);
    expect(found.slice(0, 5)).toEqual([0, 0.5, -0.25, 0.75, -1]);
  });
  it.each([
    ['µ-law', 7, 'mulaw'],
    ['A-law', 6, 'alaw'],
  ] as const)('of %s goes on as it is', (_, tag, code) => {
    const sound = Buffer.from([1, 2, 3, 0xff, 0x55]);
    const body = wav(format({ tag, bits: 8, rate: 8000 }), chunk('data', sound));
    expect(read(body).bytes.equals(sound)).toBe(true);
    expect(read(body).frames[0]!.header).toMatchObject({ code, sampleRate: 8000, samples: 5 });
  });
  it('of two channels is their mean', () => {
    const sound = Buffer.from(Int16Array.of(100, 300, -32_768, -32_768, 1, 2).buffer);
    const { bytes } = read(wav(format({ tag: 1, bits: 16, channels: 2 }), chunk('data', sound)), [49, 53]);
    expect([...floatsOf(bytes)]).toEqual([200 / 32_768, -1, 1.5 / 32_768]);
  });

  const refused: readonly [string, Uint8Array, string][] = [
    [
      'ADPCM',
      wav(format({ tag: 17, bits: 4, blockBytes: 256 }), chunk('data', SOUND)),
      'format 17 with 4 bits',
    ],
    ['12 bits', wav(format({ tag: 1, bits: 12, blockBytes: 2 }), chunk('data', SOUND)), '12 bits'],
    ['six channels', wav(format({ tag: 1, bits: 16, channels: 6 }), chunk('data', SOUND)), '6 channels'],
    ['no rate', wav(format({ tag: 1, bits: 16, rate: 0 }), chunk('data', SOUND)), '0 Hz'],
    [
      'blocks that do not fit',
      wav(format({ tag: 1, bits: 16, blockBytes: 3 }), chunk('data', SOUND)),
      '3 bytes and 16 bits',
    ],
    ['no format', wav(chunk('data', SOUND)), 'no format'],
    ['big-endian', Buffer.concat([Buffer.from('RIFX'), wav(PCM).subarray(4)]), 'RIFX'],
    ['RF64', Buffer.concat([Buffer.from('RF64'), wav(PCM).subarray(4)]), 'RF64'],
    ['another RIFF', Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI '), SOUND]), 'no WAV'],
  ];
  it.each(refused)('of %s is refused by its name', (_, body, told) => {
    const failed = (() => {
      try {
        read(body, [3, 17]);
      } catch (error) {
        return error;
      }
    })();
    expect(failed).toBeInstanceOf(AppError);
    expect(failed).toMatchObject({ code: 'upstream_bad_audio' });
    expect((failed as Error).message).toContain(told);
  });

  it('shows that it was cut by its own size, and by a sample that is not whole', () => {
    const body = wav(PCM, chunk('data', SOUND));
    expect(read(body).parser.missingSamples()).toBe(0);
    expect(read(body.subarray(0, body.length - 200)).parser.missingSamples()).toBe(100);
    const odd = new WavReader({ onFrame() {}, onTag() {} });
    odd.push(body.subarray(0, body.length - 201));
    expect(odd.cutFrameBytes()).toBe(1);
    expect(read(wav(PCM, chunk('data', SOUND, 0xffff_ffff))).parser.missingSamples()).toBe(0);
  });
  it('never fails but by a refusal, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(60),
        fc.array(fc.nat(300), { maxLength: 5 }),
        (noise, at, cuts) => {
          const body = Buffer.concat([wav(PCM, chunk('data', SOUND.subarray(0, 100)))]);
          body.set(noise.subarray(0, body.length - at), at);
          try {
            for (const frame of read(body, cuts).frames) expect(isMp3Frame(frame)).toBe(false);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
          }
        },
      ),
    );
  });
});
