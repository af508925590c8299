// The audio thread's entry: a jitter buffer on one mono output. Bundled as a file of its own, because a worklet is loaded
// by address and our policy allows no other way.

import { createJitterBuffer } from './jitter-buffer.ts';
import type { FromPlayout, PlayoutOptions, ToPlayout } from './playout-messages.ts';

class Playout extends AudioWorkletProcessor {
  readonly #buffer;

  constructor(options: { readonly processorOptions: PlayoutOptions }) {
    super();
    const tell = (message: FromPlayout) => this.port.postMessage(message);
    this.#buffer = createJitterBuffer(options.processorOptions, tell);
    this.port.onmessage = ({ data }: MessageEvent<ToPlayout>) => this.#buffer.receive(data);
  }

  process(_inputs: readonly Float32Array[][], [output]: readonly Float32Array[][]): boolean {
    this.#buffer.render(output![0]!, currentFrame);
    return true;
  }
}

registerProcessor('playout', Playout);
