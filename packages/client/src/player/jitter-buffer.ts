// The playout in the audio thread: begins when enough samples wait, plays them one by one as they came, and tells every
// change between sound and silence, so that the page knows the position without asking.

import type { FromPlayout, PlayoutOptions, ToPlayout } from './playout-messages.ts';
import { createSampleRing } from './sample-ring.ts';

export type JitterBuffer = {
  receive(message: ToPlayout): void;
  /** Fills one render quantum, which begins at `frame`. */
  render(into: Float32Array, frame: number): void;
};

export function createJitterBuffer(
  { startSamples, ringSamples }: PlayoutOptions,
  tell: (message: FromPlayout) => void,
): JitterBuffer {
  const ring = createSampleRing(ringSamples);
  let phase: 'still' | 'moving' = 'still';
  let isHeld = false;
  let isEnded = false;
  let played = 0;
  let nextFrame = 0;

  function stop(why: 'dry' | 'done' | 'held' | 'cut', frame: number): void {
    if (phase === 'still') return;
    phase = 'still';
    tell({ type: 'still', frame, played, why });
  }

  const mayStart = () => !isHeld && ring.length > 0 && (isEnded || ring.length >= startSamples);

  return {
    receive(message) {
      switch (message.type) {
        case 'samples': {
          isEnded = false;
          const lost = message.samples.length - ring.write(message.samples);
          if (lost > 0) tell({ type: 'lost', samples: lost });
          return;
        }
        case 'ended':
          isEnded = true;
          return;
        case 'cut':
          ring.keep(message.from - played);
          if (ring.length === 0) stop('cut', nextFrame);
          tell({ type: 'cut', played });
          return;
        case 'hold':
          isHeld = true;
          stop('held', nextFrame);
          return;
        case 'release':
          isHeld = false;
          return;
      }
    },
    render(into, frame) {
      nextFrame = frame + into.length;
      if (phase === 'still') {
        if (!mayStart()) {
          into.fill(0);
          return;
        }
        phase = 'moving';
        tell({ type: 'moving', frame, played });
      }
      const given = ring.read(into);
      played += given;
      if (given === into.length) return;
      into.fill(0, given);
      stop(isEnded ? 'done' : 'dry', frame + given);
    },
  };
}
