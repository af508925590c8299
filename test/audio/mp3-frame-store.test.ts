import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mp3Frame } from '../../src/audio/mp3-frame-parser.ts';
import { createMp3FrameStore } from '../../src/audio/mp3-frame-store.ts';
import { parseMp3Header } from '../../src/audio/mp3-header.ts';

const HEADERS = [0xfff364c4, 0xfff384c4, 0xfffb90c4].map((word) => parseMp3Header(word)!);

const frames = fc
  .record({
    bytes: fc.uint8Array({ minLength: 1, maxLength: 1441 }),
    header: fc.constantFrom(...HEADERS),
    isAfterGap: fc.boolean(),
  })
  .map(
    ({ bytes, header, isAfterGap }): Mp3Frame => ({ bytes, header, ...(isAfterGap && { afterGap: true }) }),
  );
const acts = fc.oneof(
  { weight: 5, arbitrary: frames.map((frame) => ({ do: 'add' as const, frame })) },
  { weight: 2, arbitrary: fc.constant({ do: 'first' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'drop' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'last' as const }) },
);
const plain = (frame: Mp3Frame | undefined) =>
  frame && { bytes: [...frame.bytes], header: frame.header, afterGap: frame.afterGap };

describe('createMp3FrameStore', () => {
  it('is a list that is taken from at both ends', () => {
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 60 }), fc.nat(60), fc.nat(60), (doings, from, until) => {
        const store = createMp3FrameStore();
        const list: Mp3Frame[] = [];
        for (const act of doings) {
          if (act.do === 'add') {
            store.add(act.frame);
            list.push(act.frame);
          } else if (act.do === 'first') expect(plain(store.takeFirst())).toEqual(plain(list.shift()));
          else if (act.do === 'last') expect(plain(store.takeLast())).toEqual(plain(list.pop()));
          else {
            store.dropFirst();
            list.shift();
          }
          expect(store.frames()).toBe(list.length);
        }
        expect(store.range(from, until).map(plain)).toEqual(list.slice(from, until).map(plain));
      }),
    );
  });

  it('copies what it is given, and of a range what it gives', () => {
    const store = createMp3FrameStore();
    const bytes = new Uint8Array([1, 2, 3]);
    store.add({ bytes, header: HEADERS[0]! });
    bytes.fill(9);
    const [seen] = store.range(0, 1);
    for (let i = 0; i < 40; i += 1) {
      store.add({ bytes: new Uint8Array(500).fill(7), header: HEADERS[0]! });
      store.dropFirst();
    }
    expect([...seen!.bytes]).toEqual([1, 2, 3]);
  });

  it('uses the same blocks again and again', () => {
    const store = createMp3FrameStore();
    const memory = new Set<ArrayBufferLike>();
    for (let i = 0; i < 500; i += 1) {
      store.add({ bytes: new Uint8Array(200).fill(i), header: HEADERS[0]! });
      if (store.frames() > 40) memory.add(store.takeFirst()!.bytes.buffer);
    }
    expect(memory.size).toBeLessThan(6);
  });
});
