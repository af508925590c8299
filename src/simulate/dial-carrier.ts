// A simulated carrier dials: its side, its rules and its transport as the table has them, with a caller who says nothing.

import { systemClock } from '../base/clock.ts';
import { silenceOf } from '../speech/plain-sound.ts';
import type { CarrierCall } from './carrier-side.ts';
import type { SimulatedCarrier } from './carriers.ts';
import { dialWebSocket } from './dial-websocket.ts';
import { type SimulatedCall, startSimulatedCall } from './simulated-call.ts';

const TICK_MS = 20;

/** In real time. Resolves when the gateway has taken the call. */
export function dialCarrier(
  carrier: SimulatedCarrier,
  url: string,
  call: CarrierCall,
): Promise<SimulatedCall> {
  const silence = silenceOf(carrier.audio, TICK_MS);
  return startSimulatedCall({
    side: carrier.side(),
    rules: carrier.rules,
    call,
    transport: carrier.transport ?? dialWebSocket({ protocols: carrier.protocols }),
    url,
    clock: systemClock,
    says: () => silence,
  });
}
