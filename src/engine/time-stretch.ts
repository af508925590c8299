// Makes speech faster or slower without changing its pitch, for the speeds that the speech program has no rate for.
// The work is the Sonic library's, which drops or repeats whole pitch periods. It decides anew at every write, so
// it is fed in blocks of one size: the same samples then give the same sound, however they arrived.

import loadSonic, { type SonicModule } from '@echogarden/sonic-wasm';
import type { PcmBlock, Stage } from '../audio/stage.ts';

export type TimeStretch = Stage<PcmBlock> & {
  /** Frees what is held; also after `flush`, and more than once. */
  close(): void;
};

/**
 * A stage for sound of one sample rate that becomes `factor` times faster (0.01–20); 1 hands everything on as it is.
 * What it emits is scratch memory.
 */
export type CreateTimeStretch = (factor: number, emit: (block: PcmBlock) => void) => TimeStretch;

/** 12 ms at 22,050 Hz: short enough that the first sound hardly waits. */
const BLOCK_SAMPLES = 256;

function createStretch(
  sonic: SonicModule,
  scratchAt: number,
  factor: number,
  emit: (block: PcmBlock) => void,
): TimeStretch {
  const held = new Float32Array(BLOCK_SAMPLES);
  let heldSamples = 0;
  let stream: number | undefined;
  let sampleRate = 0;

  const scratch = (samples: number) => sonic.HEAPF32.subarray(scratchAt / 4, scratchAt / 4 + samples);
  const open = (): number => {
    const opened = sonic._sonicCreateStream(sampleRate, 1);
    if (opened === 0) throw new Error('the time stretcher has no memory left');
    sonic._sonicSetSpeed(opened, factor);
    return opened;
  };
  const drain = (from: number): void => {
    for (;;) {
      const samples = sonic._sonicReadFloatFromStream(from, scratchAt, BLOCK_SAMPLES);
      if (samples === 0) return;
      emit({ samples: scratch(samples), sampleRate });
    }
  };
  const writeHeld = (to: number): void => {
    scratch(heldSamples).set(held.subarray(0, heldSamples));
    if (sonic._sonicWriteFloatToStream(to, scratchAt, heldSamples) === 0)
      throw new Error('the time stretcher has no memory left');
    heldSamples = 0;
    drain(to);
  };

  return {
    push(block) {
      sampleRate = block.sampleRate;
      stream ??= open();
      for (let at = 0; at < block.samples.length; ) {
        const part = block.samples.subarray(at, at + BLOCK_SAMPLES - heldSamples);
        held.set(part, heldSamples);
        heldSamples += part.length;
        at += part.length;
        if (heldSamples === BLOCK_SAMPLES) writeHeld(stream);
      }
    },
    flush() {
      if (stream === undefined) return;
      if (heldSamples > 0) writeHeld(stream);
      sonic._sonicFlushStream(stream);
      drain(stream);
    },
    close() {
      if (stream !== undefined) sonic._sonicDestroyStream(stream);
      stream = undefined;
    },
  };
}

/** Loads the WASM module once; the stages that it makes share it and never wait. */
export async function loadTimeStretch(): Promise<CreateTimeStretch> {
  const sonic = await loadSonic();
  const scratchAt = sonic._malloc(BLOCK_SAMPLES * 4);
  return (factor, emit) => {
    if (factor === 1) return { push: emit, flush() {}, close() {} };
    return createStretch(sonic, scratchAt, factor, emit);
  };
}
