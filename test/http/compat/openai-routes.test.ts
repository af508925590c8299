// OpenAI's speech over HTTP, by raw requests: fields, formats, events, refusals in its shape.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heardSound } from '../../support/heard-sound.ts';
import { SPEECH_MS, spoken } from '../../support/running-gateway.ts';
import { keyOf } from '../../support/running-service.ts';
import { audio, openGate, status } from '../../support/scripted-upstream.ts';
import { leaveEarlyAndLate, startVendorRig, type VendorRig } from './vendor-rig.ts';

const PATH = '/v1/audio/speech';
const FIELDS = { model: 'tts-1', input: 'The tide turns **twice** a day.', voice: 'alloy' };

describe('POST /v1/audio/speech', () => {
  let rig: VendorRig;
  beforeAll(async () => {
    rig = await startVendorRig(
      { authorization: `Bearer ${keyOf('ann')}` },
      { VOXGATE_VOICE_ALIASES: 'alloy=voice://alloy,host=voice://host,pair=host+alloy' },
    );
  });
  afterAll(() => rig?.close());
  const speak = (more: object = {}, signal?: AbortSignal) =>
    rig.post(PATH, { ...FIELDS, ...more }, signal === undefined ? {} : { signal });

  it.each([
    [undefined, 'audio/mpeg', 24_000],
    ['mp3', 'audio/mpeg', 24_000],
    ['opus', 'audio/ogg; codecs=opus', 48_000],
    ['flac', 'audio/flac', 24_000],
    ['wav', 'audio/wav', 24_000],
    ['pcm', 'audio/pcm;rate=24000;channels=1;encoding=s16le', 24_000],
  ])('answers %s as %s', async (response_format, type, sampleRate) => {
    const response = await speak({ response_format });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
    const heard = heardSound(await response.arrayBuffer(), type);
    expect(heard.sampleRate).toBe(sampleRate);
    expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(80);
    // Its clients name no rate.
    expect([rig.asked.outputFormat, rig.asked.sampleRate]).toEqual(['mp3', undefined]);
  });

  it('asks for what the caller said, aliases as voices, without markup', async () => {
    await (await speak({ speed: 1.25, instructions: 'Softly.', voice: { id: 'host' } })).arrayBuffer();
    expect(rig.asked).toMatchObject({
      text: 'The tide turns twice a day.',
      voice: 'voice://host',
      speed: 1.25,
      prompt: 'Softly.',
      outputFormat: 'mp3',
    });
  });

  it('gives a name that is no alias to the speech service as it is, and takes any model and field', async () => {
    await (await speak({ voice: 'somebody', model: 'tts-9', colour: 'red', user: 1 })).arrayBuffer();
    expect(rig.asked.voice).toBe('somebody');
    expect(rig.asked).not.toHaveProperty('colour');
    expect(rig.asked).not.toHaveProperty('prompt');
  });

  it('speaks a pair of voices as the text marks them', async () => {
    await (await speak({ voice: 'pair', input: '[S1] Ready? [S2] Almost.' })).arrayBuffer();
    const { voice, voice2, text, turnPrefix, turnPrefix2 } = rig.asked;
    expect([voice, voice2]).toEqual(['voice://host', 'voice://alloy']);
    expect(text.replace(/\s+/g, ' ')).toBe(`${turnPrefix} Ready? ${turnPrefix2} Almost.`);
  });

  it('streams events that end with the usage', async () => {
    const response = await speak({ stream_format: 'sse', response_format: 'pcm' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text())
      .trimEnd()
      .split('\n\n')
      .map((event) => JSON.parse(event.replace(/^data: /, '')) as Record<string, unknown>);
    const sound = Buffer.concat(
      events.slice(0, -1).map((event) => {
        expect(event.type).toBe('speech.audio.delta');
        const bytes = Buffer.from(event.audio as string, 'base64');
        expect(bytes.length % 2).toBe(0);
        return bytes;
      }),
    );
    expect(Math.abs(sound.length / 48 - SPEECH_MS)).toBeLessThan(80);
    const { usage, type } = events.at(-1) as {
      type: string;
      usage: { input_tokens: number; output_tokens: number; total_tokens: number };
    };
    expect(type).toBe('speech.audio.done');
    expect(usage.input_tokens).toBe(Math.ceil(FIELDS.input.length / 4));
    expect(Math.abs(usage.output_tokens - SPEECH_MS / 48)).toBeLessThan(3);
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
  });

  it('has its first event before the speech service has ended, and an error event when it breaks', async () => {
    const gate = openGate();
    let requests = 0;
    rig.script = async (reply) => {
      requests += 1;
      if (requests > 1) return status(400)(reply);
      reply.start();
      reply.write(spoken().subarray(0, 12_000));
      await gate.opened;
      reply.reset();
    };
    const response = await speak({ stream_format: 'sse', response_format: 'pcm' });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toMatch(/^data: \{"type":"speech.audio.delta"/);
    gate.open();
    let rest = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) rest += piece.value;
    expect(rest.trimEnd().split('\n\n').at(-1)).toMatch(
      /^data: \{"type":"error","error":\{"message":".+","type":"server_error"/,
    );
    rig.script = audio(spoken());
  });

  it.each([
    [{ response_format: 'aac' }, 'response_format', /mp3, opus, flac, wav, pcm/],
    [{ response_format: 'midi' }, 'response_format', /response_format/],
    [{ speed: 4.1 }, 'speed', /4/],
    [{ speed: 0.2 }, 'speed', /0\.25/],
    [{ input: '' }, 'input', /input/],
    [{ input: 'x'.repeat(20_001) }, 'input', /20000/],
    [{ voice: undefined }, 'voice', /voice/],
    [{ voice: { name: 'alloy' } }, 'voice', /voice/],
    [{ stream_format: 'ws' }, 'stream_format', /stream_format/],
  ])('refuses what it cannot do and names the field: %$', async (more, param, message) => {
    const response = await speak(more);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringMatching(message) as string,
        type: 'invalid_request_error',
        param,
        code: 'invalid_request',
      },
    });
  });

  it('tells all other refusals in the same shape, with the right status', async () => {
    const upstream: [number, Record<string, string>, number, string, string | null][] = [
      [400, {}, 502, 'server_error', null],
      [401, {}, 502, 'server_error', null],
      [429, { 'retry-after': '30' }, 429, 'rate_limit_error', '1'],
    ];
    for (const [code, headers, expected, type, retryAfter] of upstream) {
      const own = await startVendorRig({ authorization: `Bearer ${keyOf('ann')}` });
      own.script = status(code, headers);
      const response = await own.post(PATH, FIELDS);
      expect([response.status, response.headers.get('retry-after')], String(code)).toEqual([
        expected,
        retryAfter,
      ]);
      expect(await response.json()).toMatchObject({ error: { type, param: null } });
      await own.close();
    }
    for (const [body, headers, code] of [
      ['{"input":', {}, 400],
      ['text', { 'content-type': 'text/plain' }, 415],
      ['<text/>', { 'content-type': 'application/xml' }, 415],
      [`{"input":"${'x'.repeat(1024 * 1024)}"}`, {}, 413],
      [JSON.stringify(FIELDS), { authorization: 'Bearer wrong' }, 401],
      [JSON.stringify(FIELDS), { authorization: '' }, 401],
    ] as const) {
      const response = await rig.post(PATH, body, { headers });
      expect(response.status).toBe(code);
      expect(await response.json()).toMatchObject({
        error: { type: code === 401 ? 'authentication_error' : 'invalid_request_error' },
      });
    }
  });

  it('leaves the speech service when the caller leaves', async () => {
    await leaveEarlyAndLate(rig, (signal) => speak({}, signal));
    expect((await speak()).status).toBe(200);
  });

  it('keeps text and keys to itself', async () => {
    rig.script = status(400, {}, 'The tide turns');
    const texts = [await (await speak()).text(), await (await speak({ speed: 'The tide' })).text()];
    rig.script = audio(spoken());
    for (const text of [...texts, ...rig.service.logLines]) {
      expect(text).not.toMatch(/The tide/);
      expect(text).not.toContain(keyOf('ann'));
    }
  });
});
