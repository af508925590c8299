// The parts of one turn, and the wiring between them: text, speech, playout, and what the listener has heard. Each is built
// once those that it is given are there; what only happens later (frames come, a key is waited for) is asked of the turn's
// life by then.

import { streamHead } from '../../audio/containers/stream-head.ts';
import type { ServerEvent } from '../../dialects/native-events.ts';
import { type ServedTurn, serveTurn } from '../../pipeline/speech-services.ts';
import type { Pace } from '../../playout/pacer.ts';
import { toldBytesPerMs } from '../../speech/plain-sound.ts';
import { QuotaWait } from '../quota-wait.ts';
import type { HadOfTurn } from '../session-runtime.ts';
import { chargedTextWork } from '../text-work.ts';
import { isSentAtOnce, outputOf } from '../turn-settings.ts';
import type { LiveTurnOptions } from './live-turn.ts';
import { StretchTimes } from './stretch-times.ts';
import { TurnCaptions } from './turn-captions.ts';
import { TurnFlushes } from './turn-flushes.ts';
import { TurnHearing } from './turn-hearing.ts';
import type { TurnLife } from './turn-life.ts';
import { noAudio, ROUNDING_MS, switchedEvent } from './turn-messages.ts';
import { TurnPlayout } from './turn-playout.ts';
import { createTurnProgress, type TurnProgress } from './turn-progress.ts';
import { type SpokenSoFar, TurnScript } from './turn-script.ts';
import { turnSeed } from './turn-seed.ts';
import { TurnSpeech } from './turn-speech.ts';
import { TurnWork } from './turn-work.ts';

export type TurnParts = {
  readonly live: LiveTurnOptions;
  /** When the turn was first named. */
  readonly namedAtMs: number;
  readonly seed: number;
  /** Of an earlier life. */
  readonly had: HadOfTurn | undefined;
  /** By which service it is spoken, and how. */
  readonly served: ServedTurn;
  readonly pace: Pace;
  /** Neither the listener's time nor the listener's credit holds it back. */
  readonly isUnpaced: boolean;
  readonly times: StretchTimes;
  readonly flushes: TurnFlushes;
  readonly script: TurnScript;
  readonly speech: TurnSpeech;
  readonly captions: TurnCaptions;
  readonly playout: TurnPlayout;
  readonly hearing: TurnHearing;
  readonly progress: TurnProgress;
};

/** No voice takes longer, at any speed, nor for a number. */
const LONGEST_LETTER_MS = 2000;
/** Of what was sent to a leg so much can be given back: more is not before any. */
const MAX_GIVEN_BACK_MS = 10_000;

/** `life` is asked when something happens, never before the turn has been built. */
export function wireTurn(live: LiveTurnOptions, life: () => TurnLife): TurnParts {
  const { id, settings, whole, runtime, outlet, line } = live;
  const { clock } = runtime;
  const namedAtMs = clock.now();
  const say = (event: ServerEvent) => outlet.say(event);
  const { life: earlier } = runtime;
  const named = earlier === undefined ? undefined : { salt: earlier.salt, turn: id };
  const seed = turnSeed(settings, whole, runtime.random, named);
  const had = earlier?.had(id);
  const pace = { mode: settings.pace, leadMs: settings.leadMs };
  const isUnpaced = isSentAtOnce(settings);
  const times = new StretchTimes();
  const flushes = new TurnFlushes(() => outlet.say({ type: 'flushed', turn: id }));
  const { synthesis } = settings;
  const served = serveTurn(runtime, { ...runtime, synthesis }, { ...settings, tenant: live.speaker.tenant });
  const script = new TurnScript(
    {
      settings,
      seed,
      served,
      remainingMs: () => life().spareMs(),
      work: chargedTextWork(runtime.textWork, runtime.work, clock),
    },
    whole,
  );

  const quotaWait = new QuotaWait(live, () => ({ speech, playout, hearing, life: life() }));
  const remainingMs = () => life().remainingMs();
  const speech: TurnSpeech = new TurnSpeech({
    settings,
    script,
    runtime,
    served,
    tenant: live.speaker.tenant,
    audience: live.audience,
    work: new TurnWork({
      speaker: { ...live.speaker, turn: id },
      clock,
      freeAtMs: live.freeAtMs,
      remainingMs,
      waitsUntilMs: (of, sinceMs) => quotaWait.untilMs(of, sinceMs),
    }),
    remainingMs,
    spoolCapacityBytes: () => live.spoolCapacityBytes(speech.chargedBytes()),
    onQueued(notice) {
      quotaWait.tell(notice);
      // A listener that hears nothing is told why at once.
      if (life().phase() === 'playing') line.runSoon();
    },
    /** A frame behind others changes nothing: when the first of them is due is known. */
    onFrame() {
      if (life().phase() === 'waiting' || playout.isShort(clock.now())) line.runSoon();
      else if (playout.hasSentAll()) line.markFrontDue();
    },
    onStall: () => line.runSoon(),
    onFlushed(count, madeMs, insertedMs) {
      times.addSilence(madeMs, insertedMs);
      flushes.made(madeMs, count);
      line.runSoon();
    },
    toSent: (ownMs) => times.toSent(ownMs),
    onSwitched({ of, reason }, to, atMs) {
      outlet.say(switchedEvent(id, { from: of, to, atMs, reason }));
    },
    onDone() {
      if (speech.madeMs() === 0) life().happen({ type: 'fail', error: speech.failure() ?? noAudio() });
      line.runSoon();
    },
  });

  const captions = new TurnCaptions({ turn: id, settings, script, times, say });
  const givesBackMs = outlet.takeBack === undefined && had === undefined ? 0 : MAX_GIVEN_BACK_MS;
  const playout: TurnPlayout = new TurnPlayout({
    pace,
    frames: speech.frames,
    givesBackMs,
    had: had && {
      had,
      bytesPerMs: toldBytesPerMs(outputOf(settings)),
      isPlayedAtOnce: settings.pace === 'realtime' && settings.flow === 'clock',
      longestMs: () => script.totalCharacters() * LONGEST_LETTER_MS,
      wordAt: (ms) => captions.wordAt(ms),
      head: (first) => streamHead(settings.format, first),
      onPassed(ms) {
        captions.passOver(ms + ROUNDING_MS);
        if (settings.flow === 'credit') hearing.goOnBehind(ms, Math.min(ms, had.heardMs), clock.now());
      },
    },
  });
  const hearing = new TurnHearing({
    settings,
    playout,
    creditTimeoutMs: runtime.limits.creditTimeoutMs,
    reports: outlet.reports,
    onMark: (name, outcome) => outlet.say({ type: 'mark', turn: id, name, outcome }),
  });
  const soFar = (playedMs: number | 'end'): SpokenSoFar | undefined => {
    if (playedMs === 'end') return script.soFar('end');
    const ownMs = times.toOwn(playedMs);
    return ownMs > 0 ? script.soFar(ownMs) : undefined;
  };
  const progress = createTurnProgress({
    turn: id,
    kind: script.soFar(0) === undefined ? 'untold' : 'told',
    playedMs: (nowMs) => (isUnpaced ? playout.sentMs() : hearing.heard(nowMs).playedMs),
    soFar,
    say,
  });
  return {
    live,
    namedAtMs,
    seed,
    had,
    served,
    pace,
    isUnpaced,
    times,
    flushes,
    script,
    speech,
    captions,
    playout,
    hearing,
    progress,
  };
}
