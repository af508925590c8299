// jambonz's custom vendor over HTTP: what its Accept gets, and that tags are not spoken.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heardSound } from '../../support/heard-sound.ts';
import { SPEECH_MS } from '../../support/running-gateway.ts';
import { keyOf } from '../../support/running-service.ts';
import { leaveEarlyAndLate, startVendorRig, type VendorRig } from './vendor-rig.ts';

const PATH = '/jambonz/tts';
const FIELDS = { language: 'en-US', voice: 'voice://a', type: 'text', text: 'The tide turns *twice* a day.' };

describe('POST /jambonz/tts', () => {
  let rig: VendorRig;
  beforeAll(async () => {
    rig = await startVendorRig({ authorization: `Bearer ${keyOf('ann')}` });
  });
  afterAll(() => rig?.close());

  it.each([
    [undefined, 'audio/mpeg', 24_000],
    ['*/*', 'audio/mpeg', 24_000],
    ['audio/mpeg', 'audio/mpeg', 24_000],
    ['audio/wav', 'audio/wav', 8000],
    ['audio/l16;rate=16000', 'audio/l16;rate=16000', 16_000],
    ['audio/l16', 'audio/l16;rate=8000', 8000],
    ['audio/mpeg;q=0.2, audio/l16;rate=8000;q=0.9', 'audio/l16;rate=8000', 8000],
    ['video/mp4, audio/wav;q=0', 'audio/mpeg', 24_000],
  ])('answers an Accept of %s with %s', async (accept, type, sampleRate) => {
    const response = await rig.post(PATH, FIELDS, accept === undefined ? {} : { headers: { accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    const heard = heardSound(await response.arrayBuffer(), type);
    expect(heard.sampleRate).toBe(sampleRate);
    expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(80);
  });

  it('speaks text as it stands, and of SSML the text', async () => {
    await (await rig.post(PATH, { ...FIELDS, language: 'pt_BR' })).arrayBuffer();
    expect(rig.asked).toMatchObject({ text: FIELDS.text, voice: 'voice://a', language: 'portuguese' });
    const text = '<speak>Fish &amp; chips, <prosody rate="slow">1 &lt; 2</prosody>&#33;</speak>';
    await (await rig.post(PATH, { ...FIELDS, type: 'ssml', text })).arrayBuffer();
    expect(rig.asked.text.trim()).toBe('Fish & chips, 1 < 2!');
  });

  it('does without a voice and with a language that nobody knows', async () => {
    const response = await rig.post(PATH, { text: 'Hello.', language: 'xx-YY' });
    expect(response.status).toBe(200);
    expect(rig.asked).not.toHaveProperty('voice');
    expect(rig.asked).not.toHaveProperty('language');
  });

  it('refuses with a status and our own words', async () => {
    for (const [body, headers, status] of [
      [{ ...FIELDS, type: 'html' }, {}, 400],
      [{ ...FIELDS, text: undefined }, {}, 400],
      [FIELDS, { authorization: 'Bearer wrong' }, 401],
    ] as const) {
      const response = await rig.post(PATH, body, { headers });
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({
        errorId: status === 401 ? 'UNAUTHORIZED' : 'INVALID_REQUEST',
        errorMessage: expect.any(String) as string,
      });
    }
  });

  it('leaves the speech service when the caller leaves', async () => {
    await leaveEarlyAndLate(rig, (signal) => rig.post(PATH, FIELDS, { signal }));
    expect((await rig.post(PATH, FIELDS)).status).toBe(200);
  });
});
