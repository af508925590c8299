// POST /api/v1/tts/stream over real sockets: formats and rates, slow and leaving clients, failures before and after the
// first byte.

import { request } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredentials } from '../../../src/access/credentials.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { sendError } from '../../../src/base/error-reply.ts';
import { fromFramework } from '../../../src/base/framework-error.ts';
import { addSpeechRoute } from '../../../src/http/routes/speech-route.ts';
import { createOpenReplies } from '../../../src/http/server/open-replies.ts';
import { requireCaller } from '../../../src/http/server/service-caller.ts';
import { NO_WORD_TIMER } from '../../../src/pipeline/word-timing/word-timer.ts';
import { createKeyLimits, STATED_RULES } from '../../../src/service/key-limits.ts';
import { codecs } from '../../support/codecs.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { createMemoryUpstream, type MemoryUpstream } from '../../support/memory-upstream.ts';
import { OPEN_ADMISSION } from '../../support/open-admission.ts';
import { SPEECH_MS, spoken } from '../../support/running-gateway.ts';
import {
  credentialsOf,
  keyOf,
  type RunningService,
  startRunningService,
  VOICE,
} from '../../support/running-service.ts';
import { audio, openGate, type Script, silence, status } from '../../support/scripted-upstream.ts';
import { trustingRecovery } from '../../support/trusting-recovery.ts';
import { createUncheckedVoices } from '../../support/voice-directories.ts';

const FIELDS = {
  model: 'VoxDialog',
  text: 'The tide turns twice a day, and nobody can stop it.',
  voice: VOICE,
};
const STREAM = '/api/v1/tts/stream';

describe('a spoken text', () => {
  let service: RunningService;
  /** What the next requests to the speech service get. */
  let script: Script = audio(spoken());
  beforeAll(async () => {
    service = await startRunningService({
      script: (reply) => script(reply),
      // All requests of this file come within a minute, more than are tried of a limit that is yet to be found out.
      env: { VOXGATE_UPSTREAM_KEYS: 'upstream-user:upstream-key@10000' },
    });
  });
  afterAll(() => service?.close());

  const speak = (more: object = {}, signal?: AbortSignal) =>
    service.open('POST', STREAM, {
      json: { ...FIELDS, ...more },
      ...(signal === undefined ? {} : { signal }),
    });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  const seconds = SPEECH_MS / 1000;
  const pcm = (rate: number) => 2 * rate * seconds;
  it.each([
    ['mp3', undefined, 'audio/mpeg', /^\xff[\xf2\xf3\xfa\xfb]/, undefined],
    ['mp3', 44_100, 'audio/mpeg', /^\xff[\xfa\xfb]/, undefined],
    ['mulaw', undefined, 'audio/basic', /^/, 8000 * seconds],
    ['mulaw', 11_025, 'audio/PCMU;rate=11025', /^/, 11_025 * seconds],
    ['raw', undefined, 'audio/pcm;rate=24000;channels=1;encoding=s16le', /^/, pcm(24_000)],
    ['raw', 8001, 'audio/pcm;rate=8001;channels=1;encoding=s16le', /^/, pcm(8001)],
    ['raw', 47_999, 'audio/pcm;rate=47999;channels=1;encoding=s16le', /^/, pcm(47_999)],
    ['wav', 12_345, 'audio/wav', /^RIFF[\s\S]{4}WAVEfmt /, pcm(12_345)],
    ['ogg', 16_000, 'audio/ogg; codecs=opus', /^OggS[\s\S]+OpusHead/, undefined],
    ['flac', 22_051, 'audio/flac', /^fLaC/, undefined],
  ] as const)('comes as %s at %s Hz: %s', async (outputFormat, sampleRate, type, begins, bytes) => {
    script = audio(spoken());
    const response = await speak({ outputFormat, ...(sampleRate === undefined ? {} : { sampleRate }) });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const body = await bytesOf(response);
    expect(body.toString('latin1', 0, 200)).toMatch(begins);
    // To a twentieth of a second: decoders and resamplers have their delays.
    if (bytes !== undefined) expect(Math.abs(body.length / bytes - 1)).toBeLessThan(0.05 / seconds + 0.01);
    else expect(body.length).toBeGreaterThan(5000);
  });

  it('is taken from the speech service as MP3, whatever was asked for', async () => {
    script = audio(spoken());
    await bytesOf(await speak({ outputFormat: 'flac', sampleRate: 8000 }));
    expect(service.upstream.requests.at(-1)!.body).toMatchObject({ outputFormat: 'mp3' });
    expect(service.upstream.requests.at(-1)!.body).not.toHaveProperty('sampleRate');
  });

  it('has its first bytes before the last have been made', async () => {
    const gate = openGate();
    script = async (reply) => {
      reply.start();
      reply.write(spoken().subarray(0, 12_000));
      await gate.opened;
      reply.write(spoken().subarray(12_000));
      reply.end();
    };
    const reader = (await speak({ outputFormat: 'raw' })).body!.getReader();
    expect((await reader.read()).value!.length).toBeGreaterThan(0);
    gate.open();
    let isDone = false;
    while (!isDone) isDone = (await reader.read()).done;
  });

  it.each([
    [
      'a refusal',
      status(400, { 'content-type': 'application/json' }, '{"errorMessage":"no","errorId":"X"}'),
      502,
      'UPSTREAM_REJECTED',
    ],
    ['keys that are not taken', status(401), 502, 'UPSTREAM_UNAUTHORIZED'],
    ['what is no audio', audio(Buffer.from('<html>'.repeat(2000))), 502, 'UPSTREAM_BAD_AUDIO'],
  ] as const)(
    'that meets %s before the first byte is answered with a status',
    async (_what, said, code, errorId) => {
      script = said;
      const response = await speak();
      expect(response.status).toBe(code);
      expect(response.headers.get('content-type')).toMatch(/json/);
      expect(response.headers.get('x-voxgate-seed')).toBeNull();
      expect(await response.json()).toEqual({ errorId, errorMessage: expect.any(String) as string });
    },
  );

  it('that breaks after the first byte, and cannot be mended, ends in a body that is visibly not whole', async () => {
    let requests = 0;
    script = (reply) => {
      requests += 1;
      if (requests > 1) return status(400)(reply);
      reply.start();
      reply.write(spoken().subarray(0, 9000));
      setImmediate(() => reply.reset());
    };
    const response = await speak({ outputFormat: 'wav' });
    expect(response.status).toBe(200);
    await expect(bytesOf(response)).rejects.toThrow();
  });

  it('is given up at the speech service when the client leaves, before the first byte and after it', async () => {
    for (const said of [
      silence,
      (reply) => {
        reply.start();
        reply.write(spoken().subarray(0, 9000));
      },
    ] as Script[]) {
      script = said;
      const asked = service.upstream.request(service.upstream.requests.length + 1);
      const leaving = new AbortController();
      const speaking = speak({}, leaving.signal).catch(() => undefined);
      const { hungUp } = await asked;
      if (said !== silence) await speaking;
      leaving.abort();
      await hungUp;
      await speaking;
    }
    script = audio(spoken());
    expect((await bytesOf(await speak())).length).toBeGreaterThan(5000);
  });

  it('with a seed is the same again; the seed is told, and sent on', async () => {
    script = audio(spoken());
    const replies = await Promise.all(
      [1, 1, undefined].map((seed) => speak(seed === undefined ? {} : { seed })),
    );
    const seeds = replies.map(({ headers }) => headers.get('x-voxgate-seed'));
    const [one, two] = await Promise.all(replies.map(bytesOf));
    expect(seeds.slice(0, 2)).toEqual(['1', '1']);
    expect(two!.equals(one!)).toBe(true);
    const sent = service.upstream.requests.slice(-3).map(({ body }) => (body as { seed: number }).seed);
    expect(new Set(sent.map(String))).toEqual(new Set(seeds));
  });

  it('tells nobody what was said: neither the log nor a refusal holds text or keys', async () => {
    script = status(400, {}, 'The tide turns twice a day');
    const refused = await service.ask('POST', STREAM, { json: { ...FIELDS, colour: 1 } });
    const failed = await service.ask('POST', STREAM, { json: FIELDS });
    for (const text of [refused.text, failed.text, ...service.logLines]) {
      expect(text).not.toMatch(/tide turns/);
      expect(text).not.toContain(keyOf('ann'));
    }
  });
});

describe('a slow reader', () => {
  let app: FastifyInstance;
  let upstream: MemoryUpstream;
  let origin: string;
  beforeAll(async () => {
    upstream = createMemoryUpstream();
    app = Fastify();
    app.setErrorHandler((thrown, _request, reply) => sendError(reply, fromFramework(thrown)));
    app.setValidatorCompiler(() => () => true);
    app.setSerializerCompiler(() => JSON.stringify);
    await app.register(async (api) => {
      requireCaller(
        api,
        createCredentials([{ userId: 'ann', apiKey: keyOf('ann') }]),
        createKeyLimits({ ...STATED_RULES, make: 0, ask: 0 }),
      );
      addSpeechRoute(api, {
        runtime: { upstream, recovery: trustingRecovery(), codecs, timer: NO_WORD_TIMER, clock: systemClock },
        random: fixedRandom(0.5),
        voices: createUncheckedVoices(async () => [], {}),
        replies: createOpenReplies(systemClock, OPEN_ADMISSION),
      });
    });
    origin = await app.listen({ port: 0 });
  });
  afterAll(() => app.close());

  it('holds the speech service back, and gets all of it in the end', async () => {
    const text = `${'A long story. '.repeat(1400)}`;
    const reply = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const asked = request(`${origin}${STREAM}`, {
        method: 'POST',
        headers: { ...credentialsOf('ann'), 'content-type': 'application/json' },
      });
      asked.on('response', resolve);
      asked.on('error', reject);
      asked.end(JSON.stringify({ ...FIELDS, text, outputFormat: 'raw', sampleRate: 48_000 }));
      const answer = () => {
        const one = upstream.requests[0];
        if (one === undefined) return void setImmediate(answer);
        for (let n = 0; n < 200; n += 1) one.send(spoken());
        one.end();
      };
      answer();
    });
    // Nobody reads. What is taken grows until the sockets are full, and then no more.
    const asked = upstream.requests[0]!;
    let unread = -1;
    while (unread !== asked.unreadBytes) {
      unread = asked.unreadBytes;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect(unread).toBeGreaterThan(spoken().length * 100);
    let bytes = 0;
    for await (const chunk of reply) bytes += (chunk as Buffer).length;
    expect(asked.unreadBytes).toBe(0);
    expect(bytes / (2 * 48 * SPEECH_MS * 200)).toBeCloseTo(1, 1);
  });
});
