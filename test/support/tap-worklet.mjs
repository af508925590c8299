// Runs in the page's audio thread, behind what the playground plays: keeps every sample, gathered to one message for
// some quanta.

const GATHERED = 16;

class Tap extends AudioWorkletProcessor {
  #quanta = [];

  process([[samples]]) {
    if (samples !== undefined) this.#quanta.push({ frame: currentFrame, samples: samples.slice() });
    if (this.#quanta.length >= GATHERED) this.port.postMessage(this.#quanta.splice(0));
    return true;
  }
}

registerProcessor('tap', Tap);
