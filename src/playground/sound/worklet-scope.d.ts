// The globals of an AudioWorklet (Web Audio API, 1.32), which TypeScript's DOM library leaves out, and what the bundler
// makes of the worklet: a file with an address.

declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare const currentFrame: number;
declare function registerProcessor(name: string, processor: unknown): void;

declare module '*?worker&url' {
  const address: string;
  export default address;
}
declare module '*.css';
