// What a session and a listener need for onlookers, where a test is not about them.
import { createCallerTokens } from '../../src/access/caller-tokens.ts';
import { createTokenIssuer, type TokenIssuer } from '../../src/access/token-issuer.ts';
import type { Clock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createPlayoutClock } from '../../src/playout/playout-clock.ts';
import type { OnlookerLimits, OnlookerRuntime } from '../../src/session/observers/session-audience.ts';

const LIMITS: OnlookerLimits = { maxOnlookers: 1000, maxOnlookersPerSession: 200, onlookerJoinMs: 2000 };

export const onlookerRuntime = (clock: Clock, limits: Partial<OnlookerLimits> = {}): OnlookerRuntime => ({
  ticks: createPlayoutClock({
    clock,
    tickMs: 40,
    onFault(_player, fault) {
      throw fault;
    },
  }),
  limits: { ...LIMITS, ...limits },
  count: { open: 0 },
});

export const tokenDesk = (clock: Clock): TokenIssuer =>
  createTokenIssuer(createCallerTokens(['a secret of this test']), clock, systemRandom);
