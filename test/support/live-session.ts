// One session under test: fake clock, memory upstream, real codecs, and a log of all that left it. Every message is
// held against the schemas of the protocol, so that no test can pass on one that a client could not read.

import type { HeavyEncoders } from '../../src/audio/heavy-encoders.ts';
import { AppError } from '../../src/base/app-error.ts';
import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { errorEvent } from '../../src/dialects/error-event.ts';
import { decodeNative } from '../../src/dialects/native-dialect.ts';
import {
  type EventOf,
  type ServerEvent,
  type ServerEventType,
  serverEventSchemas,
} from '../../src/dialects/native-events.ts';
import type { Preset } from '../../src/dialects/native-messages.ts';
import type { SpeechServices } from '../../src/pipeline/speech-services.ts';
import type { SpeechRecovery } from '../../src/pipeline/whole-body/speech-recovery.ts';
import { NO_WORD_TIMER, type WordTimer } from '../../src/pipeline/word-timing/word-timer.ts';
import { createPlayoutClock, type PlayoutClock } from '../../src/playout/playout-clock.ts';
import type { AdmissionControl } from '../../src/session/admission-control.ts';
import type { LegBroker } from '../../src/session/leg-broker.ts';
import type { OnlookerLimits } from '../../src/session/observers/session-audience.ts';
import { Session } from '../../src/session/session.ts';
import type { OutgoingAudio } from '../../src/session/session-outlet.ts';
import type { SessionLimits, SessionRuntime } from '../../src/session/session-runtime.ts';
import type { PlayoutOrder } from '../../src/session/session-turns.ts';
import { createTextWork } from '../../src/session/text-work.ts';
import { applySettings, defaultSettings } from '../../src/session/turn-settings.ts';
import type { PhraseStore } from '../../src/storage/phrase-store.ts';
import type { SpeechUpstream } from '../../src/upstream/speech-upstream.ts';
import { codecs } from './codecs.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { fixedRandom } from './fixed-random.ts';
import { createMemoryUpstream, type MemoryRequest, type MemoryUpstream } from './memory-upstream.ts';
import { NO_LEG_DESK } from './no-legs.ts';
import { onlookerRuntime } from './onlookers.ts';
import { OPEN_ADMISSION } from './open-admission.ts';
import { trustingRecovery } from './trusting-recovery.ts';

export type Said = { readonly atMs: number; readonly event: ServerEvent };
export type Sent = { readonly atMs: number; readonly audio: OutgoingAudio };
export type LogEntry = Said | Sent;

export type LiveSession = {
  readonly clock: FakeClock;
  readonly upstream: MemoryUpstream;
  readonly session: Session;
  readonly playout: PlayoutClock;
  /** Everything that left the session, in order. */
  readonly log: readonly LogEntry[];
  /** What the log was told of failures inside; a test that expects none asserts so. */
  readonly faults: readonly string[];
  readonly figures: { underrunGapsMs: number[]; outcomes: string[] };
  /** Sends a message as the client would, through the codec. */
  send(message: Record<string, unknown>): void;
  run(ms: number): Promise<void>;
  said<T extends ServerEventType>(type: T, turn?: string): EventOf<T>[];
  /** Messages and `audio` by name, runs of audio folded: `started a`, `audio a`, `ended a`. */
  order(): string[];
  audioOf(turn: string): Uint8Array;
  frames(turn: string): Sent[];
  congest(state: 'congested' | 'clear'): void;
};

export type LiveSessionOptions = {
  readonly auto?: (request: MemoryRequest) => void;
  /** What the session sees of the upstream; by default the very one. */
  readonly upstreamOf?: (upstream: MemoryUpstream, clock: Clock) => SpeechUpstream;
  readonly preset?: Preset;
  /** How the session's turns stand to each other; by default one behind the other. */
  readonly playoutOrder?: PlayoutOrder | undefined;
  readonly limits?: Partial<SessionLimits>;
  readonly voice?: string;
  readonly voice2?: string;
  /** The clock that the playout timer sees; late ticks are made here. */
  readonly tickClock?: (clock: Clock) => Clock;
  /** The playout clock that the session sees. */
  readonly playoutOf?: (playout: PlayoutClock) => PlayoutClock;
  readonly onEntry?: (entry: LogEntry) => void;
  /** Dear encoders other than the real ones on this thread. */
  readonly heavy?: HeavyEncoders;
  /** By default one that believes any length of audio. */
  readonly recovery?: SpeechRecovery;
  readonly phrases?: PhraseStore;
  /** By default none: words are spread by their weights. */
  readonly timer?: WordTimer;
  readonly legs?: LegBroker;
  readonly onlookers?: Partial<OnlookerLimits>;
  /** Where several services may speak; by default `upstream` is the only one. */
  readonly services?: SpeechServices;
  /** By default there is room for everybody. */
  readonly admission?: AdmissionControl;
};

const LIMITS: SessionLimits = {
  textChars: 262_144,
  pendingTextChars: 100_000,
  textBytes: 8 * 1024 * 1024,
  turnsInFlight: 8,
  spoolBytes: 4 * 1024 * 1024,
  creditTimeoutMs: 60_000,
  pauseTimeoutMs: 3_600_000,
  upstreamMaxWaitMs: 30_000,
};

const SPEAKER = { tenant: 'anna', session: 'test' };

export function startSession(options: LiveSessionOptions = {}): LiveSession {
  const clock = createFakeClock();
  const upstream = createMemoryUpstream(options.auto);
  const log: LogEntry[] = [];
  const faults: string[] = [];
  const figures = { underrunGapsMs: [] as number[], outcomes: [] as string[] };
  let socket: 'congested' | 'clear' = 'clear';
  const playout = createPlayoutClock({
    clock: options.tickClock?.(clock) ?? clock,
    onFault(_player, fault) {
      throw fault;
    },
  });
  const runtime: SessionRuntime = {
    upstream: options.upstreamOf?.(upstream, clock) ?? upstream,
    recovery: options.recovery ?? trustingRecovery(),
    phrases: options.phrases,
    codecs: { ...codecs, heavy: options.heavy ?? codecs.heavy },
    timer: options.timer ?? NO_WORD_TIMER,
    legs: options.legs ?? NO_LEG_DESK,
    onlookers: onlookerRuntime(clock, options.onlookers),
    clock,
    playout: options.playoutOf?.(playout) ?? playout,
    textWork: createTextWork(clock),
    random: fixedRandom(0.25),
    log: {
      ...silentLog,
      error(event, fields) {
        faults.push(`${event}: ${String(fields?.cause)}`);
      },
    },
    admission: options.admission ?? OPEN_ADMISSION,
    services: options.services,
    limits: { ...LIMITS, ...options.limits },
    metrics: {
      firstAudio() {},
      underrun: (gapMs) => figures.underrunGapsMs.push(gapMs),
      turnEnded: (outcome) => figures.outcomes.push(outcome),
    },
    defaultVoice: options.voice,
    defaultVoice2: options.voice2,
  };
  const add = (entry: LogEntry) => {
    log.push(entry);
    options.onEntry?.(entry);
  };
  const say = (event: ServerEvent) => {
    serverEventSchemas[event.type].parse(event);
    add({ atMs: clock.now(), event });
  };
  const session = new Session(
    runtime,
    SPEAKER,
    applySettings(defaultSettings(200), options.preset ?? {}),
    {
      say,
      sendAudio: (audio) => add({ atMs: clock.now(), audio: { ...audio, bytes: audio.bytes.slice() } }),
      isCongested: () => socket === 'congested',
      cork() {},
      uncork() {},
    },
    options.playoutOrder,
  );

  const frames = (turn: string) =>
    log.filter((entry): entry is Sent => 'audio' in entry && entry.audio.turn === turn);
  return {
    clock,
    upstream,
    session,
    playout,
    log,
    faults,
    figures,
    send(message) {
      const decoded = decodeNative(JSON.stringify(message));
      if (decoded.ok) session.handle(decoded.command);
      else say(errorEvent(new AppError(decoded.code, decoded.message), decoded.turn));
    },
    run: (ms) => clock.run(ms),
    said: <T extends ServerEventType>(type: T, turn?: string) =>
      log.flatMap((entry) => {
        if (!('event' in entry) || entry.event.type !== type) return [];
        if (turn !== undefined && (entry.event as { turn?: string }).turn !== turn) return [];
        return [entry.event as EventOf<T>];
      }),
    order() {
      const names: string[] = [];
      for (const entry of log) {
        const name =
          'audio' in entry
            ? `audio ${entry.audio.turn}`
            : [entry.event.type, (entry.event as { turn?: string }).turn].filter(Boolean).join(' ');
        if (!('audio' in entry) || names.at(-1) !== name) names.push(name);
      }
      return names;
    },
    audioOf: (turn) => Buffer.concat(frames(turn).map(({ audio }) => audio.bytes)),
    frames,
    congest(state) {
      socket = state;
    },
  };
}
