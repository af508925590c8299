// WebSocket frames and HTTP requests byte by byte over a plain socket, for what no well-behaved client would send.

import { connect, type Socket } from 'node:net';

export type Answer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** An upgrade request; `headers` are added to (or, by name, replace) those that a right one has; '' leaves one out. */
export function upgradeRequest(
  port: number,
  { target = '/v1/session', headers = [], method = 'GET' }: UpgradeParts = {},
): string {
  const nameOf = (line: string) => line.slice(0, line.indexOf(':')).toLowerCase();
  const given = new Set(headers.map(nameOf));
  const usual = [`Host: 127.0.0.1:${port}`, ...HANDSHAKE].filter((line) => !given.has(nameOf(line)));
  const lines = [...usual, ...headers.filter((line) => !line.endsWith(':'))];
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

export type UpgradeParts = {
  readonly target?: string;
  /** Header lines; `Name:` without a value takes that header away. */
  readonly headers?: readonly string[];
  readonly method?: string;
};

function readAnswer(bytes: Buffer): Answer {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? Number.NaN),
    headers: Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    ),
    body: text.slice(end + 4),
  };
}

/** Sends `bytes`, waits until the other side has closed, and answers with what it said (status NaN: nothing). */
export const exchange = (port: number, ...bytes: readonly (string | Uint8Array)[]): Promise<Answer> =>
  new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}); // a reset ends it as well
    socket.on('data', (part) => parts.push(part));
    socket.on('close', () => resolve(readAnswer(Buffer.concat(parts))));
    for (const part of bytes) socket.write(part);
  });

export type FrameParts = {
  readonly fin?: 0 | 1;
  /** The three reserved bits, 0 to 7. */
  readonly rsv?: number;
  readonly masked?: 0 | 1;
  /** Announced instead of the true length. */
  readonly length?: number;
};

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** One frame (RFC 6455 5.2) with a mask of zeros, so that the payload stays readable. */
export function frame(opcode: number, payload: string | Uint8Array, parts: FrameParts = {}): Buffer {
  const { fin = 1, rsv = 0, masked = 1 } = parts;
  const bytes = Buffer.from(payload as string);
  const length = parts.length ?? bytes.length;
  const head =
    length < 126
      ? Buffer.from([0, length])
      : length < 65_536
        ? Buffer.from([0, 126, length >> 8, length & 255])
        : Buffer.concat([
            Buffer.from([0, 127, 0, 0, 0, 0]),
            Buffer.from(Uint32Array.of(length).buffer).reverse(),
          ]);
  head[0] = (fin << 7) | (rsv << 4) | opcode;
  head[1] = (head[1] ?? 0) | (masked << 7);
  return Buffer.concat([head, Buffer.alloc(masked * 4), bytes]);
}

export const closeFrame = (code: number, reason = ''): Buffer =>
  frame(OPCODE.close, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));

export type RawSession = {
  readonly socket: Socket;
  /** Every JSON message so far. */
  readonly messages: readonly Record<string, unknown>[];
  /** Bytes that have been read, whatever they were. */
  readonly receivedBytes: number;
  write(...frames: readonly Uint8Array[]): void;
  /** The first JSON message of `type`, come or coming; rejects when the socket closes before. */
  message(type: string): Promise<Record<string, unknown>>;
  /** Close code and reason once the socket has closed; code 1006 without a close frame. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
};

/** Opens a session with raw frames; resolves after `ready`. Pongs are not sent. */
export async function openRawSession(port: number, parts: UpgradeParts = {}): Promise<RawSession> {
  const socket = connect(port, '127.0.0.1');
  const messages: Record<string, unknown>[] = [];
  const waiters: (() => void)[] = [];
  let receivedBytes = 0;
  let bytes = Buffer.alloc(0);
  let isUpgraded = false;
  let closing = { code: 1006, reason: '' };
  let isClosed = false;

  const readFrames = () => {
    for (;;) {
      if (bytes.length < 2) return;
      const short = bytes[1]! & 127;
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (bytes.length < start) return;
      const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? bytes.readUInt32BE(6) : short;
      if (bytes.length < start + length) return;
      const opcode = bytes[0]! & 15;
      const payload = bytes.subarray(start, start + length);
      bytes = bytes.subarray(start + length);
      if (opcode === OPCODE.text) messages.push(JSON.parse(payload.toString()) as Record<string, unknown>);
      if (opcode === OPCODE.close && length >= 2) {
        closing = { code: payload.readUInt16BE(0), reason: payload.toString('utf8', 2) };
        socket.end(closeFrame(closing.code));
      }
    }
  };
  socket.on('error', () => {});
  socket.on('data', (part) => {
    receivedBytes += part.length;
    bytes = Buffer.concat([bytes, part]);
    const end = isUpgraded ? -1 : bytes.indexOf('\r\n\r\n');
    if (end >= 0) {
      isUpgraded = true;
      bytes = bytes.subarray(end + 4);
    }
    if (isUpgraded) readFrames();
    for (const waiter of waiters) waiter();
  });
  const closed = new Promise<typeof closing>((resolve) => {
    socket.on('close', () => {
      isClosed = true;
      for (const waiter of waiters) waiter();
      resolve(closing);
    });
  });
  socket.write(upgradeRequest(port, parts));

  const session: RawSession = {
    socket,
    messages,
    get receivedBytes() {
      return receivedBytes;
    },
    write(...frames) {
      socket.write(Buffer.concat(frames));
    },
    message: (type) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = messages.find((message) => message.type === type);
          if (found !== undefined) resolve(found);
          else if (isClosed) reject(new Error(`closed before ${type} (${closing.code} ${closing.reason})`));
        };
        waiters.push(check);
        check();
      }),
    closed,
  };
  await session.message('ready');
  return session;
}
