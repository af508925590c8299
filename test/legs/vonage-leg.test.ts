// Vonage: the contract of all legs at both rates, and what is its own.
import { describe, expect, it } from 'vitest';
import type { LegAudio } from '../../src/legs/leg.ts';
import { vonageLeg } from '../../src/legs/vonage-leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createVonageSide } from '../../testkit/carriers/vonage-side.ts';
import { legContract, takesMalformedFrames } from '../conformance/leg-contract.ts';

for (const sampleRate of [8000, 16_000]) {
  const audio: LegAudio = { format: 'raw', sampleRate };
  legContract(`Vonage at ${sampleRate} Hz`, {
    leg: vonageLeg,
    audio,
    side: () => createVonageSide(audio),
    fate: 'echoed',
  });
}

takesMalformedFrames({ leg: vonageLeg, ...CARRIERS.vonage!, fate: 'played' });

const connected = (fields: object) => JSON.stringify({ event: 'websocket:connected', ...fields });

describe('a call of Vonage', () => {
  it('is not served without a content type that is', () => {
    for (const type of ['audio/l16;rate=7000', 'audio/opus', 'audio/l16', 16_000, undefined])
      expect(vonageLeg.open().read(connected({ 'content-type': type }))).toMatchObject([
        { kind: 'unserved' },
      ]);
  });

  it('has no id unless its headers bring one, as callId or uuid', () => {
    const type = { 'content-type': 'audio/l16;rate=8000' };
    expect(vonageLeg.open().read(connected(type))).toMatchObject([{ callId: undefined }]);
    expect(vonageLeg.open().read(connected({ ...type, uuid: 'u' }))).toMatchObject([{ callId: 'u' }]);
    expect(vonageLeg.open().read(connected({ ...type, callId: 'c', uuid: 'u' }))).toMatchObject([
      { callId: 'c' },
    ]);
  });

  it('gets messages of 20 ms of its rate', () => {
    const codec = vonageLeg.open();
    codec.read(connected({ 'content-type': 'audio/l16;rate=16000' }));
    expect(codec.media(new Uint8Array(1920)).map(({ length }) => length)).toEqual([640, 640, 640]);
  });
});
