// Admission, built: what is left of this thread's time, and the desk that says who may speak.

import type { Clock } from '../base/clock.ts';
import { createUsedShare } from '../base/used-share.ts';
import { createHeadroom } from '../limits/headroom.ts';
import { createAdmissionDesk, type SpeechAsker } from '../session/admission-desk.ts';
import type { Config } from '../settings/settings.ts';

export function openAppAdmission(
  { busyAt }: Pick<Config, 'busyAt'>,
  { clock, onRefused }: { readonly clock: Clock; readonly onRefused: (asker: SpeechAsker) => void },
) {
  const headroom = createHeadroom(busyAt === 0 ? Number.POSITIVE_INFINITY : busyAt / 100);
  const usedShare = createUsedShare();
  const admission = createAdmissionDesk({ headroom, clock, usedShare, onRefused });
  return { headroom, admission };
}
