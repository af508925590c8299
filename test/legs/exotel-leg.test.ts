// Exotel: the contract of all legs at each rate, and what is its own.
import { describe, expect, it } from 'vitest';
import { exotelLeg } from '../../src/legs/exotel-leg.ts';
import type { LegAudio } from '../../src/legs/leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createExotelSide } from '../../testkit/carriers/exotel-side.ts';
import { legContract, takesMalformedFrames } from '../conformance/leg-contract.ts';

for (const sampleRate of [8000, 16_000, 24_000]) {
  const audio: LegAudio = { format: 'raw', sampleRate };
  legContract(`Exotel at ${sampleRate} Hz`, {
    leg: exotelLeg,
    audio,
    side: () => createExotelSide(audio),
    fate: 'echoed',
  });
}

takesMalformedFrames({ leg: exotelLeg, ...CARRIERS.exotel!, fate: 'played' });

const start = (media_format: object) =>
  JSON.stringify({ event: 'start', stream_sid: 's', start: { call_sid: 'c', media_format } });

describe('a call of Exotel', () => {
  it('is one of 8 kHz unless it says otherwise', () => {
    expect(exotelLeg.open().read(start({}))).toMatchObject([{ audio: { format: 'raw', sampleRate: 8000 } }]);
  });

  it.each(['base64', 'raw/slin', 'audio/x-raw', 'audio/x-l16'])(
    'is served where its documents call the samples %s',
    (encoding) => {
      const format = { encoding, sample_rate: '16000', bit_rate: '16' };
      expect(exotelLeg.open().read(start(format))).toMatchObject([
        { kind: 'start', audio: { format: 'raw', sampleRate: 16_000 } },
      ]);
    },
  );

  it('is not served when it carries what cannot be made', () => {
    for (const format of [{ encoding: 'audio/opus' }, { sample_rate: '441' }, { sample_rate: {} }])
      expect(exotelLeg.open().read(start(format))).toMatchObject([{ kind: 'unserved' }]);
  });
});
