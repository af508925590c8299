// What every kind of speech service must be to the pool, whatever it is asked by: each answer that real services give.

import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { SERVICE_KINDS } from '../../src/settings/service-kind-names.ts';
import type { OutgoingRequest } from '../../src/speech/speech-request.ts';
import { createHttpSpeechUpstream } from '../../src/upstream/services/http-speech-upstream.ts';
import { createServiceKind } from '../../src/upstream/services/service-kinds.ts';
import type { Attempt, AttemptEnd } from '../../src/upstream/speech-transport.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import {
  audio,
  type Script,
  shortBody,
  silence,
  stallAfter,
  startScriptedUpstream,
  status,
} from '../support/scripted-upstream.ts';

const KINDS = SERVICE_KINDS.filter((kind) => kind !== 'engine');
const TEXT = 'words that nobody may repeat';
const KEY = 'sk-canary-0123456789';
const DEADLINES = { connectMs: 2000, firstByteMs: 8000, stallMs: 3000 };
const bytes = (size: number) => new Uint8Array(size).fill(0x55);

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function open(kind: (typeof KINDS)[number], script: Script, asked: Partial<OutgoingRequest> = {}) {
  const upstream = await startScriptedUpstream(script);
  const clock = createFakeClock();
  const transport = createHttpSpeechUpstream({
    baseUrl: new URL(`${upstream.url.origin}/base`),
    kind: createServiceKind(kind, { model: undefined }),
    maxConnections: 2,
    deadlines: DEADLINES,
    clock,
  });
  cleanups.push(
    () => upstream.close(),
    () => transport.close(),
  );
  const ends: AttemptEnd[] = [];
  const abort = new AbortController();
  const result = transport.send(
    { model: 'VoxDialog', text: TEXT, voice: 'a-voice', seed: 7, ...asked },
    { userId: 'user-canary', apiKey: KEY },
    { signal: abort.signal, onSent() {}, onClosed: (end) => void ends.push(end) },
  );
  const again = () =>
    transport.send(
      { model: 'VoxDialog', text: TEXT, voice: 'a-voice', seed: 7, ...asked },
      { userId: 'user-canary', apiKey: KEY },
      { signal: abort.signal, onSent() {}, onClosed() {} },
    );
  return { upstream, clock, ends, abort, result, again };
}
async function bytesOf(attempt: Attempt): Promise<number> {
  if (!attempt.ok) throw attempt.error;
  let total = 0;
  for await (const chunk of attempt.chunks) total += chunk.length;
  return total;
}
const codeOf = (thrown: unknown) => (thrown instanceof AppError ? thrown.code : thrown);

describe.each(KINDS)('a service of the kind %s', (kind) => {
  it('is asked below its base address, for MP3 that is not compressed, and read to its end', async () => {
    const { upstream, result, ends } = await open(kind, audio(bytes(900), bytes(100)));
    expect(await bytesOf(await result)).toBe(1000);
    expect(ends).toEqual(['ok']);
    const [request] = upstream.requests;
    expect(request!.path).toMatch(/^\/base\//);
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'audio/mpeg',
      'accept-encoding': 'identity',
    });
    expect(JSON.stringify(request!.headers)).toContain(KEY);
    expect(JSON.stringify(request!.body)).toContain(TEXT);
  });

  const refusals: readonly [string, Script, string, number | undefined][] = [
    [
      '429, wait',
      status(429, { 'retry-after': '2' }, '{"error":{"code":"rate_limit_exceeded"}}'),
      'upstream_rate_limited',
      429,
    ],
    [
      '429, too many at once',
      status(429, {}, '{"detail":{"status":"too_many_concurrent_requests"}}'),
      'upstream_rate_limited',
      429,
    ],
    ['429, busy', status(429, {}, '{"detail":{"status":"system_busy"}}'), 'upstream_rate_limited', 429],
    [
      '429, concurrency',
      status(429, {}, '{"error_code":"concurrency_limited","title":"x"}'),
      'upstream_rate_limited',
      429,
    ],
    [
      '429, out of money',
      status(429, {}, '{"error":{"code":"insufficient_quota"}}'),
      'upstream_unauthorized',
      429,
    ],
    [
      '401, out of money',
      status(401, {}, '{"detail":{"status":"quota_exceeded"}}'),
      'upstream_unauthorized',
      401,
    ],
    ['401', status(401, {}, `{"error":"no key ${KEY}"}`), 'upstream_unauthorized', 401],
    ['402', status(402), 'upstream_unauthorized', 402],
    ['403', status(403), 'upstream_unauthorized', 403],
    ['400', status(400, {}, `{"error":"bad text ${TEXT}"}`), 'upstream_rejected', 400],
    ['404', status(404), 'upstream_rejected', 404],
    ['500', status(500), 'upstream_unreachable', 500],
    ['503', status(503), 'upstream_unreachable', 503],
    ['a redirect', status(302, { location: 'http://127.0.0.1:9/' }), 'upstream_rejected', 302],
    ['an empty 200', audio(), 'upstream_bad_audio', 200],
    [
      'JSON instead of sound',
      status(200, { 'content-type': 'application/json' }, '{}'),
      'upstream_bad_audio',
      200,
    ],
  ];
  it.each(refusals)(
    'that answers %s is understood, and nothing of the answer is repeated',
    async (_, script, code, httpStatus) => {
      const { result, ends } = await open(kind, script);
      const attempt = await result;
      if (attempt.ok) throw new Error('expected a failure');
      expect([attempt.error.code, attempt.status]).toEqual([code, httpStatus]);
      expect(ends).toHaveLength(1);
      expect(`${attempt.error.message}${attempt.error.stack}`).not.toMatch(
        new RegExp(`${KEY}|${TEXT}|user-canary`),
      );
    },
  );

  const BODIES: readonly [string, Uint8Array, string][] = [
    ['audio/mpeg', Buffer.from([0xff, 0xf3, 0x84, 0xc0, ...bytes(188)]), 'mp3'],
    ['audio/wav', Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0', 'latin1'), 'wav'],
    ['audio/ogg', Buffer.concat([Buffer.from('OggS\0\x02', 'latin1'), bytes(60)]), 'ogg'],
    ['audio/pcm;rate=24000;channels=1', bytes(200), 's16 24000'],
    ['audio/basic', bytes(200), 'mulaw 8000'],
    ['audio/PCMA;rate=8000', bytes(200), 'alaw 8000'],
  ];
  const bodyOf =
    (type: string, body: Uint8Array, pieces = 1): Script =>
    (reply) => {
      reply.start(200, { 'content-type': type });
      const size = Math.ceil(body.length / pieces);
      for (let at = 0; at < body.length; at += size) reply.write(body.subarray(at, at + size));
      reply.end();
    };
  it('that answers in any sound that is read here is known by type and content', async () => {
    for (const [type, body, sound] of BODIES) {
      const attempt = await (await open(kind, bodyOf(type, body, 7))).result;
      if (!attempt.ok) throw attempt.error;
      const known = attempt.type!;
      expect(known.kind === 'plain' ? `${known.sound.layout} ${known.sound.sampleRate}` : known.kind).toBe(
        sound,
      );
      expect(await bytesOf(attempt)).toBe(body.length);
    }
  });
  it('whose type and content disagree is refused, with the names of both', async () => {
    for (const [type] of BODIES.slice(0, 3))
      for (const [other, body] of BODIES.slice(0, 3)) {
        if (type === other) continue;
        const attempt = await (await open(kind, bodyOf(type, body))).result;
        if (attempt.ok) throw new Error(`${type} with the content of ${other} was taken`);
        expect([attempt.error.code, attempt.status]).toEqual(['upstream_bad_audio', 200]);
        expect(attempt.error.message).toMatch(/said that it sends (MP3|WAV|Ogg) and sent \S+/);
      }
  });
  it.skipIf(kind === 'openai')(
    'that sends no µ-law when asked for it is asked for MP3 from then on',
    async () => {
      const mulaw = { outputFormat: 'mulaw', sampleRate: 8000 } as const;
      const { result, again, upstream } = await open(kind, bodyOf('audio/basic', BODIES[1]![1]), mulaw);
      const attempt = await result;
      expect(attempt.ok ? 'answered' : attempt.error.code).toBe('upstream_bad_audio');
      await again();
      expect(upstream.requests.map(({ headers }) => headers.accept)).toEqual(['audio/basic', 'audio/mpeg']);
    },
  );

  it('that is cut, or falls silent, breaks what is heard', async () => {
    const cut = await open(kind, shortBody(1000, bytes(500)));
    expect(codeOf(await bytesOf(await cut.result).catch((error: unknown) => error))).toBe('upstream_broken');
    const stalled = await open(kind, stallAfter(bytes(500)));
    const reading = bytesOf(await stalled.result).catch((error: unknown) => error);
    await settle();
    stalled.clock.advance(DEADLINES.stallMs + 1);
    expect(codeOf(await reading)).toBe('upstream_timeout');
  });

  it('that says nothing is given up in time', async () => {
    const { result, clock, upstream } = await open(kind, silence);
    await upstream.request(1);
    await settle();
    clock.advance(DEADLINES.firstByteMs + 1);
    const attempt = await result;
    expect(attempt.ok ? 'answered' : attempt.error.code).toBe('upstream_timeout');
  });

  it('is hung up on when its turn is cancelled', async () => {
    const { result, abort, upstream, ends } = await open(kind, stallAfter(bytes(500)));
    const attempt = await result;
    const reading = bytesOf(attempt).catch((error: unknown) => error);
    abort.abort(new Error('cancelled'));
    await upstream.requests[0]!.hungUp;
    expect(await reading).toEqual(new Error('cancelled'));
    expect(ends).toEqual(['aborted']);
  });
});
