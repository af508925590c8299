// OpenAI's own client, unmodified, before the gateway: speech to its end, interrupted, slow, refused.

import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, RateLimitError } from 'openai';
import { Stream } from 'openai/core/streaming';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorRig, type VendorRig } from '../http/compat/vendor-rig.ts';
import { heardSound } from '../support/heard-sound.ts';
import { SPEECH_MS } from '../support/running-gateway.ts';
import { keyOf } from '../support/running-service.ts';
import { beginReading, itMeetsTheGateway } from './http-client.ts';

const FIELDS = { model: 'gpt-4o-mini-tts', voice: 'coral', input: 'The tide turns twice a day.' } as const;

describe('the client of OpenAI', () => {
  let rig: VendorRig;
  let client: OpenAI;
  beforeAll(async () => {
    rig = await startVendorRig({});
    client = new OpenAI({ baseURL: `${rig.service.url}/v1`, apiKey: keyOf('ann'), maxRetries: 0 });
  });
  afterAll(() => rig?.close());

  it.each([
    ['mp3', 24_000],
    ['opus', 48_000],
    ['flac', 24_000],
    ['wav', 24_000],
    ['pcm', 24_000],
  ] as const)('gets %s that decodes, at its rate', async (response_format, sampleRate) => {
    const response = await client.audio.speech.create({ ...FIELDS, response_format });
    const heard = heardSound(await response.arrayBuffer(), response.headers.get('content-type'));
    expect(heard.sampleRate).toBe(sampleRate);
    expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(100);
  });

  it('reads the events, and their end', async () => {
    const response = await client.audio.speech.create({
      ...FIELDS,
      response_format: 'pcm',
      stream_format: 'sse',
    });
    type Event = { type: string; audio?: string; usage?: { total_tokens: number } };
    const events: Event[] = [];
    for await (const event of Stream.fromSSEResponse<Event>(response, new AbortController()))
      events.push(event);
    const sound = Buffer.concat(events.slice(0, -1).map((event) => Buffer.from(event.audio!, 'base64')));
    expect(Math.abs(sound.length / 48 - SPEECH_MS)).toBeLessThan(80);
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done' });
    expect(events.at(-1)!.usage!.total_tokens).toBeGreaterThan(0);
  });

  itMeetsTheGateway({
    rig: () => rig,
    speak: async ({ rig: { service }, apiKey, maxRetries }) => {
      const speaking = new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries });
      return (await speaking.audio.speech.create(FIELDS)).arrayBuffer();
    },
    async begin() {
      const leaving = new AbortController();
      const response = await client.audio.speech.create(FIELDS, { signal: leaving.signal });
      return beginReading(response.body!.getReader(), leaving);
    },
    throws: { limited: expect.any(RateLimitError), unauthorized: expect.any(AuthenticationError) },
  });

  it('that has left before it began is told so by itself', async () => {
    const gone = AbortSignal.abort();
    await expect(client.audio.speech.create(FIELDS, { signal: gone })).rejects.toThrow(APIUserAbortError);
  });

  it('takes a wrong field for what it is', async () => {
    const refused = client.audio.speech.create({ ...FIELDS, response_format: 'aac' });
    await expect(refused).rejects.toThrow(BadRequestError);
    await expect(refused).rejects.toMatchObject({ param: 'response_format', code: 'invalid_request' });
  });
});
