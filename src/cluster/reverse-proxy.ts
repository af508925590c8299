// Plain requests passed on to another process of this gateway, as they come and without keeping any of it: both bodies
// flow, either side's end is the other's, and headers that are between two neighbours stay there.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { type Duplex, PassThrough, pipeline, type Readable } from 'node:stream';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { Pool } from 'undici';
import { isProxyHeader } from '../access/loopback-guard.ts';
import { AppError, toErrorBody } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createAnswersUnderWay } from './answers-under-way.ts';
import { type NoteStamp, PEER_HEADER, type PeerNote } from './peer-note.ts';
import { CLOSE_HEADER, PROBED } from './private-listener.ts';

/** Another process of ours: where it listens, and what it knows requests of ours by. */
export type Neighbour = {
  /** The path of a Unix socket, or `http://host:port` or `https://…`. */
  readonly at: { readonly socketPath: string } | { readonly origin: string };
  readonly notes: NoteStamp;
};

export type ReverseProxy = {
  forward(request: IncomingMessage, response: ServerResponse, to: Neighbour): void;
  /** Resolves when all callers have their answers, or have had time enough for what has been answered. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

/**
 * An upgrade, passed on: from then on its socket and the one that this resolves with are one. Rejects when the other process is
 * not there.
 */
export async function passUpgradeOn(
  {
    request,
    socket,
    head,
  }: { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
  to: Neighbour,
): Promise<Duplex> {
  const note = to.notes.stamp(noteOn(request), { method: request.method ?? '', path: request.url ?? '' });
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  const { rawHeaders: raw } = request;
  let hosts = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (OWN.has(name) || (name === 'host' && ++hosts > 1)) continue;
    lines.push(`${raw[at]}: ${raw[at + 1]}`);
  }
  if (hosts === 0) lines.push('Host: gateway.invalid'); // what parses it wants one
  lines.push(`${PEER_HEADER}: ${note}`, '', '');
  const relay = dial(to);
  relay.on('error', () => {}); // its close is what matters
  const connected = relay instanceof TLSSocket ? 'secureConnect' : 'connect';
  await once(relay, connected, { signal: AbortSignal.timeout(CONNECT_MS) }).catch((fault: unknown) => {
    relay.destroy();
    throw fault;
  });
  relay.write(lines.join('\r\n'), 'latin1');
  relay.write(head);
  // One that is stopped is still connected to.
  if ('origin' in to.at)
    await once(relay, 'readable', { signal: AbortSignal.timeout(UPGRADE_MS) })
      .then(() => {
        // Its end is readable, too: another instance has the address by now, and does not know this one.
        if (relay.readableLength === 0) throw new Error('the upgrade is not answered');
      })
      .catch((fault: unknown) => {
        relay.destroy();
        throw fault;
      });
  pipeline(socket, relay, () => relay.destroy());
  pipeline(relay, socket, () => socket.destroy());
  return relay;
}

function dial({ at }: Neighbour): Socket {
  if ('socketPath' in at) return connect({ path: at.socketPath });
  const { protocol, hostname, port } = new URL(at.origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const common = { host, ...PROBED };
  if (protocol === 'http:') return connect({ ...common, port: Number(port || 80) });
  // A name in the handshake is not for addresses (RFC 6066 3).
  const named = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ ...common, ...named, port: Number(port || 443) });
}

export type ReverseProxyOptions = { readonly clock: Clock; readonly log: Log };

/** RFC 9110 7.6.1, and what this side has answered itself: `Expect`. */
const BETWEEN_NEIGHBOURS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);
/** Said between our processes alone. */
const OWN: ReadonlySet<string> = new Set([PEER_HEADER, CLOSE_HEADER]);
/**
 * The longest upload, and what may be made of it before the first byte; the process that answers has deadlines of its
 * own.
 */
const HEADERS_MS = 15 * 60_000;
const CONNECT_MS = 3000;
/** An instance that is alive answers an upgrade at once. */
const UPGRADE_MS = 2000;
/** A placeholder: the request brings its own host name. */
const ORIGIN = 'http://gateway.invalid';

/**
 * Pairs of name and value as they came, without those that go no further, or that `Connection` names; but what shows a proxy
 * goes on in any case, because the process that answers asks for it.
 */
function passedOn(raw: readonly string[], alsoDropped: string | undefined): string[] {
  const named = new Set((alsoDropped ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const kept: string[] = [];
  let hosts = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const isDropped = named.has(name) && !isProxyHeader(name);
    if (BETWEEN_NEIGHBOURS.has(name) || isDropped || OWN.has(name)) continue;
    if (name === 'host' && ++hosts > 1) continue; // told of in the note
    kept.push(raw[at]!, raw[at + 1]!);
  }
  return kept;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const hostsOf = ({ rawHeaders }: IncomingMessage): 'none' | 'named' | 'several' => {
  const count = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  if (count === 0) return 'none';
  return count === 1 ? 'named' : 'several';
};

/** Bytes of the body, until it is clear that no more of them are wanted. */
function bodyOf(request: IncomingMessage): Readable | null {
  if (!hasBody(request)) return null;
  const body = new PassThrough();
  request.pipe(body);
  request.once('error', () => body.destroy());
  request.once('aborted', () => body.destroy());
  body.once('close', () => {
    request.unpipe(body);
    request.resume();
  });
  body.on('error', () => {});
  return body;
}

const noteOn = (request: IncomingMessage): PeerNote => {
  const { remoteAddress = '', encrypted } = request.socket as TLSSocket;
  return { address: remoteAddress, scheme: encrypted ? 'https' : 'http', hosts: hostsOf(request) };
};

export function createReverseProxy({ clock, log }: ReverseProxyOptions): ReverseProxy {
  const pools = new Map<string, Pool>();
  const answers = createAnswersUnderWay(clock);
  const poolOf = ({ at }: Neighbour): Pool => {
    const name = 'socketPath' in at ? at.socketPath : at.origin;
    const settings = { headersTimeout: HEADERS_MS, bodyTimeout: 0, pipelining: 1 };
    const pool =
      pools.get(name) ??
      ('socketPath' in at
        ? new Pool(ORIGIN, { ...settings, socketPath: at.socketPath })
        : new Pool(at.origin, { ...settings, connect: { timeout: CONNECT_MS } }));
    pools.set(name, pool);
    return pool;
  };

  const refuse = (response: ServerResponse, error: AppError) => {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const body = JSON.stringify(toErrorBody(error));
    response.writeHead(error.http, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      ...(error.retryAfterMs === undefined ? {} : { 'Retry-After': Math.ceil(error.retryAfterMs / 1000) }),
      Connection: 'close',
    });
    response.end(body);
  };

  const pass = async (
    request: IncomingMessage,
    response: ServerResponse,
    to: Neighbour,
    signal: AbortSignal,
  ) => {
    const { method = 'GET', url: path = '/' } = request;
    const note = to.notes.stamp(noteOn(request), { method, path });
    const reply = await poolOf(to).request({
      method: method as 'GET',
      path,
      headers: [...passedOn(request.rawHeaders, request.headers.connection), PEER_HEADER, note],
      body: bodyOf(request),
      signal,
      responseHeaders: 'raw',
    });
    const raw = (reply.headers as unknown as readonly (string | Buffer)[]).map((part) =>
      typeof part === 'string' ? part : part.toString('latin1'),
    );
    const headers = passedOn(raw, undefined);
    const isEnd = raw.some((part, at) => at % 2 === 0 && part.toLowerCase() === CLOSE_HEADER);
    if (isEnd) headers.push('Connection', 'close');
    response.writeHead(reply.statusCode, headers);
    response.flushHeaders();
    pipeline(reply.body, response, (fault) => {
      if (fault != null) response.destroy();
    });
  };

  return {
    forward(request, response, to) {
      const left = new AbortController();
      answers.add(response);
      response.once('close', () => {
        if (!response.writableFinished) left.abort(new Error('the client has gone'));
      });
      pass(request, response, to, left.signal).catch((cause: unknown) => {
        const { name, code } = cause as { name?: string; code?: string };
        if (left.signal.aborted) return response.destroy();
        if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')
          return refuse(
            response,
            new AppError('invalid_request', 'The request cannot be passed on as it is; check its headers.'),
          );
        log.warn('request_not_passed_on', { cause: code ?? name });
        refuse(
          response,
          new AppError('busy', 'A process of the gateway is not there; try again.', { retryAfterMs: 1000 }),
        );
      });
    },
    settle: () => answers.settle(),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
