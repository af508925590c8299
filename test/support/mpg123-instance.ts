// The only file that knows the package `mpg123-decoder`. The package makes a WASM instance of 16 MB per stream,
// and at a few hundred streams V8 does little but collect; yet its module can hold many streams per instance.
// So the compiled module is taken out of the package's private fields and instantiated here. The package is
// pinned to one exact version, and whatever is not as expected is refused at start.

import { MPEGDecoder } from 'mpg123-decoder';
import { MAX_FRAME_BYTES } from '../../src/audio/mp3/mp3-header.ts';

/** One WASM instance; a handle is one stream's decoder inside it. Any call may throw when the code traps. */
export type Mpg123Instance = {
  /** A new handle, or undefined when the instance has no memory left for one. */
  open(): number | undefined;
  close(handle: number): void;
  /** A frame is written here before `decode`. */
  readonly input: Uint8Array;
  /** Decodes the first `bytes` of `input`; returns samples per channel, 0 when the data is of no use. */
  decode(handle: number, bytes: number): number;
  /** The samples of the last `decode`, both channels one after the other; mono is given twice. */
  readonly output: Float32Array;
};

const OUTPUT_SAMPLES = 2 * 1152;
const NEW_FORMAT = -11; // MPG123_NEW_FORMAT: told once before the first samples of a format
const MOST_READS = 4;
const GAPLESS_OFF = 0; // trimming is ours, see mp3-to-pcm.ts

type WasmFunction = (...values: number[]) => number;
// The compiler's library for Node alone has no WebAssembly: this is what is used of it.
declare const WebAssembly: {
  readonly Module: { imports(module: object): { module: string; name: string }[] };
  readonly Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> };
};

const unexpected = (what: string): Error =>
  new Error(`mpg123-decoder is not the version that Voxgate is made for (1.0.3): ${what}`);

const giveUp = () => {
  throw new Error('mpg123 gave up');
};
const nothing = () => 0;
const noSuchCall = () => 52; // ENOSYS of WASI
/**
 * What the module asks of its host, by its minified names. Memory cannot grow, there are no files,
 * and since nothing can be written its chatter never reaches the console.
 */
const HOST: Readonly<Record<string, () => number>> = {
  a: giveUp, // exit
  b: nothing, // runtime kept alive
  c: giveUp, // abort
  d: nothing, // set a timer
  e: nothing, // grow the memory
  f: noSuchCall, // write
  g: noSuchCall, // close
  h: noSuchCall, // read
  i: noSuchCall, // seek
  j: giveUp, // a function left out of the build
};

/** The functions that are used, by the package's own names, and how many arguments each takes. */
const FUNCTIONS = {
  malloc: 1,
  mpeg_frame_decoder_create: 2,
  mpeg_frame_decoder_destroy: 1,
  mpeg_decoder_feed: 3,
  mpeg_decoder_read: 6,
} as const;
type FunctionName = keyof typeof FUNCTIONS;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

type Loaded = {
  readonly module: object;
  /** The name of a WASM function is its index in the module, which says what the minified exports are. */
  readonly indexOf: Readonly<Record<FunctionName, string>>;
};

/** What the package's ready decoder keeps to itself: its instance, and a promise of the compiled module. */
function inspect(decoder: unknown): Promise<Loaded> {
  const common = isObject(decoder) ? decoder._common : undefined;
  const wasm = isObject(common) ? common.wasm : undefined;
  if (!isObject(wasm)) throw unexpected('no _common.wasm');
  const indexOf = {} as Record<FunctionName, string>;
  for (const [name, parameters] of Object.entries(FUNCTIONS) as [FunctionName, number][]) {
    const found = wasm[name];
    if (typeof found !== 'function' || found.length !== parameters) throw unexpected(`no ${name}`);
    indexOf[name] = found.name;
  }
  if (typeof wasm.getModule !== 'function') throw unexpected('no getModule');
  return Promise.resolve(wasm.getModule()).then((module: object) => {
    const asked = WebAssembly.Module.imports(module);
    if (asked.some((item) => item.module !== 'a' || HOST[item.name] === undefined))
      throw unexpected(`imports ${asked.map((item) => `${item.module}.${item.name}`).join(' ')}`);
    return { module, indexOf };
  });
}

function instantiate({ module, indexOf }: Loaded): Mpg123Instance {
  const exported = Object.values(new WebAssembly.Instance(module, { a: HOST }).exports);
  const functions = exported.filter((item): item is WasmFunction => typeof item === 'function');
  const named = (name: FunctionName): WasmFunction => {
    const found = functions.find((item) => item.name === indexOf[name]);
    if (found === undefined) throw unexpected(`${name} is not exported`);
    return found;
  };
  const memory = exported.find((item) => isObject(item) && item.buffer instanceof ArrayBuffer);
  const start = functions.find((item) => item.length === 0);
  if (memory === undefined || start === undefined) throw unexpected('no memory or no start');
  start();

  const malloc = named('malloc');
  const create = named('mpeg_frame_decoder_create');
  const destroy = named('mpeg_frame_decoder_destroy');
  const feed = named('mpeg_decoder_feed');
  const read = named('mpeg_decoder_read');
  // The memory never grows, so these views hold for the life of the instance.
  const { buffer } = memory as { buffer: ArrayBuffer };
  const input = new Uint8Array(buffer, malloc(MAX_FRAME_BYTES), MAX_FRAME_BYTES);
  const output = new Float32Array(buffer, malloc(OUTPUT_SAMPLES * 4), OUTPUT_SAMPLES);
  const answer = new Uint32Array(buffer, malloc(16), 4);
  const [handleAt, samplesAt, rateAt, errorAt] = [0, 4, 8, 12].map((offset) => answer.byteOffset + offset);

  return {
    input,
    output,
    open() {
      answer[0] = 0;
      return create(handleAt!, GAPLESS_OFF) === 0 && answer[0] !== 0 ? answer[0] : undefined;
    },
    // It frees the handle itself; the package frees it a second time, which breaks the heap.
    close: (handle) => void destroy(handle),
    decode(handle, bytes) {
      feed(handle, input.byteOffset, bytes);
      for (let reads = 0; reads < MOST_READS; reads++) {
        answer[1] = 0;
        const status = read(handle, output.byteOffset, OUTPUT_SAMPLES, samplesAt!, rateAt!, errorAt!);
        if (answer[1] !== 0 || status !== NEW_FORMAT) break;
      }
      return Math.min(answer[1]!, OUTPUT_SAMPLES / 2);
    },
  };
}

/**
 * Loads the package once and returns a maker of instances, which works without waiting (about 1.5 ms each).
 * Rejects when the package is not the one that was measured. `makeDecoder` is the package's own constructor.
 */
export const loadMpg123 = (
  makeDecoder: () => { readonly ready: Promise<unknown> } = () => new MPEGDecoder(),
): Promise<() => Mpg123Instance> => {
  // The package's own decoder is dropped, not freed: see `close`.
  const decoder = makeDecoder();
  return decoder.ready.then(() => inspect(decoder)).then((loaded) => () => instantiate(loaded));
};
