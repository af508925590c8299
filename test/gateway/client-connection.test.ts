// A codec that fails costs its own connection, and nobody else's.
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createCredentials } from '../../src/access/credentials.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { nativeDialect } from '../../src/dialects/native-dialect.ts';
import { createSocketServer } from '../../src/gateway/socket-server.ts';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timer.ts';
import { defaultSettings } from '../../src/session/turn-settings.ts';
import { codecs } from '../support/codecs.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { createMemoryUpstream } from '../support/memory-upstream.ts';
import { NO_LEG_DESK, NO_LEG_SERVER } from '../support/no-legs.ts';
import { onlookerRuntime, tokenDesk } from '../support/onlookers.ts';
import { openProbe } from '../support/session-probe.ts';
import { accepted } from '../support/settings.ts';
import { trustingUpkeep } from '../support/trusting-upkeep.ts';

const breaking: Dialect = {
  name: 'breaking',
  enter: ({ path }) =>
    path === '/v1/breaking'
      ? {
          caller: 'headers',
          preset: () => ({}),
          open: () => ({
            receive(frame) {
              throw new Error(frame);
            },
            event() {},
            audio() {},
          }),
        }
      : undefined,
};

it('closes a connection whose codec throws as internal, without its text in the log', async () => {
  const lines: unknown[] = [];
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
      playout: { join() {}, leave() {}, players: 0, close() {} },
      random: fixedRandom(0.5),
      log: { ...silentLog, error: (...line) => void lines.push(line) },
      limits: { ...config, textChars: 1000, turnsInFlight: 8 },
      metrics: { firstAudio() {}, underrun() {}, turnEnded() {} },
      defaultVoice: undefined,
      defaultVoice2: undefined,
    },
    admission: {
      ...config,
      dialects: [nativeDialect, breaking],
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
  const sound = await openProbe(`ws://127.0.0.1:${port}/v1/session`);
  const broken = new WebSocket(`ws://127.0.0.1:${port}/v1/breaking`);
  const closed = new Promise<number>((resolve) => {
    broken.onclose = ({ code }) => resolve(code);
  });
  await new Promise((resolve) => {
    broken.onopen = resolve;
  });
  broken.send('what is spoken');
  expect(await closed).toBe(1011);
  expect(JSON.stringify(lines)).not.toContain('what is spoken');
  expect(lines).toHaveLength(1);
  sound.send({ type: 'ping', id: 'still here' });
  await sound.event('pong', ({ id }) => id === 'still here');
  sockets.close();
  await sound.closed;
  server.close();
});
