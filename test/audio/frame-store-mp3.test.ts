import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SoundFrame } from '../../src/audio/bodies/sound-frame.ts';
import { addSoundFrame, createSoundFrameStore } from '../../src/audio/frame-store.ts';
import type { Mp3Frame } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { parseMp3Header } from '../../src/audio/mp3/mp3-header.ts';

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
const plain = (frame: SoundFrame | undefined) =>
  frame && { bytes: [...frame.bytes], header: frame.header, afterGap: frame.afterGap };

describe('createSoundFrameStore', () => {
  it('is a list that is taken from at both ends, and knows before which frame something was lost', () => {
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 60 }), fc.nat(60), fc.nat(60), (doings, from, until) => {
        const store = createSoundFrameStore();
        const list: Mp3Frame[] = [];
        for (const act of doings) {
          if (act.do === 'add') {
            addSoundFrame(store, act.frame);
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
});
