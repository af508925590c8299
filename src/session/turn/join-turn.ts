// Joins text, speech and playout to one turn, and tells them of each other.

import type { ServerEvent } from '../../dialects/native-events.ts';
import { QuotaWait } from '../quota-wait.ts';
import { chargedTextWork } from '../text-work.ts';
import { isSentAtOnce } from '../turn-settings.ts';
import { createTurnSpeech } from './create-turn-speech.ts';
import type { LiveTurnOptions } from './live-turn.ts';
import { createStretchTimes, type StretchTimes } from './stretch-times.ts';
import { createTurnCaptions, type TurnCaptions } from './turn-captions.ts';
import { noAudio } from './turn-faults.ts';
import { createTurnFlushes, type TurnFlushes } from './turn-flushes.ts';
import type { TurnHearing } from './turn-hearing.ts';
import { createTurnLife, type TurnLife } from './turn-life.ts';
import type { TurnParts } from './turn-parts.ts';
import type { TurnPlayout } from './turn-playout.ts';
import { createTurnProgress, type TurnProgress } from './turn-progress.ts';
import { createTurnScript, type SpokenSoFar, type TurnScript } from './turn-script.ts';
import { turnSeed } from './turn-seed.ts';
import { createTurnSending, type TurnSending } from './turn-sending.ts';
import type { TurnSpeech } from './turn-speech.ts';
import { createTurnWork } from './turn-work.ts';

export type JoinedTurn = TurnParts & {
  readonly sending: TurnSending;
  readonly life: TurnLife;
};

class JoinedParts implements JoinedTurn {
  readonly live: LiveTurnOptions;
  readonly namedAtMs: number;
  readonly seed: number;
  readonly goesAtOnce: boolean;
  readonly times: StretchTimes;
  readonly flushes: TurnFlushes;
  readonly script: TurnScript;
  readonly speech: TurnSpeech;
  readonly captions: TurnCaptions;
  readonly sending: TurnSending;
  readonly playout: TurnPlayout;
  readonly hearing: TurnHearing;
  readonly progress: TurnProgress;
  readonly life: TurnLife;
  private readonly quotaWait = new QuotaWait(this);

  constructor(live: LiveTurnOptions) {
    const { id, settings, whole, runtime, outlet } = live;
    const { defaultVoice, defaultVoice2 } = runtime;
    const say = (event: ServerEvent) => outlet.say(event);
    this.live = live;
    this.namedAtMs = runtime.clock.now();
    this.seed = turnSeed(settings, whole, runtime.random);
    this.goesAtOnce = isSentAtOnce(settings);
    this.times = createStretchTimes();
    this.flushes = createTurnFlushes(() => outlet.say({ type: 'flushed', turn: id }));
    this.script = createTurnScript(
      {
        settings,
        seed: this.seed,
        defaultVoice,
        defaultVoice2,
        remainingMs: () => this.life.spareMs(),
        work: chargedTextWork(runtime.textWork, runtime.work, runtime.clock),
      },
      whole,
    );
    this.speech = this.createSpeech();
    this.captions = createTurnCaptions({ turn: id, settings, script: this.script, times: this.times, say });
    this.sending = createTurnSending(this);
    this.playout = this.sending.playout;
    this.hearing = this.sending.hearing;
    this.progress = createTurnProgress({
      turn: id,
      kind: this.script.soFar(0) === undefined ? 'untold' : 'told',
      playedMs: (nowMs) => (this.goesAtOnce ? this.playout.sentMs() : this.hearing.heard(nowMs).playedMs),
      soFar: (playedMs) => this.soFar(playedMs),
      say,
    });
    this.life = createTurnLife(this);
  }

  private createSpeech(): TurnSpeech {
    const { settings, runtime, speaker, audience, freeAtMs, outlet } = this.live;
    const remainingMs = () => this.life.remainingMs();
    return createTurnSpeech({
      settings,
      script: this.script,
      runtime,
      tenant: speaker.tenant,
      audience,
      work: createTurnWork({
        speaker,
        clock: runtime.clock,
        freeAtMs,
        remainingMs,
        waitsUntilMs: (of, sinceMs) => this.quotaWait.untilMs(of, sinceMs),
      }),
      remainingMs,
      spoolCapacityBytes: () => this.live.spoolCapacityBytes(this.speech.bufferedBytes()),
      onQueued: (notice) => {
        this.quotaWait.tell(notice);
        // Whoever hears nothing is told why at once.
        if (this.life.phase() === 'playing') outlet.onReady();
      },
      onFrame: () => this.frameCame(),
      onStall: () => outlet.onReady(),
      onFlushed: (count, madeMs, insertedMs) => {
        this.times.addSilence(madeMs, insertedMs);
        this.flushes.made(madeMs, count);
        outlet.onReady();
      },
      onDone: () => {
        const { speech } = this;
        if (speech.madeMs() === 0) this.life.happen({ type: 'fail', error: speech.failure() ?? noAudio() });
        outlet.onReady();
      },
    });
  }
  /** A frame behind others changes nothing: when the first of them is due is known. */
  private frameCame(): void {
    const { runtime, outlet } = this.live;
    if (this.life.phase() === 'waiting' || this.playout.isShort(runtime.clock.now())) outlet.onReady();
    else if (this.playout.hasSentAll()) outlet.onFrame();
  }
  private soFar(playedMs: number | 'end'): SpokenSoFar | undefined {
    if (playedMs === 'end') return this.script.soFar('end');
    const ownMs = this.times.toOwn(playedMs);
    return ownMs > 0 ? this.script.soFar(ownMs) : undefined;
  }
}

export const joinTurn = (live: LiveTurnOptions): JoinedTurn => new JoinedParts(live);
