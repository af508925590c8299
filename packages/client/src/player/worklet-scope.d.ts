// The globals of an AudioWorklet (Web Audio API, 1.32), which TypeScript's DOM library leaves out.

declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare const currentFrame: number;
declare function registerProcessor(name: string, processor: unknown): void;
