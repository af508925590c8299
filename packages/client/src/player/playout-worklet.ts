// The audio thread's entry: a jitter buffer on one mono output. Bundled as a file of its own, because a worklet is loaded
// by address and our policy allows no other way.

import { createJitterBuffer } from './jitter-buffer.ts';
import type { FromPlayout, PlayoutOptions, ToPlayout } from './playout-messages.ts';

class Playout extends AudioWorkletProcessor {
  readonly #buffer;
  #frame = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly processorOptions: PlayoutOptions }) {
    super();
    const tell = (message: FromPlayout) => this.port.postMessage(message);
    this.#buffer = createJitterBuffer(options.processorOptions, tell);
    this.port.onmessage = ({ data }: MessageEvent<ToPlayout>) => this.#buffer.receive(data);
  }

  process(_inputs: readonly Float32Array[][], [output]: readonly Float32Array[][]): boolean {
    const samples = output![0]!;
    // Chromium leaves `currentFrame` as it was while another thread holds its graph: a later call is a later quantum.
    this.#frame = Math.max(currentFrame, this.#frame + samples.length);
    this.#buffer.render(samples, this.#frame);
    return true;
  }
}

registerProcessor('playout', Playout);
