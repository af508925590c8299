// Admission, built: what this thread uses of its time, as the event loop counts it, and the desk that says who may speak.

import { performance } from 'node:perf_hooks';
import type { Clock } from './base/clock.ts';
import { createHeadroom } from './limits/headroom.ts';
import { createAdmissionDesk, type SpeechAsker } from './session/admission-desk.ts';
import type { Config } from './settings/settings.ts';

/** What the thread was kept from by other programs counts as used: what matters is what is left. */
function createUsedShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

export function openAppAdmission(
  { busyAt }: Pick<Config, 'busyAt'>,
  { clock, onRefused }: { readonly clock: Clock; readonly onRefused: (asker: SpeechAsker) => void },
) {
  const headroom = createHeadroom(busyAt === 0 ? Number.POSITIVE_INFINITY : busyAt / 100);
  const usedShare = createUsedShare();
  const admission = createAdmissionDesk({ headroom, clock, usedShare, onRefused });
  return { headroom, admission };
}
