// One turn that is being spoken to a listener: text, speech and playout joined by the pure machine of turn.ts.
// It says every message of its turn, and after `ended` not one audio byte.

import { AppError } from '../base/app-error.ts';
import { createInsertedSilence } from '../captions/inserted-silence.ts';
import { errorEvent } from '../dialects/error-event.ts';
import type { Outcome } from '../dialects/native-events.ts';
import type { LiveTurn } from './live-turn.ts';
import type { TurnOutlet } from './session-outlet.ts';
import { type SessionRuntime, toTurnError } from './session-runtime.ts';
import { type Effect, step, type Turn, type TurnEvent } from './turn.ts';
import { createTurnFlushes } from './turn-flushes.ts';
import { createTurnHearing } from './turn-hearing.ts';
import { captionEvents, endedEvent, heardEvent, wholeMs } from './turn-messages.ts';
import { createTurnPlayout } from './turn-playout.ts';
import type { TurnAudience } from './turn-programme.ts';
import { createTurnScript, PREFETCH_MS, type WholeText } from './turn-script.ts';
import { turnSeed } from './turn-seed.ts';
import type { TurnSettings } from './turn-settings.ts';
import { createTurnSpeech } from './turn-speech.ts';
import { createTurnWork, type Speaker } from './turn-work.ts';

export type LiveTurnOptions = {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly whole: WholeText | undefined;
  readonly runtime: SessionRuntime;
  readonly speaker: Speaker;
  /** Turns of the client that had not ended when this one was named. */
  readonly turnsBefore: number;
  /** When they will have been heard. */
  readonly freeAtMs: number;
  /** Compressed audio that this turn may keep, given what its neighbours keep. */
  readonly spoolCapacityBytes: (keptBytes: number) => number;
  readonly outlet: TurnOutlet;
  readonly audience: TurnAudience;
};

/** Media positions are counted in samples on one side and in frames of MP3 on the other. */
const ROUNDING_MS = 1;
/** What is left to hear may shrink by so much at once, when a decoder drops what an encoder put in front. */
const SHRINK_MS = 500;
/** Held-back text is looked at so often at least. */
const LONGEST_SLEEP_MS = 1000;

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
  const seed = turnSeed(settings, whole, runtime.random);
  let state: Turn = { phase: 'waiting' };
  let endedAs: Outcome | undefined;
  let isCut = false;

  const silence = createInsertedSilence();
  const flushes = createTurnFlushes(() => outlet.say({ type: 'flushed', turn: id }));
  const isInTheEar = () => state.phase === 'playing' || state.phase === 'draining';
  const untilHeardMs = (nowMs: number) => (isInTheEar() ? Math.max(0, playout.heardUntilMs - nowMs) : 0);
  const remainingMs = () => speech.waitingMs + untilHeardMs(clock.now());
  const script = createTurnScript(
    { settings, seed, defaultVoice: runtime.defaultVoice, defaultVoice2: runtime.defaultVoice2, remainingMs },
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
    spoolCapacityBytes: () => options.spoolCapacityBytes(speech.bufferedBytes),
    onQueued(notice) {
      // Later requests may wait behind audio that is in hand; that is nobody's concern.
      if (state.phase !== 'waiting') return;
      outlet.say({ type: 'queued', turn: id, ...notice, etaMs: wholeMs(notice.etaMs) });
    },
    onFrame() {
      // A frame behind others changes nothing: when the first of them is due is known.
      if (state.phase === 'waiting' || playout.isShort(clock.now())) outlet.onReady();
    },
    onStall: outlet.onReady,
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
    pace: { mode: settings.pace, leadMs: settings.leadMs },
    frames: speech.frames,
    onFrame(frame, seq, atMs, durationMs) {
      sayCaptions(atMs + durationMs + ROUNDING_MS);
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
    get creditMs() {
      return hearing.creditMs;
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
    options.audience.began({
      turn: id,
      settings,
      position: (nowMs) => playout.position(nowMs),
      lines: script.lines,
      readWords() {
        const read = script.timeline.reader();
        return (untilMs) => read(silence.toOwn(untilMs));
      },
      toSentMs: (ownMs) => silence.toSent(ownMs),
      tape: speech.tape,
    });
  };
  const sayEnded = (outcome: Outcome) => {
    const { sentMs } = playout;
    endedAs = outcome;
    if (sentMs > 0 && sentMs >= speech.madeMs - ROUNDING_MS && outcome !== 'cancelled') flushes.settleAll();
    // The last words of audio whose end was not known when it was sent.
    if (outcome === 'complete') sayCaptions(Number.POSITIVE_INFINITY);
    metrics.turnEnded(outcome, sentMs, script.totalCodePoints);
    const { madeMs: audioMs, requests, resumes, isCached: cached } = speech;
    outlet.say(endedEvent(id, { outcome, audioMs, sentMs, requests, resumes, cached }));
  };
  const sayHeard = () => {
    const { playedMs: byNowMs, playedBy } = hearing.heard(clock.now());
    const committedMs = playedBy === 'clock' && isCut ? outlet.committedMs() : undefined;
    const heard = { playedMs: Math.min(committedMs ?? byNowMs, playout.sentMs), playedBy };
    const isWhole = endedAs === 'complete' && heard.playedMs >= playout.sentMs - ROUNDING_MS;
    outlet.say(
      heardEvent(id, { ...heard, ...script.heardAt(isWhole ? 'end' : silence.toOwn(heard.playedMs)) }),
    );
  };
  const passMarks = (nowMs: number) => {
    if (isInTheEar()) hearing.passMarks(nowMs);
  };
  const perform = (effect: Effect) => {
    if (effect.do === 'say-started') sayStarted();
    else if (effect.do === 'say-error') outlet.say(errorEvent(effect.error, id));
    else if (effect.do === 'say-ended') sayEnded(effect.outcome);
    else if (effect.do === 'say-heard') sayHeard();
    else if (effect.do === 'settle-marks') hearing.settleMarks(effect.outcome);
    else speech.stop();
  };
  const happen = (event: TurnEvent) => {
    const next = step(state, event);
    state = next.turn;
    next.effects.forEach(perform);
  };

  const start = (nowMs: number, freeAtMs: number) => {
    speech.comeFirst();
    if (playout.start(freeAtMs, nowMs, speech, gate)) happen({ type: 'audio-ready' });
  };

  return {
    id,
    settings,
    script,
    get phase() {
      return state.phase;
    },
    get lateMarks() {
      return hearing.lateMarks;
    },
    begin: speech.begin,
    sendDue(nowMs, freeAtMs) {
      if (state.phase === 'waiting') start(nowMs, freeAtMs);
      if (state.phase === 'playing') playout.send(nowMs, gate);
      flushes.pass(playout.sentMs + ROUNDING_MS);
      if (state.phase !== 'playing') return;
      if (nowMs >= hearing.creditEndsMs) happen({ type: 'fail', error: creditTimeout() });
      else if (speech.isOver && speech.frames.peek() === undefined) {
        happen({ type: 'audio-sent', error: speech.failure });
      }
    },
    nextSendMs(nowMs) {
      if (state.phase === 'playing') return Math.min(playout.dueMs, hearing.creditEndsMs);
      // A few frames in hand or room in the socket are not long in coming; the first frame may be.
      return speech.frames.peek() === undefined ? Number.POSITIVE_INFINITY : nowMs;
    },
    settle(nowMs) {
      passMarks(nowMs);
      if (state.phase === 'draining' && nowMs >= hearing.overMs) happen({ type: 'heard' });
    },
    nextSettleMs(nowMs) {
      if (hearing.marksPending > 0 && isInTheEar()) return nowMs; // their places in the audio move
      if (state.phase === 'draining') return hearing.overMs;
      return state.phase === 'finished' ? nowMs : Number.POSITIVE_INFINITY; // the line lets it go then
    },
    nextRequestMs(nowMs) {
      if (script.input === 'ended' || !script.requests.hasText || speech.isAsking)
        return Number.POSITIVE_INFINITY;
      const spareMs = remainingMs() - PREFETCH_MS - SHRINK_MS;
      return nowMs + Math.max(0, Math.min(spareMs, LONGEST_SLEEP_MS));
    },
    cancel(playedMs) {
      const nowMs = clock.now();
      if (playedMs !== undefined) hearing.report(playedMs, nowMs, 'client');
      passMarks(nowMs);
      isCut = true;
      happen({ type: 'cancel' });
    },
    fail: (fault) => happen({ type: 'fail', error: toTurnError(runtime.log, fault) }),
    abandon: speech.stop,
    played(ms, by) {
      hearing.report(ms, clock.now(), by);
      outlet.onReady();
    },
    heardMs: (nowMs) => (playout.startedAtMs === undefined ? 0 : hearing.heard(nowMs).playedMs),
    flush() {
      flushes.ask();
      script.flush();
    },
    mark(name) {
      const endOfText = script.endOfText();
      hearing.mark(name, () => {
        const endMs = endOfText();
        return endMs === undefined ? undefined : Math.min(silence.toSent(endMs), speech.reachableMs);
      });
    },
    get heardUntilMs() {
      return playout.startedAtMs === undefined ? undefined : playout.heardUntilMs;
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
      return speech.wantsRefill;
    },
    refill: speech.refill,
  };
}
