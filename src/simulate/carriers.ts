// The platforms that can be simulated: what each says and takes, what its calls carry, how much it buffers, and what
// becomes of marks when it clears. What its documents leave open is named where it is decided.

import type { LegAudio } from '../legs/leg.ts';
import type { CarrierRules } from './carrier-playout.ts';
import type { CarrierSide } from './carrier-side.ts';
import { createTwilioSide } from './twilio-side.ts';

export type SimulatedCarrier = {
  /** One call's side of the socket. */
  side(): CarrierSide;
  readonly rules: CarrierRules;
  /** What its simulated calls carry, both ways. */
  readonly audio: LegAudio;
  /** Subprotocols that it offers. */
  readonly protocols: readonly string[];
};

const MULAW: LegAudio = { format: 'mulaw', sampleRate: 8000 };

/** By the kind of leg that it dials: /v1/legs/KIND. */
export const CARRIERS: Readonly<Record<string, SimulatedCarrier>> = {
  twilio: {
    side: createTwilioSide,
    // Ten minutes (warning 31931).
    rules: { bytesPerMs: 8, mostBufferedMs: 600_000, onClear: 'echo' },
    audio: MULAW,
    protocols: [],
  },
  signalwire: {
    side: createTwilioSide,
    // Not documented; as Twilio.
    rules: { bytesPerMs: 8, mostBufferedMs: 600_000, onClear: 'echo' },
    audio: MULAW,
    protocols: [],
  },
};
