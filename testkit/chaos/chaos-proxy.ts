// A TCP proxy that breaks what goes through it, on purpose and reproducibly: which toxic meets which
// connection (or request), and all that a toxic leaves to chance, is a function of the seed, the toxic's place in the
// list and the number of the connection (or request). Buffers are bounded: a slow reader slows the sender.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { shownAddress } from '../../src/base/addresses/shown-address.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { type Address, startHttpStage } from './http-stage.ts';
import { joinSockets } from './joined-sockets.ts';
import type { MetToxic, Stream, Toxic } from './toxic.ts';

// The proxy's public interface also reads toxics as they are typed.
export { createToxic, readToxic, TOXIC_HELP } from './toxic-table.ts';

export type ChaosProxyOptions = {
  /** `http://host:port`; what is behind it need not speak HTTP while no toxic is about HTTP. */
  readonly target: string;
  readonly seed: number;
  readonly toxics: readonly Toxic[];
  /** By default 127.0.0.1. */
  readonly host?: string;
  /** By default any free port. */
  readonly port?: number;
  readonly clock?: Clock;
};

export type ChaosStats = {
  readonly connections: number;
  readonly openConnections: number;
  /** Counted while a toxic is about HTTP. */
  readonly requests: number;
  /** What got through, in bytes. */
  readonly bytes: Readonly<Record<Stream, number>>;
  /** How often each type of toxic met a connection or a request. */
  readonly met: Readonly<Record<string, number>>;
};

export type ChaosProxy = {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** For connections and requests from now on; those that are open keep what they met. */
  setToxics(toxics: readonly Toxic[]): void;
  /** Resets every open connection, such as those that a client keeps for later. */
  cut(): void;
  stats(): ChaosStats;
  /** Resets every open connection, and leaves nothing open or waiting. */
  close(): Promise<void>;
};

/** Throws a RangeError when `target` is no http URL. */
function readTarget(target: string): Address {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url?.protocol !== 'http:' || url.pathname !== '/')
    throw new RangeError(`the target is ${JSON.stringify(shownAddress(target))}; allowed: http://host:port`);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) };
}

const isHttp = ({ effect }: Toxic): boolean => effect.at === 'body' || effect.at === 'reply';
const SEEDS = 0xffffffff;

export async function startChaosProxy(options: ChaosProxyOptions): Promise<ChaosProxy> {
  const { seed, host = '127.0.0.1', port = 0, clock = systemClock } = options;
  const target = readTarget(options.target);
  let { toxics } = options;
  const open = new Map<Socket, () => void>();
  const bytes = { upstream: 0, downstream: 0 };
  const counts: Record<string, number> = {};
  let connections = 0;
  let requests = 0;

  /** The toxics of one kind that meet number `n`. */
  const meet = (kind: 'http' | 'tcp', n: number): MetToxic[] =>
    toxics.flatMap((toxic, place) => {
      if (isHttp(toxic) !== (kind === 'http')) return [];
      const number = seededNumbers(Math.floor(seededNumbers(seed, place)() * SEEDS), n);
      if (toxic.toxicity < 1 && number() >= toxic.toxicity) return [];
      counts[toxic.type] = (counts[toxic.type] ?? 0) + 1;
      return [{ toxic, number }];
    });
  const stage = await startHttpStage({
    target,
    clock,
    meet() {
      requests += 1;
      return { requestNumber: requests, met: meet('http', requests) };
    },
  });

  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections += 1;
    const met = meet('tcp', connections);
    if (met.some(({ toxic }) => toxic.effect.at === 'accept')) {
      client.resetAndDestroy();
      return;
    }
    const reset = joinSockets({
      client,
      server: connect({ ...(toxics.some(isHttp) ? stage.address : target), allowHalfOpen: true }),
      met,
      clock,
      onBytes(stream, count) {
        bytes[stream] += count;
      },
      onOver: () => void open.delete(client),
    });
    if (!client.destroyed) open.set(client, reset);
  });
  const cut = () => {
    for (const reset of [...open.values()]) reset();
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (thrown) {
    await stage.close();
    throw thrown;
  }
  const boundPort = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    port: boundPort,
    setToxics(next) {
      toxics = next;
    },
    cut,
    stats: () => ({
      connections,
      openConnections: open.size,
      requests,
      bytes: { ...bytes },
      met: { ...counts },
    }),
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      cut();
      await Promise.all([closed, stage.close()]);
    },
  };
}
