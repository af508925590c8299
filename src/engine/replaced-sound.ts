// Sound that is no speech, in place of speech and as long as it, for faults on purpose.

import type { PcmBlock } from '../audio/stage.ts';

export type ReplacedSound = {
  /** Speech until here, counted from the beginning of the reply. */
  readonly fromMs: number;
  /** Of a tone; 0 is digital silence. */
  readonly toneHz: number;
};

/** −10 dBFS: as loud as speech, so that a meter of level alone cannot tell it from speech. */
const TONE_PEAK = 0.3;

/** The block at `atMs` of a reply as it is heard. The given samples stay as they are. */
export function replaceSound(block: PcmBlock, atMs: number, { fromMs, toneHz }: ReplacedSound): PcmBlock {
  const { samples, sampleRate } = block;
  const from = Math.max(0, Math.ceil(((fromMs - atMs) * sampleRate) / 1000));
  if (from >= samples.length) return block;
  const heard = samples.slice();
  const atSample = Math.round((atMs * sampleRate) / 1000);
  for (let i = from; i < heard.length; i++)
    heard[i] = toneHz === 0 ? 0 : TONE_PEAK * Math.sin((2 * Math.PI * toneHz * (atSample + i)) / sampleRate);
  return { samples: heard, sampleRate };
}
