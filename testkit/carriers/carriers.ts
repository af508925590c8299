// The platforms that can be simulated: what each says and takes, what its calls carry, how much it buffers, and what
// becomes of marks when it clears. What its documents leave open is named where it is decided.

import type { LegAudio } from '../../src/legs/leg.ts';
import { createAudioSocketSide } from './audiosocket-side.ts';
import type { CallTransport } from './call-transport.ts';
import type { CarrierRules } from './carrier-playout.ts';
import type { CarrierSide } from './carrier-side.ts';
import { CHANNEL_LEVELS, createChanWebSocketSide } from './chan-websocket-side.ts';
import { dialAudioSocket } from './dial-audiosocket.ts';
import { createExotelSide } from './exotel-side.ts';
import { createJambonzSide } from './jambonz-side.ts';
import { createPlivoSide } from './plivo-side.ts';
import { createRawSide } from './raw-side.ts';
import { createTelnyxSide } from './telnyx-side.ts';
import { createTwilioSide } from './twilio-side.ts';
import { createVonageSide } from './vonage-side.ts';

export type SimulatedCarrier = {
  /** One call's side of the socket; a channel that is dialled has an id of that connection. */
  side(connectionId?: string): CarrierSide;
  readonly rules: CarrierRules;
  /** What its simulated calls carry, both ways. */
  readonly audio: LegAudio;
  /** Subprotocols that it offers. */
  readonly protocols: readonly string[];
  /** What it dials with, where that is no WebSocket. */
  readonly transport?: CallTransport;
};

const MULAW: LegAudio = { format: 'mulaw', sampleRate: 8000 };
const NARROWBAND: LegAudio = { format: 'raw', sampleRate: 8000 };
const WIDEBAND: LegAudio = { format: 'raw', sampleRate: 16_000 };

/** By the kind of leg that it dials: /v1/legs/KIND. */
export const CARRIERS: Readonly<Record<string, SimulatedCarrier>> = {
  twilio: {
    side: () => createTwilioSide(),
    // Ten minutes (warning 31931).
    rules: { bytesPerMs: 8, mostBufferedMs: 600_000, onClear: 'echo' },
    audio: MULAW,
    protocols: [],
  },
  signalwire: {
    side: () => createTwilioSide(),
    // Not documented; as Twilio.
    rules: { bytesPerMs: 8, mostBufferedMs: 600_000, onClear: 'echo' },
    audio: MULAW,
    protocols: [],
  },
  telnyx: {
    side: () => createTelnyxSide(MULAW),
    // How much it keeps is not documented; as much as one message may hold.
    rules: { bytesPerMs: 8, mostBufferedMs: 30_000, onClear: 'echo' },
    audio: MULAW,
    protocols: [],
  },
  plivo: {
    side: () => createPlivoSide(MULAW),
    // Calls were seen to be cut beyond some 40 s; a checkpoint is told only when it has been played.
    rules: { bytesPerMs: 8, mostBufferedMs: 40_000, onClear: 'drop' },
    audio: MULAW,
    protocols: [],
  },
  vonage: {
    side: () => createVonageSide(WIDEBAND),
    // 3072 messages of 20 ms; what becomes of a notification on clear is not documented.
    rules: { bytesPerMs: 32, mostBufferedMs: 61_440, onClear: 'drop' },
    audio: WIDEBAND,
    protocols: [],
  },
  exotel: {
    side: () => createExotelSide(NARROWBAND),
    // Not documented: a message of the longest at 8 kHz. The same for marks on clear.
    rules: { bytesPerMs: 16, mostBufferedMs: 6250, onClear: 'drop' },
    audio: NARROWBAND,
    protocols: [],
  },
  jambonz: {
    side: () => createJambonzSide(NARROWBAND),
    // Its buffer is unbounded; more than this would be heard long after a late cut.
    rules: { bytesPerMs: 16, mostBufferedMs: 10_000, onClear: 'label' },
    audio: NARROWBAND,
    protocols: ['audio.drachtio.org'],
  },
  raw: {
    side: () => createRawSide(WIDEBAND),
    // What docs/legs/raw.md asks of a bridge.
    rules: { bytesPerMs: 32, mostBufferedMs: 1000, onClear: 'label' },
    audio: WIDEBAND,
    protocols: [],
  },
  'chan-websocket': {
    side: (connectionId) =>
      createChanWebSocketSide({ syntax: 'json', format: 'ulaw', frameBytes: 160, connectionId }),
    // 1000 frames of 20 ms; a flush forgets marks.
    rules: { bytesPerMs: 8, mostBufferedMs: CHANNEL_LEVELS.full * 20, onClear: 'drop' },
    audio: MULAW,
    protocols: ['media'],
  },
  audiosocket: {
    side: () => createAudioSocketSide(),
    // It plays what comes when it comes; a phone's jitter buffer takes the rest.
    // Its application ends a call on which nothing goes either way for 2 s.
    rules: { bytesPerMs: 16, mostBufferedMs: 100, onClear: 'drop', silentMs: 2000 },
    audio: { format: 'raw', sampleRate: 8000 },
    protocols: [],
    transport: dialAudioSocket,
  },
};
