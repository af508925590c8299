// The part of the proxy that reads HTTP/1.1: a server of its own on loopback that asks the target anew for each request,
// so that toxics can change an answer and leave its framing whole. Only connections that may meet such a toxic come
// through it. An upgrade (WebSocket) is handed on as it is, and so is a target that breaks off: by a reset.

import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../src/base/clock.ts';
import { createWait, OVER, pour } from './flow.ts';
import type { Bytes, MetToxic, ReplyChange, Stream } from './toxic.ts';

export type Address = { readonly host: string; readonly port: number };

export type HttpStageOptions = {
  readonly target: Address;
  readonly clock: Clock;
  /** The toxics of the next request, and its number. */
  readonly meet: () => { readonly requestNumber: number; readonly met: readonly MetToxic[] };
};

export type HttpStage = { readonly address: Address; close(): Promise<void> };

/** Of one connection alone (RFC 9110 7.6.1); Node frames the body anew. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
];

function forwarded(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name));
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

async function* until(bytes: Bytes, mostBytes: number): Bytes {
  let left = mostBytes;
  if (left === 0) return;
  for await (const chunk of bytes) {
    yield chunk.subarray(0, left);
    left -= Math.min(left, chunk.length);
    if (left === 0) return;
  }
}

function beginReply(
  response: ServerResponse,
  incoming: IncomingMessage,
  { contentType, end }: ReplyChange,
): void {
  const headers = forwarded(incoming.headers);
  if (contentType !== undefined) headers['content-type'] = contentType;
  if (end !== undefined) delete headers['content-length'];
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (end?.by === 'close') {
    // Neither length nor chunks: the body ends where the connection does (RFC 9112 6.3).
    response.setHeader('connection', 'close');
    response.removeHeader('transfer-encoding');
  }
  response.writeHead(incoming.statusCode ?? 502);
  response.flushHeaders();
}

export async function startHttpStage({ target, clock, meet }: HttpStageOptions): Promise<HttpStage> {
  const onConnection = new WeakMap<Socket, number>();
  const countOnConnection = ({ socket }: IncomingMessage): number => {
    const before = onConnection.get(socket) ?? 0;
    onConnection.set(socket, before + 1);
    return before;
  };

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const { requestNumber, met } = meet();
    const onConnectionBefore = countOnConnection(request);
    const over = new AbortController();
    const wait = createWait(clock, over.signal);
    const change: ReplyChange = Object.assign(
      {},
      ...met.map(({ toxic: { effect }, number }) =>
        effect.at === 'reply' ? effect.change({ requestNumber, onConnectionBefore, number }) : {},
      ),
    );
    const bend = (stream: Stream, body: Bytes) =>
      met.reduce<Bytes>(
        (now, { toxic: { effect, stream: own }, number }) =>
          effect.at === 'body' && own === stream ? effect.bend(now, { clock, number, wait }) : now,
        body,
      );
    const breakOff = () => void request.socket.resetAndDestroy();

    if (change.isCutOff === true) return breakOff();
    const { instead } = change;
    if (instead !== undefined) {
      request.resume();
      response.once('close', () => over.abort(OVER));
      wait(instead.afterMs ?? 0).then(
        () => response.writeHead(instead.status, instead.headers).end(instead.body),
        () => {}, // the client has gone first
      );
      return;
    }
    const outgoing = httpRequest({
      ...target,
      agent: false,
      method: request.method,
      path: request.url,
      headers: forwarded(request.headers),
    });
    response.once('close', () => {
      over.abort(OVER);
      outgoing.destroy();
    });
    outgoing.on('error', () => {
      if (!response.writableEnded) breakOff();
    });
    outgoing.once('response', (incoming) => {
      incoming.on('error', () => {}); // told by the iterator that reads it
      beginReply(response, incoming, change);
      const body = bend('downstream', incoming);
      const ended = change.end === undefined ? body : until(body, change.end.afterBytes);
      pour(ended, response).then(() => response.end(), breakOff);
    });
    pour(bend('upstream', request), outgoing).then(
      () => outgoing.end(),
      () => outgoing.destroy(),
    );
  };

  const tunnels = new Set<Duplex>();
  const tunnel = (request: IncomingMessage, client: Duplex, head: Buffer) => {
    const server = connect(target);
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let i = 0; i < request.rawHeaders.length; i += 2)
      lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
    // As Node reads them (RFC 9110 5.5).
    server.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    server.write(head);
    client.pipe(server).pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      tunnels.add(socket);
      socket.on('error', () => (other as Socket).resetAndDestroy());
      socket.once('close', () => {
        tunnels.delete(socket);
        other.destroy();
      });
    }
  };

  // The client decides how long a connection lives.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, handle);
  server.on('upgrade', tunnel);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of tunnels) socket.destroy();
      }),
  };
}
