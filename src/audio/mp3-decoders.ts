// Which decoder it is: our own, or mpg123 where WASM has no vector instructions, several times as slow.

import { createLayer3Decoders } from './layer3-decoders.ts';
import type { Mixer } from './mix-down.ts';
import type { Mp3Decoders } from './mp3-decoder.ts';

const loadMpg123 = (mixer?: Mixer): Promise<Mp3Decoders> =>
  import('./mpg123-decoders.ts').then(({ loadMpg123Decoders }) => loadMpg123Decoders(mixer));

/**
 * The decoders of this thread. `mixer` has the scratch memory that samples of mpg123 come in. Rejects when neither can
 * be used.
 */
export function loadMp3Decoders(
  mixer?: Mixer,
  open: () => Mp3Decoders = createLayer3Decoders,
): Promise<Mp3Decoders> {
  try {
    return Promise.resolve(open());
  } catch {
    return loadMpg123(mixer);
  }
}
