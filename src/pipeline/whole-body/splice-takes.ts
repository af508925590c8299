// Joins two takes of the same speech where the first one broke off: decodes both around the break, finds where they
// agree, and makes the bridge between them. Frames that nobody has taken yet may be given up for a better place.
// Decodes a few seconds at once (some ms of work), which only an upstream that does not honour its seed costs.

import { alignTakes, lastPause } from '../../audio/dsp/speech-alignment.ts';
import {
  bridgeTakes,
  bridgeToSilence,
  fadeSamples,
  type Passage,
  type SpeechBridge,
} from '../../audio/dsp/speech-bridge.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import type { Mp3Frame } from '../../audio/mp3/mp3-frame-parser.ts';
import { silentMp3Frame } from '../../audio/mp3/mp3-hole.ts';
import type { BodyReading } from './body-reading.ts';

export type Splice = {
  readonly bridge: SpeechBridge;
  /** So many of the old take's last frames are not to be heard. */
  readonly takenBack: number;
  /** Frames of the fresh take that have come and follow the bridge. */
  readonly rest: readonly Mp3Frame[];
};

/** Of the take that broke: 1.5 s of context at any rate, and frames to warm up on. */
export const OLD_FRAMES = 72;
/** Of the fresh one: as much, 200 ms and more to either side. */
export const FRESH_FRAMES = 128;
const WARM_UP_FRAMES = 10;
const REACH_MS = 200;
/** The delay of encoder and decoder, where no tag tells it: not speech yet. */
const USUAL_LEAD = 576 + 529;
/** How far back from its last sound a speech may be cut, so that it does not end in half a word. */
const PAUSE_SEARCH_MS = 300;

/** How many frames behind the break the fresh take must have before `spliceTakes` can look for it. */
export function framesBeyond(old: BodyReading): number {
  const header = old.header();
  if (header === undefined) return 1;
  return Math.ceil(((REACH_MS / 1000) * header.sampleRate) / header.samplesPerFrame) + 3;
}

/** A frame of no sound: the decoder rings out what is left of the one before. */
const emptyFrame = ({ bytes, header }: Mp3Frame): Mp3Frame => ({
  bytes: silentMp3Frame(bytes),
  header: { ...header, hasCrc: false },
});

/** `first`: how many frames of the body are before these; the first few of those that are not the first are left out, being unsure. */
export function decodeFrames(decoders: Mp3Decoders, frames: readonly Mp3Frame[], first: number): Passage {
  const spf = frames[0]!.header.samplesPerFrame;
  const samples = new Float32Array(frames.length * spf);
  const decoder = decoders.open();
  let filled = 0;
  try {
    for (const frame of frames) {
      if (frame.afterGap) decoder.gap();
      decoder.decode(frame.bytes, (block) => {
        samples.set(block.subarray(0, samples.length - filled), filled);
        filled += block.length;
      });
    }
  } finally {
    decoder.close();
  }
  const unsure = first === 0 ? 0 : WARM_UP_FRAMES * spf;
  return { samples: samples.subarray(unsure), from: first * spf + unsure };
}

/** Positions count from the first frame behind the tag; of several tags only the last stream could be counted. */
const isOneStream = (reading: BodyReading): boolean => reading.framesSinceTag() === reading.frames();

const areAlike = (frames: readonly Mp3Frame[]): boolean =>
  frames.every(
    ({ header }) =>
      header.sampleRate === frames[0]!.header.sampleRate &&
      header.samplesPerFrame === frames[0]!.header.samplesPerFrame,
  );

/** The take that broke, with what rings out behind its last frame; undefined when there is too little of it. */
function endOfTake(old: BodyReading, decoders: Mp3Decoders) {
  const first = Math.max(0, old.frames() - OLD_FRAMES);
  const frames = old.frameRange(first, old.frames());
  const last = frames?.at(-1);
  if (frames === undefined || last === undefined || !isOneStream(old) || !areAlike(frames)) return undefined;
  const { sampleRate, samplesPerFrame } = last.header;
  const encoderDelay = old.tag()?.encoderDelay;
  const lead = (encoderDelay === undefined ? USUAL_LEAD : encoderDelay + 529) / samplesPerFrame;
  if (frames.length <= WARM_UP_FRAMES || old.frames() < lead) return undefined;
  const take = decodeFrames(decoders, [...frames, emptyFrame(last)], first);
  return { take, frames, sampleRate, samplesPerFrame, leadFrames: Math.ceil(lead) };
}

/** `untaken`: how many of the old take's last frames can still be given up. Undefined: the two do not fit. */
export function spliceTakes(
  old: BodyReading,
  fresh: BodyReading,
  untaken: number,
  decoders: Mp3Decoders,
): Splice | undefined {
  const end = endOfTake(old, decoders);
  if (end === undefined || !isOneStream(fresh)) return undefined;
  const { sampleRate, samplesPerFrame: spf } = end;
  const first = Math.max(0, fresh.frames() - FRESH_FRAMES);
  const frames = fresh.frameRange(first, fresh.frames());
  if (frames === undefined || frames.length <= WARM_UP_FRAMES) return undefined;
  if (!areAlike([...end.frames, ...frames])) return undefined;
  const take = decodeFrames(decoders, frames, first);

  const fade = fadeSamples(sampleRate);
  const reach = (REACH_MS / 1000) * sampleRate;
  const earliest = Math.max(old.frames() - untaken, end.leadFrames) * spf;
  // The end of what came is faded out in itself while it can be, else in what the decoder rings out behind it.
  const broke = old.frames() * spf - (untaken > 0 ? fade : 0);
  const latest = Math.min(broke, Math.floor(fresh.frames() * spf - reach - fade));
  if (latest < earliest) return undefined;
  const found = alignTakes(end.take, take, { sampleRate, earliest, latest });
  if (found === undefined) return undefined;

  const oldFrames = Math.min(old.frames(), Math.floor(found.cut / spf));
  const freshFrames = Math.ceil((found.cut + found.lag + fade) / spf);
  const warmUp = fresh.frameRange(Math.max(0, freshFrames - WARM_UP_FRAMES), freshFrames);
  const rest = fresh.frameRange(freshFrames, fresh.frames());
  if (warmUp === undefined || rest === undefined) return undefined;
  const places = { begin: oldFrames * spf, cut: found.cut, lag: found.lag, end: freshFrames * spf, fade };
  const samples = bridgeTakes(end.take, take, places);
  const whole = Math.min(warmUp.length, Math.round(samples.length / spf));
  return {
    bridge: {
      samples,
      sampleRate,
      heardHz: decoders.heardHz,
      frames: warmUp.slice(warmUp.length - whole),
      next: { tag: fresh.tag(), framesBefore: freshFrames, warmUp },
    },
    takenBack: old.frames() - oldFrames,
    rest,
  };
}

/** The end of a take that nothing follows: at the last pause if it is near and unheard, else faded out at the break. */
export function fadeTake(
  old: BodyReading,
  untaken: number,
  decoders: Mp3Decoders,
): Pick<Splice, 'bridge' | 'takenBack'> | undefined {
  const end = endOfTake(old, decoders);
  if (end === undefined) return undefined;
  const { take, sampleRate, samplesPerFrame: spf } = end;
  const fade = fadeSamples(sampleRate);
  const latest = old.frames() * spf - (untaken > 0 ? fade : 0);
  const earliest = Math.max(old.frames() - untaken, end.leadFrames) * spf;
  const cut =
    earliest > latest
      ? old.frames() * spf
      : (lastPause([{ take, lag: 0 }], { sampleRate, earliest, latest }, PAUSE_SEARCH_MS) ?? latest);
  const begin = Math.min(old.frames(), Math.floor(cut / spf)) * spf;
  return {
    bridge: {
      samples: bridgeToSilence(take, begin, cut, fade),
      sampleRate,
      heardHz: decoders.heardHz,
      frames: [],
      next: undefined,
    },
    takenBack: old.frames() - begin / spf,
  };
}
