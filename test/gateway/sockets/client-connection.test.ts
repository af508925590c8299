// A codec that fails costs its own connection, and nobody else's.
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { silentLog } from '../../../src/base/log.ts';
import type { Dialect } from '../../../src/dialects/dialect.ts';
import { nativeDialect } from '../../../src/dialects/native-dialect.ts';
import { startSocketServer } from '../../support/lone-socket-server.ts';
import { openProbe } from '../../support/session-probe.ts';

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
  const { port, close } = await startSocketServer({
    dialects: [nativeDialect, breaking],
    log: { ...silentLog, error: (...line) => void lines.push(line) },
  });
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
  close();
  await sound.closed;
});
