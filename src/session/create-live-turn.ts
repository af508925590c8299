// One turn that is being spoken to a listener: text, speech and playout joined by the pure machine of turn.ts.
// It says every message of its turn, and after `ended` not one audio byte.

import { errorEvent } from '../dialects/error-event.ts';
import type { Outcome } from '../dialects/native-events.ts';
import { coalesceMs } from '../playout/pacer.ts';
import { createTurnSpeech } from './create-turn-speech.ts';
import type { LiveTurn, LiveTurnOptions } from './live-turn.ts';
import { PREFETCH_MS, READ_AHEAD_MS } from './script-stretch.ts';
import { toTurnError } from './session-runtime.ts';
import { createStretchTimes } from './stretch-times.ts';
import { type Effect, step, type Turn, type TurnEvent } from './turn.ts';
import { createTurnCaptions } from './turn-captions.ts';
import { closedContainer, creditTimeout, noAudio, pauseTimeout } from './turn-faults.ts';
import { createTurnFlushes } from './turn-flushes.ts';
import { createTurnHearing } from './turn-hearing.ts';
import { endedEvent, heardEvent, wholeMs } from './turn-messages.ts';
import { createTurnPlayout } from './turn-playout.ts';
import { createTurnProgress } from './turn-progress.ts';
import { createTurnScript } from './turn-script.ts';
import { turnSeed } from './turn-seed.ts';
import { isSentAtOnce } from './turn-settings.ts';
import { createTurnWork } from './turn-work.ts';

/** Media positions are counted in samples on one side and in frames of MP3 on the other. */
const ROUNDING_MS = 1;
/** What is left to hear may shrink by so much at once, when a decoder drops what an encoder put in front. */
const SHRINK_MS = 500;
/** Of what was sent to a leg: more is not before any. */
const MOST_GIVEN_BACK_MS = 10_000;
/** Held-back text is looked at so often at least. */
const LONGEST_SLEEP_MS = 1000;

export function createLiveTurn(options: LiveTurnOptions): LiveTurn {
  const { id, settings, whole, runtime, outlet } = options;
  const { clock, metrics } = runtime;
  const namedAtMs = clock.now();
  const seed = turnSeed(settings, whole, runtime.random);
  let state: Turn = { phase: 'waiting' };
  let endedAs: Outcome | undefined;
  let isCut = false;
  /** What a `seek` that is being carried out wants. */
  let wanted: { readonly paragraph: number; readonly playedMs: number | undefined } = {
    paragraph: 0,
    playedMs: undefined,
  };

  const times = createStretchTimes();
  let pausedAtMs = 0;
  const flushes = createTurnFlushes(() => outlet.say({ type: 'flushed', turn: id }));
  const isInTheEar = () => ['playing', 'paused', 'draining'].includes(state.phase);
  const isStill = () => state.phase === 'held' || state.phase === 'paused';
  const untilHeardMs = (nowMs: number) => (isInTheEar() ? Math.max(0, playout.heardUntilMs() - nowMs) : 0);
  const remainingMs = () => speech.waitingMs() + untilHeardMs(clock.now());
  /** What is to be sent in a burst is wanted as it is made, whatever its listener still has to hear. */
  const spareMs = () => (goesAtOnce ? speech.waitingMs() : remainingMs());
  const goesAtOnce = isSentAtOnce(settings);
  const pace = { mode: settings.pace, leadMs: settings.leadMs };
  const script = createTurnScript(
    {
      settings,
      seed,
      defaultVoice: runtime.defaultVoice,
      defaultVoice2: runtime.defaultVoice2,
      remainingMs: spareMs,
    },
    whole,
  );
  const speech = createTurnSpeech({
    settings,
    script,
    runtime,
    tenant: options.speaker.tenant,
    audience: options.audience,
    work: createTurnWork({ ...options, clock, remainingMs }),
    remainingMs,
    spoolCapacityBytes: () => options.spoolCapacityBytes(speech.bufferedBytes()),
    onQueued(notice) {
      // Later requests may wait behind audio that is in hand; that is nobody's concern.
      if (state.phase !== 'waiting' && state.phase !== 'held') return;
      outlet.say({ type: 'queued', turn: id, ...notice, etaMs: wholeMs(notice.etaMs) });
    },
    onFrame() {
      // A frame behind others changes nothing: when the first of them is due is known.
      if (state.phase === 'waiting' || playout.isShort(clock.now())) outlet.onReady();
      else if (playout.hasSentAll()) outlet.onFrame();
    },
    onStall: outlet.onReady,
    onFlushed(count, madeMs, insertedMs) {
      times.addSilence(madeMs, insertedMs);
      flushes.made(madeMs, count);
      outlet.onReady();
    },
    onDone() {
      if (speech.madeMs() === 0) happen({ type: 'fail', error: speech.failure() ?? noAudio() });
      outlet.onReady();
    },
  });
  const playout = createTurnPlayout({
    pace,
    givesBackMs: outlet.takeBack === undefined ? 0 : MOST_GIVEN_BACK_MS,
    frames: speech.frames,
    onFrame(frame, seq, atMs, durationMs) {
      captions.say(atMs + durationMs + ROUNDING_MS);
      outlet.sendAudio({ turn: id, encoding: settings.audio, seq, atMs, durationMs, bytes: frame.bytes });
    },
    onUnderrun(atMs, gapMs) {
      metrics.underrun(gapMs);
      outlet.say({ type: 'underrun', turn: id, atMs: wholeMs(atMs), gapMs: wholeMs(gapMs) });
    },
  });
  const hearing = createTurnHearing({
    settings,
    playout,
    creditTimeoutMs: runtime.limits.creditTimeoutMs,
    reports: outlet.reports,
    onMark: (name, outcome) => outlet.say({ type: 'mark', turn: id, name, outcome }),
  });
  const gate = {
    creditMs: () => hearing.creditMs(),
    isCongested: outlet.isCongested,
    emptyBecause: () =>
      script.input() === 'open' && !script.stretch().requests.hasText() && !speech.isAsking()
        ? 'text'
        : 'upstream',
    coalesceMs: () => coalesceMs(pace, runtime.playout.playing()),
  } as const;

  const progress = createTurnProgress({
    turn: id,
    kind: script.soFar(0) === undefined ? 'untold' : 'told',
    playedMs: (nowMs) => (goesAtOnce ? playout.sentMs() : hearing.heard(nowMs).playedMs),
    soFar(playedMs) {
      if (playedMs === 'end') return script.soFar('end');
      const ownMs = times.toOwn(playedMs);
      return ownMs > 0 ? script.soFar(ownMs) : undefined;
    },
    say: outlet.say,
  });

  const captions = createTurnCaptions({ turn: id, settings, script, times, say: outlet.say });
  const sayStarted = () => {
    const firstAudioMs = clock.now() - namedAtMs;
    // Behind turns of one's own the wait is theirs.
    if (options.turnsBefore === 0) metrics.firstAudio(firstAudioMs);
    const timings = { queueMs: wholeMs(speech.queueMs()), upstreamTtfbMs: wholeMs(speech.ttfbMs()) };
    outlet.say({
      type: 'started',
      turn: id,
      format: settings.format,
      sampleRate: speech.sampleRate(),
      seed,
      timings: { ...timings, firstAudioMs: wholeMs(firstAudioMs) },
    });
    options.audience.began({
      turn: id,
      settings,
      position: (nowMs) => playout.position(nowMs),
      lines: () => script.lines(),
      readWords: captions.readWords,
      toSentMs: (ownMs) => times.toSent(ownMs - times.fromMs()),
      tape: speech.tape,
    });
  };
  const sayEnded = (outcome: Outcome) => {
    const sentMs = playout.sentMs();
    endedAs = outcome;
    if (sentMs > 0 && sentMs >= speech.madeMs() - ROUNDING_MS && outcome !== 'cancelled') flushes.settleAll();
    // The last words of audio whose end was not known when it was sent.
    if (outcome === 'complete') captions.say(Number.POSITIVE_INFINITY);
    if (outcome === 'complete' && goesAtOnce) progress.finish();
    metrics.turnEnded(outcome, sentMs, script.totalCodePoints());
    const [audioMs, requests, resumes] = [speech.madeMs(), speech.requests(), speech.resumes()];
    outlet.say(endedEvent(id, { outcome, audioMs, sentMs, requests, resumes, cached: speech.isCached() }));
  };
  const sayHeard = () => {
    const { playedMs: byNowMs, playedBy } = hearing.heard(clock.now());
    const committedMs = playedBy === 'clock' && isCut ? outlet.committedMs() : undefined;
    const heard = { playedMs: Math.min(committedMs ?? byNowMs, playout.sentMs()), playedBy };
    const isWhole = endedAs === 'complete' && heard.playedMs >= playout.sentMs() - ROUNDING_MS;
    if (isWhole) progress.finish();
    outlet.say(
      heardEvent(id, { ...heard, ...script.heardAt(isWhole ? 'end' : times.toOwn(heard.playedMs)) }),
    );
  };
  const stopClock = () => {
    pausedAtMs = clock.now();
    giveBack();
  };
  /** What a leg has not played is silent at once, and the turn's again. */
  const giveBack = () => {
    const fromMs = outlet.takeBack?.();
    if (fromMs !== undefined) speech.putBack(playout.takeBack(fromMs));
  };
  const startClock = () => {
    hearing.goOn(clock.now());
    playout.resume(clock.now());
    outlet.onReady();
  };
  const speakOn = () => {
    const { paragraph, playedMs } = wanted;
    giveBack();
    const atMs = speech.speakOn((keptUntilMs) => {
      if (keptUntilMs !== undefined) captions.say(keptUntilMs, times.toOwn(keptUntilMs));
      script.seek(paragraph);
    }, playout.sentMs());
    if (atMs === undefined) return outlet.say(errorEvent(closedContainer(settings.format), id));
    times.begin(atMs, speech.insertedMs());
    if (playedMs !== undefined) hearing.skip(clock.now());
    flushes.settleAll();
    progress.sought();
    outlet.say({ type: 'sought', turn: id, paragraph, atMs: wholeMs(atMs) });
    outlet.onReady();
  };
  const passMarks = (nowMs: number) => {
    if (isInTheEar()) hearing.passMarks(nowMs);
  };
  const perform = (effect: Effect) => {
    if (effect.do === 'say-started') sayStarted();
    else if (effect.do === 'say-error') outlet.say(errorEvent(effect.error, id));
    else if (effect.do === 'say-ended') sayEnded(effect.outcome);
    else if (effect.do === 'say-heard') {
      sayHeard();
      playout.close();
    } else if (effect.do === 'stop-clock') stopClock();
    else if (effect.do === 'start-clock') startClock();
    else if (effect.do === 'say-paused')
      outlet.say({ type: 'paused', turn: id, atMs: wholeMs(playout.sentMs()) });
    else if (effect.do === 'say-resumed')
      outlet.say({ type: 'resumed', turn: id, atMs: wholeMs(playout.sentMs()) });
    else if (effect.do === 'speak-on') speakOn();
    else if (effect.do === 'settle-marks') hearing.settleMarks(effect.outcome);
    else speech.stop();
  };
  const happen = (event: TurnEvent) => {
    const next = step(state, event);
    state = next.turn;
    next.effects.forEach(perform);
  };

  const { pauseTimeoutMs } = runtime.limits;
  const pauseEndsMs = () => (isStill() ? pausedAtMs + pauseTimeoutMs : Number.POSITIVE_INFINITY);
  const start = (nowMs: number, freeAtMs: number) => {
    speech.comeFirst();
    const inHand = { sampleRate: speech.sampleRate(), waitingMs: speech.waitingMs() };
    if (playout.start(freeAtMs, nowMs, inHand, gate)) {
      happen({ type: 'audio-ready' });
      progress.begin(nowMs);
    }
  };

  return {
    id,
    settings,
    script,
    phase: () => state.phase,
    lateMarks: () => hearing.lateMarks(),
    begin: () => speech.begin(),
    sendDue(nowMs, freeAtMs) {
      if (state.phase === 'waiting') start(nowMs, freeAtMs);
      if (state.phase === 'playing') playout.send(nowMs, gate);
      flushes.pass(playout.sentMs() + ROUNDING_MS);
      if (state.phase !== 'playing') return;
      if (nowMs >= hearing.creditEndsMs()) happen({ type: 'fail', error: creditTimeout() });
      else if (speech.isOver() && speech.frames.nextSamples() === undefined) {
        happen({ type: 'audio-sent', error: speech.failure() });
      }
    },
    nextSendMs(nowMs) {
      if (isStill()) return Number.POSITIVE_INFINITY;
      if (state.phase === 'playing') return Math.min(playout.dueMs(), hearing.creditEndsMs());
      // A few frames in hand or room in the socket are not long in coming; the first frame may be.
      return speech.frames.nextSamples() === undefined ? Number.POSITIVE_INFINITY : nowMs;
    },
    settle(nowMs) {
      passMarks(nowMs);
      progress.look(nowMs);
      if (isStill() && nowMs >= pauseEndsMs()) happen({ type: 'fail', error: pauseTimeout(pauseTimeoutMs) });
      if (state.phase === 'draining' && nowMs >= hearing.overMs()) happen({ type: 'heard' });
    },
    nextSettleMs(nowMs) {
      if (hearing.marksPending() > 0 && isInTheEar()) return nowMs; // their places in the audio move
      if (state.phase === 'finished') return nowMs; // the line lets it go then
      const changesMs = state.phase === 'draining' ? hearing.overMs() : pauseEndsMs();
      return Math.min(changesMs, progress.dueMs());
    },
    nextRequestMs(nowMs) {
      if (!script.stretch().requests.hasText() || speech.isAsking()) return Number.POSITIVE_INFINITY;
      if (isStill()) return nowMs + LONGEST_SLEEP_MS;
      const aheadMs = script.input() === 'ended' ? READ_AHEAD_MS : PREFETCH_MS;
      return nowMs + Math.max(0, Math.min(spareMs() - aheadMs - SHRINK_MS, LONGEST_SLEEP_MS));
    },
    pause(playedMs) {
      if (playedMs !== undefined && !isStill()) playout.pause(playedMs);
      happen({ type: 'pause' });
    },
    resume: () => happen({ type: 'resume' }),
    seek(paragraph, playedMs) {
      script.checkParagraph(paragraph);
      wanted = { paragraph, playedMs };
      happen({ type: 'seek' });
    },
    isStill,
    cancel(playedMs) {
      const nowMs = clock.now();
      if (playedMs !== undefined) hearing.report(playedMs, nowMs, 'client');
      passMarks(nowMs);
      isCut = true;
      happen({ type: 'cancel' });
    },
    fail: (fault) => happen({ type: 'fail', error: toTurnError(runtime.log, fault) }),
    abandon: () => speech.stop(),
    played(ms, by) {
      hearing.report(ms, clock.now(), by);
      outlet.onReady();
    },
    heardMs: (nowMs) => (playout.startedAtMs() === undefined ? 0 : hearing.heard(nowMs).playedMs),
    flush() {
      flushes.ask();
      script.flush();
    },
    mark(name) {
      const endOfText = script.endOfText();
      hearing.mark(name, () => {
        const endMs = endOfText();
        if (endMs === undefined || endMs === 'never') return endMs;
        return Math.min(times.toSent(endMs), speech.reachableMs());
      });
    },
    heardUntilMs: () => (playout.startedAtMs() === undefined ? undefined : playout.heardUntilMs()),
    unheardMs(nowMs) {
      return Math.min(playout.sentMs(), untilHeardMs(nowMs));
    },
    pullForward: (ms) => playout.pullForward(ms),
    remainingMs,
    bufferedBytes: () => speech.bufferedBytes(),
    wantsRefill: () => speech.wantsRefill(),
    refill: () => speech.refill(),
  };
}
