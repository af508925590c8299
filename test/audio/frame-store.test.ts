import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameStore } from '../../src/audio/frame-store.ts';

const createStore = () => new FrameStore((bytes: Uint8Array, note: number) => ({ bytes, note }));
type Kept = { readonly bytes: Uint8Array; readonly note: number };
const plain = (frame: Kept | undefined) => frame && [frame.note, ...frame.bytes];

const frames = fc.record({
  bytes: fc.oneof(
    { weight: 5, arbitrary: fc.uint8Array({ maxLength: 400 }) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 2000, maxLength: 2100 }) },
  ),
  note: fc.nat(1000),
});
const acts = fc.tuple(
  fc.nat(2),
  fc.oneof(
    { weight: 6, arbitrary: frames.map((frame) => ({ do: 'add' as const, frame })) },
    { weight: 3, arbitrary: fc.constant({ do: 'first' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'drop' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'last' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
  ),
);

describe('FrameStore', () => {
  it('is a list, and what was taken from it is good until the next call, whatever other stores do meanwhile', () => {
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 120 }), fc.nat(60), fc.nat(60), (doings, from, until) => {
        const each = Array.from({ length: 3 }, () => ({
          store: createStore(),
          list: [] as Kept[],
          seen: undefined as Kept | undefined,
          saw: undefined as Kept | undefined,
        }));
        for (const [index, act] of doings) {
          const one = each[index]!;
          const { store, list } = one;
          one.seen = undefined;
          if (act.do === 'add') {
            store.add(act.frame.bytes, act.frame.note);
            list.push(act.frame);
          } else if (act.do === 'clear') {
            store.clear();
            list.length = 0;
          } else if (act.do === 'drop') {
            store.dropFirst();
            list.shift();
          } else {
            one.seen = act.do === 'first' ? store.takeFirst() : store.takeLast();
            one.saw = act.do === 'first' ? list.shift() : list.pop();
            expect(plain(one.seen)).toEqual(plain(one.saw));
          }
          for (const { seen, saw } of each) if (seen !== undefined) expect(plain(seen)).toEqual(plain(saw));
          expect([store.frames(), store.firstNote()]).toEqual([list.length, list[0]?.note]);
        }
        for (const { store, list } of each)
          expect(store.range(from, until).map(plain)).toEqual(list.slice(from, until).map(plain));
      }),
    );
  });

  it('keeps the last of what came as long as it is told, waiting or not', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 120 });
    fc.assert(
      fc.property(lengths, fc.nat(40), fc.nat(3), (added, most, lag) => {
        const store = createStore();
        store.keepRecent(most);
        const came: Kept[] = [];
        for (const [note, length] of added.entries()) {
          const frame = { bytes: new Uint8Array(length).fill(note), note };
          came.push(frame);
          store.add(frame.bytes, note);
          while (store.frames() > lag * 10)
            expect(plain(store.takeFirst())).toEqual(plain(came[came.length - 1 - store.frames()]));
          const count = Math.min(most, came.length);
          expect(store.recent(count)?.map(plain)).toEqual(came.slice(came.length - count).map(plain));
        }
        expect(store.recent(came.length + 1)).toBeUndefined();
      }),
    );
  });

  it('gives up what it kept: all but a block of it as more comes, all of it when nothing is wanted any more', () => {
    const blocks = (act: (store: ReturnType<typeof createStore>) => void): number => {
      const memory = new Set<ArrayBufferLike>();
      for (let turn = 0; turn < 20; turn += 1) {
        const store = createStore();
        store.keepRecent(40);
        for (let i = 0; i < 400; i += 1) {
          store.add(new Uint8Array(200).fill(9), i);
          memory.add(store.takeFirst()!.bytes.buffer);
        }
        act(store);
      }
      return memory.size;
    };
    // What was taken last may still be read, so a store keeps the block of that to itself until it is called again.
    expect(blocks((store) => store.keepRecent(0))).toBeLessThan(20 + 12);
    expect(blocks((store) => store.clear())).toBeLessThan(12);
  });

  it('copies what it is given, and of a range what it gives', () => {
    const store = createStore();
    const bytes = new Uint8Array([1, 2, 3]);
    store.add(bytes, 0);
    bytes.fill(9);
    const [seen] = store.range(0, 1);
    for (let i = 0; i < 40; i += 1) {
      store.add(new Uint8Array(500).fill(7), i);
      store.dropFirst();
    }
    expect(plain(seen)).toEqual([0, 1, 2, 3]);
  });

  it('reuses the same blocks for all stores, and wipes them', () => {
    const memory = new Set<ArrayBufferLike>();
    for (let turn = 0; turn < 20; turn += 1) {
      const store = createStore();
      for (let i = 0; i < 60; i += 1) {
        store.add(new Uint8Array(200).fill(9), i);
        if (store.frames() > 40) memory.add(store.takeFirst()!.bytes.buffer);
      }
      store.clear();
    }
    expect(memory.size).toBeLessThan(12);
    for (const buffer of memory) expect(new Uint8Array(buffer).every((byte) => byte === 0)).toBe(true);
  });
});
