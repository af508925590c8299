// A platform that dials the gateway: a simulated call on a real socket, in real time.

import { systemClock } from '../../src/base/clock.ts';
import type { CarrierSide } from '../../testkit/carriers/carrier-side.ts';
import { dialWebSocket } from '../../testkit/carriers/dial-websocket.ts';
import { type SimulatedCall, startSimulatedCall } from '../../testkit/carriers/simulated-call.ts';

const SILENCE = new Uint8Array(160).fill(0xff);

export const dial = (
  url: string,
  side: CarrierSide,
  call: { callId: string; token?: string },
  rules = { bytesPerMs: 8, mostBufferedMs: 600_000, onClear: 'echo' } as const,
): Promise<SimulatedCall> =>
  startSimulatedCall({
    side,
    rules,
    call: { callId: call.callId, token: call.token },
    transport: dialWebSocket(),
    url,
    clock: systemClock,
    says: () => SILENCE,
  });
