// Runs in the page's audio thread, behind what the playground plays: keeps every sample, gathered to one message for
// some quanta.

const GATHERED = 16;

class Tap extends AudioWorkletProcessor {
  #quanta = [];
  #frame = -Infinity;

  process([[samples]], [[silence]]) {
    // `currentFrame` is that of the quantum before while another thread holds the graph: two would lie upon each other.
    this.#frame = Math.max(currentFrame, this.#frame + silence.length);
    if (samples !== undefined) this.#quanta.push({ frame: this.#frame, samples: samples.slice() });
    if (this.#quanta.length >= GATHERED) this.port.postMessage(this.#quanta.splice(0));
    return true;
  }
}

registerProcessor('tap', Tap);
