// What of one request has gone into the spool, from whichever bodies: its frames, its length as it is heard, and the
// fingerprint that the next body is compared with.

import type { BodyType } from '../../audio/bodies/body-type.ts';
import type { FrameHeader, SoundFrame } from '../../audio/bodies/sound-frame.ts';
import type { Crossfade } from '../../audio/dsp/crossfade.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import type { Mp3StreamTag } from '../../audio/mp3/mp3-stream-tag.ts';
import { streamSamples } from '../../audio/mp3/mp3-to-pcm.ts';
import { AppError } from '../../base/app-error.ts';
import type { RequestSpool } from '../body-spool.ts';
import { type BodyFingerprint, createBodyFingerprint } from './body-fingerprint.ts';
import { BodyReading, type FrameKeeper } from './body-reading.ts';
import { fadeRun, OLD_FRAMES, spliceRuns } from './splice-runs.ts';

export type RelayedSpeechOptions = {
  readonly spool: RequestSpool;
  readonly decoders: Mp3Decoders;
  /** True for MP3 that goes out as it is: the encoder's delay and padding are then part of what is heard. */
  readonly passesThrough: (sampleRate: number) => boolean;
  readonly longestMs: number;
};

const MAX_JUNK_BYTES = 8 * 1024;

const noAudio = () =>
  new AppError('upstream_bad_audio', 'The speech service answered with something that is no audio.');

/** Throws when the last bytes of a body are no audio. */
export function refuseJunk(reading: BodyReading): void {
  if (reading.strayBytes() <= MAX_JUNK_BYTES) return;
  if (reading.frames() === 0) throw noAudio();
  throw new AppError('upstream_broken', 'The audio of the speech service turned into something else.');
}

/** One object for each request; it keeps the state of the current synthesis run, which may change. */
export class RelayedSpeech implements FrameKeeper {
  private readonly options: RelayedSpeechOptions;
  private currentFingerprint = createBodyFingerprint();
  private current = new BodyReading(OLD_FRAMES);
  /** Heard samples beyond those of the current run: more or fewer from earlier runs before it was joined. */
  private shift = 0;

  constructor(options: RelayedSpeechOptions) {
    this.options = options;
    options.spool.add({ kind: 'begin' });
    options.spool.keepRecent(OLD_FRAMES);
    this.current.connect(this);
  }

  onFrame(frame: SoundFrame): void {
    this.options.spool.add({ kind: 'frame', frame });
  }
  onTag(tag: Mp3StreamTag): void {
    this.options.spool.add({ kind: 'tag', tag });
  }
  recentFrames(count: number): SoundFrame[] | undefined {
    return this.options.spool.recentFrames(count);
  }

  begin(type: BodyType): void {
    this.current.begin(type);
  }
  /**
   * The next bytes of the body. Throws `upstream_bad_audio` when 8 KiB hold no frame at all, or when the audio is
   * longer than any speech of the text, and `upstream_broken` when what was audio no longer is.
   */
  push(chunk: Uint8Array): void {
    this.currentFingerprint.push(chunk);
    this.read(chunk);
  }
  /** Another body has brought the same bytes so far, and `rest`. */
  goOn(sameFingerprint: BodyFingerprint, rest: Uint8Array): void {
    this.currentFingerprint = sameFingerprint;
    this.read(rest);
  }
  /**
   * Goes on with another synthesis run: it replaces the old one while nothing of that has been taken from the spool and all of
   * the new one is kept; else it is joined where the two sound alike. `unlike`: there is no such place.
   */
  changeRun(fresh: BodyReading, freshFingerprint: BodyFingerprint): 'changed' | 'unlike' {
    if (!this.replaceBy(fresh)) {
      const splice = spliceRuns(this.current, fresh, this.untaken(), this.options.decoders);
      if (splice === undefined) return 'unlike';
      const { crossfade, takenBack, rest } = splice;
      const { samplesPerFrame } = fresh.header()!;
      const crossed = this.passes(fresh.header()!)
        ? crossfade.frames.length * samplesPerFrame
        : crossfade.samples.length;
      const framesApart = this.current.frames() - takenBack - crossfade.next!.framesBefore;
      this.shift += framesApart * samplesPerFrame + crossed;
      this.cross(crossfade, takenBack);
      for (const frame of rest) this.onFrame(frame);
    }
    this.current = fresh;
    this.current.connect(this);
    this.currentFingerprint = freshFingerprint;
    return 'changed';
  }
  /** The rest will not come: fades out, where told at `keptMs` or in a pause before it; `heardMs` may become less. */
  fadeOut({
    keptMs = Number.POSITIVE_INFINITY,
    searchMs,
  }: {
    keptMs?: number;
    searchMs?: number;
  } = {}): void {
    const header = this.current.header();
    if (header === undefined) return;
    const frames = this.current.frames();
    let until = frames;
    while (until > frames - this.untaken() && this.heardMs(until - 1) >= keptMs) until -= 1;
    const fade = this.passes(header)
      ? undefined
      : fadeRun(this.current, this.untaken(), this.options.decoders, until, searchMs);
    const takenBack = fade?.takenBack ?? frames - until;
    const faded = this.heardSamples(header, frames - takenBack) - this.heardSamples(header, frames);
    this.shift += faded + (fade?.crossfade.samples.length ?? 0);
    if (fade === undefined) this.options.spool.takeBack(takenBack);
    else this.cross(fade.crossfade, takenBack);
  }
  /** Of what is heard, what can still be taken back, ms. */
  untakenMs(): number {
    return this.heardMs() - this.heardMs(this.current.frames() - this.untaken());
  }
  /** The body has ended. Throws `upstream_bad_audio` when it held no frame. */
  finish(): void {
    this.current.settle();
    if (this.current.frames() === 0) this.current.flush();
    if (this.current.frames() === 0) throw noAudio();
  }
  /** The speech is over; `cut`: nothing of the body is heard any more. */
  end(how: 'whole' | 'cut' = 'whole'): void {
    const { spool } = this.options;
    if (how === 'whole') this.current.flush();
    this.current.forget();
    spool.keepRecent(0);
    spool.add({ kind: 'end' });
  }
  /** Audio of the current body, ms. */
  audioMs(): number {
    return this.current.audioMs();
  }
  reading(): BodyReading {
    return this.current;
  }
  fingerprint(): BodyFingerprint {
    return this.currentFingerprint;
  }
  /** Length of what has come, as it is heard, ms; of the run only its first `frames` frames. */
  heardMs(frames = this.current.frames()): number {
    const header = this.current.header();
    if (header === undefined) return 0;
    const samples = this.heardSamples(header, frames) + this.shift;
    return this.earlierMs(header) + (Math.max(0, samples) * 1000) / header.sampleRate;
  }

  /** What is heard of the first `frames` frames of the run, samples; without the earlier files of a joined body. */
  private heardSamples(header: FrameHeader, frames: number): number {
    const { samplesPerFrame, code } = header;
    if (code !== undefined) return this.current.samplesOfFirst(frames);
    if (this.passes(header)) return frames * samplesPerFrame;
    const inFile = frames - (this.current.frames() - this.current.framesSinceTag());
    return streamSamples(this.current.tag(), inFile, samplesPerFrame);
  }
  private earlierMs(header: FrameHeader): number {
    return this.passes(header) ? 0 : this.current.msBeforeTag();
  }
  /** It is MP3, and goes out as it is. */
  private passes({ code, sampleRate }: FrameHeader): boolean {
    return code === undefined && this.options.passesThrough(sampleRate);
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
  private cross(crossfade: Crossfade, takenBack: number): void {
    this.options.spool.takeBack(takenBack);
    this.options.spool.add({ kind: 'bridge', bridge: crossfade });
  }
  /** Nothing of the old run has been taken from the spool, and all of the new one is kept: then no join is needed. */
  private replaceBy(fresh: BodyReading): boolean {
    const { spool } = this.options;
    const all = fresh.frameRange(0, fresh.frames());
    if (all === undefined || this.shift !== 0 || this.untaken() < this.current.frames()) return false;
    spool.takeBack(this.current.frames());
    spool.add({ kind: 'begin' }); // the old run's tag may have been taken already and does not describe the new one
    const tag = fresh.tag();
    if (tag !== undefined) this.onTag(tag);
    for (const frame of all) this.onFrame(frame);
    return true;
  }
}
