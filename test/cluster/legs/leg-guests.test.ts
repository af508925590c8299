// A call whose socket is at another instance, as the one that plays it hears of it: a real stream, in simulated time.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createInstanceLegs } from '../../../src/cluster/instances/instance-legs.ts';
import { createLegGuests } from '../../../src/cluster/legs/leg-guests.ts';
import { packRelay, type RelayMessage } from '../../../src/cluster/legs/relay-frames.ts';
import { UPGRADE_NAME } from '../../../src/cluster/private-listener.ts';
import { createLocalLegRegistry } from '../../../src/gateway/calls/local-leg-registry.ts';
import { createPlayoutClock } from '../../../src/playout/playout-clock.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { TWILIO_START } from '../../support/twilio-start.ts';

const OPENING: readonly RelayMessage[] = [
  { is: 'opening', opening: { id: 'leg-1', kind: 'twilio', callId: undefined, token: undefined, lives: 1 } },
  { is: 'frame', frame: TWILIO_START },
];

let clock: FakeClock;
let first: readonly RelayMessage[];
let relay: Duplex | undefined;
const holder = createServer().on('upgrade', (_request, socket) => {
  relay = socket;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${UPGRADE_NAME}\r\n\r\n`);
  socket.write(Buffer.concat(first.map(packRelay)));
});
let guests: ReturnType<typeof createLegGuests>;

/** A session of this instance asks for the call, which the other instance gives: what the session is told. */
function attach(): readonly string[] {
  const told: string[] = [];
  const origin = `http://127.0.0.1:${(holder.address() as AddressInfo).port}`;
  const from = { at: { origin }, notes: { stamp: () => 'note' } };
  const legs = createInstanceLegs({
    local: createLocalLegRegistry(clock, { tokenFor: () => 'token', userOf: () => undefined }),
    directory: {
      find: async () => ({ id: 'other', url: origin, version: '' }),
      watch(_name, listener) {
        listener();
        return () => {};
      },
      entered() {},
      left() {},
    },
    clock,
    fetch: (_from, name, userId) => guests.fetch({ key: name, userId, from }),
    sendHome: (name) => guests.sendHome(name),
    askPlayer() {},
  });
  guests = createLegGuests({
    registry: () => legs,
    clock,
    playout: createPlayoutClock({ clock, onFault: (_player, fault) => expect.unreachable(String(fault)) }),
    log: silentLog,
  });
  legs.attach(
    'ann',
    { callSid: 'CA1' },
    {
      onAttached() {
        told.push('attached');
        return {
          ...{ onPlayed() {}, onAudio() {}, onDigit() {}, onAudioChanged() {} },
          onLeaving: (deadlineMs) => told.push(`leaving within ${deadlineMs} ms`),
          onGone: () => told.push('gone'),
        };
      },
      onRefused: ({ code }) => told.push(code),
    },
  );
  return told;
}

beforeEach(async () => {
  clock = createFakeClock();
  holder.listen(0, '127.0.0.1');
  await once(holder, 'listening');
});
afterEach(async () => {
  guests.close();
  relay?.destroy();
  holder.close();
  await once(holder, 'close');
});

it('tells a session that the instance of its call stops', async () => {
  first = OPENING;
  const told = attach();
  await expect.poll(() => told).toEqual(['attached']);
  relay!.write(packRelay({ is: 'leaving', deadlineMs: 20_000 }));
  await expect.poll(() => told).toEqual(['attached', 'leaving within 20000 ms']);
  clock.advance(5000);
  expect(told).toHaveLength(2);
});

it('tells it a session that is given the call at that moment, once', async () => {
  first = [...OPENING, { is: 'leaving', deadlineMs: 20_000 }];
  const told = attach();
  await expect.poll(() => told).toEqual(['attached']);
  clock.advance(1000);
  expect(told).toEqual(['attached', 'leaving within 19000 ms']);
  clock.advance(5000);
  expect(told).toHaveLength(2);
});
