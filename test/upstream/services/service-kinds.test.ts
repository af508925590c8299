// What each kind of service is asked, held against the vendor's own client: the same path, query, credentials and fields.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import Cartesia from '@cartesia/cartesia-js';
import { DeepgramClient } from '@deepgram/sdk';
import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js/Client.js';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskedSound } from '../../../src/speech/audio-format.ts';
import type { OutgoingRequest } from '../../../src/speech/speech-request.ts';
import { createServiceKind } from '../../../src/upstream/services/service-kinds.ts';

const vendor = createRequire(import.meta.url)('@elevenlabs/elevenlabs-js') as {
  ElevenLabsClient: new (options: { apiKey: string; baseUrl: string }) => ElevenLabsClient;
};

type Seen = {
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: unknown;
};

let seen: Seen;
async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const url = new URL(request.url ?? '', 'http://127.0.0.1');
  seen = {
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: JSON.parse(Buffer.concat(parts).toString()),
  };
  response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound');
}
const server = createServer((request, response) => void take(request, response));
let base = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const TEXT = 'The tide turns twice a day.';
const asked: OutgoingRequest = { model: 'VoxDialog', text: TEXT, voice: 'some-voice', seed: 7, speed: 1.1 };
const key = { userId: '', apiKey: 'the-key' };

/** What the kind sends, as the server would see it. */
function sentBy(
  name: Parameters<typeof createServiceKind>[0],
  model?: string,
  request = asked,
  prefix = '',
  sound: AskedSound = { format: 'mp3' },
): Seen {
  const { path, headers, body } = createServiceKind(name, { model }).toHttp(request, key, sound);
  const url = new URL(prefix + path, base);
  return {
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers,
    body: JSON.parse(body),
  };
}

describe('a request to', () => {
  it('OpenAI is what its client sends', async () => {
    await new OpenAI({ apiKey: 'the-key', baseURL: `${base}/v1` }).audio.speech.create({
      model: 'gpt-4o-mini-tts',
      input: TEXT,
      voice: 'some-voice',
      response_format: 'mp3',
      speed: 1.1,
      instructions: 'calmly',
    });
    const sent = sentBy('openai', undefined, { ...asked, prompt: 'calmly' }, '/v1');
    expect(sent).toEqual({ ...seen, headers: sent.headers });
    expect(sent.headers.authorization).toBe(seen.headers.authorization);
  });

  it('ElevenLabs is what its client sends', async () => {
    const client = new vendor.ElevenLabsClient({ apiKey: 'the-key', baseUrl: base });
    await client.textToSpeech.stream('some-voice', {
      text: TEXT,
      modelId: 'eleven_flash_v2_5',
      outputFormat: 'mp3_44100_128',
      seed: 7,
      languageCode: 'de',
      voiceSettings: { speed: 1.1 },
    });
    const sent = sentBy('elevenlabs', undefined, { ...asked, language: 'german' });
    expect(sent).toEqual({ ...seen, headers: sent.headers });
    expect(sent.headers['xi-api-key']).toBe(seen.headers['xi-api-key']);
  });

  it('Deepgram is what its client sends', async () => {
    const environment = { base, production: base, agent: base, agentRest: base };
    await new DeepgramClient({ apiKey: 'the-key', environment }).speak.v1.audio.generate({
      text: TEXT,
      model: 'some-voice' as 'aura-2-thalia-en',
      encoding: 'mp3',
      speed: 1.1,
    });
    const sent = sentBy('deepgram');
    expect(sent).toEqual({ ...seen, headers: sent.headers });
    expect(sent.headers.authorization?.toLowerCase()).toBe(seen.headers.authorization?.toLowerCase());
  });

  it('Cartesia is what its client sends', async () => {
    await new Cartesia({ apiKey: 'the-key', baseURL: base }).tts.generate({
      model_id: 'sonic-3',
      transcript: TEXT,
      voice: { mode: 'id', id: 'some-voice' },
      language: 'de',
      output_format: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 },
      generation_config: { speed: 1.1 },
    });
    const sent = sentBy('cartesia', undefined, { ...asked, language: 'german' });
    expect(sent).toEqual({ ...seen, headers: sent.headers });
    expect(sent.headers.authorization).toBe(seen.headers.authorization);
    expect(sent.headers['cartesia-version']).toBe(seen.headers['cartesia-version']);
  });

  it('each asks for µ-law, A-law and PCM as its client does', async () => {
    const MULAW = { format: 'mulaw', sampleRate: 8000 } as const;
    const client = new vendor.ElevenLabsClient({ apiKey: 'the-key', baseUrl: base });
    await client.textToSpeech.stream('some-voice', { text: TEXT, outputFormat: 'ulaw_8000' });
    expect(sentBy('elevenlabs', undefined, asked, '', MULAW).query).toEqual(seen.query);
    await client.textToSpeech.stream('some-voice', { text: TEXT, outputFormat: 'pcm_24000' });
    const PCM = { format: 'raw', sampleRate: 24_000 } as const;
    expect(sentBy('elevenlabs', undefined, asked, '', PCM).query).toEqual(seen.query);

    const environment = { base, production: base, agent: base, agentRest: base };
    await new DeepgramClient({ apiKey: 'the-key', environment }).speak.v1.audio.generate({
      text: TEXT,
      model: 'some-voice' as 'aura-2-thalia-en',
      encoding: 'mulaw',
      sample_rate: 8000,
      container: 'none',
      speed: 1.1,
    });
    expect(sentBy('deepgram', undefined, asked, '', MULAW).query).toEqual(seen.query);

    const cartesia = new Cartesia({ apiKey: 'the-key', baseURL: base });
    const voice = { mode: 'id', id: 'some-voice' } as const;
    const output_format = { container: 'raw', encoding: 'pcm_alaw', sample_rate: 8000 } as const;
    await cartesia.tts.generate({
      model_id: 'sonic-3',
      transcript: TEXT,
      voice,
      output_format,
      generation_config: { speed: 1.1 },
    });
    const sent = sentBy('cartesia', undefined, asked, '', { format: 'alaw', sampleRate: 8000 });
    expect(sent).toEqual({ ...seen, headers: sent.headers });

    await new OpenAI({ apiKey: 'the-key', baseURL: `${base}/v1` }).audio.speech.create({
      model: 'gpt-4o-mini-tts',
      input: TEXT,
      voice: 'some-voice',
      response_format: 'pcm',
      speed: 1.1,
    });
    expect(sentBy('openai', undefined, asked, '/v1', PCM)).toMatchObject({ body: seen.body as object });
    expect(sentBy('speech-service', undefined, asked, '', MULAW)).toMatchObject({
      headers: { accept: 'audio/basic' },
      body: { outputFormat: 'mulaw', sampleRate: 8000 },
    });
  });

  it('a server without keys carries none', () => {
    const kind = createServiceKind('openai', { model: 'kokoro' });
    const { headers } = kind.toHttp(asked, { userId: '', apiKey: '' }, { format: 'mp3' });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('each has the speed that it knows which is nearest to what was asked for', () => {
    const fast = { ...asked, speed: 5 };
    expect(sentBy('openai', undefined, fast).body).toMatchObject({ speed: 4 });
    expect(sentBy('elevenlabs', undefined, fast).body).toMatchObject({ voice_settings: { speed: 1.2 } });
    expect(sentBy('deepgram', undefined, fast).query.speed).toBe('1.5');
    expect(sentBy('cartesia', undefined, fast).body).toMatchObject({ generation_config: { speed: 1.5 } });
  });

  it('each names the model that is set, and a voice where none is given', () => {
    const { voice: _, ...voiceless } = asked;
    expect(sentBy('openai', 'kokoro', voiceless).body).toMatchObject({ model: 'kokoro', voice: 'alloy' });
    expect(sentBy('elevenlabs', 'eleven_v3', voiceless)).toMatchObject({
      path: expect.stringMatching(/^\/v1\/text-to-speech\/\w+\/stream$/),
      body: { model_id: 'eleven_v3' },
    });
    expect(sentBy('deepgram', 'aura-2-luna-en', voiceless).query.model).toBe('aura-2-luna-en');
    expect(sentBy('cartesia', 'sonic-3.5', voiceless).body).toMatchObject({ model_id: 'sonic-3.5' });
  });

  it('a voice with signs of its own stays one part of the path', () => {
    expect(sentBy('elevenlabs', undefined, { ...asked, voice: 'a/../b?c' }).path).toBe(
      '/v1/text-to-speech/a%2F..%2Fb%3Fc/stream',
    );
  });
});
