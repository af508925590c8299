// The clients of Deepgram and Cartesia, unmodified, before the gateway over HTTP: speech to its end, interrupted, slow,
// refused.

import Cartesia, { AuthenticationError, BadRequestError, InternalServerError } from '@cartesia/cartesia-js';
import { DeepgramClient } from '@deepgram/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorRig, type VendorRig } from '../http/compat/vendor-rig.ts';
import { heardSound } from '../support/heard-sound.ts';
import { SPEECH_MS } from '../support/running-gateway.ts';
import { keyOf } from '../support/running-service.ts';
import { beginReading, itMeetsTheGateway } from './http-client.ts';

const TEXT = 'The tide turns twice a day.';

describe('the client of Deepgram', () => {
  let rig: VendorRig;
  let client: DeepgramClient;
  const open = (apiKey = keyOf('ann'), { url } = rig.service) => {
    const environment = { base: url, production: url, agent: url, agentRest: url };
    return new DeepgramClient({ apiKey, environment });
  };
  const once = { maxRetries: 0 };
  beforeAll(async () => {
    rig = await startVendorRig({});
    client = open();
  });
  afterAll(() => rig?.close());

  it.each([
    [{}, 'audio/mpeg', 24_000],
    [{ encoding: 'linear16', container: 'none', sample_rate: 16_000 }, 'audio/pcm;rate=16000', 16_000],
    [{ encoding: 'linear16' }, 'audio/wav', 24_000],
    [{ encoding: 'mulaw', container: 'none' }, 'audio/basic', 8000],
    [{ encoding: 'flac', sample_rate: 48_000 }, 'audio/flac', 48_000],
  ] as const)('gets sound of %j that decodes, at its rate', async (how, type, sampleRate) => {
    const { data, rawResponse } = await client.speak.v1.audio
      .generate({ text: TEXT, model: 'aura-2-thalia-en', ...how })
      .withRawResponse();
    expect(rawResponse.headers.get('dg-request-id')).toMatch(/^[\da-f-]{36}$/);
    const heard = heardSound(await data.arrayBuffer(), type);
    expect(heard.sampleRate).toBe(sampleRate);
    expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(100);
    expect(rig.asked).toMatchObject({ voice: 'aura-2-thalia-en', text: TEXT });
  });

  itMeetsTheGateway({
    rig: () => rig,
    speak: async ({ rig: { service }, apiKey, maxRetries }) => {
      const reply = await open(apiKey, service).speak.v1.audio.generate({ text: TEXT }, { maxRetries });
      return reply.arrayBuffer();
    },
    async begin() {
      const leaving = new AbortController();
      const how = { ...once, abortSignal: leaving.signal };
      const reply = await client.speak.v1.audio.generate({ text: TEXT }, how);
      return beginReading(reply.stream()!.getReader(), leaving);
    },
    throws: {
      limited: expect.objectContaining({
        statusCode: 429,
        body: expect.objectContaining({ err_code: 'TOO_MANY_REQUESTS' }) as object,
      }),
      unauthorized: expect.objectContaining({
        statusCode: 401,
        body: expect.objectContaining({ err_code: 'INVALID_AUTH' }) as object,
      }),
    },
  });

  it('is told of a wrong field', async () => {
    const refused = client.speak.v1.audio.generate({ text: TEXT, encoding: 'aac' }, once);
    await expect(refused).rejects.toMatchObject({ statusCode: 400 });
  });
});

describe('the client of Cartesia', () => {
  let rig: VendorRig;
  let client: Cartesia;
  const open = (options: { apiKey?: string; maxRetries?: number; baseURL?: string } = {}) =>
    new Cartesia({ baseURL: rig.service.url, apiKey: keyOf('ann'), maxRetries: 0, ...options });
  const MP3 = { container: 'mp3', bit_rate: 128_000, sample_rate: 44_100 } as const;
  const RAW = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 } as const;
  const FIELDS = {
    model_id: 'sonic-3',
    transcript: TEXT,
    voice: { mode: 'id', id: '694f9389-aac1-45b6-b726-9d9369183238' },
    output_format: MP3,
  } as const;
  beforeAll(async () => {
    rig = await startVendorRig({});
    client = open();
  });
  afterAll(() => rig?.close());

  it.each([
    [MP3, 44_100],
    [RAW, 16_000],
    [{ ...RAW, encoding: 'pcm_f32le' }, 16_000],
    [{ container: 'wav', encoding: 'pcm_s16le', sample_rate: 44_100 }, 44_100],
  ] as const)('gets %j that decodes, at its rate', async (output_format, sampleRate) => {
    const response = await client.tts.generate({ ...FIELDS, output_format });
    const heard = heardSound(await response.arrayBuffer(), response.headers.get('content-type'));
    expect(heard.sampleRate).toBe(sampleRate);
    expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(100);
    expect(rig.asked).toMatchObject({ voice: FIELDS.voice.id, text: TEXT });
  });

  it('reads the events: sound, words with their times, the end', async () => {
    const words: string[] = [];
    let bytes = 0;
    let last = '';
    const events = await client.tts.generateSSE({ ...FIELDS, output_format: RAW, add_timestamps: true });
    for await (const event of events) {
      last = event.type;
      if (event.type === 'chunk') bytes += Buffer.from(event.data, 'base64').length;
      if (event.type === 'timestamps') words.push(...event.word_timestamps.words);
    }
    expect(Math.abs(bytes / 32 - SPEECH_MS)).toBeLessThan(80);
    expect(words.join(' ')).toBe(TEXT);
    expect(last).toBe('done');
  });

  itMeetsTheGateway({
    rig: () => rig,
    speak: async ({ rig: { service }, apiKey, maxRetries }) => {
      const speaking = open({ baseURL: service.url, apiKey, maxRetries });
      return (await speaking.tts.generate(FIELDS)).arrayBuffer();
    },
    async begin() {
      const events = await client.tts.generateSSE({ ...FIELDS, output_format: RAW });
      const reading = events[Symbol.asyncIterator]();
      expect((await reading.next()).value).toMatchObject({ type: 'chunk' });
      return () => events.controller.abort();
    },
    // A 4xx would be the end to its other clients; this one tries both again.
    throws: { limited: expect.any(InternalServerError), unauthorized: expect.any(AuthenticationError) },
  });

  it('is told of a wrong field', async () => {
    await expect(client.tts.generate({ ...FIELDS, transcript: '' })).rejects.toThrow(BadRequestError);
  });
});
