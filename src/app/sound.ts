// What makes sound and finds its words, built: codecs, the workers of dear encoders, and the process that times words.

import { createFilterBanks } from '../audio/dsp/filter-bank.ts';
import { createSoundPath } from '../audio/dsp/wasm-sound-path.ts';
import { createLayer3Decoders } from '../audio/mp3/layer3-decoders.ts';
import { loadMp3Encoders } from '../audio/mp3/mp3-encoder.ts';
import { warmCodecs } from '../audio/warm-codecs.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createWorkerEncoderPool } from '../pipeline/encoders/worker-encoder-pool.ts';
import { createProcessWordTimer } from '../pipeline/word-timing/process-word-timer.ts';
import type { Config } from '../settings/settings.ts';
import { espeakCommand, isEspeakInstalled } from '../speech-program/speech-command.ts';

export async function openAppSound(
  config: Config,
  {
    clock,
    log,
    onStop,
  }: { readonly clock: Clock; readonly log: Log; readonly onStop: (stop: () => Promise<void>) => void },
) {
  const heavy = createWorkerEncoderPool({ log });
  onStop(() => heavy.close());
  const codecs = { decoders: createLayer3Decoders(), sound: createSoundPath(createFilterBanks()), heavy };
  warmCodecs(codecs, await loadMp3Encoders());
  const timer = createProcessWordTimer({
    log,
    clock,
    command: isEspeakInstalled() ? espeakCommand() : undefined,
    when: config.wordTimes,
    endings: config.endings === 'words' ? 'followed' : 'never',
    most: config.timedTurns,
  });
  onStop(() => timer.close());
  timer.warm();
  return { codecs, timer };
}
