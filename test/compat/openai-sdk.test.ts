// OpenAI's own client, unmodified, before the gateway: speech to its end, interrupted, slow, refused.

import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, RateLimitError } from 'openai';
import { Stream } from 'openai/core/streaming';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  A_MOMENT_MS,
  msUntilLeft,
  slowly,
  startLimitedRigs,
  startVendorRig,
  type VendorRig,
} from '../http/compat/vendor-rig.ts';
import { heardSound } from '../support/heard-sound.ts';
import { SPEECH_MS, spoken } from '../support/running-gateway.ts';
import { keyOf } from '../support/running-service.ts';
import { audio } from '../support/scripted-upstream.ts';

const FIELDS = { model: 'gpt-4o-mini-tts', voice: 'coral', input: 'The tide turns twice a day.' } as const;

describe('the client of OpenAI', () => {
  let rig: VendorRig;
  let client: OpenAI;
  const open = (options: { apiKey?: string; maxRetries?: number } = {}) =>
    new OpenAI({ baseURL: `${rig.service.url}/v1`, apiKey: keyOf('ann'), maxRetries: 0, ...options });
  beforeAll(async () => {
    rig = await startVendorRig({});
    client = open();
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

  it('that interrupts a speech takes the request at the speech service with it', async () => {
    const tookMs = await msUntilLeft(rig, async () => {
      const leaving = new AbortController();
      const response = await client.audio.speech.create(FIELDS, { signal: leaving.signal });
      const reader = response.body!.getReader();
      expect((await reader.read()).value!.length).toBeGreaterThan(0);
      return () => {
        leaving.abort();
        void reader.cancel().catch(() => {});
      };
    });
    expect(tookMs).toBeLessThan(A_MOMENT_MS);
    const gone = AbortSignal.abort();
    await expect(client.audio.speech.create(FIELDS, { signal: gone })).rejects.toThrow(APIUserAbortError);
  });

  it('waits for a slow speech service', async () => {
    rig.script = slowly;
    const response = await client.audio.speech.create(FIELDS);
    expect(heardSound(await response.arrayBuffer(), 'audio/mpeg').ms).toBeGreaterThan(SPEECH_MS - 100);
    rig.script = audio(spoken());
  });

  it('takes a limit of the speech service for a rate limit, and tries again by itself', async () => {
    const { always, once } = await startLimitedRigs();
    const clientOf = ({ service }: VendorRig, maxRetries: number) =>
      new OpenAI({ baseURL: `${service.url}/v1`, apiKey: keyOf('ann'), maxRetries });
    await expect(clientOf(always, 0).audio.speech.create(FIELDS)).rejects.toThrow(RateLimitError);
    const response = await clientOf(once, 4).audio.speech.create(FIELDS);
    expect(heardSound(await response.arrayBuffer(), 'audio/mpeg').ms).toBeGreaterThan(SPEECH_MS - 100);
    await Promise.all([always.close(), once.close()]);
  });

  it('takes a wrong key and a wrong field for what they are', async () => {
    await expect(open({ apiKey: 'wrong' }).audio.speech.create(FIELDS)).rejects.toThrow(AuthenticationError);
    const refused = client.audio.speech.create({ ...FIELDS, response_format: 'aac' });
    await expect(refused).rejects.toThrow(BadRequestError);
    await expect(refused).rejects.toMatchObject({ param: 'response_format', code: 'invalid_request' });
  });
});
