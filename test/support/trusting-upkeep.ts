// An upkeep that takes any length of audio for any text, any pause in it and any end: for tests whose upstreams say a tone,
// whatever they are asked.

import { createSpeechUpkeep, type SpeechUpkeep } from '../../src/pipeline/whole-body/speech-upkeep.ts';

export const trustingUpkeep = (): SpeechUpkeep => {
  const upkeep = createSpeechUpkeep();
  const voices = {
    ...upkeep.voices,
    fastest: () => Number.POSITIVE_INFINITY,
    slowest: () => Number.MIN_VALUE,
  };
  return { ...upkeep, voices, soundOfEnd: () => undefined, stallLimitMs: () => Number.POSITIVE_INFINITY };
};
