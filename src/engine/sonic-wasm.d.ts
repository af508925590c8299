// What is used of @echogarden/sonic-wasm 0.2.0 (the Sonic library as WASM by Emscripten), which has no types.

declare module '@echogarden/sonic-wasm' {
  export type SonicModule = {
    /** A new view after each growth of the memory: never keep it. */
    readonly HEAPF32: Float32Array;
    _malloc(bytes: number): number;
    /** 0 when there is no memory left. */
    _sonicCreateStream(sampleRate: number, channels: number): number;
    _sonicDestroyStream(stream: number): void;
    _sonicSetSpeed(stream: number, speed: number): void;
    /** Samples at `address`; 0 when there is no memory left. */
    _sonicWriteFloatToStream(stream: number, address: number, samples: number): number;
    /** Returns how many samples were written to `address`. */
    _sonicReadFloatFromStream(stream: number, address: number, mostSamples: number): number;
    _sonicFlushStream(stream: number): number;
  };
  export default function loadSonic(): Promise<SonicModule>;
}
