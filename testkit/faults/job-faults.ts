// Faults of what is said. What a seed promises (the same request with the same seed gives the same bytes): a service may forget it,
// keep it for one key alone, or keep it until its model is exchanged. The reply names the requested seed all the same.

import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import type { FaultyManner } from '../../src/engine/fault-plan.ts';
import { MAX_DRAWN_SEED } from '../../src/speech/speech-request.ts';
import type { FaultEffect } from './fault.ts';

const onJob = (
  change: (manner: FaultyManner, keyNumber: number, number: () => number) => FaultyManner,
): FaultEffect => ({
  at: 'job',
  bytes: 'all',
  createChange:
    ({ number }) =>
    (manner, { keyNumber }) =>
      change(manner, keyNumber, number),
});

const seedFrom = (number: () => number): number => Math.floor(number() * MAX_DRAWN_SEED);

export const seedIgnoredFault = onJob((manner, _, number) => ({ ...manner, seed: seedFrom(number) }));

/** The same key gets the same bytes again, another key gets others. */
export const seedPerKeyFault = onJob((manner, keyNumber) => ({
  ...manner,
  seed: seedFrom(seededNumbers(manner.seed, keyNumber)),
}));

/** Any place but those that a sentence or a key is likely to have. */
const NEW_MODEL = 0x5eed;
/** A new model also has a pace of its own, which is heard where the seed is not (at temperature 0). */
const NEW_PACE = 0.97;

/** From `after` on, a seed gives other bytes than before, and always the same. */
export const modelUpdateFault = (after: number, unit: 'seconds' | 'requests'): FaultEffect => ({
  at: 'job',
  bytes: 'all',
  createChange({ clock }) {
    const startedAtMs = clock.now();
    let requests = 0;
    return (manner) => {
      const since = unit === 'requests' ? requests : (clock.now() - startedAtMs) / 1000;
      requests += 1;
      if (since < after) return manner;
      return {
        ...manner,
        seed: seedFrom(seededNumbers(manner.seed, NEW_MODEL)),
        speed: manner.speed * NEW_PACE,
      };
    };
  },
});

/** From `fromMs` of the reply on, and as long as the speech would be; `toneHz` 0 is silence. The service knows nothing of it. */
export const replacedSoundFault = (fromMs: number, toneHz: number): FaultEffect => ({
  at: 'job',
  bytes: 'others',
  createChange: () => (manner) => ({ ...manner, replaced: { fromMs, toneHz } }),
});
