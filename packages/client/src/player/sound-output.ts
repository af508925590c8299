// The sound card as a page uses it: an audio context at the stream's own rate, so that nothing here resamples, one
// worklet that plays, and a clock that tells which sample is being heard.

import { createAudioClock } from './audio-clock.ts';
import type { FromPlayout, PlayoutOptions, ToPlayout } from './playout-messages.ts';

export type SoundOutput = {
  readonly sampleRate: number;
  /** Samples given so far; what a cut dropped is taken off again. */
  readonly received: number;
  /** The sample that is heard now. */
  played(): number;
  play(samples: Float32Array<ArrayBuffer>): void;
  /** No more of this turn. */
  ended(): void;
  /** Drops what waits at or after sample `from`; gives the sample after the last that was or will be played. */
  cut(from: number): Promise<number>;
  hold(): void;
  release(): void;
  close(): void;
};

export type SoundOutputOptions = {
  readonly sampleRate: number;
  /** Of the bundle of playout-worklet.ts: a worklet is loaded by address. */
  readonly workletUrl: string | URL;
  readonly onMoving: (played: number) => void;
  readonly onDry: () => void;
};

/** Enough to ride out a late frame or two; the gateway sends 200 ms ahead. */
const START_MS = 40;
/** The gateway's lead is at most 5 s. */
const RING_SECONDS = 30;
/** An audio thread that does not answer (a device that has gone) must not hold up an interrupt. */
const ANSWER_MS = 150;

export async function openSoundOutput(options: SoundOutputOptions): Promise<SoundOutput> {
  const { sampleRate } = options;
  const context = new AudioContext({ sampleRate, latencyHint: 'interactive' });
  await Promise.all([context.resume(), context.audioWorklet.addModule(options.workletUrl)]);
  const node = new AudioWorkletNode(context, 'playout', {
    numberOfInputs: 0,
    outputChannelCount: [1],
    processorOptions: {
      startSamples: Math.round((START_MS * sampleRate) / 1000),
      ringSamples: RING_SECONDS * sampleRate,
    } satisfies PlayoutOptions,
  });
  node.connect(context.destination);

  const clock = createAudioClock();
  let received = 0;
  const cuts: ((played: number) => void)[] = [];
  const tell = (message: ToPlayout, transfer: Transferable[] = []) =>
    node.port.postMessage(message, transfer);
  node.port.onmessage = ({ data }: MessageEvent<FromPlayout>) => {
    switch (data.type) {
      case 'moving':
        clock.set({ state: 'moving', frame: data.frame, played: data.played });
        options.onMoving(data.played);
        return;
      case 'still':
        clock.set({ state: 'still', frame: data.frame, played: data.played });
        if (data.why === 'dry') options.onDry();
        return;
      case 'cut':
        cuts.shift()?.(data.played);
        return;
      case 'lost':
        received -= data.samples;
        return;
    }
  };

  const played = () => {
    const latency = Number.isFinite(context.outputLatency) ? context.outputLatency : 0;
    return clock.playedAt((context.currentTime - latency) * sampleRate, received);
  };

  return {
    sampleRate,
    get received() {
      return received;
    },
    played,
    play(samples) {
      received += samples.length;
      tell({ type: 'samples', samples }, [samples.buffer]);
    },
    ended: () => tell({ type: 'ended' }),
    cut(from) {
      // Counted at once, for more may follow at once; put right when the audio thread tells how far it was.
      const assumed = Math.min(received, Math.max(from, Math.ceil(played())));
      received = assumed;
      return new Promise((resolve) => {
        const settle = (through: number) => {
          clearTimeout(deadline);
          const boundary = Math.max(from, through);
          received += boundary - assumed;
          resolve(boundary);
        };
        const deadline = setTimeout(() => {
          cuts.splice(cuts.indexOf(settle), 1);
          settle(assumed);
        }, ANSWER_MS);
        cuts.push(settle);
        tell({ type: 'cut', from });
      });
    },
    hold: () => tell({ type: 'hold' }),
    release: () => tell({ type: 'release' }),
    close() {
      node.port.onmessage = null;
      void context.close();
    },
  };
}
