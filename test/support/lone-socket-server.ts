// The socket server without the rest of a gateway, on a port of its own: sessions open and are heard by nobody. A test
// says only what it is about.

import { createServer } from 'node:http';
import { createCredentials } from '../../src/access/credentials.ts';
import { createResumeTokens } from '../../src/access/resume-tokens.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import {
  createSocketServer,
  type SocketServer,
  type SocketServerOptions,
} from '../../src/gateway/sockets/socket-server.ts';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timing/word-timer.ts';
import type { Player } from '../../src/playout/playout-clock.ts';
import type { AdmissionControl } from '../../src/session/admission-control.ts';
import { createTextWork } from '../../src/session/text-work.ts';
import { defaultSettings } from '../../src/session/turn-settings.ts';
import { codecs } from './codecs.ts';
import { fixedRandom } from './fixed-random.ts';
import { createMemoryUpstream } from './memory-upstream.ts';
import { NO_LEG_DESK, NO_LEG_SERVER } from './no-legs.ts';
import { onlookerRuntime, tokenDesk } from './onlookers.ts';
import { OPEN_ADMISSION } from './open-admission.ts';
import { accepted } from './settings.ts';
import { trustingRecovery } from './trusting-recovery.ts';

export type LoneSocketServer = {
  readonly sockets: SocketServer;
  readonly port: number;
  /** Players that have joined the clock, in order. */
  readonly players: readonly Player[];
  readonly close: () => void;
};

export type LoneSocketServerOptions = {
  readonly dialects?: readonly Dialect[];
  readonly log?: Log;
  readonly findAgent?: SocketServerOptions['findAgent'];
  readonly admission?: AdmissionControl;
  readonly onClosed?: SocketServerOptions['onClosed'];
};

export async function startSocketServer({
  dialects = DIALECTS,
  log = silentLog,
  findAgent = async () => undefined,
  admission = OPEN_ADMISSION,
  onClosed = () => {},
}: LoneSocketServerOptions = {}): Promise<LoneSocketServer> {
  const { config } = accepted({});
  const players: Player[] = [];
  const sockets = createSocketServer({
    version: '0',
    runtime: {
      upstream: createMemoryUpstream(),
      recovery: trustingRecovery(),
      phrases: undefined,
      codecs,
      timer: NO_WORD_TIMER,
      legs: NO_LEG_DESK,
      onlookers: onlookerRuntime(systemClock),
      clock: systemClock,
      textWork: createTextWork(systemClock),
      playout: {
        join: (player) => void players.push(player),
        leave() {},
        markDue() {},
        keepTime() {},
        players: () => 0,
        playing: () => 0,
        close() {},
      },
      random: fixedRandom(0.5),
      log,
      admission,
      limits: { ...config, textChars: 1000, turnsInFlight: 8 },
      metrics: { firstAudio() {}, underrun() {}, turnEnded() {} },
      defaultVoice: undefined,
      defaultVoice2: undefined,
    },
    admission: {
      ...config,
      dialects,
      scheme: 'http',
      credentials: createCredentials([]),
      tokens: tokenDesk(systemClock),
      resumeTokens: createResumeTokens(['a secret of this test']),
    },
    resume: {
      ...config,
      metrics: {
        sessionResumed() {},
        sessionGone() {},
        sessionTakenOver() {},
        journalWritten() {},
        journalLeft() {},
      },
    },
    settings: defaultSettings(200),
    findAgent,
    limits: { ...config, messageBytes: 1000, messagesPerSecond: 100, bytesPerSecond: 100_000 },
    legs: NO_LEG_SERVER,
    intake: {
      intakeSpent() {},
      intakeSlowed() {},
      intakeRefused() {},
      legStarted() {},
      legOver() {},
      legEvicted() {},
    },
    onOpened() {},
    onClosed,
  });
  const server = createServer();
  sockets.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    sockets,
    port,
    players,
    close() {
      sockets.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
