// Targets and clients for the chaos proxy: real sockets on free loopback ports, everything closed after each test.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { request } from 'undici';
import {
  type ChaosProxy,
  type ChaosProxyOptions,
  readToxic,
  startChaosProxy,
} from '../../../testkit/chaos/chaos-proxy.ts';

const closers: (() => Promise<unknown>)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A TCP server that does `serve` with each connection; answers with its address. */
export const tcpTarget = (serve: (socket: Socket) => void): Promise<string> =>
  listen(createServer({ allowHalfOpen: true }, serve));

/** Sends back what it gets, and ends when it is ended. */
export const echoTarget = () => tcpTarget((socket) => void socket.pipe(socket));

export const BODY = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7) & 0xff));

/** Answers every request with BODY as audio, chunked, and a header that tells how long the request's body was. */
export async function httpTarget(): Promise<{ url: string; requests: { method?: string; body: Buffer }[] }> {
  const requests: { method?: string; body: Buffer }[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    requests.push({
      ...(incoming.method !== undefined && { method: incoming.method }),
      body: Buffer.concat(parts),
    });
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'set-cookie': ['a=1', 'b=2'] });
    for (let at = 0; at < BODY.length; at += 4000) response.write(BODY.subarray(at, at + 4000));
    response.end();
  };
  const server = createHttpServer((incoming, response) => void answer(incoming, response).catch(() => {}));
  return { url: await listen(server), requests };
}

export async function proxyFor(
  target: string,
  toxics: readonly string[],
  options: Partial<ChaosProxyOptions> = {},
): Promise<ChaosProxy> {
  const proxy = await startChaosProxy({ target, seed: 1, toxics: toxics.map(readToxic), ...options });
  closers.push(() => proxy.close());
  return proxy;
}

export type Call = {
  readonly bytes: Buffer;
  /** Of each chunk as it arrived. */
  readonly sizes: readonly number[];
  readonly firstMs: number;
  readonly ms: number;
  /** How it ended: properly, or by a reset. */
  readonly end: 'fin' | 'reset';
};

/** Sends `bytes` and its own end, and reads until the other end. */
export function talk(
  proxy: ChaosProxy,
  bytes: Uint8Array | string,
  ends: 'ends' | 'stays' = 'ends',
): Promise<Call> {
  return new Promise((resolve) => {
    const startMs = performance.now();
    const chunks: Buffer[] = [];
    let firstMs = Number.POSITIVE_INFINITY;
    let end: Call['end'] = 'fin';
    const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('data', (chunk) => {
      firstMs = Math.min(firstMs, performance.now() - startMs);
      chunks.push(chunk);
    });
    socket.on('error', () => {
      end = 'reset';
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      const ms = performance.now() - startMs;
      resolve({ bytes: Buffer.concat(chunks), sizes: chunks.map(({ length }) => length), firstMs, ms, end });
    });
    if (ends === 'ends') socket.end(bytes);
    else socket.write(bytes);
  });
}

/** One HTTP request through the proxy, to the end of its reply or to where it broke. */
export async function ask(proxy: ChaosProxy, body?: Uint8Array) {
  const {
    statusCode,
    headers,
    body: reply,
  } = await request(`${proxy.url}/any?x=1`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body !== undefined && { body: Buffer.from(body) }),
    headersTimeout: 5000,
    bodyTimeout: 5000,
  });
  const chunks: Buffer[] = [];
  let broken: string | undefined;
  try {
    for await (const chunk of reply as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    broken = (error as { code?: string }).code ?? String(error);
  }
  return { status: statusCode, headers, bytes: Buffer.concat(chunks), broken };
}
