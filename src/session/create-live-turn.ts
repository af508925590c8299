// One turn that is being spoken to a listener: text, speech and playout joined by the pure machine of turn.ts.
// It says every message of its turn, and after `ended` not one audio byte.

import { AppError } from '../base/app-error.ts';
import { createInsertedSilence } from '../captions/inserted-silence.ts';
import type { Outcome } from '../dialects/native-events.ts';
import { type Pace, sendableUntilMs } from '../playout/pacer.ts';
import { createHeardLedger } from './heard-ledger.ts';
import type { LiveTurn } from './live-turn.ts';
import type { TurnOutlet } from './session-outlet.ts';
import { errorEvent, type SessionRuntime, toTurnError } from './session-runtime.ts';
import { type Effect, step, type Turn, type TurnEvent } from './turn.ts';
import { createTurnFlushes } from './turn-flushes.ts';
import { createTurnMarks, type MarkOutcome } from './turn-marks.ts';
import { captionEvents, endedEvent, heardEvent, wholeMs } from './turn-messages.ts';
import { createTurnPlayout } from './turn-playout.ts';
import { createTurnScript, type WholeText } from './turn-script.ts';
import type { TurnSettings } from './turn-settings.ts';
import { createTurnSpeech } from './turn-speech.ts';

export type LiveTurnOptions = {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly whole: WholeText | undefined;
  readonly runtime: SessionRuntime;
  /** Turns of the client that had not ended when this one was named. */
  readonly turnsBefore: number;
  /** Compressed audio that this turn may keep, given what its neighbours keep. */
  readonly spoolCapacityBytes: (keptBytes: number) => number;
  readonly outlet: TurnOutlet;
};

/** Playing begins with at least this much in hand, so that a slow start is no stutter. */
const START_MS = 60;
/** Media positions are counted in samples on one side and in frames of MP3 on the other. */
const ROUNDING_MS = 1;
/** How long after the clock says so a listener who reports may still report the rest. */
const REPORT_GRACE_MS = 2000;

const noAudio = () => new AppError('upstream_bad_audio', 'The speech service answered with no sound at all.');

const creditTimeout = () =>
  new AppError(
    'credit_timeout',
    'No played report came; with flow: "credit" send played as the listener hears the turn.',
  );

export function createLiveTurn(options: LiveTurnOptions): LiveTurn {
  const { id, settings, whole, runtime, outlet } = options;
  const { clock, metrics } = runtime;
  const namedAtMs = clock.now();
  const seed = settings.synthesis.seed ?? runtime.random.below(2 ** 31);
  const pace: Pace = { mode: settings.pace, leadMs: settings.leadMs };
  const isCredit = settings.flow === 'credit';
  let state: Turn = { phase: 'waiting' };
  let endedAs: Outcome | undefined;
  let lateMarks: MarkOutcome = 'cleared';

  const ledger = createHeardLedger();
  const silence = createInsertedSilence();
  const flushes = createTurnFlushes(() => outlet.say({ type: 'flushed', turn: id }));
  const marks = createTurnMarks((name, outcome) => outlet.say({ type: 'mark', turn: id, name, outcome }));
  const isInTheEar = () => state.phase === 'playing' || state.phase === 'draining';
  const untilHeardMs = (nowMs: number) => {
    const { anchorMs, sentMs } = playout.position(nowMs);
    return isInTheEar() ? Math.max(0, anchorMs + sentMs - nowMs) : 0;
  };
  const remainingMs = () => speech.waitingMs + untilHeardMs(clock.now());
  const script = createTurnScript(
    { settings, seed, defaultVoice: runtime.defaultVoice, defaultVoice2: runtime.defaultVoice2, remainingMs },
    whole,
  );
  const speech = createTurnSpeech({
    settings,
    script,
    runtime,
    spoolCapacityBytes: () => options.spoolCapacityBytes(speech.bufferedBytes),
    onQueued(notice) {
      // Later requests may wait behind audio that is in hand; that is nobody's concern.
      if (state.phase !== 'waiting') return;
      outlet.say({ type: 'queued', turn: id, ...notice, etaMs: wholeMs(notice.etaMs) });
    },
    onFrame: outlet.onReady,
    onFlushed(count, madeMs, insertedMs) {
      silence.add(madeMs - insertedMs, insertedMs);
      flushes.made(madeMs, count);
      outlet.onReady();
    },
    onDone() {
      if (speech.madeMs === 0) happen({ type: 'fail', error: speech.failure ?? noAudio() });
      outlet.onReady();
    },
  });
  const playout = createTurnPlayout({
    pace,
    frames: speech.frames,
    sampleRate: () => speech.sampleRate,
    onFrame(frame, seq, atMs, durationMs) {
      sayCaptions(atMs + durationMs + ROUNDING_MS);
      outlet.sendAudio({ turn: id, encoding: settings.audio, seq, atMs, bytes: frame.bytes });
    },
    onUnderrun(atMs, gapMs) {
      metrics.underrun(gapMs);
      outlet.say({ type: 'underrun', turn: id, atMs: wholeMs(atMs), gapMs: wholeMs(gapMs) });
    },
  });
  const gate = {
    get creditMs() {
      return isCredit ? (ledger.reportedMs ?? 0) + settings.leadMs : Number.POSITIVE_INFINITY;
    },
    isCongested: outlet.isCongested,
    emptyBecause: () =>
      script.input === 'open' && !script.requests.hasText && !speech.isAsking ? 'text' : 'upstream',
  } as const;

  const sayCaptions = (untilMs: number) => {
    if (settings.captions === 'words')
      captionEvents(id, script.timeline.take(silence.toOwn(untilMs))).forEach(outlet.say);
  };
  const sayStarted = () => {
    const firstAudioMs = clock.now() - namedAtMs;
    // Behind turns of one's own the wait is theirs.
    if (options.turnsBefore === 0) metrics.firstAudio(firstAudioMs);
    const timings = { queueMs: wholeMs(speech.queueMs), upstreamTtfbMs: wholeMs(speech.ttfbMs) };
    outlet.say({
      type: 'started',
      turn: id,
      format: settings.format,
      sampleRate: speech.sampleRate,
      seed,
      timings: { ...timings, firstAudioMs: wholeMs(firstAudioMs) },
    });
  };
  const sayEnded = (outcome: Outcome) => {
    const { sentMs } = playout;
    endedAs = outcome;
    if (sentMs > 0 && sentMs >= speech.madeMs - ROUNDING_MS && outcome !== 'cancelled') flushes.settleAll();
    // The last words of audio whose end was not known when it was sent.
    if (outcome === 'complete') sayCaptions(Number.POSITIVE_INFINITY);
    metrics.turnEnded(outcome, sentMs);
    outlet.say(endedEvent(id, { outcome, audioMs: speech.madeMs, sentMs, requests: speech.requests }));
  };
  const sayHeard = () => {
    const heard = ledger.heard(playout.position(clock.now()));
    const isWhole = endedAs === 'complete' && heard.playedMs >= playout.sentMs - ROUNDING_MS;
    outlet.say(
      heardEvent(id, { ...heard, ...script.heardAt(isWhole ? 'end' : silence.toOwn(heard.playedMs)) }),
    );
  };
  const settleMarks = (outcome: MarkOutcome) => {
    lateMarks = outcome;
    marks.settleAll(outcome);
  };
  const passMarks = (nowMs: number) => {
    if (marks.pending > 0 && isInTheEar()) marks.pass(ledger.heard(playout.position(nowMs)).playedMs);
  };
  const perform = (effect: Effect) => {
    if (effect.do === 'say-started') sayStarted();
    else if (effect.do === 'say-error') outlet.say(errorEvent(effect.error, id));
    else if (effect.do === 'say-ended') sayEnded(effect.outcome);
    else if (effect.do === 'say-heard') sayHeard();
    else if (effect.do === 'settle-marks') settleMarks(effect.outcome);
    else speech.stop();
  };
  const happen = (event: TurnEvent) => {
    const next = step(state, event);
    state = next.turn;
    next.effects.forEach(perform);
  };

  /** Its audio must be due, or `started` would stand apart from it. */
  const canStart = (nowMs: number, freeAtMs: number) => {
    const { frames } = speech;
    const first = frames.peek();
    if (first === undefined || outlet.isCongested()) return false;
    const toMs = (samples: number) => (samples * 1000) / speech.sampleRate;
    const firstMs = toMs(first.samples);
    if (firstMs > sendableUntilMs(pace, firstMs, freeAtMs, nowMs)) return false;
    return frames.isEnded || toMs(frames.queuedSamples) >= Math.min(START_MS, pace.leadMs);
  };
  const creditIsLate = (nowMs: number) =>
    isCredit &&
    playout.holder === 'credit' &&
    nowMs >= Math.max(ledger.reportedAtMs ?? 0, playout.startedAtMs ?? 0) + runtime.limits.creditTimeoutMs;

  return {
    id,
    settings,
    script,
    get phase() {
      return state.phase;
    },
    get lateMarks() {
      return lateMarks;
    },
    begin: speech.begin,
    sendDue(nowMs, freeAtMs) {
      speech.comeFirst();
      if (state.phase === 'waiting' && canStart(nowMs, freeAtMs)) {
        playout.start(Math.max(nowMs, freeAtMs), nowMs);
        happen({ type: 'audio-ready' });
      }
      if (state.phase === 'playing') playout.send(nowMs, gate);
      flushes.pass(playout.sentMs + ROUNDING_MS);
      if (state.phase !== 'playing') return;
      if (creditIsLate(nowMs)) happen({ type: 'fail', error: creditTimeout() });
      else if (speech.isOver && speech.frames.peek() === undefined) {
        happen({ type: 'audio-sent', error: speech.failure });
      }
    },
    settle(nowMs) {
      passMarks(nowMs);
      if (state.phase !== 'draining') return;
      const reporting = isCredit ? runtime.limits.creditTimeoutMs : REPORT_GRACE_MS;
      const graceMs = isCredit || ledger.reportedMs !== undefined ? reporting : 0;
      if (ledger.isOver(playout.position(nowMs), graceMs)) happen({ type: 'heard' });
    },
    cancel(playedMs) {
      const nowMs = clock.now();
      if (playedMs !== undefined) ledger.report(playedMs, playout.position(nowMs));
      passMarks(nowMs);
      happen({ type: 'cancel' });
    },
    fail: (fault) => happen({ type: 'fail', error: toTurnError(runtime.log, fault) }),
    abandon: speech.stop,
    played(ms) {
      ledger.report(ms, playout.position(clock.now()));
      outlet.onReady();
    },
    flush() {
      flushes.ask();
      script.flush();
    },
    mark(name) {
      const endOfText = script.endOfText();
      marks.add(name, () => {
        const endMs = endOfText();
        return endMs === undefined ? undefined : Math.min(silence.toSent(endMs), speech.reachableMs);
      });
    },
    get heardUntilMs() {
      if (playout.startedAtMs === undefined) return undefined;
      const { anchorMs, sentMs } = playout.position(0);
      return anchorMs + sentMs;
    },
    unheardMs(nowMs) {
      return Math.min(playout.sentMs, untilHeardMs(nowMs));
    },
    pullForward: playout.pullForward,
    get remainingMs() {
      return remainingMs();
    },
    get bufferedBytes() {
      return speech.bufferedBytes;
    },
    get wantsRefill() {
      return speech.frames.wantsRefill;
    },
    refill: speech.frames.refill,
  };
}
