// A simulated carrier dials: its side, its rules and its transport as the table has them, with a caller who says nothing unless told to.

import { systemClock } from '../../src/base/clock.ts';
import { createCallerVoice } from '../callers/caller-voice.ts';
import type { CarrierCall } from './carrier-side.ts';
import type { SimulatedCarrier } from './carriers.ts';
import { dialWebSocket } from './dial-websocket.ts';
import { type CallLateness, type SimulatedCall, startSimulatedCall } from './simulated-call.ts';

export type DialManner = {
  /** Of the upgrade. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly lateness?: CallLateness;
};

/** In real time. Resolves when the gateway has taken the call. */
export function dialCarrier(
  carrier: SimulatedCarrier,
  url: string,
  call: CarrierCall,
  { headers = {}, lateness = {} }: DialManner = {},
): Promise<SimulatedCall> {
  const caller = createCallerVoice(carrier.audio, lateness.talkAfterMs);
  return startSimulatedCall({
    side: carrier.side(),
    rules: carrier.rules,
    call,
    transport: carrier.transport ?? dialWebSocket({ protocols: carrier.protocols, headers }),
    url,
    clock: systemClock,
    says: (_index, isSpokenTo) => caller.next(isSpokenTo),
    lateness,
  });
}
