// The telephony platforms that are served.

import { chanWebSocketLeg } from './chan-websocket-leg.ts';
import { exotelLeg } from './exotel-leg.ts';
import { jambonzLeg } from './jambonz-leg.ts';
import type { Leg } from './leg.ts';
import { plivoLeg } from './plivo-leg.ts';
import { rawLeg } from './raw-leg.ts';
import { telnyxLeg } from './telnyx-leg.ts';
import { signalWireLeg, twilioLeg } from './twilio-leg.ts';
import { vonageLeg } from './vonage-leg.ts';

export const LEGS: readonly Leg[] = [
  twilioLeg,
  signalWireLeg,
  telnyxLeg,
  plivoLeg,
  vonageLeg,
  exotelLeg,
  jambonzLeg,
  chanWebSocketLeg,
  rawLeg,
];
