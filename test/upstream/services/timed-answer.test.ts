// Answers that tell the times of words: what each kind asks is held against the vendor's own client, what comes back is read from
// lines and events in any pieces. Kokoro-FastAPI has no npm client: its lines are those of its source.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import Cartesia from '@cartesia/cartesia-js';
import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js/Client.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceWord } from '../../../src/speech/service-word.ts';
import type { OutgoingRequest } from '../../../src/speech/speech-request.ts';
import { createHttpSpeechUpstream } from '../../../src/upstream/services/http-speech-upstream.ts';
import { createServiceKind } from '../../../src/upstream/services/service-kinds.ts';
import { TimedAnswer } from '../../../src/upstream/services/timed-answer.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const vendor = createRequire(import.meta.url)('@elevenlabs/elevenlabs-js') as {
  ElevenLabsClient: new (options: { apiKey: string; baseUrl: string }) => ElevenLabsClient;
};

const request: OutgoingRequest = {
  model: 'VoxDialog',
  text: 'Hi you',
  voice: 'v',
  outputFormat: 'raw',
  sampleRate: 24_000,
  seed: 7,
};
const key = { userId: '', apiKey: 'the-key' };
const SOUND = Buffer.from([1, 0, 2, 0, 3, 0, 4, 0]);
const BASE64 = SOUND.toString('base64');
const WORDS: readonly ServiceWord[] = [
  { text: 'Hi', startMs: 0, endMs: 100 },
  { text: 'you', startMs: 150, endMs: 300 },
];

type Answer = { readonly type: string; readonly status?: number; readonly body: string };
const answers = (body: string, type = 'application/json'): Answer => ({ type, body });

const ELEVENLABS = answers(
  `${JSON.stringify({
    audio_base64: BASE64,
    alignment: {
      characters: [...'Hi'],
      character_start_times_seconds: [0, 0.05],
      character_end_times_seconds: [0.05, 0.1],
    },
  })}\n${JSON.stringify({ audio_base64: BASE64, alignment: null })}\n`,
);
const CARTESIA = answers(
  [
    { type: 'chunk', data: BASE64, done: false, status_code: 206 },
    {
      type: 'timestamps',
      done: false,
      word_timestamps: { words: ['Hi', 'you'], start: [0, 0.15], end: [0.1, 0.3] },
    },
    { type: 'done', done: true, status_code: 200 },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(''),
  'text/event-stream',
);
const KOKORO = answers(
  `${JSON.stringify({
    audio: BASE64,
    audio_format: 'audio/pcm',
    timestamps: [
      { word: 'Hi', start_time: 0, end_time: 0.1 },
      { word: 'you', start_time: 0.15, end_time: 0.3 },
    ],
  })}\n`,
);
/** Answers as a plain route does. */
const PLAIN = answers('ID3 sound', 'audio/mpeg');

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Seen = { readonly path: string; readonly body: unknown };

/** A service that gives these answers, the last one from then on. */
async function serve(...given: readonly Answer[]): Promise<{ base: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server: Server = createServer((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      seen.push({ path: incoming.url ?? '', body: JSON.parse(body) });
      const { status = 200, type, body: text } = given[Math.min(seen.length, given.length) - 1]!;
      response.writeHead(status, { 'content-type': type }).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => server.close());
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function askedOf(kind: 'elevenlabs' | 'cartesia' | 'openai', base: string, model?: string) {
  const clock = createFakeClock();
  const transport = createHttpSpeechUpstream({
    kind: createServiceKind(kind, { model, wordTimes: 'service', sound: 'listener' }),
    baseUrl: new URL(base),
    maxConnections: 2,
    deadlines: { connectMs: 2000, firstByteMs: 8000, stallMs: 3000 },
    clock,
  });
  closing.push(() => transport.close());
  const send = async (asked = request) => {
    const attempt = await transport.send(asked, key, {
      signal: new AbortController().signal,
      onSent() {},
      onClosed() {},
    });
    if (!attempt.ok) return attempt;
    const words: ServiceWord[] = [];
    attempt.words?.listen((more) => words.push(...more));
    const parts: Uint8Array[] = [];
    for await (const part of attempt.chunks) parts.push(part);
    return { ...attempt, words, sound: Buffer.concat(parts) };
  };
  return { send, clock };
}

describe('speech with the times of its words', () => {
  it('is asked of ElevenLabs as its client does, and told by characters', async () => {
    const { base, seen } = await serve(ELEVENLABS);
    const client = new vendor.ElevenLabsClient({ apiKey: 'the-key', baseUrl: base });
    const asked = {
      text: 'Hi you',
      modelId: 'eleven_flash_v2_5',
      outputFormat: 'pcm_24000',
      seed: 7,
    } as const;
    const pieces = [];
    for await (const piece of await client.textToSpeech.streamWithTimestamps('v', asked)) pieces.push(piece);
    expect(pieces[0]!.alignment!.characterStartTimesSeconds).toEqual([0, 0.05]);
    const { send } = askedOf('elevenlabs', base);
    expect(await send()).toMatchObject({
      type: { kind: 'plain', sound: { layout: 's16', sampleRate: 24_000 } },
      sound: Buffer.concat([SOUND, SOUND]),
      words: [
        { text: 'H', startMs: 0, endMs: 50 },
        { text: 'i', startMs: 50, endMs: 100 },
      ],
    });
    expect(seen[1]).toEqual(seen[0]);
  });

  it('is asked of Cartesia as its client does', async () => {
    const { base, seen } = await serve(CARTESIA);
    const events = await new Cartesia({ apiKey: 'the-key', baseURL: base }).tts.generateSSE({
      model_id: 'sonic-3',
      transcript: 'Hi you',
      voice: { mode: 'id', id: 'v' },
      output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
      add_timestamps: true,
    });
    for await (const event of events) expect(event.type).toMatch(/chunk|timestamps|done/);
    const { send } = askedOf('cartesia', base);
    expect(await send()).toMatchObject({ sound: SOUND, words: WORDS });
    expect(seen[1]).toEqual(seen[0]);
    expect(await send({ ...request, outputFormat: 'mp3', sampleRate: undefined })).toMatchObject({
      sound: SOUND,
    });
    expect(seen[2]!.body).toMatchObject({ output_format: { encoding: 'pcm_s16le', sample_rate: 24_000 } });
  });

  it('is asked of Kokoro-FastAPI on its own route', async () => {
    const { base, seen } = await serve(KOKORO);
    const { send } = askedOf('openai', `${base}/v1`, 'kokoro');
    expect(await send()).toMatchObject({ sound: SOUND, words: WORDS });
    expect(seen[0]).toEqual({
      path: '/dev/captioned_speech',
      body: {
        model: 'kokoro',
        input: 'Hi you',
        voice: 'v',
        response_format: 'pcm',
        stream: true,
        return_timestamps: true,
      },
    });
  });

  it('is asked for without them for a while, where the service has no such route or answers otherwise', async () => {
    const none = { ...answers('{"detail":"Not Found"}'), status: 404 };
    for (const first of [none, PLAIN, answers('{"audio":7}\n')]) {
      const { base, seen } = await serve(first, PLAIN, PLAIN, KOKORO);
      const { send, clock } = askedOf('openai', `${base}/v1`, 'kokoro');
      const mp3 = { ...request, outputFormat: 'mp3', sampleRate: undefined } as const;
      expect(await send(mp3)).toMatchObject({ ok: false, error: { code: 'upstream_bad_audio' } });
      expect(await send(mp3)).toMatchObject({ ok: true });
      clock.advance(9 * 60_000);
      await send(mp3);
      clock.advance(60_001);
      await send(mp3);
      const timed = '/dev/captioned_speech';
      expect(seen.map(({ path }) => path)).toEqual([timed, '/v1/audio/speech', '/v1/audio/speech', timed]);
    }
  });

  it('is asked for as MP3 for a while, where the service refuses the format', async () => {
    const refusal = {
      ...answers('{"detail":{"status":"output_format_not_allowed","message":"not in your plan"}}'),
      status: 403,
    };
    const { base, seen } = await serve(refusal, ELEVENLABS);
    const { send } = askedOf('elevenlabs', base);
    expect(await send()).toMatchObject({ ok: false, status: 400, error: { code: 'upstream_bad_audio' } });
    await send();
    expect(seen.map(({ path }) => path.split('=')[1])).toEqual(['pcm_24000', 'mp3_44100_128']);
  });

  it('ends as a broken body where an error or nothing comes in the place of its end', async () => {
    const cut = CARTESIA.body.slice(0, CARTESIA.body.indexOf('event: done'));
    const failed = `${cut}event: error\ndata: {"type":"error","status_code":500}\n\n`;
    for (const body of [cut, failed]) {
      const { base } = await serve(answers(body, 'text/event-stream'));
      await expect(askedOf('cartesia', base).send()).rejects.toMatchObject({ code: 'upstream_broken' });
    }
    const { base } = await serve(
      answers('data: {"type":"error","status_code":429}\n\n', 'text/event-stream'),
    );
    expect(await askedOf('cartesia', base).send()).toMatchObject({
      error: { code: 'upstream_rate_limited' },
    });
  });

  it('is broken where a piece without an end follows sound, and no such answer where none came', () => {
    const { form } = createServiceKind('elevenlabs', { model: undefined, wordTimes: 'service' }).timed!;
    const endless = Buffer.alloc(8 * 1024 * 1024 + 1, 'x');
    const answer = new TimedAnswer(form);
    expect(answer.push(Buffer.from(ELEVENLABS.body.split('\n')[0]!)).length).toBe(0);
    expect(answer.push(Buffer.from('\n')).length).toBeGreaterThan(0);
    expect(answer.push(endless).length).toBe(0);
    expect(() => answer.push(endless)).toThrow(expect.objectContaining({ code: 'upstream_broken' }));
    expect(() => new TimedAnswer(form).push(endless)).toThrow(
      expect.objectContaining({ code: 'upstream_bad_audio' }),
    );
  });

  it('is the same in whatever pieces it comes', () => {
    for (const [kind, { body }, model] of [
      ['elevenlabs', ELEVENLABS, undefined],
      ['cartesia', CARTESIA, undefined],
      ['openai', KOKORO, 'kokoro'],
    ] as const) {
      const { form } = createServiceKind(kind, { model, wordTimes: 'service' }).timed!;
      const read = (size: number) => {
        const answer = new TimedAnswer(form);
        const words: ServiceWord[] = [];
        answer.words.listen((more) => words.push(...more));
        const sound: Uint8Array[] = [];
        for (let at = 0; at < body.length; at += size)
          sound.push(answer.push(Buffer.from(body.slice(at, at + size))));
        sound.push(answer.end());
        return { words, sound: Buffer.concat(sound) };
      };
      for (const size of [1, 2, 7, 64]) expect(read(size)).toEqual(read(10_000));
    }
  });
});
