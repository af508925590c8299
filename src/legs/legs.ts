// The telephony platforms that are served.

import type { Leg } from './leg.ts';
import { signalWireLeg, twilioLeg } from './twilio-leg.ts';

export const LEGS: readonly Leg[] = [twilioLeg, signalWireLeg];
