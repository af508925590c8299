// Messages and frames that no client of ours sends, each to a session of its own. A wrong message is answered and the
// session goes on; a wrong frame ends it with its close code. A witness that was there all the time speaks on.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TABLE, type ErrorCode } from '../../src/base/app-error.ts';
import { closeFrame, frame, OPCODE, openRawSession, type RawSession } from '../support/raw-session.ts';
import { type RunningGateway, speaking, spoken, startRunningGateway } from '../support/running-gateway.ts';
import { audio } from '../support/scripted-upstream.ts';
import type { SessionProbe } from '../support/session-probe.ts';

type HostileMessage = {
  readonly name: string;
  readonly code: ErrorCode;
  /** The frame as it is; or what makes it: `prefix`, `repeat` `times`, `suffix`. */
  readonly frame?: string;
  readonly prefix?: string;
  readonly repeat?: string;
  readonly times?: number;
  readonly suffix?: string;
};

const CORPUS = JSON.parse(
  readFileSync(new URL('../../fixtures/hostile/messages.json', import.meta.url), 'utf8'),
) as HostileMessage[];

/** A quarter of a second. */
const SHORT_BYTES = 10 * 192;

const textOf = ({ frame: whole, prefix = '', repeat = '', times = 0, suffix = '' }: HostileMessage) =>
  whole ?? prefix + repeat.repeat(times) + suffix;

/** Nothing here takes so long; a test machine may have much else to do. */
const PATIENT = { timeout: 10_000 };

let gateway: RunningGateway;
let witness: SessionProbe;

beforeAll(async () => {
  gateway = await startRunningGateway({ script: audio(spoken().subarray(0, SHORT_BYTES)) });
  witness = await gateway.session('pace=burst');
});
afterAll(() => gateway.close());

describe('messages', () => {
  it('the corpus is as large as it should be', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(CORPUS.map(({ name }) => name)).size).toBe(CORPUS.length);
  });

  it.each(CORPUS)('$name is $code, and the session goes on', async (message) => {
    const probe = await gateway.session('pace=burst');
    probe.socket.send(textOf(message));
    probe.send({ type: 'ping', id: 'next' });
    await probe.event('pong');
    const errors = probe.events('error');
    expect(errors.map(({ code }) => code)).toEqual([message.code]);
    // Enough to mend it, never a copy of it.
    expect(errors[0]!.message.length).toBeLessThan(1000);
    expect(JSON.stringify(errors)).not.toContain('CANARY');
    expect(probe.events('started')).toEqual([]);
    // A message that fails validation opens no turn: its id stays free.
    if (errors[0]!.turn !== undefined)
      probe.send({ type: 'speak', turn: errors[0]!.turn, text: 'Now it is right.' });
    else probe.send({ type: 'speak', turn: 'free', text: 'Now it is right.' });
    expect(await probe.event('ended')).toMatchObject({ outcome: 'complete' });
    probe.socket.close();
  });

  it('a binary frame is told and dropped', async () => {
    const probe = await gateway.session('pace=burst');
    probe.socket.send(Buffer.alloc(320));
    expect(await probe.event('error')).toMatchObject({ code: 'unexpected_binary', scope: 'session' });
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    probe.socket.close();
  });

  it('odd but right messages are taken as they are meant', async () => {
    const probe = await gateway.session('pace=burst');
    const turn = '\u{1f600}\ud800"\\\n';
    // A duplicate key: the last one counts (RFC 8259 4 leaves it to us; this is what JavaScript does).
    probe.socket.send(
      `{"type":"ping","type":"speak","turn":${JSON.stringify(turn)},"text":"A lone \\ud800 surrogate."}`,
    );
    expect(await probe.event('ended')).toMatchObject({ turn, outcome: 'complete' });
    for (const [index, text] of ['', ' \n ', '...', '\u{1f600}', '\0\u0001'].entries()) {
      probe.send({ type: 'speak', turn: `${index}`, text });
      expect(await probe.ended(`${index}`), JSON.stringify(text)).toMatchObject({ outcome: 'complete' });
    }
    expect(probe.events('error')).toEqual([]);
    probe.socket.close();
  });
});

describe('frames', () => {
  const PING = '{"type":"ping"}';
  const FRAMES: [string, number, Uint8Array[]][] = [
    ['invalid UTF-8', 1007, [frame(OPCODE.text, Buffer.from([0x22, 0xff, 0xfe, 0x22]))]],
    ['UTF-8 that is cut short', 1007, [frame(OPCODE.text, Buffer.from([0xe2, 0x82]))]],
    ['a surrogate in UTF-8', 1007, [frame(OPCODE.text, Buffer.from([0xed, 0xa0, 0x80]))]],
    ['one byte over 256 KiB', 1009, [frame(OPCODE.text, 'x'.repeat(256 * 1024 + 1))]],
    ['a length of 2^31', 1009, [frame(OPCODE.text, '', { length: 2 ** 31 })]],
    [
      'fragments that add up to too much',
      1009,
      Array.from({ length: 5 }, (_, n) => frame(n === 0 ? 1 : 0, 'x'.repeat(60_000), { fin: 0 })),
    ],
    [
      '33 fragments',
      1008,
      Array.from({ length: 33 }, (_, n) => frame(n === 0 ? 1 : 0, ' ', { fin: n === 32 ? 1 : 0 })),
    ],
    [
      '33 empty fragments',
      1008,
      Array.from({ length: 33 }, (_, n) => frame(n === 0 ? 1 : 0, '', { fin: 0 })),
    ],
    ['no mask', 1002, [frame(OPCODE.text, PING, { masked: 0 })]],
    ['reserved bit 1', 1002, [frame(OPCODE.text, PING, { rsv: 4 })]],
    ['reserved bit 2', 1002, [frame(OPCODE.text, PING, { rsv: 2 })]],
    ['reserved bit 3', 1002, [frame(OPCODE.text, PING, { rsv: 1 })]],
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): [string, number, Uint8Array[]] => [
      `opcode ${opcode}`,
      1002,
      [frame(opcode, '')],
    ]),
    ['a continuation of nothing', 1002, [frame(OPCODE.continuation, PING)]],
    ['a message inside a message', 1002, [frame(OPCODE.text, '{', { fin: 0 }), frame(OPCODE.text, PING)]],
    ['a ping in fragments', 1002, [frame(OPCODE.ping, 'a', { fin: 0 })]],
    ['a ping of 126 bytes', 1002, [frame(OPCODE.ping, 'a'.repeat(126))]],
    ['a pong of 126 bytes', 1002, [frame(OPCODE.pong, 'a'.repeat(126))]],
    ['a close frame of one byte', 1002, [frame(OPCODE.close, 'a')]],
    ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535].map((code): [string, number, Uint8Array[]] => [
      `close code ${code}`,
      1002,
      [closeFrame(code)],
    ]),
    ['a close reason that is no UTF-8', 1007, [frame(OPCODE.close, Buffer.from([0x03, 0xe8, 0xff]))]],
  ];

  it.each(FRAMES)('%s closes with %i', async (_name, code, frames) => {
    const session = await openRawSession(gateway.port);
    session.write(...frames);
    expect((await session.closed).code).toBe(code);
  });

  it.each([
    [
      '32 fragments',
      Array.from({ length: 32 }, (_, n) =>
        frame(n === 0 ? 1 : 0, n === 0 ? PING : ' ', { fin: n === 31 ? 1 : 0 }),
      ),
    ],
    ['256 KiB', [frame(OPCODE.text, PING.padEnd(256 * 1024))]],
    [
      'a ping between two fragments',
      [
        frame(OPCODE.text, '{"type":', { fin: 0 }),
        frame(OPCODE.ping, 'x'),
        frame(OPCODE.continuation, '"ping"}'),
      ],
    ],
  ])('%s is a message like any other', async (_name, frames) => {
    const session = await openRawSession(gateway.port);
    session.write(...frames);
    await session.message('pong');
    session.write(closeFrame(1000));
    expect((await session.closed).code).toBe(1000);
  });

  it('a close frame with the code of somebody else is answered, and makes no series of its own', async () => {
    for (const code of [3000, 3999, 4000, 4999]) {
      const session = await openRawSession(gateway.port);
      session.write(closeFrame(code));
      expect((await session.closed).code).toBe(code);
    }
    await expect.poll(() => gateway.scrape(), PATIENT).toContain('closes_total{code="other"} 4');
  });
});

describe('floods', () => {
  const flood = async (bytes: Uint8Array, times: number): Promise<RawSession> => {
    const session = await openRawSession(gateway.port);
    session.socket.write(Buffer.concat(Array.from({ length: times }, () => bytes)));
    return session;
  };

  it('messages beyond 5,000 a second and the burst: told, then closed with 4429', async () => {
    const session = await flood(frame(OPCODE.text, '{"type":"cancel"}'), 60_000);
    expect(await session.message('error')).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(await session.closed).toEqual({ code: ERROR_TABLE.rate_limited.close, reason: 'rate_limited' });
  });

  it('pongs count as well', async () => {
    const session = await flood(frame(OPCODE.pong, ''), 60_000);
    expect((await session.closed).code).toBe(4429);
  });

  it('bytes beyond the rate: closed with 4429', async () => {
    const session = await flood(frame(OPCODE.text, ' '.repeat(250_000)), 60);
    expect((await session.closed).code).toBe(4429);
  });

  it('pings to a client that reads nothing end it', async () => {
    const session = await openRawSession(gateway.port);
    session.socket.pause();
    for (let n = 0; n < 200; n++)
      session.write(...Array.from({ length: 500 }, () => frame(OPCODE.ping, 'x'.repeat(125))));
    await expect.poll(() => gateway.metric('voxgate_sessions'), PATIENT).toBe(1);
    session.socket.destroy();
  });

  it('a thousand tokens a second are nothing', async () => {
    // Text that comes all at once is taken in slices, so the speech of its beginning has to be as long as the text.
    const talking = await startRunningGateway({ script: speaking });
    const probe = await talking.session();
    for (let n = 0; n < 5000; n++)
      probe.send({ type: 'append', turn: 't', text: n % 10 === 9 ? 'end. ' : 'word ' });
    probe.send({ type: 'cancel', turn: 't' });
    expect(await probe.ended('t')).toMatchObject({ outcome: 'cancelled' });
    expect(probe.events('error')).toEqual([]);
    await talking.close();
  });

  it('answers that nobody reads are bounded', async () => {
    const session = await openRawSession(gateway.port);
    // Each empty configure is answered with the whole configuration: twenty bytes become forty thousand.
    session.write(
      frame(
        OPCODE.text,
        JSON.stringify({ type: 'configure', prompt: 'p'.repeat(19_000), prompt2: 'q'.repeat(19_000) }),
      ),
    );
    await session.message('configured');
    session.socket.pause();
    session.write(...Array.from({ length: 3000 }, () => frame(OPCODE.text, '{"type":"configure"}')));
    const most = { bytes: 0 };
    await expect
      .poll(async () => {
        most.bytes = Math.max(most.bytes, await gateway.metric('voxgate_buffered_bytes'));
        return gateway.metric('voxgate_sessions');
      }, PATIENT)
      .toBe(1);
    // A megabyte that is not read, and a few answers and questions on their way.
    expect(most.bytes).toBeLessThan(1.5 * 1024 * 1024);
    session.socket.destroy();
  });
});

describe('afterwards', () => {
  it('the witness still speaks, nothing was logged as a fault, nothing is left', async () => {
    expect(await witness.speaks('after')).toMatchObject({ outcome: 'complete' });
    expect(gateway.logLines.filter((line) => line.includes('"error"'))).toEqual([]);
    await expect.poll(() => gateway.metric('voxgate_sessions'), PATIENT).toBe(1);
    expect(await gateway.metric('voxgate_upstream_in_flight')).toBe(0);
  });
});
