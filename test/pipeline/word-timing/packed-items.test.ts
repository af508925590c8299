// What is packed for the thread that times words comes out of it as it went in.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscoderItem } from '../../../src/audio/transcoder.ts';
import { itemMs } from '../../../src/pipeline/body-spool.ts';
import { createItemPacker, unpackItems } from '../../../src/pipeline/word-timing/packed-items.ts';

const header = (sampleRate: number) => ({
  sampleRate,
  samplesPerFrame: 576,
  channels: 1 as const,
  frameBytes: 0,
  sideInfoAt: 4,
});
const [SLOW, FAST] = [header(24_000), header(16_000)];

const item: fc.Arbitrary<TranscoderItem> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .record({
        bytes: fc.uint8Array({ minLength: 1, maxLength: 700 }),
        isFast: fc.boolean(),
        isAfterGap: fc.boolean(),
      })
      .map(({ bytes, isFast, isAfterGap }) => ({
        kind: 'frame' as const,
        frame: {
          bytes,
          header: (isFast ? FAST : SLOW) as never,
          ...(isAfterGap && { afterGap: true as const }),
        },
      })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'begin' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'end' as const }) },
);

describe('packed items', () => {
  it('come out as they went in, in pieces that hold no more than they may, whatever becomes of the bytes', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: item },
      { weight: 1, arbitrary: fc.constant('take' as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.constantFrom(50, 200, 5000), (steps, mostMs) => {
        const packer = createItemPacker(mostMs);
        const went: TranscoderItem[] = [];
        const came: TranscoderItem[] = [];
        const take = () => {
          const piece = packer.take();
          if (piece === undefined) return false;
          const { items, ms } = structuredClone(piece);
          const unpacked = unpackItems(items);
          came.push(...unpacked);
          expect(unpacked.reduce((sum, each) => sum + itemMs(each), 0)).toBeCloseTo(ms);
          // Before the last one that was added there was room.
          expect(ms - itemMs(unpacked.at(-1)!)).toBeLessThan(mostMs);
          return true;
        };
        for (const each of steps) {
          if (each === 'take') take();
          else {
            went.push(structuredClone(each));
            packer.add(each);
            if (each.kind === 'frame') each.frame.bytes.fill(0);
            expect([packer.hasSome(), packer.endsHere()]).toEqual([true, each.kind === 'end']);
          }
        }
        while (take());
        expect(came).toEqual(went);
        expect([packer.hasSome(), packer.heldMs(), packer.endsHere()]).toEqual([false, 0, false]);
      }),
    );
  });

  it('that follow one another are one block of bytes', () => {
    const packer = createItemPacker(1000);
    for (let n = 0; n < 20; n += 1)
      packer.add({ kind: 'frame', frame: { bytes: new Uint8Array(192).fill(n), header: SLOW as never } });
    expect(packer.heldMs()).toBeCloseTo(480);
    expect(packer.take()!.items).toHaveLength(1);
  });

  it('are gone when they are given up', () => {
    const packer = createItemPacker(1000);
    packer.add({ kind: 'end' });
    packer.clear();
    expect([packer.hasSome(), packer.endsHere(), packer.take()]).toEqual([false, false, undefined]);
  });
});
