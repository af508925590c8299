// The program of an encoder worker thread: runs the encoders of many turns, order by order. A fault here ends the thread, and
// the pool starts another: a codec that has failed once is not used again.

import { parentPort } from 'node:worker_threads';
import { createHeavyStage, type HeavyStage } from '../../audio/heavy-stage.ts';
import { loadMp3Encoders } from '../../audio/mp3/mp3-encoder.ts';
import type { AudioFrame } from '../../audio/stage.ts';
import { yieldToPlayback } from '../../base/processes/yield-to-playback.ts';
import { type EncoderAnswer, type EncoderOrder, packFrames } from './encoder-messages.ts';

yieldToPlayback();
const port = parentPort!;
const mp3 = await loadMp3Encoders();
const jobs = new Map<number, { readonly stage: HeavyStage; readonly made: AudioFrame[] }>();

port.on('message', (order: EncoderOrder) => {
  const { kind, job } = order;
  if (kind === 'open') {
    const made: AudioFrame[] = [];
    jobs.set(job, { made, stage: createHeavyStage(order.output, mp3, (frame) => made.push(frame)) });
    return;
  }
  const running = jobs.get(job);
  if (running === undefined) return; // flushed, and closed afterwards
  const { stage, made } = running;
  if (kind === 'push') stage.push(order.samples);
  else if (kind === 'release') stage.release();
  else {
    if (kind === 'flush') stage.flush();
    jobs.delete(job);
    stage.close();
  }
  if (kind === 'close') return;
  const frames = packFrames(made.splice(0));
  const takenSamples = kind === 'push' ? order.samples.length : 0;
  const answer: EncoderAnswer = { kind, job, takenSamples, frames };
  port.postMessage(answer, [frames.bytes.buffer]);
});
