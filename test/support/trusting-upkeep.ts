// An upkeep that takes any length of audio for any text, and any pause in it: for tests whose upstreams say a tone,
// whatever they are asked.

import { createSpeechUpkeep, type SpeechUpkeep } from '../../src/pipeline/speech-upkeep.ts';

export const trustingUpkeep = (): SpeechUpkeep => {
  const upkeep = createSpeechUpkeep();
  const pace = { ...upkeep.pace, fastest: () => Number.POSITIVE_INFINITY, slowest: () => Number.MIN_VALUE };
  return { ...upkeep, pace, stallLimitMs: () => Number.POSITIVE_INFINITY };
};
