// What one service sends for a request, held back until there is speech in it: silence, a tone or noise of a service that fails never reaches the
// listener, and of several services that are asked for the same words the first that speaks is heard. Where another one could go on, it listens
// further, for a service that stops speaking and goes on sending. It measures how loud the speech is, which is joined when that is known.

import { SoundToPcm } from '../audio/bodies/sound-to-pcm.ts';
import { ActiveLevelMeter, type LevelTally } from '../audio/dsp/active-level.ts';
import { createSpeechJudge, type SpeechJudge } from '../audio/dsp/speech-judge.ts';
import type { Mp3Decoders } from '../audio/mp3/mp3-decoder.ts';
import { AppError } from '../base/app-error.ts';
import { BodySpool, itemMs, type RequestSpool, type SpoolItem } from './body-spool.ts';
import type { LevelMatch } from './turn-level.ts';

/** No speech begins later in its own sound; a service that sends faster than it is heard is found out at once. */
const MAX_SILENT_MS = 5_000;
/** A voice rests for no longer than 3 s, which is the longest pause that services take. */
const MAX_LOST_MS = 4_000;
const HELD_BYTES = 512 * 1024;
/** Sound that may be held for its level where nothing else is in hand. */
const HURRIED_MS = 400;

const noSpeech = () =>
  new AppError('upstream_bad_audio', 'The speech service sent sound in which there is no speech.');

export type SpeechGateOptions = {
  readonly decoders: Mp3Decoders;
  /** `any-sound`: of a text without letters nobody knows how it is said. */
  readonly opensAt: 'speech' | 'any-sound';
  /** Another service could go on with the speech. */
  readonly mayLose: () => boolean;
  /** There is speech; called while the gate is shut, and may open it. */
  readonly onSpeech: () => void;
};

const goesOnWithout = () =>
  new AppError('upstream_bad_audio', 'The speech service has stopped speaking and goes on sending sound.');

/** Where the sound goes when the gate is open. */
export type GateOpening = {
  readonly target: RequestSpool;
  /** Behind the item that begins it. */
  readonly onBegun: () => void;
  /** Whether speech must go on. */
  readonly then: 'follow' | 'leave';
  /** What brings it to the level of its turn; undefined: it stays as loud as it is. */
  readonly match: LevelMatch | undefined;
};

/** Throws `upstream_bad_audio` from `add` when no speech comes, or no more. */
export class SpeechGate implements RequestSpool {
  private readonly options: SpeechGateOptions;
  private readonly held = new BodySpool({ capacityBytes: () => HELD_BYTES });
  private target: RequestSpool | undefined;
  /** Speech of a voice that is new is held until it is known how loud that is. */
  private opening: GateOpening | undefined;
  private match: LevelMatch | undefined;
  private readonly meter = new ActiveLevelMeter();
  /** As far as there was speech. */
  private spoken: { readonly untilMs: number; readonly tally: LevelTally } | undefined;
  private readonly judge: SpeechJudge = createSpeechJudge();
  private readonly pcm: SoundToPcm;
  private state: 'listening' | 'heard' | 'following' | 'measuring' | 'lost' | 'closed' = 'listening';
  private kept = 0;
  private soundMs = 0;
  private longestMs = Number.POSITIVE_INFINITY;

  constructor(options: SpeechGateOptions) {
    this.options = options;
    this.pcm = new SoundToPcm(options.decoders, ({ samples, sampleRate }) => {
      this.meter.push(samples, sampleRate);
      if (this.state === 'measuring') return;
      if (this.judge.push(samples, sampleRate) && this.state === 'listening') this.state = 'heard';
      const untilMs = this.judge.spokenMs();
      if (this.state === 'following' && untilMs !== this.spoken?.untilMs)
        this.spoken = { untilMs, tally: this.meter.tally.copy() };
    });
  }

  /** What was held goes into the target, and so does all that follows; where the level has to be measured, when that is known. */
  open(opening: GateOpening): void {
    this.opening = opening;
    this.match = opening.match;
    this.match?.measured(this.meter.tally);
    if (this.match === undefined || this.match.gainDb() !== undefined) this.release();
  }
  /** It has been opened, and holds its speech until the level of that is known. */
  isHolding(): boolean {
    return this.opening !== undefined;
  }
  /** The level may be known by less: there is nothing else to be heard. */
  hurry(): void {
    this.longestMs = HURRIED_MS;
    this.match?.hurry();
    if (this.soundMs > 0) this.releaseWhenKnown();
  }
  /** All that came goes on as it is known by now. */
  release(): void {
    if (this.opening === undefined) return;
    const { target, onBegun, then } = this.opening;
    this.opening = undefined;
    if (then === 'follow' && this.state === 'heard' && this.judge.spokenMs() > 0) this.state = 'following';
    else if (this.match?.isMeasuring() === true && this.state !== 'closed') this.state = 'measuring';
    else this.close();
    this.target = target;
    target.keepRecent(this.kept);
    for (let item = this.held.take(); item !== undefined; item = this.held.take()) {
      if (item.kind === 'flush') continue; // no request has one
      this.pass(target, item);
      if (item.kind === 'begin') onBegun();
    }
  }
  /** How loud the speech is, as far as it was heard; undefined: none was. */
  level(): LevelTally | undefined {
    const tally = this.state === 'lost' ? this.spoken?.tally : this.meter.tally;
    return tally?.active() === undefined ? undefined : tally;
  }
  /** Where the speech ended, ms of its sound, when it was given up because no more came. */
  lostMs(): number | undefined {
    return this.state === 'lost' ? this.judge.spokenMs() : undefined;
  }
  /** Frees the decoder. */
  close(): void {
    if (this.state === 'closed' || this.state === 'lost') return;
    this.pcm.close();
    this.state = 'closed';
  }

  add(item: SpoolItem): void {
    if (this.target !== undefined) {
      this.pass(this.target, item);
      if (this.state === 'following') this.follow(item);
      else if (this.state === 'measuring') this.measure(this.target, item);
      return;
    }
    this.held.add(item);
    if (this.state !== 'closed') this.listen(item);
    if (this.opening !== undefined) return item.kind === 'end' ? this.release() : this.releaseWhenKnown();
    if (this.state === 'closed') return;
    if (this.state === 'heard') this.options.onSpeech();
    else if (item.kind === 'end' || this.soundMs > MAX_SILENT_MS) throw noSpeech();
  }
  isFull(): boolean {
    return (this.target ?? this.held).isFull();
  }
  async room(signal: AbortSignal): Promise<void> {
    // Held until then; afterwards the reader asks again.
    await (this.target ?? this.held).room(signal);
  }
  lastFrames(): number {
    return (this.target ?? this.held).lastFrames();
  }
  takeBack(count: number): void {
    (this.target ?? this.held).takeBack(count);
  }
  keepRecent(count: number): void {
    this.kept = count;
    (this.target ?? this.held).keepRecent(count);
  }
  recentFrames(count: number): ReturnType<RequestSpool['recentFrames']> {
    return (this.target ?? this.held).recentFrames(count);
  }

  private pass(target: RequestSpool, item: SpoolItem): void {
    target.add(item);
    const db = item.kind === 'begin' ? this.match?.gainDb() : undefined;
    if (db !== undefined) target.add({ kind: 'gain', db });
  }
  private releaseWhenKnown(): void {
    this.match?.measured(this.meter.tally);
    const isKnown = this.match?.gainDb() !== undefined || this.soundMs >= this.longestMs;
    if (isKnown || this.state === 'closed' || this.held.isFull()) this.release();
  }
  /** Behind an open gate. */
  private measure(target: RequestSpool, item: SpoolItem): void {
    if (this.state === 'measuring') this.listen(item);
    const { match } = this;
    if (match === undefined || item.kind !== 'frame') return;
    if (match.measured(this.meter.tally) === 'changed') target.add({ kind: 'gain', db: match.gainDb()! });
    if (this.state === 'measuring' && !match.isMeasuring()) this.close();
  }
  private follow(item: SpoolItem): void {
    this.listen(item);
    if (this.match?.isMeasuring() === true) this.measure(this.target!, item);
    if (this.judge.soundMs() - this.judge.spokenMs() <= MAX_LOST_MS || !this.options.mayLose()) return;
    this.close();
    this.state = 'lost';
    throw goesOnWithout();
  }
  private listen(item: SpoolItem): void {
    if (item.kind === 'begin') this.pcm.beginStream();
    else if (item.kind === 'tag') this.pcm.tag(item.tag);
    else if (item.kind === 'end') this.pcm.endStream();
    // What is joined here is heard from its middle on.
    else if (item.kind === 'bridge' && item.bridge.next !== undefined) this.pcm.joinStream(item.bridge.next);
    else if (item.kind === 'frame') {
      this.soundMs += itemMs(item);
      if (this.options.opensAt === 'any-sound') this.state = 'heard';
      else this.decode(item);
    }
  }
  private decode(item: Extract<SpoolItem, { readonly kind: 'frame' }>): void {
    try {
      this.pcm.push(item.frame);
    } catch {
      // No decoder is to be had: what cannot be judged is let through.
      if (this.state === 'listening') this.state = 'heard';
      else this.close();
    }
  }
}
