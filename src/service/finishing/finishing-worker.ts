// The program of a finishing thread: one file, then it ends, and its memory with it. A failure with a code is reported;
// any other ends the thread, which its parent notices.

import { parentPort, workerData } from 'node:worker_threads';
import { createFilterBanks } from '../../audio/dsp/filter-bank.ts';
import { createSoundPath } from '../../audio/dsp/wasm-sound-path.ts';
import { createLayer3Decoders } from '../../audio/mp3/layer3-decoders.ts';
import { loadMp3Encoders } from '../../audio/mp3/mp3-encoder.ts';
import { AppError } from '../../base/app-error.ts';
import { yieldToPlayback } from '../../base/processes/yield-to-playback.ts';
import type { FinishRequest } from '../audio-finisher.ts';
import { finishWithGain } from './finish-with-gain.ts';
import type { FinishingAnswer } from './finishing-messages.ts';

/** Progress is not read more often than this. */
const MIN_STEP = 0.01;

yieldToPlayback();
const answer = (message: FinishingAnswer) => parentPort!.postMessage(message);
const sound = createSoundPath(createFilterBanks());
const means = { sound, decoders: createLayer3Decoders(), mp3: await loadMp3Encoders() };

let told = 0;
const onProgress = (done: number) => {
  if (done - told < MIN_STEP) return;
  told = done;
  answer({ kind: 'progress', done });
};
try {
  answer({ kind: 'finished', sound: await finishWithGain(workerData as FinishRequest, means, onProgress) });
} catch (thrown) {
  if (!(thrown instanceof AppError)) throw thrown;
  answer({ kind: 'refused', code: thrown.code, message: thrown.message });
}
