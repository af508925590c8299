// The raw leg: the contract of all legs in some of its audio formats, and what is its own.
import { describe, expect, it } from 'vitest';
import type { LegAudio } from '../../src/legs/leg.ts';
import { rawLeg } from '../../src/legs/raw-leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createRawSide } from '../../testkit/carriers/raw-side.ts';
import { legContract, takesMalformedFrames } from '../conformance/leg-contract.ts';

const FORMATS: readonly LegAudio[] = [
  { format: 'mulaw', sampleRate: 8000 },
  { format: 'alaw', sampleRate: 8000 },
  { format: 'raw', sampleRate: 16_000 },
  { format: 'raw', sampleRate: 44_100 },
];
for (const audio of FORMATS)
  legContract(`a bridge with ${audio.format} at ${audio.sampleRate} Hz`, {
    leg: rawLeg,
    audio,
    side: () => createRawSide(audio),
    fate: 'played',
  });

takesMalformedFrames({ leg: rawLeg, ...CARRIERS.raw!, fate: 'played' });

describe('the first message of a bridge', () => {
  it('is not served unless 40 ms of its audio are whole samples of a format that is', () => {
    const wrong = [
      { format: 'raw', sampleRate: 11_024 },
      { format: 'raw', sampleRate: 7950 },
      { format: 'raw', sampleRate: 384_000 },
      { format: 'raw', sampleRate: '8 kHz' },
      { format: 'mp3', sampleRate: 16_000 },
      { sampleRate: 16_000 },
    ];
    for (const first of wrong)
      expect(rawLeg.open().read(JSON.stringify(first))).toMatchObject([{ kind: 'unserved' }]);
  });

  it('may come after one that was wrong', () => {
    const codec = rawLeg.open();
    codec.read('{"format":"mp3"}');
    expect(codec.read('{"format":"alaw","sampleRate":8000}')).toMatchObject([{ kind: 'start' }]);
  });
});

it('tells apart marks that were played and marks that were cleared', () => {
  const codec = rawLeg.open();
  codec.read('{"format":"alaw","sampleRate":8000}');
  expect(codec.read('{"mark":"a","fate":"cleared"}')).toEqual([{ kind: 'mark', name: 'a', fate: 'cleared' }]);
  expect(codec.read('{"mark":"a","fate":"lost"}')).toEqual([{ kind: 'unknown' }]);
  expect(codec.read('{"mark":"a"}')).toEqual([{ kind: 'unknown' }]);
});
