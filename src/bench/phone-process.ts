// The far side of one AudioSocket call in a process of its own: it plays what comes when it comes, so an event loop that it
// shared with other clients would be heard as the gateway's lateness.

import type { CallReport } from '../simulate/call-record.ts';
import { CARRIERS } from '../simulate/carriers.ts';
import { dialCarrier } from '../simulate/dial-carrier.ts';
import type { Actor } from './actor.ts';
import { type HeardInTime, heardInTime } from './heard-in-time.ts';

export type PhonePlan = {
  /** `tcp://host:port`. */
  readonly url: string;
  readonly uuid: string;
};

export type PhoneReport = CallReport & HeardInTime;

const FRAME_MS = 20;

export async function startPhoneProcess({ url, uuid }: PhonePlan): Promise<Actor> {
  const call = await dialCarrier(CARRIERS.audiosocket!, url, { callId: uuid, token: undefined });
  return {
    ready: {},
    report: (): PhoneReport => ({ ...call.report(), ...heardInTime(call.playout.heard, FRAME_MS) }),
    async close() {
      call.close();
      await call.closed;
    },
  };
}
