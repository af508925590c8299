import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { startGateway } from '../../src/app/start.ts';
import { silentLog } from '../../src/base/log.ts';
import { accepted } from '../support/settings.ts';

let started = 0;
const count = () => {
  started += 1;
};
afterEach(() => unsubscribe('child_process', count));

it.each(['VOXGATE_PORT', 'VOXGATE_AUDIOSOCKET_PORT', 'VOXGATE_ADMIN_PORT'])(
  'a port of %s that is taken is told before anything is started',
  async (setting) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    subscribe('child_process', count);
    const { config } = accepted({ env: { VOXGATE_PORT: '0', [setting]: String(port) } });
    const start = startGateway({ config, log: silentLog, version: '0.0.0-test' });
    await expect(start).rejects.toThrow(
      new RegExp(`^${setting} is ${port}, and .* listens there already \\(EADDRINUSE\\).*set ${setting} to`),
    );
    expect(started).toBe(0);
    taken.close();
  },
);
