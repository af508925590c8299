// Plivo: the contract of all legs in each of its audio formats, and what is its own.
import { describe, expect, it } from 'vitest';
import type { LegAudio } from '../../src/legs/leg.ts';
import { plivoLeg } from '../../src/legs/plivo-leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createPlivoSide } from '../../testkit/carriers/plivo-side.ts';
import { legContract, takesMalformedFrames } from '../conformance/leg-contract.ts';

const FORMATS: Readonly<Record<string, LegAudio>> = {
  'µ-law': { format: 'mulaw', sampleRate: 8000 },
  'L16 at 8 kHz': { format: 'raw', sampleRate: 8000 },
  'L16 at 16 kHz': { format: 'raw', sampleRate: 16_000 },
};
for (const [name, audio] of Object.entries(FORMATS))
  legContract(`Plivo with ${name}`, {
    leg: plivoLeg,
    audio,
    side: () => createPlivoSide(audio),
    fate: 'played',
  });

takesMalformedFrames({ leg: plivoLeg, ...CARRIERS.plivo!, fate: 'played' });

const start = (mediaFormat: object, extra_headers?: unknown) =>
  JSON.stringify({ event: 'start', start: { callId: 'c', streamId: 's', mediaFormat }, extra_headers });
const MULAW = { encoding: 'audio/x-mulaw', sampleRate: 8000 };

describe('a call of Plivo', () => {
  it('is not served when it carries what cannot be made', () => {
    for (const format of [{ encoding: 'audio/x-l16', sampleRate: 400 }, { encoding: 'audio/opus' }, {}])
      expect(plivoLeg.open().read(start(format))).toMatchObject([{ kind: 'unserved' }]);
  });

  it('finds its token among extra headers, however they are parted', () => {
    for (const headers of ['a=1;token=t.o-k_n', 'token=t.o-k_n,b=2', ' token=t.o-k_n '])
      expect(plivoLeg.open().read(start(MULAW, headers))).toMatchObject([{ token: 't.o-k_n' }]);
    for (const headers of ['xtoken=1', 'token', 7, undefined])
      expect(plivoLeg.open().read(start(MULAW, headers))).toMatchObject([{ token: undefined }]);
  });

  it('names the same content type in every message', () => {
    const codec = plivoLeg.open();
    codec.read(start({ encoding: 'audio/x-l16', sampleRate: '16000' }));
    expect(JSON.parse(codec.media(Uint8Array.of(1, 2))[0] as string)).toEqual({
      event: 'playAudio',
      media: { contentType: 'audio/x-l16', sampleRate: 16_000, payload: 'AQI=' },
    });
  });
});
