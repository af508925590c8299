// The one WASM instance of the sound path and the layout of its memory: filter banks, shared by all streams of a pair of
// rates, and a record per stream from a free list. Memory grows by single records, up to a bound; views of it have to be
// made anew after `onGrown`.

import { type FilterBank, MAX_COEFFICIENTS } from './filter-bank.ts';
import { SOUND_PATH_WASM } from './sound-path-wasm.ts';

/** What wasm/sound-path.ts exports; addresses and lengths are bytes, counts are samples. */
type Exports = {
  readonly memory: WebAssembly.Memory;
  readonly rawAt: WebAssembly.Global;
  readonly monoAt: WebAssembly.Global;
  readonly madeAt: WebAssembly.Global;
  readonly codedAt: WebAssembly.Global;
  readonly heapAt: WebAssembly.Global;
  readonly streamBytes: WebAssembly.Global;
  mixDown(channels: number, length: number): number;
  resample(stream: number, count: number): number;
  flush(stream: number, count: number): number;
  codeMulaw(from: number, count: number): void;
  codeAlaw(from: number, count: number): void;
  codePcm16(from: number, count: number): void;
};

export type SoundKernel = Pick<
  Exports,
  'mixDown' | 'resample' | 'flush' | 'codeMulaw' | 'codeAlaw' | 'codePcm16'
>;

export type SoundMemory = {
  readonly kernel: SoundKernel;
  /** Changes when the memory grows, which detaches every view of the buffer before. */
  buffer(): ArrayBuffer;
  readonly at: Readonly<Record<'raw' | 'mono' | 'made' | 'coded', number>>;
  /** Makes sure that the next `open` does not grow the memory. */
  makeRoom(): void;
  /**
   * A stream at its beginning that reads every `decimation`th sample; undefined when there is no room for it or for its bank.
   */
  open(bank: FilterBank, decimation: number): number | undefined;
  /** Once per stream. */
  close(stream: number): void;
  openStreams(): number;
};

export type SoundMemoryLimits = { readonly streams: number; readonly banks: number };

const PAGE_BYTES = 65_536;
const BANK_BYTES = MAX_COEFFICIENTS * 4;
/** 14 MB and 4.6 MB when all are in use. */
const LIMITS: SoundMemoryLimits = { streams: 10_000, banks: 32 };

type BankSlot = { readonly address: number; name: string; users: number };

/** Throws when this machine's WASM has no SIMD. */
export function createSoundMemory(onGrown: () => void, limits: SoundMemoryLimits = LIMITS): SoundMemory {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(SOUND_PATH_WASM));
  const kernel = instance.exports as unknown as Exports;
  const { memory } = kernel;
  const streamBytes = kernel.streamBytes.value;
  const streamsPerPage = Math.floor(PAGE_BYTES / streamBytes);

  let top = kernel.heapAt.value;
  let streams = 0;
  let openStreams = 0;
  const freeStreams: number[] = [];
  let spareBank: number | undefined;
  /** Least recently opened first. */
  const banks: BankSlot[] = [];
  const bankOf = new Map<number, BankSlot>();

  /** Fresh memory, zeroed. */
  const reserve = (bytes: number): number | undefined => {
    const missing = top + bytes - memory.buffer.byteLength;
    if (missing > 0) {
      try {
        memory.grow(Math.ceil(missing / PAGE_BYTES));
      } catch {
        return undefined;
      }
      onGrown();
    }
    const address = top;
    top += bytes;
    return address;
  };

  const makeRoom = (): void => {
    if (freeStreams.length === 0 && streams < limits.streams) {
      const count = Math.min(streamsPerPage, limits.streams - streams);
      const first = reserve(count * streamBytes);
      if (first === undefined) return;
      streams += count;
      for (let i = count - 1; i >= 0; i--) freeStreams.push(first + i * streamBytes);
    }
    if (spareBank === undefined && banks.length < limits.banks) spareBank = reserve(BANK_BYTES);
  };

  /** A bank slot that no stream uses, the one longest unused first. */
  const takeBankSlot = (): BankSlot | undefined => {
    if (spareBank !== undefined) {
      const address = spareBank;
      spareBank = undefined;
      return { address, name: '', users: 0 };
    }
    const unused = banks.findIndex((slot) => slot.users === 0);
    return unused < 0 ? undefined : banks.splice(unused, 1)[0];
  };

  const slotOf = (bank: FilterBank): BankSlot | undefined => {
    const name = `${bank.up}/${bank.down}`;
    const known = banks.findIndex((slot) => slot.name === name);
    const slot = known < 0 ? takeBankSlot() : banks.splice(known, 1)[0];
    if (slot === undefined) return undefined;
    banks.push(slot);
    if (known < 0) {
      new Float32Array(memory.buffer, slot.address, bank.rows.length).set(bank.rows);
      slot.name = name;
    }
    return slot;
  };

  return {
    kernel,
    buffer: () => memory.buffer,
    at: {
      raw: kernel.rawAt.value,
      mono: kernel.monoAt.value,
      made: kernel.madeAt.value,
      coded: kernel.codedAt.value,
    },
    makeRoom,
    open(bank, decimation) {
      makeRoom();
      const slot = slotOf(bank);
      const stream = slot === undefined ? undefined : freeStreams.pop();
      if (slot === undefined || stream === undefined) return undefined;
      slot.users++;
      openStreams++;
      bankOf.set(stream, slot);
      const { up, down, taps, phases } = bank;
      const record = new Uint32Array(memory.buffer, stream, streamBytes / 4);
      record.fill(0);
      // In the order of the record in wasm/sound-path.ts. Half a filter of silence lies before the first sample.
      record.set([slot.address, taps, up, down, phases, 0, taps / 2 - 1, decimation, 0]);
      return stream;
    },
    close(stream) {
      const slot = bankOf.get(stream);
      if (slot === undefined) return;
      bankOf.delete(stream);
      slot.users--;
      openStreams--;
      freeStreams.push(stream);
    },
    openStreams: () => openStreams,
  };
}
