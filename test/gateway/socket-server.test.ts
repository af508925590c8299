// A fault in one listener's playing ends that listener's connection, saying so, and nobody else's.
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { createCredentials } from '../../src/access/credentials.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { createSocketServer } from '../../src/gateway/socket-server.ts';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timer.ts';
import type { Player } from '../../src/playout/playout-clock.ts';
import { defaultSettings } from '../../src/session/turn-settings.ts';
import { codecs } from '../support/codecs.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { createMemoryUpstream } from '../support/memory-upstream.ts';
import { NO_LEG_DESK, NO_LEG_SERVER } from '../support/no-legs.ts';
import { onlookerRuntime, tokenDesk } from '../support/onlookers.ts';
import { openProbe } from '../support/session-probe.ts';
import { accepted } from '../support/settings.ts';
import { trustingUpkeep } from '../support/trusting-upkeep.ts';

it('closes as internal the connection whose player failed, and no other', async () => {
  const players: Player[] = [];
  const { config } = accepted({});
  const sockets = createSocketServer({
    version: '0',
    runtime: {
      upstream: createMemoryUpstream(),
      upkeep: trustingUpkeep(),
      phrases: undefined,
      codecs,
      timer: NO_WORD_TIMER,
      legs: NO_LEG_DESK,
      onlookers: onlookerRuntime(systemClock),
      clock: systemClock,
      playout: { join: (player) => void players.push(player), leave() {}, players: 0, close() {} },
      random: fixedRandom(0.5),
      log: silentLog,
      limits: { ...config, textChars: 1000, turnsInFlight: 8 },
      metrics: { firstAudio() {}, underrun() {}, turnEnded() {} },
      defaultVoice: undefined,
      defaultVoice2: undefined,
    },
    admission: {
      ...config,
      dialects: DIALECTS,
      scheme: 'http',
      credentials: createCredentials([]),
      tokens: tokenDesk(systemClock),
    },
    settings: defaultSettings(200),
    checkVoices() {},
    findAgent: async () => undefined,
    limits: { ...config, messageBytes: 1000, messagesPerSecond: 100, bytesPerSecond: 100_000 },
    legs: NO_LEG_SERVER,
    onOpened() {},
    onClosed() {},
  });
  const server = createServer();
  sockets.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const connect = async () => {
    const probe = await openProbe(`ws://127.0.0.1:${port}/v1/session`);
    probe.send({ type: 'speak', turn: 'a', text: 'Hello.' }, { type: 'ping' });
    await probe.event('pong');
    return probe;
  };
  const [broken, sound] = [await connect(), await connect()];
  expect(players.length).toBe(2);

  sockets.failed(players[0]!);
  expect(await broken.event('error')).toMatchObject({ code: 'internal', scope: 'session' });
  expect(await broken.closed).toEqual({ code: 1011, reason: 'internal' });
  await expect.poll(() => sockets.connections.size).toBe(1);
  sound.send({ type: 'ping', id: 'still here' });
  await sound.event('pong', ({ id }) => id === 'still here');

  sockets.close();
  await sound.closed;
  server.close();
});
