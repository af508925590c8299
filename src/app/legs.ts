// Builds telephony legs: the registry where sessions find them and the servers that let them in.

import type { AttachTokens } from '../access/attach-tokens.ts';
import type { Credentials } from '../access/credentials.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { createAudioSocketServer } from '../gateway/calls/audiosocket-server.ts';
import type { CallListenerOptions } from '../gateway/calls/call-listener.ts';
import type { createLegConnection } from '../gateway/calls/leg-connection.ts';
import { createLegDialler } from '../gateway/calls/leg-dialler.ts';
import { createLegServer } from '../gateway/calls/leg-server.ts';
import { createLegSockets } from '../gateway/calls/leg-sockets.ts';
import type { LegArrivals } from '../gateway/calls/local-leg-registry.ts';
import { createTcpCalls } from '../gateway/calls/tcp-calls.ts';
import { createWorkerCalls } from '../gateway/calls/worker-calls.ts';
import type { IntakeMetrics } from '../gateway/sockets/intake-metrics.ts';
import { LEGS } from '../legs/legs.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import type { AdmissionControl } from '../session/admission-control.ts';
import type { LegBroker } from '../session/leg-broker.ts';
import type { Config } from '../settings/settings.ts';

/** The registry where legs and sessions meet; `connect`: what is done with a leg's socket, where the servers do not decide it. */
export type AppLegRegistry = {
  readonly tokens: AttachTokens;
  readonly registry: LegBroker;
  readonly arrivals: LegArrivals;
  readonly connect?: typeof createLegConnection;
  /** Legs that this process may have. */
  readonly maxLegs: number;
};

const noSwitchboard = (): never => {
  throw new AppError('internal', 'A leg has come in by no switchboard.');
};
/** Where calls may go on elsewhere they arrive by their switchboard, and by nothing else. */
export const BY_SWITCHBOARD: LegArrivals = { arrive: noSwitchboard, turnAway: noSwitchboard };

export function openAppLegs(
  config: Config,
  credentials: Credentials,
  parts: {
    readonly clock: Clock;
    readonly playout: PlayoutClock;
    readonly admission: AdmissionControl;
    readonly random: Random;
    readonly log: Log;
    readonly intake: IntakeMetrics;
  },
  { tokens, registry, arrivals, maxLegs, connect }: AppLegRegistry,
) {
  const callers = credentials.areRequired
    ? ({ are: 'strangers' } as const)
    : ({ are: 'local', user: credentials.localUser } as const);
  const common = {
    ...parts,
    arrivals,
    maxLegs,
    limits: config,
    ...(connect === undefined ? {} : { connect }),
  };
  const sockets = createLegSockets(common);
  const server = createLegServer({
    legs: LEGS,
    tokens,
    callers,
    scheme: config.tlsCert === undefined ? 'http' : 'https',
    twilioAuthToken: config.twilioAuthToken,
    publicOrigin: config.publicUrl,
    sockets,
  });
  // A thread of its own keeps the time of calls. Processes that share a port cannot hand it on to a thread, nor can what has
  // a call go on elsewhere.
  const openCalls = (calls: CallListenerOptions) =>
    config.processes > 1 || connect !== undefined
      ? createTcpCalls({ ...calls, clock: parts.clock })
      : createWorkerCalls({ ...calls, clock: parts.clock });
  const audioSockets = createAudioSocketServer({ ...common, callers, openCalls });
  const dialler = createLegDialler({ asteriskUrl: config.asteriskUrl, sockets, tokens, clock: parts.clock });
  return {
    registry,
    server,
    audioSockets,
    dial: dialler.dial,
    /** Takes and dials no more calls; those that are there go on. */
    drain() {
      audioSockets.drain();
      dialler.drain();
    },
    close() {
      dialler.drain();
      sockets.close();
      server.close();
    },
  };
}
