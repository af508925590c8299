import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mp3FrameParser } from '../../../src/audio/mp3/mp3-frame-parser.ts';
import { MAX_FRAME_BYTES } from '../../../src/audio/mp3/mp3-header.ts';
import { chunksOf, mp3Fixture, mp3References, parseMp3 } from '../../support/mp3-fixtures.ts';

const HEADER = [0xff, 0xf3, 0x84, 0xc4]; // MPEG-2, 64 kbit/s, 24 kHz, mono: 192 bytes
const OTHER_RATE = [0xff, 0xfb, 0x90, 0xc4]; // MPEG-1, 128 kbit/s, 44.1 kHz, mono: 417 bytes
const frame = (header = HEADER, length = 192, fill = 0x11) =>
  Uint8Array.from({ length }, (_, i) => header[i] ?? fill);
const join = (...parts: (Uint8Array | number[] | string)[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part))),
    ),
  );
const zeros = (length: number) => new Uint8Array(length);
const parse = (bytes: Uint8Array) => parseMp3([bytes]);
const id3v2 = (bodyBytes: number, flags = 0) =>
  join(
    'ID3',
    [4, 0, flags],
    [21, 14, 7, 0].map((shift) => (bodyBytes >>> shift) & 0x7f),
    zeros(bodyBytes),
  );
const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

/** Pushes and watches what the parser keeps of what it was given: the most that any frame waited for. */
const emittedAfter = (chunks: Uint8Array[]): number[] => {
  let frames = 0;
  const parser = new Mp3FrameParser({ onFrame: () => frames++, onTag() {} });
  return chunks.map((chunk) => {
    parser.push(chunk);
    return frames;
  });
};

describe('frames', () => {
  it.each(Object.entries(mp3References))('finds every frame of %s', (name, reference) => {
    const { frames, tags, junkBytes } = parse(mp3Fixture(name));
    expect(frames).toHaveLength(reference.frames);
    expect(tags).toEqual(reference.tag === undefined ? [] : [reference.tag]);
    expect(junkBytes).toBe(reference.junkBytes);
    expect(frames.filter((each) => each.afterGap)).toHaveLength(reference.gaps);
    expect(frames.every((each) => each.bytes.length === each.header.frameBytes)).toBe(true);
  });

  it('gives the same frames for any split of the bytes', () => {
    const sources = ['damaged-24k.mp3', 'lame-id3-crc-24k.mp3', 'change-24k-44k.mp3'].map((name) => {
      const bytes = mp3Fixture(name);
      return { bytes, whole: parse(bytes) };
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 20 }),
        ({ bytes, whole }, lengths) => {
          const split = parseMp3(chunksOf(bytes, lengths));
          expect(split.tags).toEqual(whole.tags);
          expect(split.junkBytes).toBe(whole.junkBytes);
          expect(split.frames.length).toBe(whole.frames.length);
          expect(
            split.frames.every(
              (each, i) =>
                isSame(each.bytes, whole.frames[i]!.bytes) && each.afterGap === whole.frames[i]!.afterGap,
            ),
          ).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('gives the same frames one byte at a time', () => {
    const bytes = mp3Fixture('damaged-24k.mp3');
    const whole = parse(bytes);
    const split = parseMp3(chunksOf(bytes, [1]));
    expect(split.frames.map((each) => each.bytes)).toEqual(whole.frames.map((each) => each.bytes));
    expect(split.junkBytes).toBe(whole.junkBytes);
  });

  it('emits the first frame with the header behind it, every other one with its last byte', () => {
    const stream = join(frame(), frame(), frame());
    const emitted = emittedAfter(chunksOf(stream, [1]));
    expect(emitted.indexOf(1)).toBe(192 + 4 - 1);
    expect(emitted.indexOf(2)).toBe(2 * 192 - 1);
    expect(emitted.indexOf(3)).toBe(3 * 192 - 1);
  });

  it('copies nothing when frames lie inside a chunk, and keeps frames intact when they do not', () => {
    const chunk = join(frame(), frame());
    expect(parse(chunk).frames.every((each) => each.bytes.buffer === chunk.buffer)).toBe(true);
    const { frames } = parseMp3([chunk.slice(0, 300), chunk.slice(300)]);
    expect(frames.map((each) => each.bytes)).toEqual([frame(), frame()]);
  });

  it('takes a single frame at the end of the stream, and not half a frame', () => {
    expect(parse(frame()).frames).toHaveLength(1);
    expect(parse(frame().slice(0, 191)).frames).toHaveLength(0);
    const { frames, junkBytes } = parse(join(frame(), frame(), frame().slice(0, 100)));
    expect([frames.length, junkBytes]).toEqual([2, 100]);
  });

  it('follows a change of rate only when the next header confirms it', () => {
    const changed = parse(join(frame(), frame(), frame(OTHER_RATE, 417), frame(OTHER_RATE, 417)));
    expect(changed.frames.map((each) => each.header.sampleRate)).toEqual([24000, 24000, 44100, 44100]);
    expect(changed.junkBytes).toBe(0);
    const flipped = parse(join(frame(), frame(), frame(OTHER_RATE, 192), frame(), frame()));
    expect(flipped.frames.map((each) => each.header.sampleRate)).toEqual(Array(5).fill(24000));
    expect(flipped.frames[2]!.bytes).toEqual(frame([0xff, 0xf3, 0x84, 0xc4], 192, 0));
    expect(flipped.junkBytes).toBe(192);
  });
});

describe('damage', () => {
  it('goes on behind stray bytes, and says that bytes were lost when they are no text', () => {
    for (const [stray, gap] of [
      ['stray', undefined],
      ['\0\0\0\0\0', undefined],
      [[0x80, 0x81, 0x82, 0x83, 0x84], true],
    ] as const) {
      const { frames, junkBytes } = parse(
        join(frame(), frame(), typeof stray === 'string' ? stray : [...stray], frame(), frame()),
      );
      expect(frames.map((each) => each.afterGap)).toEqual([undefined, undefined, gap, undefined]);
      expect(junkBytes).toBe(5);
    }
  });

  it.each(['ffmpeg-live-24k.mp3', 'lame-joint-44k.mp3', 'lame-id3-crc-24k.mp3', 'lame-untagged-22k.mp3'])(
    'keeps the number of frames of %s whatever a byte of a header becomes',
    (name) => {
      const whole = mp3Fixture(name);
      const { frames } = parse(whole);
      const wrong: string[] = [];
      for (const index of [1, 30, 31]) {
        const at = Buffer.from(whole.buffer).indexOf(frames[index]!.bytes);
        for (let place = 0; place < 4; place += 1)
          for (let value = 0; value < 256; value += 1) {
            const bytes = whole.slice();
            bytes[at + place] = value;
            const found = parse(bytes).frames.length;
            if (found !== frames.length) wrong.push(`${index} ${place} ${value.toString(16)}: ${found}`);
          }
      }
      expect(wrong).toEqual([]);
    },
  );

  it('counts a body without MP3 as junk while it comes', () => {
    const parser = new Mp3FrameParser({ onFrame: () => expect.unreachable(), onTag() {} });
    parser.push(join('{"errorMessage":"', zeros(8192).fill(0x61), '"}'));
    expect(parser.junkBytes()).toBeGreaterThan(8192);
  });

  it('is not taken in by headers that nothing confirms', () => {
    const lures = Array.from({ length: 500 }, (_, i) => (i % 2 ? HEADER : [0x11, 0x22, 0xff]));
    const { frames } = parse(join(...lures, frame(), frame()));
    expect(frames).toHaveLength(2);
  });

  it('neither throws nor holds more than a frame, whatever arrives', () => {
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.uint8Array({ maxLength: 3000 }) },
      { weight: 2, arbitrary: fc.constant(frame()) },
      fc.constant(frame(OTHER_RATE, 417)),
      fc.constant(zeros(3000).fill(0xff)),
      fc.constant(join(...Array.from({ length: 400 }, () => HEADER))),
      fc.constantFrom(
        join('ID3'),
        join('TAG'),
        join('APETAGEX'),
        id3v2(1000),
        join('ID3', [4, 0, 0, 127, 127]),
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 900 }), (pieces, length) => {
        const bytes = join(...pieces);
        let given = 0;
        let passed = 0;
        const parser = new Mp3FrameParser({
          onFrame: (each) => {
            passed += each.bytes.length;
            expect(each.bytes.length).toBeLessThanOrEqual(MAX_FRAME_BYTES);
          },
          onTag() {},
        });
        for (const chunk of chunksOf(bytes, [length])) {
          parser.push(chunk);
          given += chunk.length;
          expect(passed + parser.junkBytes()).toBeLessThanOrEqual(given);
        }
        parser.flush();
      }),
      { numRuns: 80 },
    );
  });

  it('holds at most a frame and a header of endless lures', () => {
    // A lure every byte: each is dropped as soon as what follows its would-be frame contradicts it.
    const parser = new Mp3FrameParser({ onFrame: () => expect.unreachable(), onTag() {} });
    const lures = join(...Array.from({ length: 5000 }, () => [...HEADER, 0]));
    let given = 0;
    for (const chunk of chunksOf(lures, [100])) {
      parser.push(chunk);
      given += chunk.length;
      expect(given - parser.junkBytes()).toBeLessThan(MAX_FRAME_BYTES + 4);
    }
  });
});

describe('the end of the bytes', () => {
  const parserOf = (...parts: (Uint8Array | number[] | string)[]) => {
    let frames = 0;
    const parser = new Mp3FrameParser({ onFrame: () => frames++, onTag() {} });
    parser.push(join(...parts));
    return { parser, frames: () => frames };
  };

  it.each([
    ['nothing', []],
    ['text', 'stray'],
    ['a byte of no header', [0xfe]],
    ['a header of no frame', [0xff, 0xff]],
    ['a header of another version', [0xff, 0xfb, 0x90, 0xc4, 0, 0]],
    ['half of a tag', 'ID3'],
    ['text, and a byte that could begin a header', 'stray\xff'],
  ])('is no cut frame when it is %s', (_, rest) => {
    const { parser } = parserOf(
      frame(),
      frame(),
      typeof rest === 'string' ? Buffer.from(rest, 'latin1') : rest,
    );
    parser.settle();
    expect(parser.cutFrameBytes()).toBe(0);
  });

  it('is a cut frame from its first byte on, also behind damage when it has a header', () => {
    for (const bytes of [1, 2, 3, 4, 100, 191]) {
      const { parser } = parserOf(frame(), frame(), frame().subarray(0, bytes));
      parser.settle();
      expect(parser.cutFrameBytes()).toBe(bytes);
    }
    const { parser } = parserOf(frame(), frame(), [0x80, 0x81], frame().subarray(0, 100));
    parser.settle();
    expect(parser.cutFrameBytes()).toBe(100);
  });

  it('makes a frame of one that waited for what follows it, and goes on when more comes', () => {
    const stream = join(frame(), frame([0xff, 0xf3, 0xa4, 0xc4], 288), frame([0xff, 0xf3, 0xa4, 0xc4], 288));
    const { parser, frames } = parserOf(stream.subarray(0, 192 + 288));
    expect([frames(), parser.cutFrameBytes()]).toEqual([1, 0]);
    parser.settle();
    expect([frames(), parser.heldBytes()]).toEqual([2, 0]);
    parser.push(stream.subarray(192 + 288));
    expect([frames(), parser.junkBytes()]).toEqual([3, 0]);
    const cut = parserOf(stream.subarray(0, 192 + 100));
    cut.parser.settle();
    expect([cut.frames(), cut.parser.cutFrameBytes()]).toEqual([1, 100]);
    cut.parser.push(stream.subarray(192 + 100));
    expect([cut.frames(), cut.parser.junkBytes()]).toEqual([3, 0]);
  });
});

describe('free format', () => {
  const FREE = [0xff, 0xf3, 0x04, 0xc4];
  const free = (bytes: number, padding: 0 | 1 = 0) =>
    frame([0xff, 0xf3, 0x04 | (padding << 1), 0xc4], bytes + padding);

  it('is measured by the distance of three headers, with and without padding', () => {
    const { frames, junkBytes } = parse(
      join(free(200), free(200, 1), free(200), free(200, 1), 'TAG', zeros(125)),
    );
    expect(frames.map(({ bytes }) => bytes.length)).toEqual([200, 201, 200, 201]);
    expect(frames[0]!.header.bitrateKbps).toBeCloseTo((200 * 8 * 24_000) / 576 / 1000, 9);
    expect(junkBytes).toBe(0);
  });

  it('is not misled by a header in a frame', () => {
    const lure = free(200);
    lure.set(FREE, 80);
    expect(parse(join(lure, lure, lure)).frames.map(({ bytes }) => bytes.length)).toEqual([200, 200, 200]);
  });

  it('is no frame alone, nor longer than the longest frame', () => {
    expect(parse(free(200)).frames).toHaveLength(0);
    expect(parse(join(free(1441), free(1441), free(1441))).frames).toHaveLength(3);
    expect(parse(join(free(1442), free(1442), free(1442))).frames).toHaveLength(0);
  });

  it('never holds more than two frames and their headers, whatever looks like it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(FREE, [0xff, 0xfb, 0, 0], HEADER), fc.nat({ max: 1600 })), {
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 500 }),
        (pieces, length) => {
          const parser = new Mp3FrameParser({ onFrame() {}, onTag() {} });
          const bytes = join(...pieces.map(([header, rest]) => join(header, zeros(rest))));
          for (const chunk of chunksOf(bytes, [length])) {
            parser.push(chunk);
            expect(parser.heldBytes()).toBeLessThanOrEqual(2 * (MAX_FRAME_BYTES + 4));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('tags of files', () => {
  it.each([
    ['ID3v2', id3v2(5000)],
    ['ID3v2 with a footer', join(id3v2(300, 0x10), '3DI', zeros(7))],
    ['two of them', join(id3v2(10), id3v2(20))],
    ['an APE header', join('APETAGEX', [0xd0, 7, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xa0], zeros(48))],
  ])('skips %s before the frames, in any split', (_, tag) => {
    const bytes = join(tag, frame(), frame());
    for (const chunks of [[bytes], chunksOf(bytes, [1]), chunksOf(bytes, [7])]) {
      const { frames, junkBytes } = parseMp3(chunks);
      expect([frames.length, junkBytes]).toEqual([2, 0]);
    }
  });

  it('skips a picture of megabytes without keeping it', () => {
    const parsed = parseMp3(chunksOf(join(id3v2(3_000_000), frame(), frame()), [65536]));
    expect([parsed.frames.length, parsed.junkBytes]).toEqual([2, 0]);
  });

  it('skips ID3v1 and APE at the end, and goes on with a joined file', () => {
    const id3v1 = join('TAG', zeros(125));
    expect(parse(join(frame(), id3v1))).toMatchObject({ frames: [{}], junkBytes: 0 });
    const joined = parse(
      join(frame(), frame(), id3v1, id3v2(200), frame(OTHER_RATE, 417), frame(OTHER_RATE, 417)),
    );
    expect([joined.frames.length, joined.junkBytes]).toEqual([4, 0]);
  });

  it.each([
    ['a size that cannot be', join('ID3', [4, 0, 0, 0xff, 0xff, 0xff, 0xff])],
    ['flags that are not defined', join('ID3', [4, 0, 1, 0, 0, 1, 0])],
    ['a version that cannot be', join('ID3', [0xff, 0, 0, 0, 0, 1, 0])],
    ['more than 16 MiB', join('ID3', [4, 0, 0, 8, 0, 0, 0])],
    ['4 GiB of APE', join('APETAGEX', [0xd0, 7, 0, 0, 0xff, 0xff, 0xff, 0xff], zeros(7), [0xa0], zeros(8))],
  ])('does not skip by %s', (_, tag) => {
    expect(parse(join(tag, frame(), frame())).frames).toHaveLength(2);
    expect(parse(join(frame(), frame(), tag, frame(), frame())).frames).toHaveLength(4);
  });

  it('skips ID3v2 and APE where it is searching, too, and what they hold', () => {
    const lures = join(frame(), frame());
    const tag = join('ID3', [4, 0, 0, 0, 0, 3, 0], lures);
    const ape = join('APETAGEX', [0xd0, 7, 0, 0, 128, 1, 0, 0], zeros(7), [0xa0], zeros(8), lures);
    for (const stray of ['x', [0x80, 0x81], zeros(3), 'IIDID3AAPETAGTTAG'])
      for (const each of [tag, ape]) {
        const bytes = join(stray, each, frame(), frame(), stray, each, frame());
        for (const chunks of [[bytes], chunksOf(bytes, [1]), chunksOf(bytes, [5])])
          expect(parseMp3(chunks).frames).toHaveLength(3);
      }
  });
});

describe('tags of streams', () => {
  const tagFrame = (offset: number, ...parts: (Uint8Array | number[] | string)[]) => {
    const bytes = frame(HEADER, 192, 0);
    bytes.set(join(...parts), offset);
    return bytes;
  };
  const after = [frame(), frame()];

  it('reports a Xing tag without counts as a tag that says nothing', () => {
    const { frames, tags } = parse(join(tagFrame(13, 'Xing', [0, 0, 0, 1, 0, 0, 0, 0]), ...after));
    expect([frames.length, tags]).toEqual([2, [{}]]);
  });

  it('reads delay and padding behind whichever fields are there', () => {
    const lame = join('LAME3.100', zeros(12), [0x24, 0x03, 0xcf]);
    for (const [flags, fields] of [
      [0, []],
      [1, [0, 0, 0, 9]],
      [3, [0, 0, 0, 9, 0, 0, 0, 192]],
      [15, [0, 0, 0, 9, 0, 0, 0, 192, ...zeros(100), 0, 0, 0, 50]],
    ] as const) {
      const { tags } = parse(join(tagFrame(13, 'Info', [0, 0, 0, flags], [...fields], lame), ...after));
      expect(tags).toEqual([{ ...(flags & 1 ? { totalFrames: 9 } : {}), encoderDelay: 576, padding: 975 }]);
    }
  });

  it.each([
    ['no more than the sound is long', 576, 975, 3, { encoderDelay: 576, padding: 975 }],
    ['all of the sound', 576, 1152, 3, {}],
    ['more than LAME writes', 3001, 0, 100, {}],
    ['more padding than LAME writes', 576, 3001, 100, {}],
  ])('believes in delay and padding of %s or not', (_, delay, padding, count, believed) => {
    const delays = [delay >>> 4, ((delay & 15) << 4) | (padding >>> 8), padding & 0xff];
    const bytes = tagFrame(13, 'Info', [0, 0, 0, 1, 0, 0, 0, count], 'LAME3.100', zeros(12), delays);
    expect(parse(join(bytes, ...after)).tags).toEqual([{ totalFrames: count, ...believed }]);
  });

  it('takes no delays from what is not the name of an encoder', () => {
    const bytes = tagFrame(
      13,
      'Xing',
      [0, 0, 0, 1, 0, 0, 0, 9, 0x80, 1, 2, 3],
      zeros(17),
      [0x24, 0x03, 0xcf],
    );
    expect(parse(join(bytes, ...after)).tags).toEqual([{ totalFrames: 9 }]);
  });

  it('reads the count of a VBRI tag', () => {
    const bytes = tagFrame(36, 'VBRI', [0, 1, 0, 0, 0, 50, 0, 0, 9, 9, 0, 0, 1, 44]);
    expect(parse(join(bytes, ...after))).toMatchObject({ frames: [{}, {}], tags: [{ totalFrames: 300 }] });
  });

  it('reports the tag of each file of a joined body', () => {
    const file = mp3Fixture('lame-cbr-24k.mp3');
    const { frames, tags } = parse(join(file, file));
    expect([frames.length, tags.length]).toEqual([194, 2]);
  });
});
