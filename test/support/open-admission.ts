// A thread with time for everybody.

import type { AppError } from '../../src/base/app-error.ts';
import type { AdmissionControl } from '../../src/session/admission-control.ts';

export const OPEN_ADMISSION: AdmissionControl = {
  refusal: () => undefined,
  opened() {},
  take: () => ({ began() {}, leave() {} }),
};

/** One that says no for as long as it is told to, and counts the places that are held. */
export function scriptedAdmission() {
  let held = 0;
  const asked: string[] = [];
  const admission = {
    ...OPEN_ADMISSION,
    no: undefined as AppError | undefined,
    asked,
    get held() {
      return held;
    },
    refusal(asker: string) {
      asked.push(asker);
      return admission.no;
    },
    take() {
      held += 1;
      let isHeld = true;
      return {
        began() {},
        leave() {
          if (isHeld) held -= 1;
          isHeld = false;
        },
      };
    },
  };
  return admission;
}
