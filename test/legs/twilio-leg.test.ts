// Twilio and SignalWire: the contract of all legs, and what is theirs alone.
import { describe, expect, it } from 'vitest';
import { signalWireLeg, twilioLeg } from '../../src/legs/twilio-leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { legContract, takesMalformedFrames } from '../conformance/leg-contract.ts';

legContract('Twilio', { leg: twilioLeg, ...CARRIERS.twilio!, fate: 'echoed' });
legContract('SignalWire', { leg: signalWireLeg, ...CARRIERS.signalwire!, fate: 'echoed' });

takesMalformedFrames({ leg: twilioLeg, ...CARRIERS.twilio!, fate: 'echoed' });
takesMalformedFrames({ leg: signalWireLeg, ...CARRIERS.signalwire!, fate: 'echoed' });

const start = (mediaFormat: object) =>
  JSON.stringify({ event: 'start', streamSid: 'MZ1', start: { callSid: 'CA1', mediaFormat } });

describe('calls with other audio than µ-law', () => {
  it('are served on SignalWire at 16 and 24 kHz, however the rate is told', () => {
    const beside = signalWireLeg.open().read(start({ encoding: 'audio/x-L16', sampleRate: 24_000 }));
    expect(beside).toMatchObject([{ kind: 'start', audio: { format: 'raw', sampleRate: 24_000 } }]);
    const within = signalWireLeg.open().read(start({ encoding: 'audio/x-L16;rate=16000' }));
    expect(within).toMatchObject([{ kind: 'start', audio: { format: 'raw', sampleRate: 16_000 } }]);
  });

  it('are served of Twilio as well, should it name them', () => {
    expect(twilioLeg.open().read(start({ encoding: 'audio/x-alaw', sampleRate: 8000 }))).toMatchObject([
      { kind: 'start', audio: { format: 'alaw', sampleRate: 8000 } },
    ]);
    for (const encoding of ['audio/opus', 'constructor', '__proto__'])
      expect(twilioLeg.open().read(start({ encoding }))).toMatchObject([{ kind: 'unserved', callId: 'CA1' }]);
  });
});

it.each(['', '=', '!!', 'A', 7, null, { length: 4 }])(
  'hears nothing in a payload like %j, and goes on hearing',
  (payload) => {
    const codec = twilioLeg.open();
    codec.read(start({}));
    const media = (each: unknown) => JSON.stringify({ event: 'media', media: { payload: each } });
    expect(codec.read(media(payload))).toEqual([{ kind: 'unknown' }]);
    expect(codec.read(media('AAAA'))).toMatchObject([{ kind: 'audio' }]);
  },
);

it.each([
  ['a digit', { event: 'dtmf', dtmf: { digit: '1'.repeat(5000) } }],
  ['a mark', { event: 'mark', mark: { name: 'm'.repeat(5000) } }],
  ['a call', { event: 'start', streamSid: 'M'.repeat(5000), start: {} }],
])('has no use for %s whose name is as long as a message may be', (_what, message) => {
  const codec = twilioLeg.open();
  if (message.event !== 'start') codec.read(start({}));
  expect(codec.read(JSON.stringify(message))).toEqual([{ kind: 'unknown' }]);
});

it('leaves out what the bot says itself when both tracks are sent', () => {
  const codec = twilioLeg.open();
  codec.read(start({}));
  const media = (track: string) => JSON.stringify({ event: 'media', media: { track, payload: 'AAAA' } });
  expect(codec.read(media('outbound'))).toEqual([]);
  expect(codec.read(media('inbound'))).toMatchObject([{ kind: 'audio' }]);
});
