// What one service sends for a request, held back until there is speech in it: silence, a tone or noise of a service that fails never reaches the
// listener, and of several services that are asked for the same words the first that speaks is heard. Where another one could go on, it listens
// further, for a service that stops speaking and goes on sending.

import { SoundToPcm } from '../audio/bodies/sound-to-pcm.ts';
import { createSpeechJudge, type SpeechJudge } from '../audio/dsp/speech-judge.ts';
import type { Mp3Decoders } from '../audio/mp3/mp3-decoder.ts';
import { AppError } from '../base/app-error.ts';
import { BodySpool, itemMs, type RequestSpool, type SpoolItem } from './body-spool.ts';

/** No speech begins later in its own sound; a service that sends faster than it is heard is found out at once. */
const MAX_SILENT_MS = 5_000;
/** A voice rests for no longer than 3 s, which is the longest pause that services take. */
const MAX_LOST_MS = 4_000;
const HELD_BYTES = 512 * 1024;

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

/** Throws `upstream_bad_audio` from `add` when no speech comes, or no more. */
export class SpeechGate implements RequestSpool {
  private readonly options: SpeechGateOptions;
  private readonly held = new BodySpool({ capacityBytes: () => HELD_BYTES });
  private target: RequestSpool | undefined;
  private readonly judge: SpeechJudge = createSpeechJudge();
  private readonly pcm: SoundToPcm;
  private state: 'listening' | 'heard' | 'following' | 'lost' | 'closed' = 'listening';
  private kept = 0;
  private soundMs = 0;

  constructor(options: SpeechGateOptions) {
    this.options = options;
    this.pcm = new SoundToPcm(options.decoders, ({ samples, sampleRate }) => {
      if (this.judge.push(samples, sampleRate) && this.state === 'listening') this.state = 'heard';
    });
  }

  /** What was held goes into `target`, and so does all that follows. `onBegun`: behind the item that begins it. `then`: whether speech must go on. */
  open(target: RequestSpool, onBegun: () => void, then: 'follow' | 'leave'): void {
    if (then === 'follow' && this.state === 'heard' && this.judge.spokenMs() > 0) this.state = 'following';
    else this.close();
    this.target = target;
    target.keepRecent(this.kept);
    for (let item = this.held.take(); item !== undefined; item = this.held.take()) {
      if (item.kind === 'flush') continue; // no request has one
      target.add(item);
      if (item.kind === 'begin') onBegun();
    }
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
      this.target.add(item);
      if (this.state === 'following') this.follow(item);
      return;
    }
    this.held.add(item);
    if (this.state === 'closed') return;
    this.listen(item);
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

  private follow(item: SpoolItem): void {
    this.listen(item);
    // What is joined here is heard from its middle on.
    if (item.kind === 'bridge' && item.bridge.next !== undefined) this.pcm.joinStream(item.bridge.next);
    if (this.judge.soundMs() - this.judge.spokenMs() <= MAX_LOST_MS || !this.options.mayLose()) return;
    this.close();
    this.state = 'lost';
    throw goesOnWithout();
  }
  private listen(item: SpoolItem): void {
    if (item.kind === 'begin') this.pcm.beginStream();
    else if (item.kind === 'tag') this.pcm.tag(item.tag);
    else if (item.kind === 'end') this.pcm.endStream();
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
