// Many MP3 decoders in few WASM instances: `open` takes a handle in an instance that has room, or in a new one.
// Every frame gives exactly its own length of sound, so time is kept whatever arrives: what cannot be decoded
// is silence, never noise and never an exception.

import { createMp3HeaderReader, HEADER_BYTES, type Mp3Header, sideInfoBytes, wordAt } from './mp3-header.ts';
import { mainDataBegin, mainDataBits, sideInfoOffset } from './mp3-side-info.ts';
import { loadMpg123, type Mpg123Instance } from './mpg123-instance.ts';

export type Mp3Decoder = {
  /**
   * One whole frame. Emits its samples once: mono, −1…1, in scratch memory that is valid during the call.
   * Both channels are averaged. Emits nothing when `frame` does not begin with a Layer III header.
   */
  decode(frame: Uint8Array, emit: (samples: Float32Array, sampleRate: number) => void): void;
  /** Frames were lost before the next one: what it takes from earlier frames is not there. */
  gap(): void;
  close(): void;
};

export type Mp3Decoders = {
  /** Throws when memory for another decoder cannot be had. */
  open(): Mp3Decoder;
  /** Decoders that are open. */
  readonly live: number;
  /** WASM instances (16 MB of address space each) that they share. */
  readonly instances: number;
};

/** An instance has memory for 40 handles of 418 kB; some is left for the decoding itself. */
const HANDLES_PER_INSTANCE = 32;
/** Empty instances that are kept for the next rush. */
const SPARE_INSTANCES = 1;
/** The reservoir reaches back 511 bytes (main_data_begin has nine bits). */
const MOST_RESERVOIR_BYTES = 511;
/** Encoders overshoot full scale a little; twice full scale comes only from damaged gains. */
const LOUDEST_SAMPLE = 2;
/** A stream that traps this often is not tried again: each trap costs an instance. */
const MOST_TRAPS = 3;

type Room = { readonly instance: Mpg123Instance; handles: number; isBroken: boolean };
type Place = { readonly room: Room; readonly handle: number };

/** After a trap nothing in the instance can be relied on: everyone in it moves out at the next frame. */
function guarded<T>(room: Room, call: () => T): T | undefined {
  try {
    return call();
  } catch {
    room.isBroken = true;
    return undefined;
  }
}

/** `instantiate` makes one WASM instance without waiting. */
export function createMp3Decoders(instantiate: () => Mpg123Instance): Mp3Decoders {
  let rooms: Room[] = [];
  let live = 0;
  // Decoding is synchronous, so one scratch frame of each length serves all.
  const longScratch = new Float32Array(1152);
  const shortScratch = longScratch.subarray(0, 576);

  const enter = (room: Room): Place | undefined => {
    if (room.isBroken || room.handles >= HANDLES_PER_INSTANCE) return undefined;
    const handle = guarded(room, () => room.instance.open());
    if (handle === undefined) return undefined;
    room.handles++;
    return { room, handle };
  };

  const take = (): Place => {
    for (const room of rooms) {
      const place = enter(room);
      if (place !== undefined) return place;
    }
    const room: Room = { instance: instantiate(), handles: 0, isBroken: false };
    const place = enter(room);
    if (place === undefined) throw new Error('mpg123 has no memory for a decoder in a new instance');
    rooms.push(room);
    return place;
  };

  const leave = ({ room, handle }: Place): void => {
    if (!room.isBroken) guarded(room, () => room.instance.close(handle));
    room.handles--;
    let spare = SPARE_INSTANCES;
    rooms = rooms.filter((each) => each.handles > 0 || (!each.isBroken && spare-- > 0));
  };

  const open = (): Mp3Decoder => {
    const readHeader = createMp3HeaderReader();
    let place: Place | undefined = take();
    let isOpen = true;
    let traps = 0;
    /** Bytes of earlier bodies that no frame has used yet: as far back as the next frame may reach. */
    let reservoirBytes = 0;
    /** The last frame was far too loud; its overlap would be heard in the next one. */
    let isTainted = false;
    live++;

    const abandon = () => {
      if (place !== undefined) leave(place);
      place = undefined;
      reservoirBytes = 0;
    };

    /** Decodes into `scratch` and says how loud it is. A frame that is not sound is decoded as an empty one. */
    const decodeInto = (
      scratch: Float32Array,
      frame: Uint8Array,
      header: Mp3Header,
      isSound: boolean,
    ): number => {
      if (place === undefined) return silence(scratch);
      const { instance } = place.room;
      instance.input.set(frame);
      if (!isSound) {
        // No main data, no spectrum: what is left of the frame before fades out, and the body still
        // reaches the reservoir, where later frames may need it.
        const offset = sideInfoOffset(header);
        instance.input.fill(0, offset, offset + sideInfoBytes(header));
      }
      try {
        const samples = instance.decode(place.handle, frame.length);
        return samples === scratch.length
          ? mixDown(instance.output, header.channels, scratch)
          : silence(scratch);
      } catch {
        place.room.isBroken = true;
        traps++;
        return silence(scratch);
      }
    };

    return {
      decode(frame, emit) {
        if (!isOpen || frame.length < HEADER_BYTES) return;
        const header = readHeader(wordAt(frame, 0));
        if (header === undefined || header.frameBytes !== frame.length) return;
        if (place?.room.isBroken) abandon();
        if (place === undefined && traps < MOST_TRAPS) place = tryTo(take);

        const bodyBytes = header.frameBytes - sideInfoOffset(header) - sideInfoBytes(header);
        const begin = mainDataBegin(frame, header);
        const bits = mainDataBits(frame, header);
        const isSound = !isTainted && begin <= reservoirBytes && bits >= 0 && bits <= (begin + bodyBytes) * 8;
        reservoirBytes = Math.min(
          MOST_RESERVOIR_BYTES,
          isSound ? begin + bodyBytes - Math.ceil(bits / 8) : reservoirBytes + bodyBytes,
        );

        const scratch = header.samplesPerFrame === 1152 ? longScratch : shortScratch;
        const peak = decodeInto(scratch, frame, header, isSound);
        if (isTainted || peak > LOUDEST_SAMPLE) scratch.fill(0);
        isTainted = peak > LOUDEST_SAMPLE;
        emit(scratch, header.sampleRate);
      },
      gap() {
        reservoirBytes = 0;
      },
      close() {
        if (!isOpen) return;
        isOpen = false;
        live--;
        abandon();
      },
    };
  };

  return {
    open,
    get live() {
      return live;
    },
    get instances() {
      return rooms.length;
    },
  };
}

/** The decoders of this process. Rejects when the package cannot be used. */
export const loadMp3Decoders = (): Promise<Mp3Decoders> =>
  loadMpg123().then((instantiate) => createMp3Decoders(instantiate));

const silence = (samples: Float32Array): number => {
  samples.fill(0);
  return 0;
};

function tryTo<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}

/**
 * Averages `output` (one channel behind the other) into `mono`, clipped, with anything not finite as 0.
 * Returns the greatest magnitude before clipping, at least 1.
 */
function mixDown(output: Float32Array, channels: 1 | 2, mono: Float32Array): number {
  const length = mono.length;
  let peak = 1;
  for (let i = 0; i < length; i++) {
    const left = output[i]!;
    const sample = channels === 1 ? left : (left + output[length + i]!) / 2;
    if (sample <= 1 && sample >= -1) mono[i] = sample;
    else if (Number.isFinite(sample)) {
      mono[i] = Math.sign(sample);
      peak = Math.max(peak, Math.abs(sample));
    } else {
      mono[i] = 0;
      peak = Number.POSITIVE_INFINITY;
    }
  }
  return peak;
}
