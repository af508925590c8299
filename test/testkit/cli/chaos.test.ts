// `voxgate chaos` as a command: what it prints while it works, and what it counted when it is stopped.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { ChaosStats } from '../../../testkit/chaos/chaos-proxy.ts';
import { chaos } from '../../../testkit/cli/chaos.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';

it('hands on, spoils, and tells at the end what it did', async () => {
  const server = createServer((_, response) => response.end('the whole answer'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const interrupt = new AbortController();
  const terminal = createFakeTerminal(['--target', target, '--toxic', 'early_end:bytes=9', '--seed', '3']);
  const running = chaos.run({ ...terminal, interrupted: interrupt.signal });
  const url = () => /listening at (\S+)/.exec(terminal.printed[0] ?? '')?.[1];
  await expect.poll(url).toBeDefined();
  expect(await (await fetch(url()!)).text()).toBe('the whole');
  interrupt.abort();
  expect(await running).toBe(0);
  server.close();
  expect(terminal.printed.slice(1, 3)).toEqual([`  target     ${target}`, '  toxic      early_end:bytes=9']);
  const stats = JSON.parse(terminal.printed.at(-1)!) as ChaosStats;
  expect(stats).toMatchObject({ connections: 1, requests: 1, met: { early_end: 1 } });
});
