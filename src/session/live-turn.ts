// One turn that is being spoken to a listener: text, speech and playout joined by the pure machine of turn.ts.
// It says every message of its turn, and after `ended` not one audio byte.

import { AppError } from '../base/app-error.ts';
import type { Outcome, ServerEvent } from '../dialects/native-events.ts';
import { createHeardLedger } from './heard-ledger.ts';
import { errorEvent, type SessionRuntime } from './session-runtime.ts';
import { type Effect, step, type Turn, type TurnEvent } from './turn.ts';
import { createTurnMarks } from './turn-marks.ts';
import { captionEvents, endedEvent, heardEvent, wholeMs } from './turn-messages.ts';
import { createTurnPlayout } from './turn-playout.ts';
import { createTurnScript, type TurnScript, type WholeText } from './turn-script.ts';
import type { TurnSettings } from './turn-settings.ts';
import { createTurnSpeech } from './turn-speech.ts';

export type OutgoingAudio = {
  readonly turn: string;
  readonly encoding: 'binary' | 'base64';
  readonly seq: number;
  /** Media position of the first sample, ms. */
  readonly atMs: number;
  readonly bytes: Uint8Array;
};

/** Where a turn's messages and audio go. */
export type TurnOutlet = {
  say(event: ServerEvent): void;
  sendAudio(audio: OutgoingAudio): void;
  /** True while the socket holds more than it should; nothing is sent then. */
  isCongested(): boolean;
  /** There may be something to send. */
  onReady(): void;
};

export type LiveTurn = {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly script: TurnScript;
  readonly phase: Turn['phase'];
  /** Known from `draining` on. */
  readonly outcome: Outcome | undefined;
  /** Lets synthesis begin; further calls do nothing. */
  begin(): void;
  /** Sends what is due; a turn that has not begun to play is heard from `freeAtMs` on. */
  sendDue(nowMs: number, freeAtMs: number): void;
  /** Answers marks that have been passed, and ends a turn that has been heard. */
  settle(nowMs: number): void;
  cancel(playedMs: number | undefined): void;
  fail(error: AppError): void;
  /** Stops without a word: the client is gone. */
  abandon(): void;
  played(ms: number): void;
  flush(): void;
  mark(name: string): void;
  /** When the listener will have heard all that was sent; undefined before the first audio. */
  readonly heardUntilMs: number | undefined;
  /** The listener dropped `ms` of earlier audio: this turn is heard that much sooner. */
  pullForward(ms: number): void;
  /** Audio that has arrived and has not been heard, ms. */
  readonly remainingMs: number;
  readonly bufferedBytes: number;
  readonly wantsRefill: boolean;
  refill(): void;
};

export type LiveTurnOptions = {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly whole: WholeText | undefined;
  readonly runtime: SessionRuntime;
  /** Compressed audio that this turn may keep, given what its neighbours keep. */
  readonly spoolCapacityBytes: (keptBytes: number) => number;
  readonly outlet: TurnOutlet;
};

/** Playing begins with at least this much in hand, so that a slow start is no stutter. */
const START_MS = 60;
/** How long after the clock says so a listener who reports may still report the rest. */
const REPORT_GRACE_MS = 2000;

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
  const isCredit = settings.flow === 'credit';
  let state: Turn = { phase: 'waiting' };
  /** Media positions, ms, behind which a `flushed` is owed; and how many have been asked for and not answered. */
  const flushesDue: number[] = [];
  let flushesOwed = 0;

  const ledger = createHeardLedger();
  const marks = createTurnMarks((name, outcome) => outlet.say({ type: 'mark', turn: id, name, outcome }));
  const unheardMs = () => {
    const { anchorMs, sentMs, nowMs } = playout.position(clock.now());
    return state.phase === 'playing' || state.phase === 'draining'
      ? Math.max(0, anchorMs + sentMs - nowMs)
      : 0;
  };
  const remainingMs = () => speech.waitingMs + unheardMs();
  const script = createTurnScript(
    { settings, seed, defaultVoice: runtime.defaultVoice, defaultVoice2: runtime.defaultVoice2, remainingMs },
    whole,
  );
  const speech = createTurnSpeech({
    settings,
    script,
    runtime,
    spoolCapacityBytes: () => options.spoolCapacityBytes(speech.bufferedBytes),
    onQueued: (notice) => outlet.say({ type: 'queued', turn: id, ...notice, etaMs: wholeMs(notice.etaMs) }),
    onFrame: outlet.onReady,
    onFlushed(madeMs) {
      flushesDue.push(madeMs);
      outlet.onReady();
    },
    onDone() {
      if (speech.failure !== undefined && speech.madeMs === 0)
        happen({ type: 'fail', error: speech.failure });
      outlet.onReady();
    },
  });
  const playout = createTurnPlayout({
    pace: { mode: settings.pace, leadMs: settings.leadMs },
    frames: speech.frames,
    sampleRate: () => speech.sampleRate,
    onFrame(frame, seq, atMs, durationMs) {
      if (settings.captions === 'words') {
        captionEvents(id, script.timeline.take(atMs + durationMs)).forEach(outlet.say);
      }
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

  const sayStarted = () => {
    const firstAudioMs = clock.now() - namedAtMs;
    metrics.firstAudio(firstAudioMs);
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
    // A flush that came after the last request stands at the end of the turn.
    if (outcome === 'complete' || outcome === 'truncated') while (flushesOwed > 0) sayFlushed();
    metrics.turnEnded(outcome, sentMs);
    outlet.say(endedEvent(id, { outcome, audioMs: speech.madeMs, sentMs, requests: speech.requests }));
  };
  const sayFlushed = () => {
    flushesOwed -= 1;
    outlet.say({ type: 'flushed', turn: id });
  };
  const answerFlushes = () => {
    while (flushesDue.length > 0 && flushesDue[0]! <= playout.sentMs + 1) {
      flushesDue.shift();
      sayFlushed();
    }
  };
  const sayHeard = () => {
    const heard = ledger.heard(playout.position(clock.now()));
    outlet.say(heardEvent(id, { ...heard, ...script.heardAt(heard.playedMs) }));
  };
  const perform = (effect: Effect) => {
    if (effect.do === 'say-started') sayStarted();
    else if (effect.do === 'say-error') outlet.say(errorEvent(effect.error, id));
    else if (effect.do === 'say-ended') sayEnded(effect.outcome);
    else if (effect.do === 'say-heard') sayHeard();
    else if (effect.do === 'settle-marks') marks.settleAll(effect.outcome);
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
    if (frames.peek() === undefined || outlet.isCongested()) return false;
    if (settings.pace === 'realtime' && nowMs + settings.leadMs < freeAtMs) return false;
    const queuedMs = (frames.queuedSamples * 1000) / speech.sampleRate;
    return frames.isEnded || queuedMs >= Math.min(START_MS, settings.leadMs);
  };
  const creditIsLate = (nowMs: number) =>
    isCredit &&
    playout.holder === 'credit' &&
    nowMs >= Math.max(ledger.reportedAtMs ?? 0, playout.startedAtMs) + runtime.limits.creditTimeoutMs;

  return {
    id,
    settings,
    script,
    get phase() {
      return state.phase;
    },
    get outcome() {
      return state.phase === 'draining' || state.phase === 'finished' ? state.outcome : undefined;
    },
    begin: speech.begin,
    sendDue(nowMs, freeAtMs) {
      if (state.phase === 'waiting' && canStart(nowMs, freeAtMs)) {
        playout.start(Math.max(nowMs, freeAtMs), nowMs);
        happen({ type: 'audio-ready' });
      }
      if (state.phase !== 'playing') return;
      playout.send(nowMs, gate);
      answerFlushes();
      if (creditIsLate(nowMs)) happen({ type: 'fail', error: creditTimeout() });
      else if (speech.frames.isEnded && speech.frames.peek() === undefined) {
        happen({ type: 'audio-sent', error: speech.failure });
      }
    },
    settle(nowMs) {
      if (state.phase !== 'playing' && state.phase !== 'draining') return;
      const position = playout.position(nowMs);
      if (marks.pending > 0) marks.pass(ledger.heard(position).playedMs);
      if (state.phase === 'playing') return;
      const reporting = isCredit ? runtime.limits.creditTimeoutMs : REPORT_GRACE_MS;
      const graceMs = isCredit || ledger.reportedMs !== undefined ? reporting : 0;
      if (ledger.isOver(position, graceMs)) happen({ type: 'heard' });
    },
    cancel(playedMs) {
      if (playedMs !== undefined) ledger.report(playedMs, clock.now());
      happen({ type: 'cancel' });
    },
    fail: (error) => happen({ type: 'fail', error }),
    abandon: speech.stop,
    played(ms) {
      ledger.report(ms, clock.now());
      outlet.onReady();
    },
    flush() {
      flushesOwed += 1;
      script.flush();
    },
    mark(name) {
      const { line, codePoint } = script.position;
      marks.add(name, () => (codePoint === 0 ? 0 : script.timeline.endOf(line, codePoint)));
    },
    get heardUntilMs() {
      if (state.phase === 'waiting') return undefined;
      const { anchorMs, sentMs } = playout.position(0);
      return anchorMs + sentMs;
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
