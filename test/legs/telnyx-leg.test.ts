// Telnyx: the contract of all legs in each of its audio formats, and what is its own.
import { describe, expect, it } from 'vitest';
import type { LegAudio } from '../../src/legs/leg.ts';
import { telnyxLeg } from '../../src/legs/telnyx-leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createTelnyxSide } from '../../testkit/carriers/telnyx-side.ts';
import { legContract, takesMalformedFrames } from '../conformance/leg-contract.ts';

const FORMATS: Readonly<Record<string, LegAudio>> = {
  PCMU: { format: 'mulaw', sampleRate: 8000 },
  PCMA: { format: 'alaw', sampleRate: 8000 },
  'L16 at 8 kHz': { format: 'raw', sampleRate: 8000 },
  'L16 at 16 kHz': { format: 'raw', sampleRate: 16_000 },
  'L16 at 24 kHz': { format: 'raw', sampleRate: 24_000 },
};
for (const [name, audio] of Object.entries(FORMATS))
  legContract(`Telnyx with ${name}`, {
    leg: telnyxLeg,
    audio,
    side: () => createTelnyxSide(audio),
    fate: 'echoed',
  });

takesMalformedFrames({ leg: telnyxLeg, ...CARRIERS.telnyx!, fate: 'played' });

const start = (media_format: object) =>
  JSON.stringify({ event: 'start', stream_id: 's', start: { call_control_id: 'v3:1', media_format } });

describe('a call of Telnyx', () => {
  it('is not served when it carries what cannot be made', () => {
    for (const encoding of ['G722', 'OPUS', 'AMR-WB', 'constructor'])
      expect(telnyxLeg.open().read(start({ encoding, sample_rate: 16_000 }))).toMatchObject([
        { kind: 'unserved', callId: 'v3:1' },
      ]);
    expect(telnyxLeg.open().read(start({ encoding: 'L16', sample_rate: 6000 }))).toMatchObject([
      { kind: 'unserved' },
    ]);
    expect(telnyxLeg.open().read(start({ encoding: 'PCMU', channels: 2 }))).toMatchObject([
      { kind: 'unserved', came: 'PCMU at 8000 Hz in 2 channels' },
    ]);
  });

  it('sends 16-bit samples in network byte order, both ways', () => {
    const codec = telnyxLeg.open();
    codec.read(start({ encoding: 'L16', sample_rate: 16_000 }));
    const [message] = codec.media(Uint8Array.of(1, 2, 3, 4));
    expect(JSON.parse(message as string)).toEqual({ event: 'media', media: { payload: 'AgEEAw==' } });
    const said = JSON.stringify({ event: 'media', media: { track: 'inbound', payload: 'AgEEAwU=' } });
    expect(codec.read(said)).toEqual([{ kind: 'audio', bytes: Buffer.of(1, 2, 3, 4) }]);
  });

  it('goes on when Telnyx complains', () => {
    const error = { event: 'error', stream_id: 's', payload: { code: 100_004, title: 'invalid_media' } };
    expect(telnyxLeg.open().read(JSON.stringify(error))).toEqual([]);
  });
});
