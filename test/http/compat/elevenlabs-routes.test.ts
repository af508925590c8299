// ElevenLabs's speech over HTTP, by raw requests: voices in paths, formats, dialogues, times of characters, refusals.

import { request } from 'node:http';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heardSound } from '../../support/heard-sound.ts';
import { SPEECH_MS, speaking, spoken } from '../../support/running-gateway.ts';
import { keyOf } from '../../support/running-service.ts';
import { audio } from '../../support/scripted-upstream.ts';
import { leaveEarlyAndLate, startVendorRig, type VendorRig } from './vendor-rig.ts';

const URI = 's3://voices/anna/manifest.json';
const FIELDS = { text: 'The tide turns twice a day.', model_id: 'eleven_turbo_v2_5' };
type Alignment = {
  characters: string[];
  character_start_times_seconds: number[];
  character_end_times_seconds: number[];
};
type Line = { audio_base64: string; alignment: Alignment | null; normalized_alignment: Alignment | null };

let rig: VendorRig;
beforeAll(async () => {
  rig = await startVendorRig(
    { 'xi-api-key': keyOf('ann') },
    { VOXGATE_VOICE_ALIASES: 'Rachel=voice://rachel,duo=Rachel+voice://ben' },
  );
});
afterAll(() => rig?.close());
const speak = (path: string, more: object = {}, signal?: AbortSignal) =>
  rig.post(`/v1/text-to-speech/${path}`, { ...FIELDS, ...more }, signal === undefined ? {} : { signal });

describe('POST /v1/text-to-speech', () => {
  it.each([
    ['', 'audio/mpeg', 24_000],
    ['?output_format=mp3_44100_128', 'audio/mpeg', 44_100],
    ['?output_format=mp3_22050_32', 'audio/mpeg', 22_050],
    ['?output_format=pcm_16000', 'audio/pcm;rate=16000;channels=1;encoding=s16le', 16_000],
    ['?output_format=wav_44100', 'audio/wav', 44_100],
    ['?output_format=ulaw_8000', 'audio/basic', 8000],
    ['?output_format=alaw_8000', 'audio/PCMA;rate=8000', 8000],
    ['?output_format=opus_48000_64', 'audio/ogg; codecs=opus', 48_000],
  ])('answers with %s as %s, and asks for a rate that is named', async (query, type, sampleRate) => {
    for (const ending of ['', '/stream']) {
      const response = await speak(`Rachel${ending}${query}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      const heard = heardSound(await response.arrayBuffer(), type);
      expect(heard.sampleRate).toBe(sampleRate);
      expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(100);
      const named = query === '' || sampleRate < 24_000 ? undefined : sampleRate;
      expect([rig.asked.outputFormat, rig.asked.sampleRate]).toEqual(['mp3', named]);
    }
  });

  it('reads a voice that is a URI from its path, encoded and raw, once', async () => {
    for (const [given, voice] of [
      [encodeURIComponent(URI), URI],
      [encodeURIComponent('50%25+stream'), '50%25+stream'],
      [encodeURIComponent('a/stream'), 'a/stream'],
      ['Rachel', 'voice://rachel'],
    ] as const) {
      await (await speak(`${given}/stream`)).arrayBuffer();
      expect(rig.asked.voice).toBe(voice);
    }
    // A URL parser would leave the raw one alone, too; this way nothing could touch it.
    const status = await new Promise((resolve, reject) => {
      const asked = request(
        rig.service.url,
        {
          method: 'POST',
          path: `/v1/text-to-speech/${URI}/stream?output_format=pcm_8000`,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${keyOf('ann')}` },
        },
        (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        },
      );
      asked.once('error', reject);
      asked.end(JSON.stringify(FIELDS));
    });
    expect([status, rig.asked.voice]).toEqual([200, URI]);
  });

  it('asks for what the caller said and passes over what means nothing here', async () => {
    await (
      await speak('Rachel', {
        text: 'Hello <break time="1s" />there.',
        language_code: 'de',
        seed: 7,
        voice_settings: { speed: 1.1, stability: 0.5 },
        previous_text: 'x',
      })
    ).arrayBuffer();
    expect(rig.asked).toMatchObject({ language: 'german', seed: 7, speed: 1.1 });
    expect(rig.asked.text.replace(/\s+/g, ' ')).toBe('Hello there.');
  });

  it('tells characters with their times, line by line, all of them once and in order', async () => {
    rig.script = speaking;
    const text = 'One two three four five six seven eight nine ten, and so it goes on for a while longer.';
    const response = await speak('Rachel/stream/with-timestamps?output_format=pcm_24000', { text });
    rig.script = audio(spoken());
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const bytes = lines.map((line) => Buffer.from(line.audio_base64, 'base64'));
    for (const piece of bytes) expect(piece.length % 2).toBe(0);
    const ms = Buffer.concat(bytes).length / 48;
    expect(Math.abs(ms - text.length * 50)).toBeLessThan(150);
    const told = lines.flatMap(({ alignment }) => alignment ?? []);
    expect(told.flatMap(({ characters }) => characters).join('')).toBe(text);
    const starts = told.flatMap((one) => one.character_start_times_seconds);
    const ends = told.flatMap((one) => one.character_end_times_seconds);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    for (const [at, end] of ends.entries()) expect(end).toBeGreaterThanOrEqual(starts[at]!);
    expect(ends.at(-1)!).toBeLessThanOrEqual(ms / 1000 + 0.05);
    expect(ends.at(-1)!).toBeGreaterThan(ms / 1000 - 1);
  });

  it('tells them in one object where it is asked for whole', async () => {
    const response = await speak('Rachel/with-timestamps?output_format=mp3_24000_48');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const { audio_base64, alignment, normalized_alignment } = (await response.json()) as Line;
    const heard = heardSound(Buffer.from(audio_base64, 'base64'), 'audio/mpeg');
    expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(100);
    expect(alignment!.characters.join('')).toBe(FIELDS.text);
    expect(normalized_alignment).toEqual(alignment);
  });

  it.each([
    ['Rachel?output_format=mp3_1_2', {}, 'invalid_request', 400, /output_format/],
    ['Rachel?output_format=pcm_8000&output_format=pcm_8000', {}, 'invalid_request', 400, /output_format/],
    ['Rachel', { text: '' }, 'invalid_request', 400, /^text/],
    ['Rachel', { language_code: 'tlh' }, 'invalid_request', 400, /language_code/],
    ['Rachel', { voice_settings: { speed: 9 } }, 'invalid_request', 400, /voice_settings\.speed/],
    ['/stream', {}, 'invalid_request', 400, /voice_id/],
    ['Rachel/stream-input', {}, 'method_not_allowed', 405, /WebSocket/],
  ])('refuses %s with %j', async (path, more, code, status, message) => {
    const response = await speak(path, more);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      detail: { status: code, message: expect.stringMatching(message) as string },
    });
  });

  it('refuses a wrong key, and two keys, in the same shape', async () => {
    for (const headers of [{ 'xi-api-key': 'wrong' }, { 'xi-api-key': '' }]) {
      const response = await rig.post('/v1/text-to-speech/Rachel', FIELDS, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ detail: { status: 'invalid_api_key' } });
    }
  });

  it('leaves the speech service when the caller leaves', async () => {
    await leaveEarlyAndLate(rig, (signal) => speak('Rachel/stream/with-timestamps', {}, signal));
    expect((await speak('Rachel')).status).toBe(200);
  });
});

describe('POST /v1/text-to-dialogue', () => {
  const inputs = [
    { text: 'Ready?', voice_id: 'Rachel' },
    { text: 'Almost.', voice_id: 'voice://ben' },
    { text: 'Now?', voice_id: 'Rachel' },
  ];
  it('is one speech of two voices', async () => {
    for (const path of ['/v1/text-to-dialogue', '/v1/text-to-dialogue/stream']) {
      const response = await rig.post(`${path}?output_format=wav_24000`, { inputs });
      expect(Math.abs(heardSound(await response.arrayBuffer(), 'audio/wav').ms - SPEECH_MS)).toBeLessThan(80);
      const { voice, voice2, turnPrefix, turnPrefix2, text } = rig.asked;
      expect([voice, voice2]).toEqual(['voice://rachel', 'voice://ben']);
      expect(text).toBe(`${turnPrefix} Ready?\n${turnPrefix2} Almost.\n${turnPrefix} Now?`);
    }
  });
  it('of one voice is plain speech', async () => {
    await (await rig.post('/v1/text-to-dialogue', { inputs: [inputs[0], inputs[2]] })).arrayBuffer();
    expect(rig.asked.text).toBe('Ready?\nNow?');
    expect(rig.asked).not.toHaveProperty('voice2');
  });
  it('refuses a third voice, none at all, and too much text', async () => {
    const third = { text: 'And I?', voice_id: 'voice://carl' };
    const long = { text: 'x'.repeat(10_001), voice_id: 'Rachel' };
    for (const [given, message] of [
      [[...inputs, third], /two different voices.*got 3/],
      [[], /^inputs/],
      [[long, long], /20000/],
      [[{ text: 'a' }], /^inputs\.0\.voice_id/],
    ] as const) {
      const response = await rig.post('/v1/text-to-dialogue', { inputs: given });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        detail: { status: 'invalid_request', message: expect.stringMatching(message) as string },
      });
    }
  });
});

describe('the lists of other clients', () => {
  it('have the voices under ids that they can send', async () => {
    const own = await startVendorRig({}, { VOXGATE_VOICE: 'voice://anna' });
    const ask = async (path: string, scheme = 'Bearer') => {
      const headers = { authorization: `${scheme} ${keyOf('ann')}` };
      const response = await fetch(own.service.url + path, { headers });
      expect(response.status, path).toBe(200);
      return response.json();
    };
    expect(await ask('/v1/audio/voices')).toEqual({ voices: [{ id: 'voice://anna', name: 'voice://anna' }] });
    expect(await ask('/v1/audio/models')).toMatchObject({ object: 'list', models: [{ id: 'voxgate' }] });
    for (const scheme of ['Bearer', 'Token'])
      expect(await ask('/v1/models', scheme)).toMatchObject({
        object: 'list',
        data: [{ id: 'voxgate', object: 'model' }],
        tts: [{ canonical_name: 'voice://anna' }],
      });
    for (const path of ['/v1/models', '/v1/audio/models', '/v1/audio/voices'])
      expect((await fetch(own.service.url + path)).status).toBe(401);
    const client = new OpenAI({ apiKey: keyOf('ann'), baseURL: `${own.service.url}/v1` });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['voxgate']);
    await own.close();
  });
});

describe('GET /v1/voices', () => {
  it('lists the voices that there are in its shape', async () => {
    const own = await startVendorRig({}, { VOXGATE_VOICE: 'voice://anna' });
    const response = await fetch(`${own.service.url}/v1/voices`, { headers: { 'xi-api-key': keyOf('ann') } });
    expect(response.status).toBe(200);
    const { voices } = (await response.json()) as { voices: { voice_id: string; name: string }[] };
    expect(voices).toEqual([
      { voice_id: 'voice://anna', name: 'voice://anna', category: 'premade', labels: {} },
    ]);
    expect((await fetch(`${own.service.url}/v1/voices`)).status).toBe(401);
    await own.close();
  });
});
