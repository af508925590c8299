import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/base/app-error.ts';
import { cartesiaDialect } from '../../../src/dialects/cartesia/cartesia-dialect.ts';
import { readCartesiaOpening } from '../../../src/dialects/cartesia/cartesia-opening.ts';
import { enter, FORMAT, upgradeTo } from '../cartesia-fixture.ts';

const codeOf = (task: () => unknown) => {
  try {
    task();
  } catch (thrown) {
    return [(thrown as AppError).code, (thrown as AppError).message] as const;
  }
  return undefined;
};
const keyOf = (query: string, headers: Record<string, string[]> = {}) =>
  cartesiaDialect.enter(upgradeTo(query, headers))?.caller;
const opening = (message: object) => readCartesiaOpening({ output_format: FORMAT, ...message });
const fieldsOf = (message: object) => {
  const read = opening(message);
  return read.ok ? read.opening.fields : read.message;
};

describe('cartesia dialect, at the upgrade', () => {
  it('takes its own path and no other', () => {
    for (const path of [
      '/tts/websocket/',
      '/v1/tts/websocket',
      '/tts/websockets',
      '/',
      '/tts/bytes',
      '//tts/websocket',
    ])
      expect([path, cartesiaDialect.enter(upgradeTo('', {}, path))]).toEqual([path, undefined]);
    expect(cartesiaDialect.enter(upgradeTo())).toBeDefined();
  });

  it('finds the key wherever a client puts it', () => {
    const key = { apiKey: 'K' };
    expect(keyOf('', { 'x-api-key': ['K'] })).toEqual(key);
    expect(keyOf('', { authorization: ['Bearer K'] })).toEqual(key);
    expect(keyOf('', { authorization: ['bearer  K '] })).toEqual(key);
    expect(keyOf('api_key=K&cartesia_version=2026-03-01')).toEqual(key);
    expect(keyOf('access_token=K')).toEqual(key);
    expect(keyOf('api_key=&access_token=K')).toEqual(key);
    expect(keyOf('api_key=K', { 'x-api-key': ['K'], authorization: ['Bearer K'] })).toEqual(key);
    expect(keyOf('', { authorization: ['Basic abc'], 'x-api-key': ['K'] })).toEqual(key);
    expect(keyOf('')).toEqual({ apiKey: undefined });
    expect(keyOf('', { authorization: ['K'] })).toEqual({ apiKey: undefined });
  });

  it('does not choose between two keys, and does not repeat them', () => {
    for (const task of [
      () => keyOf('api_key=secret-a', { 'x-api-key': ['secret-b'] }),
      () => keyOf('api_key=secret-a&api_key=secret-b'),
      () => keyOf('', { 'x-api-key': ['secret-a', 'secret-b'] }),
      () => keyOf('access_token=secret-a', { authorization: ['Bearer secret-b'] }),
    ]) {
      const [code, message] = codeOf(task)!;
      expect(code).toBe('unauthorized');
      expect(message).not.toContain('secret');
    }
  });

  it('paces by default, ahead by a second, and lets the query say otherwise', () => {
    expect(enter('cartesia_version=2026-08-14&client=x').preset()).toMatchObject({
      format: 'raw',
      pace: 'realtime',
      leadMs: 1000,
      captions: 'off',
    });
    expect(enter('voxgate_pace=burst&voxgate_lead_ms=400').preset()).toMatchObject({
      pace: 'burst',
      leadMs: 400,
    });
  });

  it('sends less than 200 ms of audio in a message', () => {
    expect(enter().preset().frameMs).toBeLessThan(200);
  });

  it('refuses parameters of ours that are misspelt or out of bounds, and passes over those of others', () => {
    for (const [query, named] of [
      ['voxgate_lead=5', 'voxgate_lead'],
      ['voxgate_pace=fast', 'voxgate_pace'],
      ['voxgate_lead_ms=', 'voxgate_lead_ms'],
      ['voxgate_lead_ms=39', 'voxgate_lead_ms'],
      ['voxgate_lead_ms=x', 'voxgate_lead_ms'],
    ]) {
      const [code, message] = codeOf(() => enter(query).preset())!;
      expect([query, code]).toEqual([query, 'invalid_request']);
      expect(message).toContain(named);
    }
    expect(codeOf(() => enter('client=a&client=b&mip_opt_out=true').preset())).toBeUndefined();
  });

  it('ends idle connections after five minutes, as long as its clients expect one to live', () => {
    expect(enter().idleTimeoutMs).toBe(300_000);
  });
});

describe('cartesia dialect, the first message of a context', () => {
  it('has encodings in native terms', () => {
    const of = (encoding: string, sample_rate: number) => {
      const read = opening({ output_format: { container: 'raw', encoding, sample_rate } });
      return read.ok
        ? [read.opening.fields.format, read.opening.fields.sampleRate, read.opening.samples]
        : read.message;
    };
    for (const rate of [8000, 16_000, 22_050, 24_000, 44_100, 48_000]) {
      expect(of('pcm_s16le', rate)).toEqual(['raw', rate, 'as-sent']);
      expect(of('pcm_f32le', rate)).toEqual(['raw', rate, 'float32']);
      expect(of('pcm_mulaw', rate)).toEqual(['mulaw', rate, 'as-sent']);
      expect(of('pcm_alaw', rate)).toEqual(['alaw', rate, 'as-sent']);
    }
    for (const wrong of [of('pcm_s24le', 8000), of('pcm_s16le', 7999), of('pcm_s16le', 96_000), of('', 8000)])
      expect(wrong).toMatch(/^output_format/);
    for (const container of ['wav', 'mp3', 7])
      expect(opening({ output_format: { ...FORMAT, container } })).toMatchObject({ ok: false });
    expect(readCartesiaOpening({})).toMatchObject({
      ok: false,
      message: expect.stringContaining('output_format'),
    });
  });

  it('has a voice as a string, as an object, or none; a name that is no alias goes on as it is', () => {
    const uri = 's3://voices/anna/manifest.json';
    expect(fieldsOf({ voice: uri })).toMatchObject({ voice: uri });
    expect(fieldsOf({ voice: { mode: 'id', id: uri } })).toMatchObject({ voice: uri });
    expect(fieldsOf({ voice: { id: 'a0e99841-438c', __experimental_controls: {} } })).toMatchObject({
      voice: 'a0e99841-438c',
    });
    for (const voice of [undefined, null, { mode: 'id', id: null }, { mode: 'id' }])
      expect(fieldsOf({ voice })).not.toHaveProperty('voice');
    for (const voice of [
      '',
      7,
      [],
      { mode: 'embedding', embedding: [0.1] },
      { mode: 'id', id: 7 },
      'x'.repeat(2049),
    ])
      expect([voice, fieldsOf({ voice })]).toEqual([voice, expect.stringMatching(/^voice/)]);
  });

  it('has a language or a locale, of those that are spoken', () => {
    expect(fieldsOf({ language: 'en' })).toMatchObject({ language: 'english' });
    expect(fieldsOf({ language: 'zh' })).toMatchObject({ language: 'mandarin' });
    expect(fieldsOf({ language: 'pt-BR' })).toMatchObject({ language: 'portuguese' });
    expect(fieldsOf({ locale: 'en_GB' })).toMatchObject({ language: 'english' });
    expect(fieldsOf({ language: 'fil' })).toMatchObject({ language: 'tagalog' });
    for (const none of [null, '']) expect(fieldsOf({ language: none })).not.toHaveProperty('language');
    for (const wrong of [{ language: 'fi' }, { language: 'constructor' }, { language: 7 }])
      expect(fieldsOf(wrong)).toMatch(/^language/);
    expect(fieldsOf({ language: 'en', locale: 'en-GB' })).toMatch(/^locale/);
  });

  it('has a speed as a number; what else guides a vendor’s voices is passed over', () => {
    expect(fieldsOf({ generation_config: { speed: 1.5, volume: 2, emotion: 'calm' } })).toMatchObject({
      speed: 1.5,
    });
    for (const generation_config of [{ speed: 'fast' }, { speed: null }, {}, null])
      expect(fieldsOf({ generation_config })).not.toHaveProperty('speed');
    for (const generation_config of [{ speed: 0 }, { speed: 9 }, 'fast'])
      expect(fieldsOf({ generation_config })).toMatch(/^generation_config/);
  });

  it('asks for word times or not', () => {
    for (const [add_timestamps, captions] of [
      [true, 'words'],
      [false, 'off'],
      [null, 'off'],
      [undefined, 'off'],
    ])
      expect(opening({ add_timestamps })).toMatchObject({ ok: true, opening: { captions } });
    expect(opening({ add_timestamps: 'yes' })).toMatchObject({ ok: false });
  });
});
