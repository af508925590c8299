// A fault in one listener's playing ends that listener's connection, saying so, and nobody else's.
import { expect, it } from 'vitest';
import { startSocketServer } from '../../support/lone-socket-server.ts';
import { openProbe } from '../../support/session-probe.ts';

it('closes as internal the connection whose player failed, and no other', async () => {
  const { sockets, players, port, close } = await startSocketServer();
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

  close();
  await sound.closed;
});
