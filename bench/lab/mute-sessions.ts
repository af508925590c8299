// Sessions in this process whose speech service never answers: what their texts cost, in time and in memory, without any
// sound, any socket and any other process.

import { createFilterBanks } from '../../src/audio/dsp/filter-bank.ts';
import { createSoundPath } from '../../src/audio/dsp/wasm-sound-path.ts';
import { createLayer3Decoders } from '../../src/audio/mp3/layer3-decoders.ts';
import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import { type Decoded, decodeNative } from '../../src/dialects/native-dialect.ts';
import type { ServerEvent } from '../../src/dialects/native-events.ts';
import { createSpeechRecovery } from '../../src/pipeline/whole-body/speech-recovery.ts';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timing/word-timer.ts';
import { createPlayoutClock } from '../../src/playout/playout-clock.ts';
import { Session } from '../../src/session/session.ts';
import type { SessionLimits, SessionRuntime } from '../../src/session/session-runtime.ts';
import { createTextWork } from '../../src/session/text-work.ts';
import { defaultSettings } from '../../src/session/turn-settings.ts';

const HOUR_MS = 3_600_000;

/** As set at first. */
export const MUTE_LIMITS: SessionLimits = {
  textChars: 256 * 1024,
  pendingTextChars: 100_000,
  textBytes: 8 * 1024 * 1024,
  turnsInFlight: 8,
  spoolBytes: 768 * 1024,
  creditTimeoutMs: HOUR_MS,
  pauseTimeoutMs: HOUR_MS,
  upstreamMaxWaitMs: HOUR_MS,
};
/** The longest message that a client may send. */
export const MESSAGE_BYTES = 256 * 1024;

export type MuteSession = Session & {
  /** As a client's frame. */
  receive(frame: string): void;
  /** What it has said, and how often. */
  readonly said: ReadonlyMap<string, number>;
};

export type MuteSessions = {
  open(): MuteSession;
  close(): void;
};

export async function openMuteSessions(clock: Clock): Promise<MuteSessions> {
  const sound = createSoundPath(createFilterBanks());
  const onFault = (_player: unknown, fault: unknown) => {
    throw fault;
  };
  const playout = createPlayoutClock({ clock, onFault });
  const ticks = createPlayoutClock({ clock, onFault });
  const runtime: SessionRuntime = {
    upstream: { open: () => new Promise(() => {}) },
    recovery: createSpeechRecovery(),
    phrases: undefined,
    codecs: {
      decoders: createLayer3Decoders(),
      sound,
      heavy: {
        isFull: () => false,
        open() {
          throw new Error('no dear format is spoken here');
        },
      },
    },
    timer: NO_WORD_TIMER,
    legs: { tokenFor: () => '', attach: () => () => {} },
    onlookers: {
      ticks,
      limits: { maxOnlookers: 0, maxOnlookersPerSession: 0, onlookerJoinMs: 0 },
      count: { open: 0 },
    },
    clock,
    playout,
    textWork: createTextWork(clock),
    random: systemRandom,
    log: silentLog,
    admission: { refusal: () => undefined, opened() {}, take: () => ({ began() {}, leave() {} }) },
    limits: MUTE_LIMITS,
    metrics: { firstAudio() {}, underrun() {}, turnEnded() {} },
    defaultVoice: undefined,
    defaultVoice2: undefined,
  };
  let opened = 0;
  return {
    open() {
      const said = new Map<string, number>();
      const say = (event: ServerEvent) => {
        // As a socket would have it.
        JSON.stringify(event);
        const name = event.type === 'error' ? `error ${event.code}` : event.type;
        said.set(name, (said.get(name) ?? 0) + 1);
      };
      opened += 1;
      const session = new Session(runtime, { tenant: 'bench', session: `s${opened}` }, defaultSettings(200), {
        say,
        sendAudio() {},
        isCongested: () => false,
        cork() {},
        uncork() {},
      });
      const receive = (frame: string) => {
        const decoded: Decoded = decodeNative(frame);
        if (!decoded.ok) throw new Error(`${decoded.code}: ${decoded.message}`);
        session.handle(decoded.command);
      };
      return Object.assign(session, { receive, said });
    },
    close() {
      playout.close();
      ticks.close();
    },
  };
}
