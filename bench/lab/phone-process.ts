// The far sides of calls in a process of their own: they keep the time, or play what comes when it comes, so an event loop
// that they shared with other clients would be heard as the gateway's lateness.

import type { CallReport } from '../../testkit/carriers/call-record.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { dialCarrier } from '../../testkit/carriers/dial-carrier.ts';
import type { Actor } from './actor.ts';
import { type HeardInTime, heardInTime } from './heard-in-time.ts';

export type PhonePlan = {
  readonly calls: readonly {
    readonly kind: string;
    /** `ws://…` of the leg, or `tcp://host:port`. */
    readonly url: string;
    readonly callId: string;
    readonly token: string | undefined;
  }[];
};

/** In the order of the plan. */
export type PhoneReport = readonly (CallReport & HeardInTime)[];

const FRAME_MS = 20;

export async function startPhoneProcess({ calls }: PhonePlan): Promise<Actor> {
  const open = await Promise.all(
    calls.map(({ kind, url, callId, token }) => dialCarrier(CARRIERS[kind]!, url, { callId, token })),
  );
  return {
    ready: {},
    report: (): PhoneReport =>
      open.map((call) => ({ ...call.report(), ...heardInTime(call.playout.heard, FRAME_MS) })),
    async close() {
      for (const call of open) call.close();
      await Promise.all(open.map((call) => call.closed));
    },
  };
}
