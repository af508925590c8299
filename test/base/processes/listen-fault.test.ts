import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { platform } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenFault, listening } from '../../../src/base/processes/listen-fault.ts';

const servers: Server[] = [];
/** A port that this process has. */
let port = 0;
const open = async (at: { host: string; port: number }): Promise<number> => {
  const server = createServer();
  servers.push(server);
  server.listen(at);
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
};
const settings = { portSetting: 'VOXGATE_PORT', hostSetting: 'VOXGATE_HOST' };

beforeAll(async () => {
  port = await open({ host: '127.0.0.1', port: 0 });
});
afterAll(() => {
  for (const server of servers) server.close();
});

describe('a listener that cannot be opened', () => {
  it('is told by the setting of its port, with who has it where the system tells it', async () => {
    const at = { host: '127.0.0.1', port, ...settings };
    const refused = await listening(open(at), at).catch((error: Error) => error);
    const { message, cause } = refused as Error;
    expect(message).toMatch(
      new RegExp(`^VOXGATE_PORT is ${port}, and .+ listens there already \\(EADDRINUSE\\): stop`),
    );
    expect(message).toMatch(/set VOXGATE_PORT to another port; 0 is any free one\.$/);
    if (platform() === 'linux') expect(message).toContain(`, process ${process.pid} listens`);
    expect(cause).toMatchObject({ code: 'EADDRINUSE' });
  });

  it('is told by the setting of its host', async () => {
    const at = { host: '192.0.2.1', port: 0, ...settings };
    await expect(listening(open(at), at)).rejects.toThrow(
      /^VOXGATE_HOST is 192\.0\.2\.1, which is no address of this machine \(EADDRNOTAVAIL\): set it/,
    );
  });

  it.each([
    [
      { code: 'EACCES' },
      80,
      /^VOXGATE_PORT is 80, which the user that Voxgate runs as may not open \(EACCES\)/,
    ],
    [{ code: 'EACCES' }, 8080, /^VOXGATE_PORT is 8080, which this system does not let anybody open/],
    // Of one in another thread only the words are left.
    [
      new Error('listen EADDRINUSE: address already in use 127.0.0.1:1'),
      1,
      /^VOXGATE_PORT is 1, and another program/,
    ],
  ])('of %o is told, too', (thrown, at, words) => {
    expect((listenFault(thrown, { host: '127.0.0.1', port: at, ...settings }) as Error).message).toMatch(
      words,
    );
  });

  it('for any other reason is told as it is', () => {
    for (const thrown of [new Error('no'), { code: 'EMFILE' }, undefined, 'x'])
      expect(listenFault(thrown, { host: '127.0.0.1', port: 1, ...settings })).toBe(thrown);
  });
});
