// Cartesia's speech over HTTP, by raw requests: containers and encodings, events, refusals.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heardSound } from '../../support/heard-sound.ts';
import { SPEECH_MS, spoken } from '../../support/running-gateway.ts';
import { keyOf } from '../../support/running-service.ts';
import { audio, status } from '../../support/scripted-upstream.ts';
import { leaveEarlyAndLate, startVendorRig, type VendorRig } from './vendor-rig.ts';

const RAW = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 };
const FIELDS = {
  model_id: 'sonic-3',
  transcript: 'The tide turns twice a day.',
  voice: { mode: 'id', id: 'voice://a' },
  language: 'en',
  output_format: RAW,
};
type Event = Record<string, unknown> & { type: string };

describe('POST /tts', () => {
  let rig: VendorRig;
  beforeAll(async () => {
    rig = await startVendorRig({ 'x-api-key': keyOf('ann'), 'cartesia-version': '2026-03-01' });
  });
  afterAll(() => rig?.close());
  const speak = (path: string, more: object = {}, signal?: AbortSignal) =>
    rig.post(path, { ...FIELDS, ...more }, signal === undefined ? {} : { signal });
  const eventsOf = async (response: Response): Promise<Event[]> =>
    (await response.text())
      .trimEnd()
      .split('\n\n')
      .map((event) => {
        const [, name, data] = /^event: (\w+)\ndata: (.+)$/.exec(event)!;
        const parsed = JSON.parse(data!) as Event;
        expect(parsed.type).toBe(name);
        return parsed;
      });

  it.each([
    [RAW, 'audio/pcm;rate=16000;channels=1;encoding=s16le', 16_000, undefined],
    [{ ...RAW, encoding: 'pcm_f32le' }, 'audio/pcm;rate=16000;channels=1;encoding=f32le', 16_000, undefined],
    [{ ...RAW, encoding: 'pcm_mulaw', sample_rate: 8000 }, 'audio/basic', 8000, undefined],
    [{ ...RAW, encoding: 'pcm_alaw', sample_rate: 8000 }, 'audio/PCMA;rate=8000', 8000, undefined],
    [{ ...RAW, container: 'wav', sample_rate: 44_100 }, 'audio/wav', 44_100, 1],
    [{ ...RAW, container: 'wav', encoding: 'pcm_f32le' }, 'audio/wav', 16_000, 3],
    [{ ...RAW, container: 'wav', encoding: 'pcm_mulaw', sample_rate: 8000 }, 'audio/wav', 8000, 7],
    [{ container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 }, 'audio/mpeg', 44_100, undefined],
  ] as const)(
    'answers %j as %s, and asks for the rate that is named',
    async (output_format, type, sampleRate, tag) => {
      const response = await speak('/tts/bytes', { output_format });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      const heard = heardSound(await response.arrayBuffer(), type);
      expect(heard.sampleRate).toBe(sampleRate);
      expect(heard.tag).toBe(tag);
      expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(100);
      const named = sampleRate < 24_000 ? undefined : sampleRate;
      expect([rig.asked.outputFormat, rig.asked.sampleRate]).toEqual(['mp3', named]);
    },
  );

  it('gives floats that are the samples', async () => {
    const sound = async (encoding: string) =>
      Buffer.from(
        await (await speak('/tts/bytes', { output_format: { ...RAW, encoding }, seed: 1 })).arrayBuffer(),
      );
    const [integers, floats] = [await sound('pcm_s16le'), await sound('pcm_f32le')];
    expect(floats.length).toBe(integers.length * 2);
    for (let at = 0; at < integers.length / 2; at += 97)
      expect(floats.readFloatLE(at * 4)).toBeCloseTo(integers.readInt16LE(at * 2) / 32_768, 6);
  });

  it('asks for what the caller said', async () => {
    const more = { voice: 'voice://b', language: 'pt-BR', generation_config: { speed: 1.2, volume: 2 } };
    await (await speak('/tts/bytes', more)).arrayBuffer();
    expect(rig.asked).toMatchObject({ voice: 'voice://b', language: 'portuguese', speed: 1.2 });
    await (await speak('/tts/bytes', { speed: 'slow', pronunciation_dict_id: 'x' })).arrayBuffer();
    expect(rig.asked).toMatchObject({ voice: 'voice://a', speed: 0.8 });
  });

  it('streams events: chunks, the words with their times, the end', async () => {
    const response = await speak('/tts/sse', { add_timestamps: true, context_id: 'c1' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await eventsOf(response);
    for (const event of events) expect(event.context_id).toBe('c1');
    const sound = Buffer.concat(
      events.filter(({ type }) => type === 'chunk').map(({ data }) => Buffer.from(data as string, 'base64')),
    );
    expect(Math.abs(sound.length / 32 - SPEECH_MS)).toBeLessThan(80);
    const times = events
      .filter(({ type }) => type === 'timestamps')
      .map(({ word_timestamps }) => word_timestamps as { words: string[]; start: number[]; end: number[] });
    expect(times.flatMap(({ words }) => words).join(' ')).toBe(FIELDS.transcript);
    const starts = times.flatMap(({ start }) => start);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(times.at(-1)!.end.at(-1)!).toBeLessThanOrEqual(SPEECH_MS / 1000 + 0.1);
    expect(events.at(-1)).toEqual({ type: 'done', done: true, status_code: 200, context_id: 'c1' });
    expect(events.filter(({ done }) => done === true).length).toBe(1);
  });

  it('has no times and no context unless they are asked for', async () => {
    const events = await eventsOf(await speak('/tts/sse'));
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['chunk', 'done']));
    expect(events[0]).not.toHaveProperty('context_id');
  });

  it('ends with an error event when the speech breaks', async () => {
    let requests = 0;
    rig.script = (reply) => {
      requests += 1;
      if (requests > 1) return status(400)(reply);
      reply.start();
      reply.write(spoken().subarray(0, 9000));
      setImmediate(() => reply.reset());
    };
    const events = await eventsOf(await speak('/tts/sse', { context_id: 'c' }));
    rig.script = audio(spoken());
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      done: true,
      status_code: 502,
      context_id: 'c',
      title: expect.any(String) as string,
      message: expect.any(String) as string,
      request_id: expect.any(String) as string,
    });
  });

  it.each([
    ['/tts/bytes', { transcript: '' }, /^transcript/],
    ['/tts/bytes', { output_format: { container: 'flac' } }, /^output_format\.container/],
    ['/tts/bytes', { output_format: { ...RAW, encoding: 'pcm_s24le' } }, /^output_format\.encoding/],
    ['/tts/bytes', { output_format: { ...RAW, sample_rate: 4000 } }, /^output_format\.sample_rate/],
    ['/tts/bytes', { output_format: { container: 'mp3', sample_rate: 9999 } }, /sample_rate/],
    ['/tts/sse', { output_format: { ...RAW, container: 'wav' } }, /^output_format\.container/],
    ['/tts/bytes', { voice: { mode: 'embedding', embedding: [1] } }, /^voice/],
    ['/tts/bytes', { language: 'tlh' }, /^language/],
  ])('refuses at %s %j', async (path, more, message) => {
    const response = await speak(path, more);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: 'error',
      done: true,
      status_code: 400,
      error_code: 'invalid_request',
      message: expect.stringMatching(message) as string,
      request_id: response.headers.get('x-request-id'),
    });
  });

  it('refuses a wrong key in its shape', async () => {
    const response = await rig.post('/tts/bytes', FIELDS, { headers: { 'x-api-key': 'wrong' } });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ status_code: 401, error_code: 'unauthorized' });
  });

  it('leaves the speech service when the caller leaves', async () => {
    await leaveEarlyAndLate(rig, (signal) => speak('/tts/sse', {}, signal));
    expect((await speak('/tts/bytes')).status).toBe(200);
  });
});
