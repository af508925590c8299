// What of one request has gone into the spool, whichever bodies it came from: its frames, its length as it is heard,
// and the print that the next body is held against.

import type { Mp3Decoders } from '../audio/mp3-decoder.ts';
import type { Mp3Header } from '../audio/mp3-header.ts';
import { streamSamples } from '../audio/mp3-to-pcm.ts';
import type { SpeechBridge } from '../audio/speech-bridge.ts';
import { AppError } from '../base/app-error.ts';
import { type BodyPrint, createBodyPrint } from './body-print.ts';
import { type BodyReading, createBodyReading } from './body-reading.ts';
import type { Mp3Spool } from './mp3-spool.ts';
import { FRESH_FRAMES, fadeTake, OLD_FRAMES, spliceTakes } from './splice-takes.ts';

export type RelayedSpeech = {
  /**
   * The next bytes of the body. Throws `upstream_bad_audio` when 8 KiB hold no frame at all, or when the audio is
   * longer than any speech of the text, and `upstream_broken` when what was audio no longer is.
   */
  push(chunk: Uint8Array): void;
  /** Another body has brought the same bytes so far, and `rest`. */
  goOn(print: BodyPrint, rest: Uint8Array): void;
  /**
   * Goes on with another take: in place of the old one while nothing of that has been taken from the spool and all of
   * the new one is kept, else where the two sound alike; `unlike` when there is no such place.
   */
  changeTake(fresh: BodyReading, print: BodyPrint): 'changed' | 'unlike';
  /** Nothing will come any more, and the speech is not over; `heardMs` may become less. */
  fadeOut(): void;
  /** The body has come to its end. Throws `upstream_bad_audio` when it held no frame. */
  finish(): void;
  /** The speech is over. */
  end(): void;
  /** Of the body that is read now, ms. */
  audioMs(): number;
  reading(): BodyReading;
  print(): BodyPrint;
  /** Length of what has come, ms of heard time. */
  heardMs(): number;
};

export type RelayedSpeechOptions = {
  readonly spool: Mp3Spool;
  readonly decoders: Mp3Decoders;
  /** True for MP3 that goes out as it is: the encoder's delay and padding are then part of what is heard. */
  readonly passesThrough: (sampleRate: number) => boolean;
  readonly longestMs: number;
};

const MOST_JUNK_BYTES = 8 * 1024;

const noAudio = () =>
  new AppError('upstream_bad_audio', 'The speech service answered with something that is not MP3 audio.');

/** Throws when what came last in a body is no audio. */
export function refuseJunk(reading: BodyReading): void {
  if (reading.strayBytes() <= MOST_JUNK_BYTES) return;
  if (reading.frames() === 0) throw noAudio();
  throw new AppError('upstream_broken', 'The audio of the speech service turned into something else.');
}

export function createRelayedSpeech(options: RelayedSpeechOptions): RelayedSpeech {
  const { spool, decoders, passesThrough, longestMs } = options;
  let print = createBodyPrint();
  let reading: BodyReading;
  /** Heard samples beyond those of the current take: what other takes gave or lacked before it was joined. */
  let shift = 0;

  const adopt = (next: BodyReading) => {
    reading = next;
    next.connect({
      onFrame: (frame) => spool.add({ kind: 'frame', frame }),
      onTag: (tag) => spool.add({ kind: 'tag', tag }),
      recentFrames: (count) => spool.recentFrames(count),
    });
  };
  spool.add({ kind: 'begin' });
  spool.keepRecent(OLD_FRAMES);
  adopt(createBodyReading(OLD_FRAMES));

  /** What is heard of so many first frames of the take, samples. */
  const heardSamples = ({ sampleRate, samplesPerFrame }: Mp3Header, frames: number) =>
    passesThrough(sampleRate)
      ? frames * samplesPerFrame
      : streamSamples(reading.tag(), frames, samplesPerFrame);
  const heardMs = () => {
    const header = reading.header();
    if (header === undefined) return 0;
    return (Math.max(0, heardSamples(header, reading.frames()) + shift) * 1000) / header.sampleRate;
  };
  const read = (bytes: Uint8Array) => {
    reading.push(bytes);
    refuseJunk(reading);
    if (heardMs() > longestMs)
      throw new AppError('upstream_bad_audio', 'The speech service sent more audio than the text can take.');
  };
  const untaken = () => Math.min(spool.lastFrames(), reading.frames());
  const cross = (bridge: SpeechBridge, takenBack: number) => {
    spool.takeBack(takenBack);
    spool.add({ kind: 'bridge', bridge });
  };
  /** Nothing of the old take has been taken, and all of the new one is at hand: then there is no join. */
  const replaceBy = (fresh: BodyReading): boolean => {
    const all = fresh.frameRange(0, fresh.frames());
    if (all === undefined || shift !== 0 || untaken() < reading.frames()) return false;
    spool.takeBack(reading.frames());
    spool.add({ kind: 'begin' }); // the old take's tag may be in the spool, or taken, and does not speak for the new one
    const tag = fresh.tag();
    if (tag !== undefined) spool.add({ kind: 'tag', tag });
    for (const frame of all) spool.add({ kind: 'frame', frame });
    return true;
  };

  return {
    push(chunk) {
      print.push(chunk);
      read(chunk);
    },
    goOn(samePrint, rest) {
      print = samePrint;
      read(rest);
    },
    changeTake(fresh, freshPrint) {
      if (!replaceBy(fresh)) {
        const splice = spliceTakes(reading, fresh, untaken(), decoders);
        if (splice === undefined) return 'unlike';
        const { bridge, takenBack, rest } = splice;
        const { samplesPerFrame, sampleRate } = fresh.header()!;
        const crossed = passesThrough(sampleRate)
          ? bridge.frames.length * samplesPerFrame
          : bridge.samples.length;
        const framesApart = reading.frames() - takenBack - bridge.next!.framesBefore;
        shift += framesApart * samplesPerFrame + crossed;
        cross(bridge, takenBack);
        for (const frame of rest) spool.add({ kind: 'frame', frame });
      }
      adopt(fresh);
      print = freshPrint;
      return 'changed';
    },
    fadeOut() {
      const header = reading.header();
      if (header === undefined || passesThrough(header.sampleRate)) return;
      const fade = fadeTake(reading, untaken(), decoders);
      if (fade === undefined) return;
      const { bridge, takenBack } = fade;
      const frames = reading.frames();
      shift +=
        heardSamples(header, frames - takenBack) - heardSamples(header, frames) + bridge.samples.length;
      cross(bridge, takenBack);
    },
    finish() {
      // A single frame is one only when it is known that nothing follows.
      if (reading.frames() === 0) reading.flush();
      if (reading.frames() === 0) throw noAudio();
    },
    end() {
      reading.flush();
      reading.forget();
      spool.keepRecent(0);
      spool.add({ kind: 'end' });
    },
    audioMs: () => reading.audioMs(),
    reading: () => reading,
    print: () => print,
    heardMs,
  };
}

/** A take to hold against what has been relayed; it keeps enough to be joined. */
export const createFreshReading = (): BodyReading => createBodyReading(FRESH_FRAMES);
