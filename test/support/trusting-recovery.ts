// An recovery that takes any length of audio for any text, any pause in it and any end: for tests whose upstreams say a tone,
// whatever they are asked.

import { createSpeechRecovery, type SpeechRecovery } from '../../src/pipeline/whole-body/speech-recovery.ts';

export const trustingRecovery = (): SpeechRecovery => {
  const recovery = createSpeechRecovery();
  const voices = {
    ...recovery.voices,
    fastest: () => Number.POSITIVE_INFINITY,
    slowest: () => Number.MIN_VALUE,
  };
  return { ...recovery, voices, soundOfEnd: () => undefined, stallLimitMs: () => Number.POSITIVE_INFINITY };
};
