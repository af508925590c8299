// A client that comes back to an instance which has its session no more, without knowing it.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { createResumeTokens } from '../../../src/access/resume-tokens.ts';
import { silentLog } from '../../../src/base/log.ts';
import type { Return } from '../../../src/gateway/sockets/admit-upgrade.ts';
import type { ClientConnection } from '../../../src/gateway/sockets/client-connection.ts';
import {
  createReturningClients,
  type UpgradeRequest,
} from '../../../src/gateway/sockets/returning-clients.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { NATIVE_ENTRY } from '../../support/resumable-rig.ts';

function open(became: 'settled' | 'lost') {
  const seen: string[] = [];
  const tokens = createResumeTokens(['a secret of this test']);
  const returning = createReturningClients({
    resumeMs: 120_000,
    maxDetachedPerUser: 4,
    metrics: {
      sessionTakenOver() {},
      sessionResumed: () => seen.push('resumed'),
      sessionGone() {},
      journalWritten() {},
      journalLeft() {},
    },
    handOver: async () => {
      seen.push('handed over');
      return true;
    },
    tokens,
    callers: { onRevoked: () => () => {} },
    clock: createFakeClock(),
    random: fixedRandom(),
    log: silentLog,
    maxUnprovenBytes: 1000,
    shakeHands: (_upgrade, _entry, opened) => opened({} as never),
    refuse: (_upgrade, { code }) => seen.push(`refused: ${code}`),
    takeOver: async () => false,
  });
  const resumption = {
    settled: async () => became,
    refusal: () => undefined,
    comeBack() {},
  };
  returning.opened({ id: 's', userId: 'anna', resumption } as unknown as ClientConnection, undefined);
  const text = tokens.sign({ session: 's', userId: 'anna', key: undefined, caller: undefined, number: 1 });
  const back: Return = {
    token: tokens.read(text)!,
    claim: { after: 0, turn: undefined, received: 0 },
    entry: NATIVE_ENTRY,
    seen: {},
  };
  const upgrade: UpgradeRequest = {
    request: {} as IncomingMessage,
    socket: { destroyed: false } as Duplex,
    head: Buffer.alloc(0),
  };
  returning.enter(back, upgrade);
  return seen;
}

it('finds its session where it is', async () => {
  const seen = open('settled');
  await settle();
  expect(seen).toEqual(['resumed']);
});

it('is sent on to the instance that has taken the session over, and not let into what is left of it here', async () => {
  const seen = open('lost');
  await settle();
  expect(seen).toEqual(['handed over']);
});
