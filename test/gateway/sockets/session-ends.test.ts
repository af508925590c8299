// Whatever ends a session, its line and its figure name how: an outcome, a close code, and the reason where the gateway or
// the library that carries its frames has ended it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { ErrorCode } from '../../../src/base/app-error.ts';
import { type LogFields, silentLog } from '../../../src/base/log.ts';
import type { Dialect, DialectCodec, DialectSink } from '../../../src/dialects/dialect.ts';
import { DIALECTS } from '../../../src/dialects/dialects.ts';
import { type LoneSocketServer, startSocketServer } from '../../support/lone-socket-server.ts';
import { closeFrame, frame, OPCODE, openRawSession, type RawSession } from '../../support/raw-session.ts';

const SOON = { timeout: 50_000, interval: 10 };

/** A protocol whose codec does what its path says, when it is sent something. */
const misbehaving = (name: string, open: (sink: DialectSink) => Partial<DialectCodec>): Dialect => ({
  name,
  enter: ({ path }) =>
    path === `/v1/${name}`
      ? {
          caller: 'headers',
          preset: () => ({}),
          open: (sink) => ({ receive() {}, event() {}, audio() {}, ...open(sink) }),
        }
      : undefined,
});
const broken = (): never => {
  throw new Error('broken inside');
};
const MISBEHAVING = [
  misbehaving('breaks-on-message', () => ({ receive: broken })),
  misbehaving('breaks-on-ready', () => ({ event: broken })),
  misbehaving('gives-up', (sink) => ({ receive: () => sink.close(1008, 'no', 'text_too_long') })),
  misbehaving('is-done', (sink) => ({ receive: () => sink.close(1000, '') })),
];

let server: LoneSocketServer;
const lines: LogFields[] = [];
const closes: number[] = [];
beforeAll(async () => {
  server = await startSocketServer({
    dialects: [...DIALECTS, ...MISBEHAVING],
    log: {
      ...silentLog,
      info: (event, fields) => void (event === 'session_ended' && lines.push(fields!)),
    },
    onClosed: (code) => void closes.push(code),
  });
});
afterAll(() => server.close());

/** The one line that came since, and the figure with it. */
const endOf = async (act: () => unknown) => {
  lines.length = 0;
  closes.length = 0;
  await act();
  await expect.poll(() => lines.length, SOON).toBe(1);
  const [{ outcome, close, code }] = lines as [LogFields];
  expect(closes).toEqual([close]);
  return [outcome, close, code];
};
const raw = (act: (session: RawSession) => void) => async () => act(await openRawSession(server.port));
const said = (path: string, message: string) => () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`);
  socket.on('error', () => {});
  socket.on('open', () => socket.send(message));
};
const text = (payload: string | Uint8Array, parts = {}) => frame(OPCODE.text, payload, parts);

type Row = readonly [
  what: string,
  outcome: string,
  close: number,
  code: ErrorCode | undefined,
  act: () => unknown,
];
const ROWS: readonly Row[] = [
  ['its client', 'closed', 1000, undefined, raw((session) => session.write(closeFrame(1000)))],
  [
    'its client for a reason of its own',
    'closed',
    4000,
    undefined,
    raw((session) => session.write(closeFrame(4000))),
  ],
  ['a connection that is lost', 'lost', 1006, undefined, raw(({ socket }) => socket.destroy())],
  ['a connection that is reset', 'lost', 1006, undefined, raw(({ socket }) => socket.resetAndDestroy())],
  [
    'a message that is too large',
    'ended',
    1009,
    'payload_too_large',
    raw((session) => session.write(text('x'.repeat(1001)))),
  ],
  [
    'a length of 2^31',
    'ended',
    1009,
    'payload_too_large',
    raw((session) => session.write(text('', { length: 2 ** 31 }))),
  ],
  [
    'text that is no UTF-8',
    'ended',
    1007,
    'invalid_json',
    raw((session) => session.write(text(Buffer.from([0xff, 0xfe])))),
  ],
  [
    'a frame without a mask',
    'ended',
    1002,
    'invalid_request',
    raw((session) => session.write(text('{}', { masked: 0 }))),
  ],
  [
    'a reserved bit',
    'ended',
    1002,
    'invalid_request',
    raw((session) => session.write(text('{}', { rsv: 4 }))),
  ],
  [
    'an opcode that there is not',
    'ended',
    1002,
    'invalid_request',
    raw((session) => session.write(frame(3, '{}'))),
  ],
  [
    'too many fragments',
    'ended',
    1008,
    'payload_too_large',
    raw((session) =>
      session.write(
        text('', { fin: 0 }),
        ...Array.from({ length: 40 }, () => frame(OPCODE.continuation, '', { fin: 0 })),
      ),
    ),
  ],
  [
    'such a fault of a peer that does not answer the close',
    'ended',
    1002,
    'invalid_request',
    raw((session) => {
      session.socket.pause();
      session.write(text('{}', { rsv: 4 }));
    }),
  ],
  [
    'messages that come too fast',
    'ended',
    4429,
    'rate_limited',
    raw((session) => session.write(...Array.from({ length: 400 }, () => text('{"type":"ping"}')))),
  ],
  ['a codec that breaks on a message', 'ended', 1011, 'internal', said('/v1/breaks-on-message', 'hello')],
  [
    'a codec that breaks before anything is said',
    'ended',
    1011,
    'internal',
    said('/v1/breaks-on-ready', 'hello'),
  ],
  ['a protocol that gives up', 'ended', 1008, 'text_too_long', said('/v1/gives-up', 'hello')],
  ['a protocol that is done', 'closed', 1000, undefined, said('/v1/is-done', 'hello')],
  [
    'a vendor’s protocol that ends for a failure',
    'ended',
    1008,
    'invalid_request',
    said('/v1/text-to-speech/any/stream-input', '{"text":7}'),
  ],
  [
    'the gateway that stops',
    'ended',
    1012,
    'shutting_down',
    raw(() => void server.sockets.drain({ deadlineMs: 0, spreadMs: 0 })),
  ],
];

describe('the end of a session', () => {
  it.each(ROWS)('by %s: %s, %d, %s', async (_what, outcome, close, code, act) => {
    expect(await endOf(act)).toEqual([outcome, close, code]);
  });
});
