// Deepgram's speech over HTTP, by raw requests: encodings and containers, headers of replies, refusals.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heardSound } from '../../support/heard-sound.ts';
import { SPEECH_MS } from '../../support/running-gateway.ts';
import { keyOf } from '../../support/running-service.ts';
import { leaveEarlyAndLate, startVendorRig, type VendorRig } from './vendor-rig.ts';

const TEXT = 'The tide turns twice a day.';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe.each(['/v1/speak', '/v2/speak'])('POST %s', (path) => {
  let rig: VendorRig;
  beforeAll(async () => {
    rig = await startVendorRig({ authorization: `Token ${keyOf('ann')}` }, { VOXGATE_VOICE: 'voice://own' });
  });
  afterAll(() => rig?.close());
  const speak = (query: string, body: unknown = { text: TEXT }, signal?: AbortSignal) =>
    rig.post(`${path}?${query}`, body, signal === undefined ? {} : { signal });

  it.each([
    ['', 'audio/mpeg', 24_000, undefined],
    ['encoding=mp3&bit_rate=48000', 'audio/mpeg', 24_000, undefined],
    ['encoding=linear16', 'audio/wav', 24_000, 1],
    [
      'encoding=linear16&container=none&sample_rate=16000',
      'audio/pcm;rate=16000;channels=1;encoding=s16le',
      16_000,
      undefined,
    ],
    ['encoding=linear16&sample_rate=48000', 'audio/wav', 48_000, 1],
    ['encoding=mulaw', 'audio/wav', 8000, 7],
    ['encoding=mulaw&container=none', 'audio/basic', 8000, undefined],
    ['encoding=alaw&container=wav&sample_rate=16000', 'audio/wav', 16_000, 6],
    ['encoding=alaw&container=none', 'audio/PCMA;rate=8000', 8000, undefined],
    ['encoding=opus&container=ogg', 'audio/ogg; codecs=opus', 48_000, undefined],
    ['encoding=flac&sample_rate=16000', 'audio/flac', 16_000, undefined],
  ] as const)('answers %s as %s, and asks for a rate that is named', async (query, type, sampleRate, tag) => {
    const response = await speak(`model=aura-2-thalia-en&${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    const heard = heardSound(await response.arrayBuffer(), type);
    expect(heard.sampleRate).toBe(sampleRate);
    expect(heard.tag).toBe(tag);
    expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(100);
    const named = query.includes('sample_rate') && sampleRate >= 24_000 ? sampleRate : undefined;
    expect([rig.asked.outputFormat, rig.asked.sampleRate]).toEqual(['mp3', named]);
  });

  it('tells the request, the voice and the characters in headers', async () => {
    const { headers } = await speak('model=voice%C3%A9&tag=a&tag=b&mip_opt_out=true&speed=1.2');
    expect(headers.get('dg-request-id')).toMatch(UUID);
    expect(headers.get('dg-model-name')).toBe('voice%C3%A9');
    expect(headers.get('dg-char-count')).toBe(String(TEXT.length));
    expect(rig.asked).toMatchObject({ voice: 'voiceé', speed: 1.2 });
  });

  it('speaks with the own voice of the gateway where no model is named, and takes a bearer', async () => {
    const headers = { authorization: `Bearer ${keyOf('ann')}` };
    expect((await rig.post(path, { text: TEXT }, { headers })).status).toBe(200);
    expect(rig.asked.voice).toBe('voice://own');
  });

  it.each([
    ['encoding=aac', { text: TEXT }, /^encoding: must be one of linear16, .* \(got "aac"\)$/],
    ['encoding=linear16&container=ogg', { text: TEXT }, /^container/],
    ['encoding=mp3&sample_rate=44101', { text: TEXT }, /^sample_rate/],
    ['sample_rate=8000&sample_rate=8000', { text: TEXT }, /^sample_rate/],
    ['sample_rate=', { text: TEXT }, /^sample_rate/],
    ['sample_rate=0x1f40', { text: TEXT }, /^sample_rate/],
    ['speed=99', { text: TEXT }, /^speed/],
    ['callback=https%3A%2F%2Fexample.com', { text: TEXT }, /^callback/],
    ['', {}, /^text/],
    ['', { url: 'https://example.com' }, /^text/],
  ])('refuses %s', async (query, body, message) => {
    const response = await speak(query, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      err_code: 'Bad Request',
      err_msg: expect.stringMatching(message) as string,
      request_id: response.headers.get('dg-request-id'),
    });
  });

  it('refuses a wrong key in its shape', async () => {
    for (const authorization of ['Token wrong', 'Basic abc', '']) {
      const response = await rig.post(path, { text: TEXT }, { headers: { authorization } });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        err_code: 'INVALID_AUTH',
        request_id: expect.stringMatching(UUID) as string,
      });
    }
  });

  it('leaves the speech service when the caller leaves', async () => {
    await leaveEarlyAndLate(rig, (signal) => speak('', { text: TEXT }, signal));
    expect((await speak('')).status).toBe(200);
  });
});
