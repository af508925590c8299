// Many MP3 decoders in few WASM instances of mpg123: `open` takes a handle in an instance that has room, or in a new
// one. For machines whose WASM has no vector instructions; it keeps the same promises as the decoder of our own,
// but that free format is silence: mpg123 measures it in a stream, and frames come to it one by one.

import { createPlainMixer, type FrameLength, type Mixer } from '../../src/audio/dsp/mix-down.ts';
import type { Mp3Decoder, Mp3Decoders } from '../../src/audio/mp3/mp3-decoder.ts';
import { createMp3HeaderReader, type Mp3Header, sideInfoBytes } from '../../src/audio/mp3/mp3-header.ts';
import { mainDataBegin, mainDataBits, sideInfoOffset } from '../../src/audio/mp3/mp3-side-info.ts';
import { loadMpg123, type Mpg123Instance } from './mpg123-instance.ts';

export type Mpg123Decoders = Mp3Decoders & {
  /** WASM instances (16 MB of address space each) that they share. */
  instances(): number;
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

/** `instantiate` makes one WASM instance without waiting; `mixer` has the scratch memory that samples come in. */
export function createMpg123Decoders(
  instantiate: () => Mpg123Instance,
  mixer: Mixer = createPlainMixer(),
): Mpg123Decoders {
  let rooms: Room[] = [];
  let live = 0;

  const silence = (length: FrameLength): number => {
    mixer.mono(length).fill(0);
    return 0;
  };

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
    const headers = createMp3HeaderReader();
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

    /** Decodes into the mixer's memory and says how loud it is. A frame that is not sound is decoded as an empty one. */
    const decodeMono = (frame: Uint8Array, header: Mp3Header, isSound: boolean): number => {
      const length = header.samplesPerFrame;
      if (place === undefined) return silence(length);
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
        return samples === length ? mixer.mixDown(instance.output, header.channels, length) : silence(length);
      } catch {
        place.room.isBroken = true;
        traps++;
        return silence(length);
      }
    };

    return {
      decode(frame, emit) {
        const header = headers.ofFrame(frame);
        if (!isOpen || header === undefined) return;
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

        const peak = decodeMono(frame, header, isSound);
        const mono = mixer.mono(header.samplesPerFrame);
        if (isTainted || peak > LOUDEST_SAMPLE) mono.fill(0);
        isTainted = peak > LOUDEST_SAMPLE;
        emit(mono, header.sampleRate);
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
    belowHz: (_heardHz, sampleRate) => sampleRate / 2, // they leave nothing out
    live: () => live,
    instances: () => rooms.length,
  };
}

/** The decoders of this process. Rejects when the package cannot be used. */
export const loadMpg123Decoders = (mixer?: Mixer): Promise<Mpg123Decoders> =>
  loadMpg123().then((instantiate) => createMpg123Decoders(instantiate, mixer));

function tryTo<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
