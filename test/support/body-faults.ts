// Bodies that break: a memory request is answered at once or at a pace of the fake clock, up to the byte where its
// fault begins.

import { AppError } from '../../src/base/app-error.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { MemoryRequest } from './memory-upstream.ts';

export type BodyFault = {
  readonly atByte: number;
  /** `drip`: a byte a second from then on; `end`: a clean end; bytes: in place of the rest, then a clean end. */
  readonly how: 'reset' | 'stall' | 'drip' | 'end' | Uint8Array;
};

export type BodyPlan = {
  readonly fault?: BodyFault | undefined;
  readonly chunkBytes?: number;
  /** Without it everything comes at once. */
  readonly pace?: { readonly clock: Clock; readonly firstByteMs: number; readonly bytesPerMs: number };
};

const DRIP_MS = 1000;

export const reset = () => new AppError('upstream_broken', 'The connection broke.');

export function answer(request: MemoryRequest, body: Uint8Array, plan: BodyPlan = {}): void {
  const { fault, pace, chunkBytes = 1000 } = plan;
  const until = Math.min(body.length, fault?.atByte ?? body.length);

  const finish = () => {
    if (fault === undefined || fault.how === 'end') return request.end();
    if (fault.how === 'reset') return request.fail(reset());
    if (fault.how === 'stall') return;
    if (fault.how === 'drip') return drip(until);
    request.send(fault.how);
    request.end();
  };
  const drip = (at: number) => {
    if (request.state !== 'open' || at >= body.length) return;
    request.send(body.subarray(at, at + 1));
    pace?.clock.after(DRIP_MS, () => drip(at + 1));
  };
  const send = (from: number): void => {
    if (from >= until) return finish();
    const to = Math.min(until, from + chunkBytes);
    request.send(body.subarray(from, to));
    pace?.clock.after((to - from) / pace.bytesPerMs, () => send(to));
  };
  if (pace === undefined) {
    for (let from = 0; from < until; from += chunkBytes)
      request.send(body.subarray(from, Math.min(until, from + chunkBytes)));
    finish();
  } else pace.clock.after(pace.firstByteMs, () => send(0));
}
