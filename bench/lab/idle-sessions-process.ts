// Sessions that say nothing and want nothing, in a process of their own: bare sockets that have asked for a WebSocket and
// answer pings, so that thousands of them cost the machine next to nothing beside the gateway.

import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Actor } from './actor.ts';

export type IdleSessionsPlan = {
  readonly sessionUrl: string;
  readonly sessions: number;
  /** Of this machine. An address has some 28,000 ports on Linux. */
  readonly localAddress: string;
};

export type IdleSessionsReport = {
  readonly connected: number;
  /** Connected once and closed by the gateway. */
  readonly lost: number;
  readonly pings: number;
  /** Why no more are connected. */
  readonly refused?: string;
};

const AT_ONCE = 16;
const CONNECT_DEADLINE_MS = 10_000;
const PING = 9;
/** FIN and opcode of a pong; a mask of zeros leaves the payload as it is (RFC 6455 5.3). */
const PONG = 0x8a;
const MASKED = 0x80;
const NO_MASK = Buffer.alloc(4);

/** Takes whole frames off `bytes` and gives what is left. A server's frames are not masked. */
function eachFrame(bytes: Buffer, take: (opcode: number, payload: Buffer) => void): Buffer {
  let rest = bytes;
  while (rest.length >= 2) {
    const short = rest[1]! & 0x7f;
    const head = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (rest.length < head) break;
    const length =
      short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
    if (rest.length < head + length) break;
    take(rest[0]! & 0x0f, rest.subarray(head, head + length));
    rest = rest.subarray(head + length);
  }
  return rest;
}

function upgradeTo({ host, pathname, search }: URL): string {
  const lines = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Protocol: voxgate.v1',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Connecting goes on behind `ready`; the reports tell how far it is. */
export async function startIdleSessions({
  sessionUrl,
  sessions,
  localAddress,
}: IdleSessionsPlan): Promise<Actor> {
  const url = new URL(sessionUrl);
  const sockets = new Set<Socket>();
  let [connected, lost, pings, begun] = [0, 0, 0, 0];
  let refused: string | undefined;
  let phase: 'open' | 'leaving' = 'open';

  /** Resolves when it is a session; rejects with what kept it from being one. */
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: url.hostname, port: Number(url.port), localAddress, noDelay: true });
      sockets.add(socket);
      let state: 'asking' | 'session' = 'asking';
      let rest: Buffer = Buffer.alloc(0);
      const deadline = setTimeout(() => socket.destroy(new Error('no answer in time')), CONNECT_DEADLINE_MS);
      const answer = (opcode: number, payload: Buffer) => {
        if (opcode !== PING) return;
        pings += 1;
        socket.write(Buffer.concat([Buffer.of(PONG, MASKED | payload.length), NO_MASK, payload]));
      };
      socket.once('connect', () => socket.write(upgradeTo(url)));
      socket.on('data', (bytes: Buffer) => {
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
        if (state === 'asking') {
          const end = rest.indexOf('\r\n\r\n');
          if (end < 0) return;
          const status = rest.toString('latin1', 0, rest.indexOf('\r\n'));
          if (!/^HTTP\/1\.1 101 /.test(status)) return void socket.destroy(new Error(status));
          clearTimeout(deadline);
          state = 'session';
          connected += 1;
          rest = rest.subarray(end + 4);
          resolve();
        }
        rest = eachFrame(rest, answer);
        // What is left of a read is nearly always nothing, and would keep all of it.
        if (rest.length === 0) rest = NO_MASK.subarray(0, 0);
      });
      socket.on('error', reject);
      socket.once('close', () => {
        clearTimeout(deadline);
        sockets.delete(socket);
        if (state === 'session' && phase === 'open') {
          connected -= 1;
          lost += 1;
        }
        reject(new Error('closed before it was a session'));
      });
    });
  const openInTurn = async () => {
    while (begun < sessions && refused === undefined && phase === 'open') {
      begun += 1;
      await open();
    }
  };
  for (let lane = 0; lane < AT_ONCE; lane++)
    openInTurn().catch((error: unknown) => {
      refused ??= error instanceof Error ? error.message : String(error);
    });

  return {
    ready: {},
    report: (): IdleSessionsReport => ({
      connected,
      lost,
      pings,
      ...(refused !== undefined && { refused }),
    }),
    async close() {
      phase = 'leaving';
      for (const socket of sockets) socket.destroy();
    },
  };
}
