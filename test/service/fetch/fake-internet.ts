// Public addresses on loopback: every connection that the program tries, by whatever means, is noted with the addresses
// that the system would be given; those of `routes` (address → local port) lead to a test's own server, others nowhere.

import { isIP, Socket } from 'node:net';
import { vi } from 'vitest';

type Given = {
  host?: string;
  port?: number;
  lookup?: (
    host: string,
    options: object,
    answer: (error: unknown, all: { address: string }[]) => void,
  ) => void;
};

export type FakeInternet = {
  /** Addresses in the order in which connections to them were tried. */
  readonly tried: string[];
  readonly routes: Map<string, number>;
  restore(): void;
};

export function createFakeInternet(ownPorts: readonly number[] = []): FakeInternet {
  const tried: string[] = [];
  const routes = new Map<string, number>();
  const real = Reflect.get(Socket.prototype, 'connect') as (...args: unknown[]) => Socket;
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (
    this: Socket,
    ...args: unknown[]
  ) {
    const given = (Array.isArray(args[0]) ? (args[0] as unknown[])[0] : args[0]) as Given;
    const host = given.host ?? 'localhost';
    if (host === '127.0.0.1' && ownPorts.includes(Number(given.port))) return real.apply(this, args);
    let addresses = isIP(host) === 0 ? ['looked up again'] : [host];
    if (isIP(host) === 0)
      given.lookup?.(host, { all: true }, (_, all) => {
        addresses = all.map(({ address }) => address);
      });
    tried.push(...addresses);
    const port = routes.get(addresses[0]!);
    if (port !== undefined) return real.call(this, { ...given, host: '127.0.0.1', port, lookup: undefined });
    setImmediate(() => this.destroy(Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' })));
    return this;
  });
  return { tried, routes, restore: () => spy.mockRestore() };
}
