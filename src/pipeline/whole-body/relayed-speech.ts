// What of one request has gone into the spool, whichever bodies it came from: its frames, its length as it is heard,
// and the print that the next body is held against.

import type { SpeechBridge } from '../../audio/dsp/speech-bridge.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import type { Mp3Frame } from '../../audio/mp3/mp3-frame-parser.ts';
import type { Mp3Header } from '../../audio/mp3/mp3-header.ts';
import type { Mp3StreamTag } from '../../audio/mp3/mp3-stream-tag.ts';
import { streamSamples } from '../../audio/mp3/mp3-to-pcm.ts';
import { AppError } from '../../base/app-error.ts';
import type { Mp3Spool } from '../mp3-spool.ts';
import { type BodyPrint, createBodyPrint } from './body-print.ts';
import { type BodyReading, createBodyReading, type FrameKeeper } from './body-reading.ts';
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

/** One object for each request: what it keeps is the current take's, and takes change. */
class SpooledSpeech implements RelayedSpeech, FrameKeeper {
  private readonly options: RelayedSpeechOptions;
  private currentPrint = createBodyPrint();
  private current = createBodyReading(OLD_FRAMES);
  /** Heard samples beyond those of the current take: what other takes gave or lacked before it was joined. */
  private shift = 0;

  constructor(options: RelayedSpeechOptions) {
    this.options = options;
    options.spool.add({ kind: 'begin' });
    options.spool.keepRecent(OLD_FRAMES);
    this.current.connect(this);
  }

  onFrame(frame: Mp3Frame): void {
    this.options.spool.add({ kind: 'frame', frame });
  }
  onTag(tag: Mp3StreamTag): void {
    this.options.spool.add({ kind: 'tag', tag });
  }
  recentFrames(count: number): Mp3Frame[] | undefined {
    return this.options.spool.recentFrames(count);
  }

  push(chunk: Uint8Array): void {
    this.currentPrint.push(chunk);
    this.read(chunk);
  }
  goOn(samePrint: BodyPrint, rest: Uint8Array): void {
    this.currentPrint = samePrint;
    this.read(rest);
  }
  changeTake(fresh: BodyReading, freshPrint: BodyPrint): 'changed' | 'unlike' {
    if (!this.replaceBy(fresh)) {
      const splice = spliceTakes(this.current, fresh, this.untaken(), this.options.decoders);
      if (splice === undefined) return 'unlike';
      const { bridge, takenBack, rest } = splice;
      const { samplesPerFrame, sampleRate } = fresh.header()!;
      const crossed = this.options.passesThrough(sampleRate)
        ? bridge.frames.length * samplesPerFrame
        : bridge.samples.length;
      const framesApart = this.current.frames() - takenBack - bridge.next!.framesBefore;
      this.shift += framesApart * samplesPerFrame + crossed;
      this.cross(bridge, takenBack);
      for (const frame of rest) this.onFrame(frame);
    }
    this.current = fresh;
    this.current.connect(this);
    this.currentPrint = freshPrint;
    return 'changed';
  }
  fadeOut(): void {
    const header = this.current.header();
    if (header === undefined || this.options.passesThrough(header.sampleRate)) return;
    const fade = fadeTake(this.current, this.untaken(), this.options.decoders);
    if (fade === undefined) return;
    const { bridge, takenBack } = fade;
    const frames = this.current.frames();
    const faded = this.heardSamples(header, frames - takenBack) - this.heardSamples(header, frames);
    this.shift += faded + bridge.samples.length;
    this.cross(bridge, takenBack);
  }
  finish(): void {
    this.current.settle();
    if (this.current.frames() === 0) this.current.flush();
    if (this.current.frames() === 0) throw noAudio();
  }
  end(): void {
    const { spool } = this.options;
    this.current.flush();
    this.current.forget();
    spool.keepRecent(0);
    spool.add({ kind: 'end' });
  }
  audioMs(): number {
    return this.current.audioMs();
  }
  reading(): BodyReading {
    return this.current;
  }
  print(): BodyPrint {
    return this.currentPrint;
  }
  heardMs(): number {
    const header = this.current.header();
    if (header === undefined) return 0;
    const samples = this.heardSamples(header, this.current.frames()) + this.shift;
    return this.earlierMs(header) + (Math.max(0, samples) * 1000) / header.sampleRate;
  }

  /** What is heard of so many first frames of the take, samples; of a body of joined files without the earlier ones. */
  private heardSamples({ sampleRate, samplesPerFrame }: Mp3Header, frames: number): number {
    if (this.options.passesThrough(sampleRate)) return frames * samplesPerFrame;
    const inFile = frames - (this.current.frames() - this.current.framesSinceTag());
    return streamSamples(this.current.tag(), inFile, samplesPerFrame);
  }
  private earlierMs({ sampleRate }: Mp3Header): number {
    return this.options.passesThrough(sampleRate) ? 0 : this.current.msBeforeTag();
  }
  private read(bytes: Uint8Array): void {
    this.current.push(bytes);
    refuseJunk(this.current);
    if (this.heardMs() > this.options.longestMs)
      throw new AppError('upstream_bad_audio', 'The speech service sent more audio than the text can take.');
  }
  private untaken(): number {
    return Math.min(this.options.spool.lastFrames(), this.current.frames());
  }
  private cross(bridge: SpeechBridge, takenBack: number): void {
    this.options.spool.takeBack(takenBack);
    this.options.spool.add({ kind: 'bridge', bridge });
  }
  /** Nothing of the old take has been taken, and all of the new one is at hand: then there is no join. */
  private replaceBy(fresh: BodyReading): boolean {
    const { spool } = this.options;
    const all = fresh.frameRange(0, fresh.frames());
    if (all === undefined || this.shift !== 0 || this.untaken() < this.current.frames()) return false;
    spool.takeBack(this.current.frames());
    spool.add({ kind: 'begin' }); // the old take's tag may be in the spool, or taken, and does not speak for the new one
    const tag = fresh.tag();
    if (tag !== undefined) this.onTag(tag);
    for (const frame of all) this.onFrame(frame);
    return true;
  }
}

export const createRelayedSpeech = (options: RelayedSpeechOptions): RelayedSpeech =>
  new SpooledSpeech(options);

/** A take to hold against what has been relayed; it keeps enough to be joined. */
export const createFreshReading = (): BodyReading => createBodyReading(FRESH_FRAMES);
