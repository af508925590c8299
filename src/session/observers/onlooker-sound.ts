// The sound of one session for its onlookers: the turns as the listener hears them, one after another, into a channel for
// each format that somebody takes. Turns that are sent in a channel's own samples are shared with it as they are.

import { decodePcm16 } from '../../audio/dsp/pcm16.ts';
import type { Codecs } from '../../audio/transcoder.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createWorkSlices, type WorkSlices } from '../../base/processes/work-slices.ts';
import { type PlainSound, SILENT_SAMPLE } from '../../speech/plain-sound.ts';
import type { OutgoingAudio } from '../session-outlet.ts';
import { outputOf, type TurnSettings } from '../turn-settings.ts';
import { type ChannelFormat, createSoundChannel, plainSoundOf, type SoundChannel } from './sound-channel.ts';
import { createTimedSamples, type TimedSamples } from './timed-samples.ts';
import type { TurnPlayback } from './turn-playback.ts';

export type Listener = {
  readonly send: (bytes: Uint8Array) => void;
  /** Nothing more comes. */
  readonly close: (error: AppError | undefined) => void;
};

type Followed = {
  readonly playback: TurnPlayback;
  /** In whose samples it is sent; undefined when they have a container or a codec. */
  readonly sentAs: PlainSound | undefined;
  /** What was sent and is not yet heard. */
  readonly frames: TimedSamples | undefined;
  givenMs: number;
  finalMs: number;
};
type Open = { readonly channel: SoundChannel; readonly listeners: Set<Listener> };

/** Of a turn of the event loop, for onlookers. */
const SLICE_MS = 1;
/** Of plain sound that was sent in a burst: some minutes. What comes beyond it is heard as silence. */
const MAX_SENT_BYTES = 8 * 1024 * 1024;

/** As the turn is sent, if it is sent without a container: each turn of wav has its own. */
function sentSound(settings: TurnSettings): PlainSound | undefined {
  const { format, sampleRate } = outputOf(settings);
  if (format === 'wav' || sampleRate === undefined) return undefined;
  return plainSoundOf({ format, sampleRate });
}
const isSame = (a: PlainSound | undefined, b: PlainSound | undefined): boolean =>
  a !== undefined && b !== undefined && a.format === b.format && a.sampleRate === b.sampleRate;

export class OnlookerSound {
  private readonly codecs: Codecs;
  private readonly joinMs: number;
  private readonly log: Log;
  private readonly open = new Map<string, Open>();
  private readonly followed = new Map<string, Followed>();
  /** Formats whose sound is to be handed out: no frame of a listener waits for all of them. */
  private readonly deliveries: WorkSlices<string>;

  constructor(codecs: Codecs, joinMs: number, log: Log, clock: Clock) {
    this.codecs = codecs;
    this.joinMs = joinMs;
    this.log = log;
    this.deliveries = createWorkSlices<string>({
      soon: (task) => clock.soon(task),
      now: () => clock.now(),
      serve: (key) => this.attemptOne(key, (channel) => channel.deliver()),
      sliceMs: SLICE_MS,
    });
  }

  listeners(): number {
    if (this.open.size === 0) return 0; // so it is for nearly every frame that is sent
    let sum = 0;
    for (const { listeners } of this.open.values()) sum += listeners.size;
    return sum;
  }
  /** Throws `busy` when the format needs a CPU-heavy encoder and none is free. The result leaves. */
  listen(output: ChannelFormat, listener: Listener, nowMs: number): () => void {
    const { codecs, joinMs, open } = this;
    const key = `${output.format}@${output.sampleRate}`;
    const known = open.get(key);
    const one = known ?? {
      channel: createSoundChannel({ output, codecs, joinMs, nowMs }),
      listeners: new Set<Listener>(),
    };
    open.set(key, one);
    if (known === undefined) {
      one.channel.fillTo(nowMs);
      one.channel.deliver();
    }
    one.listeners.add(listener);
    const leave = one.channel.join(listener);
    return () => {
      leave();
      one.listeners.delete(listener);
      if (one.listeners.size > 0 || open.get(key) !== one) return;
      this.shut(key, one, undefined);
      if (open.size === 0) this.forgetAll();
    };
  }
  wantsRecording(settings: TurnSettings): boolean {
    if (this.open.size === 0) return false;
    const sent = sentSound(settings);
    for (const { channel } of this.open.values()) if (!isSame(channel.plain, sent)) return true;
    return false;
  }
  /** The listener has been sent this. */
  sent({ turn, atMs, bytes }: OutgoingAudio): void {
    const of = this.followed.get(turn);
    if (of?.frames === undefined || of.frames.bytes() + bytes.length > MAX_SENT_BYTES) return;
    of.frames.add(Math.round((atMs * of.sentAs!.sampleRate) / 1000), bytes);
  }
  /** A turn has begun, or somebody listens who has missed `fromMs` of it. */
  follow(playback: TurnPlayback, fromMs: number): void {
    const sentAs = sentSound(playback.settings);
    this.followed.set(playback.turn, {
      playback,
      sentAs,
      frames: sentAs === undefined ? undefined : createTimedSamples(SILENT_SAMPLE[sentAs.format]),
      givenMs: fromMs,
      finalMs: Number.POSITIVE_INFINITY,
    });
  }
  /** The turn is heard no further than this. */
  cut(turn: string, finalMs: number): void {
    const of = this.followed.get(turn);
    if (of !== undefined) of.finalMs = Math.min(of.finalMs, finalMs);
  }
  tick(nowMs: number): void {
    if (this.open.size === 0) return;
    for (const turn of [...this.followed.values()]) this.goOn(turn, nowMs);
    this.attempt((channel) => channel.fillTo(nowMs));
    for (const key of this.open.keys()) this.deliveries.add(key);
    this.deliveries.go();
  }
  close(error: AppError | undefined): void {
    for (const [key, one] of [...this.open]) this.shut(key, one, error);
    this.forgetAll();
  }

  private shut(key: string, { channel, listeners }: Open, error: AppError | undefined): void {
    this.open.delete(key);
    channel.close();
    for (const listener of [...listeners]) listener.close(error);
  }
  private forget({ playback }: Followed): void {
    this.followed.delete(playback.turn);
    playback.recording.close();
  }
  private forgetAll(): void {
    for (const turn of [...this.followed.values()]) this.forget(turn);
  }
  /** One format that fails takes nobody else along. */
  private attemptOne(key: string, task: (channel: SoundChannel) => void): void {
    const one = this.open.get(key);
    if (one === undefined) return;
    try {
      task(one.channel);
    } catch (fault) {
      this.log.error('the sound of onlookers failed', { cause: String(fault) });
      this.shut(key, one, new AppError('internal', 'The sound failed inside; ask for it anew.'));
    }
  }
  private attempt(task: (channel: SoundChannel) => void): void {
    for (const key of [...this.open.keys()]) this.attemptOne(key, task);
  }
  private give(turn: Followed, untilMs: number, nowMs: number): void {
    const { playback, sentAs, frames, givenMs } = turn;
    if (givenMs === 0) this.attempt((channel) => channel.fillTo(nowMs - untilMs));
    turn.givenMs = untilMs;
    const isShared = (channel: SoundChannel) => isSame(channel.plain, sentAs);
    const all = [...this.open.values()].map(({ channel }) => channel);
    if (frames !== undefined && all.some(isShared)) {
      const at = (ms: number) => Math.floor((ms * sentAs!.sampleRate) / 1000);
      const bytes = frames.take(at(givenMs), at(untilMs));
      this.attempt((channel) => {
        if (isShared(channel)) channel.sent(bytes);
      });
    }
    if (all.every(isShared)) return;
    const { bytes, sampleRate } = playback.recording.take(givenMs, untilMs);
    const samples = decodePcm16(bytes);
    this.attempt((channel) => {
      if (!isShared(channel)) channel.speech(samples, sampleRate);
    });
  }
  private goOn(turn: Followed, nowMs: number): void {
    const { anchorMs, sentMs } = turn.playback.position(nowMs);
    const untilMs = Math.min(nowMs - anchorMs, sentMs, turn.finalMs);
    try {
      if (untilMs > turn.givenMs) this.give(turn, untilMs, nowMs);
    } catch (fault) {
      this.log.error('a turn failed for its onlookers', { cause: String(fault) });
      this.forget(turn);
    }
    if (turn.givenMs >= turn.finalMs) this.forget(turn);
  }
}
