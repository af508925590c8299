import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import type { SpeechRequest } from '../../../src/speech/speech-request.ts';
import { createHttpSpeechUpstream } from '../../../src/upstream/services/http-speech-upstream.ts';
import { createVoxgateService } from '../../../src/upstream/services/voxgate-service.ts';
import type { Attempt, AttemptEnd, SpeechTransport } from '../../../src/upstream/speech-transport.ts';
import { createFakeClock, type FakeClock, settle } from '../../support/fake-clock.ts';
import {
  audio,
  openGate,
  type Script,
  type ScriptedUpstream,
  shortBody,
  silence,
  stallAfter,
  startScriptedUpstream,
  status,
} from '../../support/scripted-upstream.ts';

const TEXT = 'the spoken words nobody may repeat';
const KEY = 'sk-canary-0123456789';
const USER = 'user-canary';
const request: SpeechRequest = {
  model: 'VoxDialog',
  text: TEXT,
  voice: 'v://a',
  outputFormat: 'mp3',
  seed: 7,
};
const credentials = { userId: USER, apiKey: KEY };
const deadlines = { connectMs: 2_000, firstByteMs: 8_000, stallMs: 3_000 };
const bytes = (size: number, fill = 0x55) => new Uint8Array(size).fill(fill);

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

type Bench = {
  upstream: ScriptedUpstream;
  transport: SpeechTransport;
  clock: FakeClock;
  ends: string[];
  sent: number;
  readonly send: (signal?: AbortSignal) => Promise<Attempt>;
};

async function bench(script: Script | readonly Script[], baseUrl?: URL, maxConnections = 4): Promise<Bench> {
  const upstream = await startScriptedUpstream(script);
  const clock = createFakeClock();
  const transport = createHttpSpeechUpstream({
    kind: createVoxgateService(),
    baseUrl: baseUrl ?? upstream.url,
    maxConnections,
    deadlines,
    clock,
  });
  cleanups.push(
    () => upstream.close(),
    () => transport.close(),
  );
  const made: Bench = {
    upstream,
    transport,
    clock,
    ends: [],
    sent: 0,
    send: (signal = new AbortController().signal) =>
      transport.send(request, credentials, {
        signal,
        onSent: () => {
          made.sent += 1;
        },
        onClosed: (end: AttemptEnd) => made.ends.push(typeof end === 'string' ? end : end.error.code),
      }),
  };
  return made;
}

async function readAll(attempt: Attempt): Promise<number> {
  if (!attempt.ok) throw attempt.error;
  let total = 0;
  for await (const chunk of attempt.chunks) total += chunk.length;
  return total;
}
const iterate = (attempt: Attempt) => {
  if (!attempt.ok) throw attempt.error;
  return attempt.chunks[Symbol.asyncIterator]();
};
const failure = (attempt: Attempt) => {
  if (attempt.ok) throw new Error('expected a failure');
  return attempt;
};
const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const code = (error: unknown) => (error instanceof AppError ? error.code : error);
/** A TCP server that takes connections and never says a word: TLS to it stays in its handshake. */
async function silentPeer(): Promise<{ url: URL; accepted: Promise<Socket>; closed: Promise<void> }> {
  let onSocket: (socket: Socket) => void = () => {};
  let onClose = () => {};
  const accepted = new Promise<Socket>((resolve) => {
    onSocket = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const server: Server = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('close', onClose)
      .resume();
    onSocket(socket);
    cleanups.push(async () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as { port: number };
  return { url: new URL(`https://127.0.0.1:${port}`), accepted, closed };
}

describe('a request that goes well', () => {
  it('posts the request with both credentials and hands out the body', async () => {
    const { upstream, send, ends, clock } = await bench(audio(bytes(900), bytes(100)));
    const attempt = await send();
    expect(await readAll(attempt)).toBe(1000);
    expect(ends).toEqual(['ok']);
    const seen = upstream.requests[0]!;
    expect(seen.path).toBe('/api/v1/tts/stream');
    expect(seen.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'x-user-id': USER,
      'content-type': 'application/json',
    });
    expect(seen.body).toEqual(request);
    expect(clock.timers).toBe(0);
  });

  it('keeps a path prefix of the base address', async () => {
    const { upstream, clock, ends } = await bench(audio(bytes(1)));
    const transport = createHttpSpeechUpstream({
      kind: createVoxgateService(),
      baseUrl: new URL('/speech/', upstream.url),
      maxConnections: 1,
      deadlines,
      clock,
    });
    cleanups.push(() => transport.close());
    const options = { signal: new AbortController().signal, onSent() {}, onClosed: () => ends.push('ok') };
    await readAll(await transport.send(request, credentials, options));
    expect(upstream.requests[0]!.path).toBe('/speech/api/v1/tts/stream');
  });

  it('measures the first byte from the moment of sending', async () => {
    const gate = openGate();
    const { send, clock, upstream } = await bench(async (reply) => {
      reply.start();
      await gate.opened;
      reply.write(bytes(10));
      reply.end();
    });
    const answered = send();
    await upstream.request(1);
    clock.advance(250);
    gate.open();
    expect(await answered).toMatchObject({ ok: true, ttfbMs: 250 });
  });

  it('uses a kept-alive connection again, and its own for each stream at a time', async () => {
    const { send, upstream } = await bench([
      audio(bytes(5)),
      audio(bytes(5)),
      stallAfter(bytes(5)),
      audio(bytes(5)),
    ]);
    await readAll(await send());
    await settle(); // undici lends a connection again one turn of the event loop later
    await readAll(await send());
    await settle();
    expect(upstream.connections).toBe(1);
    const held = iterate(await send());
    await readAll(await send());
    expect(upstream.connections).toBe(2);
    await held.return?.();
  });

  it('refuses one stream more than it has connections', async () => {
    const { send, ends } = await bench(stallAfter(bytes(5)), undefined, 1);
    const held = iterate(await send());
    expect(failure(await send()).error.code).toBe('busy');
    await held.return?.();
    expect(ends).toEqual(['busy', 'aborted']);
    expect((await send()).ok).toBe(true);
  });
});

describe('a body whose reader rests', () => {
  /** Real sockets need real turns of the event loop, whatever the clock says. */
  const turns = async (count: number) => {
    for (let i = 0; i < count; i += 1) await settle();
  };
  const rested = async (script: (gate: Promise<void>) => Script) => {
    const gate = openGate();
    const made = await bench(script(gate.opened));
    const controller = new AbortController();
    const attempt = await made.send(controller.signal);
    if (!attempt.ok) throw attempt.error;
    const reader = iterate(attempt);
    expect((await reader.next()).value).toHaveLength(10);
    attempt.gathering!.rest(400);
    let read: Uint8Array | undefined;
    const waited = caught(
      reader.next().then(({ value }) => {
        read = value as Uint8Array;
      }),
    );
    gate.open();
    await turns(50);
    return { ...made, controller, reader, waited, read: () => read };
  };
  const pieces =
    (opened: Promise<void>, then: (reply: Parameters<Script>[0]) => void): Script =>
    async (reply) => {
      reply.start();
      reply.write(bytes(10));
      await opened;
      for (let i = 0; i < 5; i += 1) {
        reply.write(bytes(1000));
        await settle();
      }
      then(reply);
    };

  it('is given to him in one', async () => {
    const { clock, read, reader, ends } = await rested((opened) => pieces(opened, () => {}));
    clock.advance(399);
    await turns(5);
    expect([read(), ends]).toEqual([undefined, []]);
    clock.advance(1);
    await turns(1);
    expect(read()).toHaveLength(5000);
    await reader.return?.();
    expect(clock.timers).toBe(0);
  });

  it('is given to him at once with its end, which frees the connection', async () => {
    const { clock, read, reader, ends } = await rested((opened) => pieces(opened, (reply) => reply.end()));
    expect(read()).toHaveLength(5000);
    expect((await reader.next()).done).toBe(true);
    expect([ends, clock.timers]).toEqual([['ok'], 0]);
  });

  it('is given to him at once when it breaks', async () => {
    const { clock, read, reader } = await rested((opened) => pieces(opened, (reply) => reply.leave()));
    expect(read()).toHaveLength(5000);
    expect(code(await caught(reader.next()))).toBe('upstream_broken');
    expect(clock.timers).toBe(0);
  });

  it('is no more read when its turn is cancelled', async () => {
    const { clock, waited, read, controller, upstream, ends } = await rested((opened) =>
      pieces(opened, () => {}),
    );
    controller.abort(new Error('cancelled'));
    expect(((await waited) as Error).message).toBe('cancelled');
    await upstream.requests[0]!.hungUp;
    expect([read(), ends, clock.timers]).toEqual([undefined, ['aborted'], 0]);
  });
});

describe('a body that is not read', () => {
  /** Less than what lies in the process when a body is held back, so that the client hears of the end, and more. */
  const SIZES = [80, 400];
  const unread = (
    size: number,
    headers: Record<string, string>,
    last: (reply: Parameters<Script>[0]) => void,
  ) =>
    bench(async (reply) => {
      reply.start(200, { 'content-type': 'audio/mpeg', ...headers });
      for (let i = 0; i < size; i += 1) {
        reply.write(bytes(1000));
        await settle();
      }
      await settle();
      last(reply);
    });

  it.each([
    ['whole', { connection: 'close' }, 'end', undefined],
    ['closed', { connection: 'close' }, 'leave', 'upstream_broken'],
    ['cut off', { connection: 'close' }, 'reset', 'upstream_broken'],
    ['cut off', {}, 'reset', 'upstream_broken'],
    ['whole', {}, 'end', undefined],
  ] as const)(
    'is there afterwards, %s, from a service that answers with %j',
    async (_, headers, how, failure) => {
      for (const size of SIZES) {
        const { send } = await unread(size, headers, (reply) => reply[how]());
        const attempt = await send();
        for (let i = 0; i < 3 * size; i += 1) await settle(); // it comes, and its connection closes
        let read = 0;
        const reading = async () => {
          if (!attempt.ok) throw attempt.error;
          for await (const chunk of attempt.chunks) read += chunk.length;
        };
        expect(code(await caught(reading()))).toBe(failure);
        if (failure === undefined) expect(read).toBe(1000 * size);
        else expect(read).toBeGreaterThan(0);
      }
    },
  );

  it('is given up when it cannot be held back and is more than anybody says in one go', async () => {
    const { send, ends } = await bench(async (reply) => {
      reply.start(200, { 'content-type': 'audio/mpeg', connection: 'close' });
      for (let i = 0; i < 90; i += 1) {
        reply.write(bytes(100_000));
        await settle();
      }
    });
    await send();
    for (let i = 0; i < 2000 && ends.length === 0; i += 1) await settle();
    expect(ends).toEqual(['upstream_broken']);
  });
});

describe('what the headers say of the request limit', () => {
  it('is handed on with an answer', async () => {
    const { send } = await bench((reply) => {
      reply.start(200, {
        'content-type': 'audio/mpeg',
        'ratelimit-policy': '"default";q=60;w=60',
        ratelimit: '"default";r=12;t=34',
        'maximum-concurrent-requests': '5',
      });
      reply.write(bytes(5));
      reply.end();
    });
    expect(await send()).toMatchObject({
      ok: true,
      advice: { limit: 60, windowMs: 60_000, remaining: 12, resetMs: 34_000, concurrent: 5 },
    });
  });
  it('is handed on with a refusal', async () => {
    const { send } = await bench(status(429, { 'retry-after': '7', 'x-ratelimit-limit': '20' }));
    expect(failure(await send()).advice).toEqual({ limit: 20, resetMs: 7_000 });
  });
  it('is nothing without an answer', async () => {
    const { send } = await bench((reply) => reply.reset());
    expect(failure(await send()).advice).toEqual({});
  });
});

describe('what answers become', () => {
  const json = { 'content-type': 'application/json' };
  const cases: [string, Script, string, number | undefined][] = [
    ['429', status(429), 'upstream_rate_limited', 429],
    ['401', status(401, json, '{"errorId":"UNAUTHORIZED"}'), 'upstream_unauthorized', 401],
    ['402', status(402), 'upstream_unauthorized', 402],
    ['403', status(403, json, '{"errorId":"UNAUTHORIZED"}'), 'upstream_unauthorized', 403],
    ['400', status(400, json, '{"errorMessage":"no","errorId":"BAD_VOICE"}'), 'upstream_rejected', 400],
    ['404', status(404), 'upstream_rejected', 404],
    ['302', status(302, { location: 'http://127.0.0.1:1/' }), 'upstream_rejected', 302],
    ['500', status(500, {}, '<html>'), 'upstream_unreachable', 500],
    ['503', status(503), 'upstream_unreachable', 503],
    ['204', status(204), 'upstream_bad_audio', 204],
    ['JSON with 200', status(200, json, '{}'), 'upstream_bad_audio', 200],
    [
      'octet-stream',
      status(200, { 'content-type': 'application/octet-stream' }, 'x'),
      'upstream_bad_audio',
      200,
    ],
    ['audio/mpegurl', status(200, { 'content-type': 'audio/mpegurl' }, 'x'), 'upstream_bad_audio', 200],
    ['no type', status(200, {}, 'x'), 'upstream_bad_audio', 200],
    [
      'gzip',
      status(200, { 'content-type': 'audio/mpeg', 'content-encoding': 'gzip' }, 'x'),
      'upstream_bad_audio',
      200,
    ],
    ['an empty body', audio(), 'upstream_bad_audio', 200],
    ['a reset before the answer', (reply) => reply.reset(), 'upstream_unreachable', undefined],
    ['a close before the answer', (reply) => reply.leave(), 'upstream_unreachable', undefined],
    [
      'a status line that is none',
      (reply) => reply.raw('SPEECH OK\r\n\r\n'),
      'upstream_unreachable',
      undefined,
    ],
    [
      'a reset between headers and body',
      (reply) => {
        reply.start();
        setImmediate(() => reply.reset());
      },
      'upstream_unreachable',
      undefined,
    ],
  ];
  it.each(cases)('%s', async (_, script, expected, httpStatus) => {
    const { send, ends, clock } = await bench(script);
    const failed = failure(await send());
    expect([failed.error.code, failed.status]).toEqual([expected, httpStatus]);
    expect(ends).toEqual([expected]);
    expect(clock.timers).toBe(0);
  });

  it.each(['audio/mpeg', 'audio/mp3', 'Audio/MPEG; rate=24000'])('takes %s as audio', async (type) => {
    const { send } = await bench((reply) => {
      reply.start(200, { 'content-type': type });
      reply.write(bytes(3));
      reply.end();
    });
    expect(await readAll(await send())).toBe(3);
  });

  it('tells the status and a well-formed error id, and nothing else of the body', async () => {
    const told = async (body: string) =>
      failure(await (await bench(status(422, json, body))).send()).error.message;
    expect(await told('{"errorId":"BAD_VOICE","errorMessage":"secret"}')).toMatch(/\(422, BAD_VOICE\)/);
    for (const body of ['{"errorId":"say <b>this</b>"}', '{"errorId":5}', '[]', 'null', '{"errorId":"BAD'])
      expect(await told(body)).toMatch(/\(422\)/);
  });

  it('reads a Retry-After of a 429', async () => {
    const { send } = await bench(status(429, { 'retry-after': '7' }));
    expect(failure(await send()).error.retryAfterMs).toBe(7000);
  });

  it('stops reading an endless error body', async () => {
    const { send, upstream } = await bench(async (reply) => {
      let pouring = true;
      void reply.request.hungUp.then(() => {
        pouring = false;
      });
      reply.start(500, {});
      while (pouring) {
        reply.write(bytes(8192));
        await settle();
      }
    });
    expect(failure(await send()).error.code).toBe('upstream_unreachable');
    await upstream.requests[0]!.hungUp;
  });

  it('waits for an error body for a quarter of a second, and not until the first-byte deadline', async () => {
    const { send, clock, upstream } = await bench((reply) => {
      reply.start(429, { 'retry-after': '3' });
      reply.write('{');
    });
    const answered = send();
    await upstream.request(1);
    await settle();
    // The head may take a few turns of the event loop to arrive; from there on it is 250 ms.
    for (let i = 0; i < 50; i++) await settle();
    await clock.run(250);
    expect(failure(await answered).status).toBe(429);
    await upstream.requests[0]!.hungUp;
  });

  it('calls a refused connection unreachable, and nothing sent', async () => {
    const made = await bench(silence);
    await made.upstream.close();
    const failed = failure(await made.send());
    expect(failed.error.code).toBe('upstream_unreachable');
    expect(failed.error.message).toContain('ECONNREFUSED');
    expect(made.sent).toBe(0);
  });
});

describe('breaks after the first byte', () => {
  it('throws upstream_broken after a reset, once what arrived is read', async () => {
    const gate = openGate();
    const { send, ends } = await bench(async (reply) => {
      reply.start();
      reply.write(bytes(700));
      await gate.opened;
      reply.reset();
    });
    const body = iterate(await send());
    expect((await body.next()).value).toHaveLength(700);
    gate.open();
    expect(code(await caught(body.next()))).toBe('upstream_broken');
    expect(await body.next()).toEqual({ done: true, value: undefined });
    expect(ends).toEqual(['upstream_broken']);
  });

  it('throws upstream_broken when the body is shorter than announced', async () => {
    const { send } = await bench(shortBody(1000, bytes(400)));
    const body = iterate(await send());
    expect((await body.next()).value).toHaveLength(400);
    expect(code(await caught(body.next()))).toBe('upstream_broken');
  });

  it('throws upstream_broken when the chunked coding breaks off or is garbage', async () => {
    for (const leave of [
      (r: Parameters<Script>[0]) => r.leave(),
      (r: Parameters<Script>[0]) => r.raw('zz\r\n'),
    ]) {
      const gate = openGate();
      const { send } = await bench(async (reply) => {
        reply.start();
        reply.write(bytes(50));
        await gate.opened;
        leave(reply);
      });
      const body = iterate(await send());
      await body.next();
      gate.open();
      expect(code(await caught(body.next()))).toBe('upstream_broken');
    }
  });
});

describe('deadlines', () => {
  it('gives up a connection that does not come about, closes it, and has sent nothing', async () => {
    const peer = await silentPeer();
    const made = await bench(silence, peer.url);
    const answered = made.send();
    await peer.accepted;
    await made.clock.run(deadlines.connectMs - 1);
    expect(made.ends).toEqual([]);
    await made.clock.run(1);
    expect(failure(await answered).error.code).toBe('upstream_unreachable');
    expect(made.sent).toBe(0);
    await peer.closed;
  });

  it('gives up an answer that does not begin', async () => {
    const made = await bench(silence);
    const answered = made.send();
    await made.upstream.request(1);
    await made.clock.run(deadlines.firstByteMs);
    expect(failure(await answered).error.code).toBe('upstream_timeout');
    expect(made.sent).toBe(1);
    await made.upstream.requests[0]!.hungUp;
  });

  it('counts headers without a body as no first byte', async () => {
    const made = await bench((reply) => reply.start());
    const answered = made.send();
    await made.upstream.request(1);
    await settle();
    await made.clock.run(deadlines.firstByteMs);
    expect(failure(await answered).error.code).toBe('upstream_timeout');
  });

  it('breaks a stall off while the reader waits, and closes the socket', async () => {
    const made = await bench(stallAfter(bytes(100)));
    const body = iterate(await made.send());
    await body.next();
    const waiting = caught(body.next());
    await made.clock.run(deadlines.stallMs - 1);
    expect(made.ends).toEqual([]);
    await made.clock.run(1);
    expect(code(await waiting)).toBe('upstream_timeout');
    await made.upstream.requests[0]!.hungUp;
    expect(made.clock.timers).toBe(0);
  });

  it('gives each chunk its own time', async () => {
    const gates = [openGate(), openGate()];
    const made = await bench(async (reply) => {
      reply.start();
      reply.write(bytes(1));
      for (const gate of gates) {
        await gate.opened;
        reply.write(bytes(1));
      }
    });
    const body = iterate(await made.send());
    await body.next();
    for (const gate of gates) {
      const waiting = body.next();
      await made.clock.run(deadlines.stallMs - 1);
      gate.open();
      expect((await waiting).value).toHaveLength(1);
    }
    const waiting = caught(body.next());
    await made.clock.run(deadlines.stallMs);
    expect(code(await waiting)).toBe('upstream_timeout');
  });

  it('does not count the time in which the reader holds back', async () => {
    const gates = [openGate(), openGate()] as const;
    const made = await bench(async (reply) => {
      reply.start();
      reply.write(bytes(10));
      for (const gate of gates) {
        await gate.opened;
        reply.write(bytes(20));
      }
      reply.end();
    });
    const body = iterate(await made.send());
    await body.next();
    await made.clock.run(100 * deadlines.stallMs);
    const waiting = body.next(); // has the reader wait once, so that the stall timer is set
    gates[0].open();
    await waiting;
    await made.clock.run(100 * deadlines.stallMs);
    expect(made.ends).toEqual([]);
    gates[1].open();
    expect((await body.next()).value).toHaveLength(20);
    expect((await body.next()).done).toBe(true);
  });

  it('holds the socket back while the reader does, and loses nothing', async () => {
    const made = await bench((reply) => {
      reply.start();
      for (let i = 0; i < 500; i++) reply.write(bytes(16_384, i % 256));
      reply.end();
    });
    const body = iterate(await made.send());
    for (let i = 0; i < 50; i++) await settle();
    expect(made.ends).toEqual([]); // 8 MB do not fit: the far end is still sending
    let total = 0;
    for (let next = await body.next(); !next.done; next = await body.next()) total += next.value.length;
    expect(total).toBe(500 * 16_384);
    expect(made.ends).toEqual(['ok']);
  });
});

describe('a cancel', () => {
  const reason = new Error('barge-in');

  it('before the start sends nothing', async () => {
    const made = await bench(silence);
    expect(await caught(made.send(AbortSignal.abort(reason)))).toBe(reason);
    expect([made.ends, made.upstream.connections]).toEqual([['aborted'], 0]);
  });

  it('while connecting closes the socket', async () => {
    const peer = await silentPeer();
    const made = await bench(silence, peer.url);
    const abort = new AbortController();
    const answered = caught(made.send(abort.signal));
    await peer.accepted;
    abort.abort(reason);
    expect(await answered).toBe(reason);
    await peer.closed;
    expect([made.ends, made.sent, made.clock.timers]).toEqual([['aborted'], 0, 0]);
  });

  it('while waiting for the answer closes the socket', async () => {
    const made = await bench(silence);
    const abort = new AbortController();
    const answered = caught(made.send(abort.signal));
    const seen = await made.upstream.request(1);
    abort.abort(reason);
    expect(await answered).toBe(reason);
    await seen.hungUp;
  });

  it('between headers and first byte closes the socket', async () => {
    const made = await bench((reply) => reply.start());
    const abort = new AbortController();
    const answered = caught(made.send(abort.signal));
    const seen = await made.upstream.request(1);
    for (let i = 0; i < 5; i++) await settle();
    abort.abort(reason);
    expect(await answered).toBe(reason);
    await seen.hungUp;
  });

  it('while the reader waits wakes it and closes the socket', async () => {
    const made = await bench(stallAfter(bytes(10)));
    const abort = new AbortController();
    const body = iterate(await made.send(abort.signal));
    await body.next();
    const waiting = caught(body.next());
    abort.abort(reason);
    expect(await waiting).toBe(reason);
    await made.upstream.requests[0]!.hungUp;
    expect([made.ends, made.clock.timers]).toEqual([['aborted'], 0]);
  });

  it('while the reader holds back drops what has arrived', async () => {
    const made = await bench(stallAfter(bytes(10), bytes(10), bytes(10)));
    const abort = new AbortController();
    const body = iterate(await made.send(abort.signal));
    abort.abort(reason);
    expect(await caught(body.next())).toBe(reason);
    expect((await body.next()).done).toBe(true);
    await made.upstream.requests[0]!.hungUp;
  });

  it('after the end still drops what was not read', async () => {
    const made = await bench(audio(bytes(10), bytes(10)));
    const abort = new AbortController();
    const body = iterate(await made.send(abort.signal));
    while (made.ends.length === 0) await settle();
    abort.abort(reason);
    expect(await caught(body.next())).toBe(reason);
    expect(made.ends).toEqual(['ok']);
  });

  it('by leaving the loop closes the socket', async () => {
    const made = await bench(stallAfter(bytes(10)));
    const attempt = await made.send();
    if (attempt.ok) for await (const _ of attempt.chunks) break;
    await made.upstream.requests[0]!.hungUp;
    expect(made.ends).toEqual(['aborted']);
  });

  it('of one stream leaves the others alone', async () => {
    const gate = openGate();
    const made = await bench(async (reply) => {
      reply.start();
      reply.write(bytes(10));
      await gate.opened;
      reply.write(bytes(10));
      reply.end();
    });
    const abort = new AbortController();
    const doomed = iterate(await made.send(abort.signal));
    const other = await made.send();
    await doomed.next();
    abort.abort(reason);
    gate.open();
    expect(await readAll(other)).toBe(20);
  });
});

describe('warm and close', () => {
  it('opens connections that the next requests use', async () => {
    const { transport, upstream, send } = await bench(audio(bytes(1)));
    await transport.warm(3);
    expect([upstream.pings, upstream.connections]).toEqual([3, 3]);
    await readAll(await send());
    expect(upstream.connections).toBe(3);
  });

  it('never throws: refused, or silent', async () => {
    const refused = await bench(silence);
    await refused.upstream.close();
    await refused.transport.warm(2);
    const peer = await silentPeer();
    const made = await bench(silence, peer.url);
    const warmed = made.transport.warm(1);
    await peer.accepted;
    await made.clock.run(deadlines.connectMs + deadlines.firstByteMs);
    await warmed;
    await peer.closed;
  });

  it('cuts running streams when closed, and connects no more', async () => {
    const made = await bench(stallAfter(bytes(10)));
    const body = iterate(await made.send());
    await body.next();
    const waiting = caught(body.next());
    await made.transport.close();
    expect(code(await waiting)).toBe('upstream_broken');
    expect(failure(await made.send()).error.code).toBe('upstream_unreachable');
  });
});

it('repeats neither key nor text when the far end echoes them everywhere', async () => {
  const echo = `${TEXT} ${KEY} ${USER}`;
  const body = JSON.stringify({ errorId: KEY.toUpperCase(), errorMessage: echo });
  const scripts: Script[] = [
    ...[302, 400, 401, 403, 429, 500].map((s) => status(s, { 'x-echo': echo, 'retry-after': echo }, body)),
    status(400, {}, JSON.stringify({ errorId: KEY })),
    status(400, {}, echo),
    status(200, { 'content-type': KEY }, echo),
    (reply) => reply.raw(`${echo}\r\n\r\n`),
    (reply) =>
      reply.raw(`HTTP/1.1 200 ${echo}\r\ncontent-type: audio/mpeg\r\ncontent-length: 9x\r\n\r\n${echo}`),
    audio(),
  ];
  for (const script of scripts) {
    const { error } = failure(await (await bench(script)).send());
    const told = `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String(error.cause)}`;
    for (const secret of [TEXT, KEY, KEY.toUpperCase(), USER]) expect(told).not.toContain(secret);
  }
});
