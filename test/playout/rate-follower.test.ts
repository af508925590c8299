// Pieces of turns brought to another rate: the same sound without a seam, wherever the change came and however it was cut.
import { describe, expect, it } from 'vitest';
import { createFilterBanks } from '../../src/audio/dsp/filter-bank.ts';
import { decodePcm16 } from '../../src/audio/dsp/pcm16.ts';
import { createPlainSoundPath } from '../../src/audio/dsp/plain-sound-path.ts';
import type { LegPiece } from '../../src/playout/call-leg.ts';
import { RateFollower } from '../../src/playout/rate-follower.ts';

const FROM = 8000;
const TO = 16_000;
const MS = 400;
const sound = Int16Array.from({ length: (FROM * MS) / 1000 }, (_, at) =>
  Math.round(9000 * Math.sin(at / 3) + 4000 * Math.sin(at / 1.7)),
);
const bytesOf = (fromMs: number, toMs: number) =>
  new Uint8Array(sound.slice((fromMs * FROM) / 1000, (toMs * FROM) / 1000).buffer);
const piece = (turn: string, fromMs: number, toMs: number): LegPiece => ({
  turn,
  atMs: fromMs,
  ms: toMs - fromMs,
  bytes: bytesOf(fromMs, toMs),
  sampleRate: FROM,
});

function whole(): Buffer {
  const parts: Buffer[] = [];
  const stage = createPlainSoundPath(createFilterBanks()).encode(
    { fromRate: FROM, toRate: TO },
    'pcm16',
    (bytes) => parts.push(Buffer.from(bytes)),
  );
  stage.push(decodePcm16(bytesOf(0, MS)));
  stage.flush();
  return Buffer.concat(parts);
}
function follow() {
  const made: LegPiece[] = [];
  const follower = new RateFollower(TO, (each) => made.push({ ...each, bytes: each.bytes.slice() }));
  return { follower, made, bytes: () => Buffer.concat(made.map(({ bytes }) => bytes)) };
}

describe('a turn in another rate', () => {
  it('is the same sound in the call’s rate, in whatever pieces it comes', () => {
    const { follower, made, bytes } = follow();
    for (const [fromMs, toMs] of [
      [0, 20],
      [20, 25],
      [25, 180],
      [180, MS],
    ] as const)
      follower.push(piece('a', fromMs, toMs));
    follower.finish('a');
    expect(bytes().equals(whole())).toBe(true);
    const last = made.at(-1)!;
    expect(made[0]!.atMs).toBe(0);
    expect(last.atMs + last.ms).toBeCloseTo(MS, 6);
    for (const [index, { atMs }] of made.entries())
      if (index > 0) expect(atMs).toBeCloseTo(made[index - 1]!.atMs + made[index - 1]!.ms, 6);
    expect(made.every(({ sampleRate }) => sampleRate === TO)).toBe(true);
    expect(ends(made)).toBe(MS);
  });

  it('goes on from what was played before the change as if it had been in the call’s rate all along', () => {
    const { follower, made, bytes } = follow();
    follower.push(piece('a', 100, 200), bytesOf(80, 100));
    follower.push(piece('a', 200, MS));
    follower.finish('a');
    expect(made[0]!.atMs).toBe(100);
    expect(bytes().equals(whole().subarray((100 * TO * 2) / 1000))).toBe(true);
  });

  it('passes what is in the call’s rate, behind what was before it', () => {
    const { follower, made } = follow();
    follower.push(piece('a', 0, 100));
    const { sampleRate: _sampleRate, ...own } = piece('b', 0, 20);
    follower.push(own);
    follower.push({ ...own, atMs: 20, sampleRate: TO });
    expect(ends(made, 'a')).toBe(100);
    expect(made.filter(({ turn }) => turn === 'b').map(({ bytes }) => bytes)).toEqual([own.bytes, own.bytes]);
  });

  it('begins anew where a turn goes on elsewhere, and leaves out what was cut', () => {
    const { follower, made } = follow();
    follower.push(piece('a', 0, 100));
    follower.forget((turn) => turn === 'a');
    made.length = 0;
    follower.push(piece('a', 300, MS));
    follower.end('b');
    expect(made[0]!.atMs).toBe(300);
    expect(ends(made)).toBe(MS);
  });

  it('waits for more of a turn that is open', () => {
    const { follower, made } = follow();
    follower.push(piece('a', 0, 100));
    follower.end('a');
    follower.forget((turn) => turn !== 'a');
    expect(ends(made)).toBeLessThan(100);
    follower.end();
    expect(ends(made)).toBe(100);
  });
});

/** Where the last piece ends, to a whole ms. */
const ends = (made: readonly LegPiece[], turn = 'a') =>
  Math.max(...made.filter((each) => each.turn === turn).map(({ atMs, ms }) => Math.round(atMs + ms)));
