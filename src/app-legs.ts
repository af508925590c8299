// Telephony legs, built: the desk where sessions find them and the server that lets them in.

import { createAttachTokens } from './access/attach-tokens.ts';
import type { Credentials } from './access/credentials.ts';
import type { Clock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import type { Random } from './base/random.ts';
import { createLegDesk } from './gateway/leg-desk.ts';
import { createLegServer } from './gateway/leg-server.ts';
import { LEGS } from './legs/legs.ts';
import type { Config } from './settings/settings.ts';

const SECRET_BYTES = 32;

export function openAppLegs(
  config: Config,
  credentials: Credentials,
  { clock, random, log }: { readonly clock: Clock; readonly random: Random; readonly log: Log },
) {
  // Leg and session meet in one process, so the secret need not outlive it.
  const tokens = createAttachTokens(random.id(SECRET_BYTES));
  const desk = createLegDesk(clock, tokens);
  const server = createLegServer({
    legs: LEGS,
    desk,
    tokens,
    callers: credentials.areRequired ? { are: 'strangers' } : { are: 'local', user: credentials.localUser },
    scheme: config.tlsCert === undefined ? 'http' : 'https',
    twilioAuthToken: config.twilioAuthToken,
    publicOrigin: config.publicUrl,
    maxLegs: config.maxConnections,
    clock,
    random,
    log,
  });
  return { desk, server };
}
