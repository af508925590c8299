// Joins two synthesis runs of the same speech where the first one broke off: decodes both around the break, finds where they
// agree, and makes the crossfade between them. Frames that have not been taken from the spool may be given up for a better
// place. Decodes a few seconds at once (some ms of work); only an upstream that does not honour its seed costs that.

import { type FrameHeader, isMp3Frame, type SoundFrame } from '../../audio/bodies/sound-frame.ts';
import { SampleDecoder } from '../../audio/bodies/sound-to-pcm.ts';
import { type Crossfade, crossfade, type Excerpt, fadeOut, fadeSamples } from '../../audio/dsp/crossfade.ts';
import { alignRuns, lastPause } from '../../audio/dsp/speech-alignment.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import type { Mp3Frame } from '../../audio/mp3/mp3-frame-parser.ts';
import { silentMp3Frame } from '../../audio/mp3/mp3-hole.ts';
import type { BodyReading } from './body-reading.ts';

export type Splice = {
  readonly crossfade: Crossfade;
  /** The last frames of the old run that are not to be heard. */
  readonly takenBack: number;
  /** Frames of the fresh run that have come and follow the crossfade. */
  readonly rest: readonly SoundFrame[];
};

/** Kept of the run that broke: at least 1.5 s of context, and frames for the decoder to warm up on. */
export const OLD_FRAMES = 72;
/** Kept of the fresh run: the same, and 200 ms and more to either side. */
export const FRESH_FRAMES = 128;
const WARM_UP_FRAMES = 10;
const REACH_MS = 200;
/** Usual delay of encoder and decoder where no tag gives it: no speech yet. */
const USUAL_LEAD = 576 + 529;
/** How far before its last sound a speech may be cut, so that it does not end in half a word. */
const PAUSE_SEARCH_MS = 300;

/** How many frames beyond the break the fresh run must have before `spliceRuns` can search. */
export function framesBeyond(old: BodyReading): number {
  const header = old.header();
  if (header === undefined) return 1;
  return Math.ceil(((REACH_MS / 1000) * header.sampleRate) / header.samplesPerFrame) + 3;
}

/** A silent frame of MP3: the decoder outputs the tail of the frame before it. */
const emptyFrames = (last: SoundFrame): SoundFrame[] =>
  isMp3Frame(last) ? [{ bytes: silentMp3Frame(last.bytes), header: { ...last.header, hasCrc: false } }] : [];

/** Other sound has no tail: it goes back on itself for as long as a fade, which no one hears as an edge. */
function withTail({ samples, from }: Excerpt, fade: number): Excerpt {
  const longer = new Float32Array(samples.length + fade);
  longer.set(samples);
  longer.set(samples.subarray(Math.max(0, samples.length - fade)).toReversed(), samples.length);
  return { samples: longer, from };
}

/** Fewer tell too little of a sound. */
const leastFrames = (header: FrameHeader): number => Math.max(MIN_FRAMES, warmUpFrames(header));
const MIN_FRAMES = 5;

/** Frames whose decoded sound is unreliable where the ones before them are missing. */
const warmUpFrames = ({ code }: FrameHeader): number =>
  code === undefined || code === 'opus' ? WARM_UP_FRAMES : 0;

/** `first`: how many frames of the body precede these; if any do, the first few decoded frames are unreliable and left out. */
export function decodeFrames(decoders: Mp3Decoders, frames: readonly SoundFrame[], first: number): Excerpt {
  return frames[0]!.header.code === undefined
    ? decodeMp3(decoders, frames.filter(isMp3Frame), first)
    : decodeSamples(frames, first);
}

function decodeMp3(decoders: Mp3Decoders, frames: readonly Mp3Frame[], first: number): Excerpt {
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

/** The last frame may be short. */
function decodeSamples(frames: readonly SoundFrame[], first: number): Excerpt {
  const [{ header: firstHeader }] = frames as readonly [SoundFrame];
  const spf = firstHeader.samplesPerFrame;
  const samples = new Float32Array(frames.length * spf);
  const decoder = new SampleDecoder();
  let filled = 0;
  try {
    for (const { bytes, header } of frames) {
      if (header.code === undefined) continue;
      const block = decoder.decode(bytes, header);
      samples.set(block.subarray(0, samples.length - filled), filled);
      filled += block.length;
    }
  } finally {
    decoder.close();
  }
  const unsure = first === 0 ? 0 : Math.min(filled, warmUpFrames(firstHeader) * spf);
  return { samples: samples.subarray(unsure, filled), from: first * spf + unsure };
}

/** Positions count from the first frame after the tag; with several tags only the last stream could be counted. */
const isOneStream = (reading: BodyReading): boolean => reading.framesSinceTag() === reading.frames();

const areAlike = (frames: readonly SoundFrame[]): boolean =>
  frames.every(
    ({ header }) =>
      header.sampleRate === frames[0]!.header.sampleRate &&
      header.samplesPerFrame === frames[0]!.header.samplesPerFrame &&
      header.code === frames[0]!.header.code,
  );

/** Samples of a decoded stream that are no speech yet. */
function leadOf(run: BodyReading): number {
  const encoderDelay = run.tag()?.encoderDelay;
  return encoderDelay === undefined ? USUAL_LEAD : encoderDelay + 529;
}

/** The run up to frame `until`, with the tail after its last frame; undefined when too little is kept. */
function endOfRun(old: BodyReading, decoders: Mp3Decoders, untaken: number, until = old.frames()) {
  const first = Math.max(0, until - OLD_FRAMES, old.frames() - Math.max(untaken, OLD_FRAMES));
  const frames = old.frameRange(first, until);
  const last = frames?.at(-1);
  if (frames === undefined || last === undefined || !isOneStream(old) || !areAlike(frames)) return undefined;
  const { sampleRate, samplesPerFrame, code } = last.header;
  const lead = code === undefined ? leadOf(old) / samplesPerFrame : 0;
  if (frames.length <= leastFrames(last.header) || until < lead) return undefined;
  const decoded = decodeFrames(decoders, [...frames, ...emptyFrames(last)], first);
  const run = code === undefined ? decoded : withTail(decoded, fadeSamples(sampleRate));
  return { run, frames, sampleRate, samplesPerFrame, leadFrames: Math.ceil(lead) };
}

/** `untaken`: how many of the old run's last frames can still be given up. Undefined: the two cannot be joined. */
export function spliceRuns(
  old: BodyReading,
  fresh: BodyReading,
  untaken: number,
  decoders: Mp3Decoders,
): Splice | undefined {
  const end = endOfRun(old, decoders, untaken);
  if (end === undefined || !isOneStream(fresh)) return undefined;
  const { sampleRate, samplesPerFrame: spf } = end;
  const first = Math.max(0, fresh.frames() - FRESH_FRAMES);
  const frames = fresh.frameRange(first, fresh.frames());
  if (frames === undefined || frames.length <= leastFrames(end.frames[0]!.header)) return undefined;
  if (!areAlike([...end.frames, ...frames])) return undefined;
  const run = decodeFrames(decoders, frames, first);

  const fade = fadeSamples(sampleRate);
  const reach = (REACH_MS / 1000) * sampleRate;
  const earliest = Math.max(old.frames() - untaken, end.leadFrames) * spf;
  // The fade-out lies in the last frames while they can be given up, else in the tail that the decoder outputs after them.
  const broke = old.frames() * spf - (untaken > 0 ? fade : 0);
  const latest = Math.min(broke, Math.floor(fresh.frames() * spf - reach - fade));
  if (latest < earliest) return undefined;
  const found = alignRuns(end.run, run, { sampleRate, earliest, latest });
  if (found === undefined) return undefined;

  const oldFrames = Math.min(old.frames(), Math.floor(found.cut / spf));
  const freshFrames = Math.ceil((found.cut + found.lag + fade) / spf);
  const warmUp = fresh.frameRange(Math.max(0, freshFrames - WARM_UP_FRAMES), freshFrames);
  const rest = fresh.frameRange(freshFrames, fresh.frames());
  if (warmUp === undefined || rest === undefined) return undefined;
  const positions = { begin: oldFrames * spf, cut: found.cut, lag: found.lag, end: freshFrames * spf, fade };
  const samples = crossfade(end.run, run, positions);
  const whole = Math.min(warmUp.length, Math.round(samples.length / spf));
  return {
    crossfade: {
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

/**
 * The end of a run that nothing of its own follows: cut at the last pause if it is near and unheard, else faded out at the break, or
 * behind frame `until`. `searchMs`: how near a pause must be.
 */
export function fadeRun(
  old: BodyReading,
  untaken: number,
  decoders: Mp3Decoders,
  until = old.frames(),
  searchMs = PAUSE_SEARCH_MS,
): Pick<Splice, 'crossfade' | 'takenBack'> | undefined {
  const end = endOfRun(old, decoders, untaken, until);
  if (end === undefined) return undefined;
  const { run, sampleRate, samplesPerFrame: spf } = end;
  const fade = fadeSamples(sampleRate);
  const latest = until * spf - (untaken > old.frames() - until ? fade : 0);
  const earliest = Math.max(old.frames() - untaken, end.leadFrames) * spf;
  const cut =
    earliest > latest
      ? until * spf
      : (lastPause([{ run, lag: 0 }], { sampleRate, earliest, latest }, searchMs) ?? latest);
  const begin = Math.min(until, Math.floor(cut / spf)) * spf;
  return {
    crossfade: {
      samples: fadeOut(run, begin, cut, fade),
      sampleRate,
      heardHz: decoders.heardHz,
      frames: [],
      next: undefined,
    },
    takenBack: old.frames() - begin / spf,
  };
}
