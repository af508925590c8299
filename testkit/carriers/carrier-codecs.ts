// The codecs that each platform can send, as it names them, for calls that are simulated in another one than the usual:
// those of its documents, and for Asterisk those of its modules. Some are none that a gateway can make.

import type { LegAudio } from '../../src/legs/leg.ts';
import { bytesPerMs } from '../../src/speech/plain-sound.ts';
import { createAudioSocketSide } from './audiosocket-side.ts';
import type { CarrierSide } from './carrier-side.ts';
import { CARRIERS, type SimulatedCarrier } from './carriers.ts';
import { createChanWebSocketSide } from './chan-websocket-side.ts';
import { createExotelSide } from './exotel-side.ts';
import { createJambonzSide } from './jambonz-side.ts';
import { createPlivoSide } from './plivo-side.ts';
import { createRawSide } from './raw-side.ts';
import { createTelnyxSide } from './telnyx-side.ts';
import { createTwilioSide } from './twilio-side.ts';
import { createVonageSide } from './vonage-side.ts';

type SimulatedCodec = {
  /** What is sent and played; of a codec that nothing here can make, bytes that stand for it. */
  readonly audio: LegAudio;
  /** How the platform calls it in its first message. */
  readonly said: string;
};

const MULAW: LegAudio = { format: 'mulaw', sampleRate: 8000 };
const ALAW: LegAudio = { format: 'alaw', sampleRate: 8000 };
const linear = (sampleRate: number): LegAudio => ({ format: 'raw', sampleRate });
/** Bytes that stand for a codec. */
const coded = (said: string): SimulatedCodec => ({ audio: MULAW, said });
const linears = (
  rates: readonly number[],
  name: (rate: number) => string,
  said: (rate: number) => string = name,
): Record<string, SimulatedCodec> =>
  Object.fromEntries(rates.map((rate) => [name(rate), { audio: linear(rate), said: said(rate) }]));
const l16 = (rate: number) => `L16-${rate}`;

const SLIN = { slin: 8000, slin12: 12_000, slin16: 16_000, slin24: 24_000, slin32: 32_000, slin44: 44_100 };
const ALL_SLIN = { ...SLIN, slin48: 48_000, slin96: 96_000, slin192: 192_000 };
const slins = Object.fromEntries(
  Object.entries(ALL_SLIN).map(([name, rate]) => [name, { audio: linear(rate), said: name }]),
);

/** The usual one first. */
const CODECS: Readonly<Record<string, Readonly<Record<string, SimulatedCodec>>>> = {
  twilio: {
    mulaw: { audio: MULAW, said: 'audio/x-mulaw' },
    alaw: { audio: ALAW, said: 'audio/x-alaw' },
  },
  signalwire: {
    PCMU: { audio: MULAW, said: 'audio/x-mulaw' },
    PCMA: { audio: ALAW, said: 'audio/x-alaw' },
    ...linears([16_000, 24_000], l16, (rate) => `audio/x-L16;rate=${rate}`),
    OPUS: coded('OPUS'),
    G722: coded('G722'),
  },
  telnyx: {
    PCMU: { audio: MULAW, said: 'PCMU' },
    PCMA: { audio: ALAW, said: 'PCMA' },
    ...linears([8000, 16_000, 24_000], l16, () => 'L16'),
    G722: coded('G722'),
    OPUS: coded('OPUS'),
    'AMR-WB': coded('AMR-WB'),
  },
  plivo: {
    mulaw: { audio: MULAW, said: 'audio/x-mulaw' },
    ...linears([8000, 16_000], l16, () => 'audio/x-l16'),
  },
  vonage: linears([16_000, 8000, 24_000], l16, (rate) => `audio/l16;rate=${rate}`),
  exotel: linears([8000, 16_000, 24_000], l16, () => 'audio/x-raw'),
  jambonz: linears([8000, 16_000, 24_000, 32_000, 44_100, 48_000], l16),
  raw: {
    ...linears([16_000, 8000, 22_050, 44_100, 48_000, 192_000], l16, () => 'raw'),
    mulaw: { audio: MULAW, said: 'mulaw' },
    alaw: { audio: ALAW, said: 'alaw' },
    opus: coded('opus'),
  },
  'chan-websocket': {
    ulaw: { audio: MULAW, said: 'ulaw' },
    alaw: { audio: ALAW, said: 'alaw' },
    ...slins,
    opus: coded('opus'),
    g722: coded('g722'),
  },
  audiosocket: slins,
};

const FRAME_MS = 20;

const SIDES: Readonly<Record<string, (codec: SimulatedCodec, connectionId?: string) => CarrierSide>> = {
  twilio: ({ audio, said }) => createTwilioSide(audio, said),
  signalwire: ({ audio, said }) => createTwilioSide(audio, said),
  telnyx: ({ audio, said }) => createTelnyxSide(audio, said),
  plivo: ({ audio, said }) => createPlivoSide(audio, said),
  vonage: ({ audio, said }) => createVonageSide(audio, said),
  exotel: ({ audio, said }) => createExotelSide(audio, said),
  jambonz: ({ audio }) => createJambonzSide(audio),
  raw: ({ audio, said }) => createRawSide(audio, said),
  'chan-websocket': ({ audio, said }, connectionId) =>
    createChanWebSocketSide({
      syntax: 'json',
      format: said,
      frameBytes: FRAME_MS * bytesPerMs(audio),
      connectionId,
    }),
  audiosocket: ({ audio }) => createAudioSocketSide(audio.sampleRate),
};

export const codecsOf = (kind: string): readonly string[] => Object.keys(CODECS[kind] ?? {});

/** A platform whose calls are in a codec of its list; undefined when that is none. */
export function carrierIn(kind: string, codec: string): SimulatedCarrier | undefined {
  const known = CODECS[kind];
  const carrier = CARRIERS[kind];
  if (known === undefined || carrier === undefined || !Object.hasOwn(known, codec)) return undefined;
  const chosen = known[codec]!;
  const { audio } = chosen;
  return {
    ...carrier,
    audio,
    side: (connectionId) => SIDES[kind]!(chosen, connectionId),
    rules: { ...carrier.rules, bytesPerMs: bytesPerMs(audio) },
  };
}
