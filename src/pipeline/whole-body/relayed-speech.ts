// What of one request has gone into the spool, from whichever bodies: its frames, its length as it is heard, and the
// fingerprint that the next body is compared with (`RelayedSpeech`); and the reading of one body (`BodyReading`).

import type { BodyParser, SoundSink } from '../../audio/bodies/body-parser.ts';
import { openBodyParser } from '../../audio/bodies/body-parsers.ts';
import { type BodyType, MP3_BODY } from '../../audio/bodies/body-type.ts';
import { type FrameHeader, type SoundFrame, samplesOf } from '../../audio/bodies/sound-frame.ts';
import type { Crossfade } from '../../audio/dsp/crossfade.ts';
import { addSoundFrame, createSoundFrameStore } from '../../audio/frame-store.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import type { Mp3StreamTag } from '../../audio/mp3/mp3-stream-tag.ts';
import { streamSamples } from '../../audio/mp3/mp3-to-pcm.ts';
import { AppError } from '../../base/app-error.ts';
import type { RequestSpool } from '../mp3-spool.ts';
import { type BodyFingerprint, createBodyFingerprint } from './body-fingerprint.ts';
import { FRESH_FRAMES, fadeRun, OLD_FRAMES, spliceRuns } from './splice-runs.ts';

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
  /** The rest of the speech will not come: fades out; `heardMs` may become less. */
  fadeOut(): void {
    const header = this.current.header();
    if (header === undefined || this.passes(header)) return;
    const fade = fadeRun(this.current, this.untaken(), this.options.decoders);
    if (fade === undefined) return;
    const { crossfade, takenBack } = fade;
    const frames = this.current.frames();
    const faded = this.heardSamples(header, frames - takenBack) - this.heardSamples(header, frames);
    this.shift += faded + crossfade.samples.length;
    this.cross(crossfade, takenBack);
  }
  /** The body has ended. Throws `upstream_bad_audio` when it held no frame. */
  finish(): void {
    this.current.settle();
    if (this.current.frames() === 0) this.current.flush();
    if (this.current.frames() === 0) throw noAudio();
  }
  /** The speech is over. */
  end(): void {
    const { spool } = this.options;
    this.current.flush();
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
  /** Length of what has come, as it is heard, ms. */
  heardMs(): number {
    const header = this.current.header();
    if (header === undefined) return 0;
    const samples = this.heardSamples(header, this.current.frames()) + this.shift;
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

/** Reads a run that is compared with what was relayed; keeps enough frames to be joined. */
export const createFreshReading = (): BodyReading => new BodyReading(FRESH_FRAMES);

export type FrameKeeper = SoundSink & {
  /** Copies of the last `count` frames; undefined when some of them are no longer kept. */
  recentFrames(count: number): SoundFrame[] | undefined;
};

/**
 * Parses one body's bytes into frames, counts them and keeps the last seconds of them: where a body breaks, they show how
 * it sounded there. Frames that come before `connect` are kept here; later ones are handed on, and their receiver keeps them.
 * One object for each body; it is the sink of its own parser.
 */
export class BodyReading implements SoundSink {
  private readonly keptFrames: number;
  private readonly kept = createSoundFrameStore();
  private parser: BodyParser | undefined;
  private keeper: FrameKeeper | undefined;
  private count = 0;
  /** Frames that came before `connect` and were kept here. */
  private own = 0;
  private lastTag: Mp3StreamTag | undefined;
  private framesBeforeTag = 0;
  private earlierMs = 0;
  private bytesSinceTag = 0;
  private junkBefore = 0;
  private sampleCount = 0;
  private lastHeader: FrameHeader | undefined;

  /** `keptFrames`: how many of the last frames are kept. */
  constructor(keptFrames: number) {
    this.keptFrames = keptFrames;
  }

  onFrame(frame: SoundFrame): void {
    this.count += 1;
    this.sampleCount += samplesOf(frame.header);
    this.bytesSinceTag += frame.bytes.length;
    this.junkBefore = this.parserNow().junkBytes();
    this.lastHeader = frame.header;
    if (this.keeper === undefined) {
      this.own += 1;
      addSoundFrame(this.kept, frame);
      if (this.kept.frames() > this.keptFrames) this.kept.dropFirst();
    } else {
      this.keeper.onFrame(frame);
      if (this.count - this.own === this.keptFrames) this.kept.clear();
    }
  }
  onTag(found: Mp3StreamTag): void {
    this.earlierMs += this.msOf(this.lastHeader, this.framesSinceTag());
    this.lastTag = found;
    this.framesBeforeTag = this.count;
    this.bytesSinceTag = 0;
    this.junkBefore = this.parserNow().junkBytes();
    this.keeper?.onTag(found);
  }

  /** What the body is, before its first byte; a body of which nothing is said is MP3. */
  begin(type: BodyType): void {
    this.parser ??= openBodyParser(type, this);
  }
  /** Throws what the parser of such a body throws. */
  push(chunk: Uint8Array): void {
    this.parserNow().push(chunk);
  }
  /** The body has ended, and another may bring the rest: whole frames are counted, an unfinished one is held. */
  settle(): void {
    this.parserNow().settle();
  }
  /** No more bytes will come: what is held is parsed as the end. */
  flush(): void {
    this.parserNow().flush();
  }
  connect(to: FrameKeeper): void {
    this.keeper = to;
  }
  frames(): number {
    return this.count;
  }
  /** Their length, ms. */
  audioMs(): number {
    const header = this.lastHeader;
    return header === undefined ? 0 : (this.sampleCount * 1000) / header.sampleRate;
  }
  /** What is heard of the first `frames` frames of a body that is no MP3, samples; all but the last one are whole. */
  samplesOfFirst(frames: number): number {
    if (this.lastHeader === undefined || frames >= this.count) return this.sampleCount;
    const untaken = (this.count - frames - 1) * this.lastHeader.samplesPerFrame + samplesOf(this.lastHeader);
    return Math.max(0, this.sampleCount - untaken);
  }
  /** Of the last frame. */
  header(): FrameHeader | undefined {
    return this.lastHeader;
  }
  /** The last tag, the frames behind it, and how long the streams before it are, ms, as they are heard decoded. */
  tag(): Mp3StreamTag | undefined {
    return this.lastTag;
  }
  framesSinceTag(): number {
    return this.count - this.framesBeforeTag;
  }
  msBeforeTag(): number {
    return this.earlierMs;
  }
  /**
   * Audio that the last tag, or a header, announces and that has not come, ms. One frame is not missed, because many encoders count the
   * tag's own; none is missed when as many bytes have come as the tag says.
   */
  missingMs(): number {
    const { lastTag, lastHeader } = this;
    const missingSamples = this.parserNow().missingSamples();
    if (lastHeader !== undefined && missingSamples > 0)
      return (missingSamples * 1000) / lastHeader.sampleRate;
    const missing = (lastTag?.totalFrames ?? 0) - this.framesSinceTag();
    if (lastHeader === undefined || missing <= 1 || this.hasToldBytes()) return 0;
    return (missing * lastHeader.samplesPerFrame * 1000) / lastHeader.sampleRate;
  }
  /** Bytes of an unfinished frame; `strayBytes`: bytes since the last frame that are neither frame nor tag. */
  cutFrameBytes(): number {
    return this.parserNow().cutFrameBytes();
  }
  strayBytes(): number {
    const parser = this.parserNow();
    return parser.junkBytes() - this.junkBefore + parser.heldBytes();
  }
  /** Frames `from` to `until`; undefined when one of them is no longer kept. */
  frameRange(from: number, until: number): SoundFrame[] | undefined {
    const first = this.own - this.kept.frames();
    if (from < first || until > this.count) return undefined;
    const early = this.kept.range(from - first, Math.min(until, this.own) - first);
    if (until <= this.own) return early;
    const lateFrom = Math.max(from, this.own);
    const late = this.keeper?.recentFrames(this.count - lateFrom);
    return late && [...early, ...late.slice(0, until - lateFrom)];
  }
  /** What may be the end of it and is in no whole frame. */
  heldFrame(): SoundFrame | undefined {
    return this.parserNow().heldFrame?.();
  }
  /** Drops the kept frames. */
  forget(): void {
    this.kept.clear();
  }

  private parserNow(): BodyParser {
    this.parser ??= openBodyParser(MP3_BODY, this);
    return this.parser;
  }
  private msOf(header: FrameHeader | undefined, frames: number): number {
    if (header === undefined) return 0;
    return (streamSamples(this.lastTag, frames, header.samplesPerFrame) * 1000) / header.sampleRate;
  }
  private hasToldBytes(): boolean {
    const totalBytes = this.lastTag?.totalBytes;
    return totalBytes !== undefined && totalBytes <= this.bytesSinceTag;
  }
}
