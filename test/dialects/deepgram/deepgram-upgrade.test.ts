// What an upgrade to /v1/speak or /v2/speak may ask for, and where its key is.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { deepgramDialects } from '../../../src/dialects/deepgram/deepgram-dialects.ts';
import { READY } from '../../support/session-events.ts';
import { enter, type Version } from '../deepgram-rig.ts';

const preset = (version: Version, query: string) => enter(version, query).preset();
const refusal = (version: Version, query: string): string => {
  try {
    preset(version, query);
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'invalid_request', http: 400 });
    return (thrown as AppError).message;
  }
  throw new Error('not refused');
};

describe('the query of /v1/speak', () => {
  it('without anything is 24 kHz linear16 of the default voice, paced', () => {
    expect(preset('v1', '')).toEqual({
      format: 'raw',
      sampleRate: 24_000,
      audio: 'binary',
      flow: 'clock',
      pace: 'realtime',
      leadMs: 2000,
      captions: 'off',
    });
  });

  it.each([
    ['encoding=mulaw', { format: 'mulaw', sampleRate: 8000 }],
    ['encoding=alaw', { format: 'alaw', sampleRate: 8000 }],
    ['encoding=mulaw&sample_rate=16000', { format: 'mulaw', sampleRate: 16_000 }],
    ['encoding=linear16&sample_rate=48000&container=none', { format: 'raw', sampleRate: 48_000 }],
    ['model=s3%3A%2F%2Fvoices%2Fanna%2Fmanifest.json', { voice: 's3://voices/anna/manifest.json' }],
    ['model=aura-2-thalia-en&speed=1.1', { voice: 'aura-2-thalia-en', speed: 1.1 }],
    ['voxgate_pace=burst&voxgate_lead_ms=400', { pace: 'burst', leadMs: 400 }],
  ])('takes %s', (query, expected) => {
    expect(preset('v1', query)).toMatchObject(expected);
  });

  it('ignores what it does not know, as often as it comes', () => {
    expect(preset('v1', 'mip_opt_out=true&tag=a&tag=b&enable_logging=true&bit_rate=48000')).toEqual(
      preset('v1', ''),
    );
  });

  it.each([
    ['encoding=mp3', /^encoding: /],
    ['encoding=', /^encoding: /],
    ['container=wav', /^container: /],
    ['sample_rate=fast', /^sample_rate: /],
    ['sample_rate=', /^sample_rate: /],
    ['sample_rate=96000', /^sample_rate: /],
    ['sample_rate=22050.5', /^sample_rate: /],
    ['speed=0', /^speed: /],
    ['model=', /^model: /],
    ['model=a&model=b', /^model: given twice/],
    ['encoding=mulaw&encoding=alaw', /^encoding: given twice/],
    ['voxgate_pace=fast', /^voxgate_pace: /],
    ['voxgate_lead_ms=1', /^voxgate_lead_ms: /],
  ])('refuses %s by the name that the caller used', (query, message) => {
    expect(refusal('v1', query)).toMatch(message);
  });
});

describe('the query of /v2/speak', () => {
  it('asks for word timing, so that what was heard is exact', () => {
    expect(preset('v2', 'model=anna')).toMatchObject({ captions: 'words', voice: 'anna', format: 'raw' });
  });

  it('needs a model', () => {
    expect(refusal('v2', 'encoding=linear16')).toMatch(/^model: /);
  });

  it.each([
    ['speed=1.55', /^speed: must be a number from 0.5 to 1.5.*; SPEED_OUT_OF_RANGE$/],
    ['speed=0.45', /^speed: must be a number from 0.5 to 1.5.*; SPEED_OUT_OF_RANGE$/],
    ['speed=1.07', /^speed: must be .*; SPEED_INCREMENT_INVALID$/],
  ])('refuses %s', (query, message) => {
    expect(refusal('v2', `model=a&${query}`)).toMatch(message);
  });

  it.each(['0.5', '0.85', '1.00', '1.15', '1.5'])('takes speed %s', (speed) => {
    expect(preset('v2', `model=a&speed=${speed}`).speed).toBe(Number(speed));
  });
});

describe('the key of an upgrade', () => {
  const key = (authorization: readonly string[] | undefined, protocols: readonly string[] = []) => {
    const entry = enter('v1', '', { headers: { authorization }, protocols });
    return [entry.caller === 'headers' ? 'headers' : entry.caller.apiKey, entry.protocol];
  };

  it.each([
    ['Token K1', 'K1'],
    ['token K1', 'K1'],
    ['Bearer a.b-c', 'a.b-c'],
    ['Bearer  K1 ', 'K1'],
    ['Basic K1', undefined],
    ['K1', undefined],
    ['Token', undefined],
    ['Token a b', undefined],
  ])('in Authorization: %s', (line, expected) => {
    expect(key([line])).toEqual([expected, undefined]);
  });

  it('is not taken from one of two lines', () => {
    expect(key(['Token a', 'Token b'])).toEqual([undefined, undefined]);
  });

  it.each([
    [['token', 'K1'], 'K1', 'token'],
    [['bearer', 'a.b.c'], 'a.b.c', 'bearer'],
    [['token', 'K1', 'x-deepgram-session-id', 'abc'], 'K1', 'token'],
    [['other', 'token', 'K1'], 'K1', 'token'],
    [['token'], undefined, 'token'],
    [['other'], undefined, undefined],
    [[], undefined, undefined],
  ])('in the subprotocols %j, of which the scheme is selected', (protocols, apiKey, selected) => {
    expect(key(undefined, protocols)).toEqual([apiKey, selected]);
  });

  it('is the one of the header where both have one, and a subprotocol is selected all the same', () => {
    expect(key(['Token K1'], ['token', 'K2'])).toEqual(['K1', 'token']);
  });
});

describe('the answer to an upgrade', () => {
  it('names the session by the id that the first message has', () => {
    for (const [version, type] of [
      ['v1', 'Metadata'],
      ['v2', 'Connected'],
    ] as const) {
      const entry = enter(version, 'model=anna');
      const sent: string[] = [];
      entry
        .open({ newId: () => 'x', carryOut() {}, send: (frame) => void sent.push(String(frame)), close() {} })
        .event(READY);
      const first = JSON.parse(sent[0]!) as Record<string, unknown>;
      expect(first).toMatchObject({ type, model_name: 'anna', model_version: '1.2.3' });
      expect(entry.sessionHeaders!(READY.session)).toEqual({ 'dg-request-id': first.request_id });
      expect(first.request_id).toBe('00010203-0405-0607-0809-0a0b0c0d0e0f');
    }
  });

  it('tells a refusal in a header that holds no line break and no foreign letter', () => {
    const error = new AppError('invalid_request', `bad\r\nX-Evil: 1 ü${'x'.repeat(1000)}`);
    const header = enter('v1').refusalHeaders!(error)['dg-error']!;
    expect(header).toMatch(/^[\x20-\x7e]{1,500}$/);
    expect(header).toContain('bad??X-Evil: 1 ?');
  });

  it('belongs to no other path', () => {
    for (const path of ['/v1/speak/', '/v3/speak', '/v1/session', '//v1/speak', '/v1/listen']) {
      const upgrade = { path, query: new URLSearchParams(), headers: {}, protocols: [] };
      expect(deepgramDialects.map((dialect) => dialect.enter(upgrade))).toEqual([undefined, undefined]);
    }
  });
});
