// Messages that both versions of the protocol share: failures, and that speech is on its way.

import type { DialectSink } from '../dialect.ts';
import type { EventOf } from '../native-events.ts';
import type { Unreadable } from './client-message.ts';
import type { TextRefusal } from './speech-line.ts';
import { errorMessage, type WireFailure, warningMessage } from './wire-errors.ts';

// Clients of this protocol give up when nothing comes for ten seconds, whatever they wait for. While speech is on its way
// and nothing is said, something is.

type QuietWatch = {
  /** Something has been sent. */
  sent(): void;
  /** Called about once a second, with a monotonic time; true when the client has waited long enough. */
  isOverdue(nowMs: number, state: 'speaking' | 'idle'): boolean;
};

/** Half of those ten seconds, with the one that passes between two looks at either end of it. */
const MAX_QUIET_MS = 3000;

function createQuietWatch(): QuietWatch {
  let quietSinceMs: number | undefined;
  return {
    sent() {
      quietSinceMs = undefined;
    },
    isOverdue(nowMs, state) {
      if (state === 'idle' || quietSinceMs === undefined) {
        quietSinceMs = nowMs;
        return false;
      }
      return nowMs - quietSinceMs >= MAX_QUIET_MS;
    },
  };
}

type SpeakSink = {
  say(message: object): void;
  sendAudio(bytes: Uint8Array): void;
  readonly error: (failure: WireFailure) => void;
  warn(code: string, description: string): void;
  /** A message that could not be read. */
  refuse(unreadable: Unreadable): void;
  refuseText(refusal: TextRefusal): void;
  queued(event: EventOf<'queued'>): void;
  switched(event: EventOf<'switched'>): void;
  goingAway(): void;
  /** As a codec's own, with whether the client waits for audio. */
  tick(nowMs: number, state: 'speaking' | 'idle'): void;
};

const TEXT_REFUSALS: Readonly<Record<TextRefusal, string>> = {
  'no-room': 'Too much text waits to be spoken; send more when some of it has been.',
  'too-long-a-speech':
    'The speech is too long; a Flush ends it, and the text can be sent again for the next one.',
};
/** What clients know as: it takes longer, and nothing is lost. */
const ON_ITS_WAY = 'SYNTHESIS_RETRYING';
/** Ours: another speech service speaks, perhaps in another voice. */
const SWITCHED = 'SERVICE_SWITCHED';

export function createSpeakSink({ send }: Pick<DialectSink, 'send'>): SpeakSink {
  const quiet = createQuietWatch();
  const say = (message: object) => {
    quiet.sent();
    send(JSON.stringify(message));
  };
  const error = (failure: WireFailure) => say(errorMessage(failure));
  const warn = (code: string, description: string) => say(warningMessage(code, description));
  return {
    say,
    sendAudio(bytes) {
      quiet.sent();
      send(bytes);
    },
    error,
    warn,
    refuse: ({ code, why }) => error({ code, message: why, retryable: false }),
    refuseText: (refusal) => error({ code: 'text_full', message: TEXT_REFUSALS[refusal], retryable: true }),
    queued({ reason, position, etaMs, atMs }) {
      if (reason === 'previous-turn') return; // its speech follows on what is being heard
      const seconds = Math.ceil(etaMs / 1000);
      const there = atMs === undefined ? '' : `; ${(atMs / 1000).toFixed(1)} s of the speech are there`;
      warn(ON_ITS_WAY, `Waiting for the speech service: place ${position}, about ${seconds} s${there}.`);
    },
    switched({ from, to, atMs, reason }) {
      const where = `from ${(atMs / 1000).toFixed(1)} s of the speech on`;
      warn(SWITCHED, `The speech service ${to} speaks instead of ${from} (${reason}), ${where}.`);
    },
    goingAway: () => warn('GOING_AWAY', 'This gateway is about to stop and takes no new speech; reconnect.'),
    tick(nowMs, state) {
      if (quiet.isOverdue(nowMs, state))
        warn(ON_ITS_WAY, 'Nothing to send yet; the speech is still under way.');
    },
  };
}
