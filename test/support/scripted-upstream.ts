// A speech service that does exactly what a test says, over real sockets on a free loopback port. A script gives one
// reply per request to POST …/tts/stream; when it runs out, its last reply is given again. Nothing here waits for a
// time to pass: a reply goes on when the test opens a gate, so tests need no sleep and have no races.
//
//   const upstream = await startScriptedUpstream([status(429, { 'retry-after': '2' }), audio(chunk, chunk)]);
//   …open a stream against upstream.url…
//   upstream.requests[0]!.headers.authorization
//   await upstream.close();
//
// A break in the middle, under control:
//
//   const gate = openGate();
//   startScriptedUpstream(async (reply) => {
//     reply.start();
//     reply.write(mp3);
//     await gate.opened;      // the test decides when
//     reply.reset();
//   });

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type ScriptedRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body. */
  readonly body: unknown;
  /** Which TCP connection it came on, counted from 1: equal numbers show that one was kept alive. */
  readonly connection: number;
  /** Resolves when the client closes the connection before the reply has ended. */
  readonly hungUp: Promise<void>;
};

export type Reply = {
  readonly request: ScriptedRequest;
  /** Sends status and headers; by default those of an audio stream. Without content-length the body is chunked. */
  start(status?: number, headers?: Record<string, string>): void;
  write(bytes: Uint8Array | string): void;
  /** With these fields behind the body; they have to be announced. */
  end(trailers?: Record<string, string>): void;
  /** Cuts the connection with a TCP reset. */
  reset(): void;
  /** Closes the connection properly (FIN) in the middle of the reply. */
  leave(): void;
  /** Bytes past the HTTP layer, such as a status line that is none. */
  raw(bytes: string | Uint8Array): void;
};

export type Script = (reply: Reply) => void | Promise<void>;

export type ScriptedUpstream = {
  readonly url: URL;
  /** Every POST so far, in order of arrival. */
  readonly requests: readonly ScriptedRequest[];
  /** How many GETs came (warm-up); they are answered with 204. */
  readonly pings: number;
  /** How many TCP connections were accepted. */
  readonly connections: number;
  /** Resolves with the n-th POST (from 1) as soon as it has arrived. */
  request(n: number): Promise<ScriptedRequest>;
  /** Cuts everything and stops. */
  close(): Promise<void>;
};

const AUDIO = { 'content-type': 'audio/mpeg' };

/** A whole answer of these chunks. */
export const audio =
  (...chunks: readonly Uint8Array[]): Script =>
  (reply) => {
    reply.start();
    for (const chunk of chunks) reply.write(chunk);
    reply.end();
  };

/** An answer without audio: an error, or a success of the wrong kind. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Script =>
  (reply) => {
    reply.start(code, headers);
    if (body !== '') reply.write(body);
    reply.end();
  };

/** Takes the request and says nothing, for ever. */
export const silence: Script = () => {};

/** Sends these chunks and then nothing more, for ever. */
export const stallAfter =
  (...chunks: readonly Uint8Array[]): Script =>
  (reply) => {
    reply.start();
    for (const chunk of chunks) reply.write(chunk);
  };

/** Announces `announced` bytes, sends these, and closes. */
export const shortBody =
  (announced: number, ...chunks: readonly Uint8Array[]): Script =>
  (reply) => {
    reply.start(200, { ...AUDIO, 'content-length': String(announced) });
    for (const chunk of chunks) reply.write(chunk);
    reply.leave();
  };

/** A promise that a test resolves by `open`. */
export function openGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function makeReply(request: ScriptedRequest, response: ServerResponse, socket: Socket): Reply {
  const started = (code = 200, headers: Record<string, string> = AUDIO) => {
    response.writeHead(code, headers);
    response.flushHeaders();
  };
  return {
    request,
    start: started,
    write: (bytes) => void response.write(bytes),
    end(trailers) {
      if (trailers !== undefined) response.addTrailers(trailers);
      response.end();
    },
    reset: () => void socket.resetAndDestroy(),
    leave: () => void socket.end(),
    raw: (bytes) => void socket.write(bytes),
  };
}

/** `script`: one reply for all requests, or a list of which the last is repeated. */
/** `lists`: JSON that GETs of these paths are answered with. */
export async function startScriptedUpstream(
  script: Script | readonly Script[],
  lists: Readonly<Record<string, unknown>> = {},
): Promise<ScriptedUpstream> {
  const replies = typeof script === 'function' ? [script] : script;
  const requests: ScriptedRequest[] = [];
  const waiting: { readonly n: number; readonly resolve: (request: ScriptedRequest) => void }[] = [];
  const numbers = new Map<Socket, number>();
  let pings = 0;

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (incoming.method !== 'POST') {
      pings += 1;
      const list = lists[incoming.url ?? ''];
      if (list === undefined) response.writeHead(204).end();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(list));
      return;
    }
    const { socket } = incoming;
    const hungUp = new Promise<void>((resolve) => {
      response.once('close', () => response.writableFinished || resolve());
    });
    const parts: Buffer[] = [];
    try {
      for await (const part of incoming) parts.push(part as Buffer);
    } catch {
      return; // the client left before it had asked
    }
    const request: ScriptedRequest = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: JSON.parse(Buffer.concat(parts).toString()) as unknown,
      connection: numbers.get(socket) ?? 0,
      hungUp,
    };
    const reply = replies[Math.min(requests.length, replies.length - 1)]!;
    requests.push(request);
    for (const { n, resolve } of waiting) if (n === requests.length) resolve(request);
    await reply(makeReply(request, response, socket));
  };
  const server = createServer(
    { keepAliveTimeout: 0 },
    (incoming, response) => void answer(incoming, response),
  );
  server.on('connection', (socket) => {
    numbers.set(socket, numbers.size + 1);
    socket.on('error', () => {}); // resets are part of the script
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    requests,
    get pings() {
      return pings;
    },
    get connections() {
      return numbers.size;
    },
    request: (n) =>
      new Promise((resolve) => {
        const known = requests[n - 1];
        if (known === undefined) waiting.push({ n, resolve });
        else resolve(known);
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
