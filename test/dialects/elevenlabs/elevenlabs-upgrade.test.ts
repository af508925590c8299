import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { DIALECTS } from '../../../src/dialects/dialects.ts';
import { LANGUAGES } from '../../../src/speech/language.ts';
import { DIALOGUE, enter, MULTI, SINGLE, type UpgradeParts } from '../../support/elevenlabs-rig.ts';

const VOICE = 's3://voices/a b/ü/manifest.json';
const presetOf = (parts: UpgradeParts) => enter(parts)?.preset();
const refusalOf = (parts: UpgradeParts): string => {
  try {
    presetOf(parts);
  } catch (thrown) {
    if (thrown instanceof AppError) return `${thrown.code} ${thrown.message.split(':')[0]}`;
  }
  return 'taken';
};

describe('upgrades to the ElevenLabs protocols', () => {
  it('are those of its three paths and of no others', () => {
    for (const path of [MULTI, SINGLE, DIALOGUE]) expect(enter({ path })).toBeDefined();
    for (const path of [
      '/v1/text-to-speech/multi-stream-input',
      '/v1/text-to-speech//multi-stream-input',
      '/v1/text-to-speech/anna/multi-stream-input/',
      '/v1/text-to-speech/anna/stream',
      '/v1/text-to-speech/anna/xstream-input',
      '/v1/text-to-dialogue/stream-input',
      '/v1/text-to-dialogue/anna/multi-stream-input',
      '/x/v1/text-to-speech/anna/stream-input',
      '/v1/session',
      '/',
    ])
      expect([path, enter({ path })]).toEqual([path, undefined]);
  });

  it('are served by the gateway', () => {
    expect(DIALECTS.map((dialect) => dialect.name)).toContain('elevenlabs');
  });

  it('name the voice raw, with its slashes, or percent-encoded, and once over', () => {
    for (const door of ['multi-stream-input', 'stream-input'])
      for (const voice of [VOICE.replace(' ', '%20'), encodeURI(VOICE), encodeURIComponent(VOICE)])
        expect(presetOf({ path: `/v1/text-to-speech/${voice}/${door}` })).toMatchObject({ voice: VOICE });
    // A voice may be called like a door, and its own percent signs are encoded once.
    const odd = '/v1/text-to-speech/a/stream-input/b%2525/stream-input';
    expect(presetOf({ path: odd })).toMatchObject({ voice: 'a/stream-input/b%25' });
    expect(presetOf({ path: DIALOGUE })).not.toHaveProperty('voice');
  });

  it('are refused for a voice that cannot be one', () => {
    expect(refusalOf({ path: '/v1/text-to-speech/%E0%A4%A/stream-input' })).toBe('invalid_request voice_id');
    expect(refusalOf({ path: `/v1/text-to-speech/${'v'.repeat(2049)}/stream-input` })).toBe(
      'invalid_request voice_id',
    );
  });

  it('set the format and the rate by output_format, mp3 by default', () => {
    const formatOf = (name: string) => {
      const { format, sampleRate } = presetOf({ query: name === '' ? '' : `output_format=${name}` })!;
      return `${format} ${sampleRate}`;
    };
    expect(formatOf('')).toBe('mp3 44100');
    expect(formatOf('mp3_22050_32')).toBe('mp3 22050');
    expect(formatOf('mp3_24000_48')).toBe('mp3 24000');
    for (const bitRate of [32, 64, 96, 128, 192]) {
      expect(formatOf(`mp3_44100_${bitRate}`)).toBe('mp3 44100');
      expect(formatOf(`opus_48000_${bitRate}`)).toBe('ogg 48000');
    }
    for (const rate of [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000])
      expect(formatOf(`pcm_${rate}`)).toBe(`raw ${rate}`);
    expect(formatOf('ulaw_8000')).toBe('mulaw 8000');
    expect(formatOf('alaw_8000')).toBe('alaw 8000');
    for (const name of ['pcm_11025', 'mp3_44100', 'wav_16000', 'PCM_16000', '', 'toString'])
      expect([name, refusalOf({ query: `output_format=${name}` })]).toEqual([
        name,
        'invalid_request output_format',
      ]);
  });

  it('set seed, language and the time without a word, and say which of them is wrong', () => {
    expect(presetOf({ query: 'seed=1764200000000&language_code=de-AT' })).toMatchObject({
      seed: 1_764_200_000_000,
      language: 'german',
    });
    expect(presetOf({ query: 'language_code=' })).not.toHaveProperty('language');
    for (const [query, name] of [
      ['seed=-1', 'seed'],
      ['seed=9007199254740994', 'seed'],
      ['seed=one', 'seed'],
      ['seed=', 'seed'],
      ['language_code=fi', 'language_code'],
      ['language_code=klingon', 'language_code'],
      ['inactivity_timeout=soon', 'inactivity_timeout'],
      ['inactivity_timeout=0', 'inactivity_timeout'],
      ['inactivity_timeout=-3', 'inactivity_timeout'],
      ['voxgate_pace=slow', 'voxgate_pace'],
      ['voxgate_lead_ms=39', 'voxgate_lead_ms'],
      ['voxgate_lead_ms=5001', 'voxgate_lead_ms'],
      ['voxgate_lead_ms=', 'voxgate_lead_ms'],
    ])
      expect([query, refusalOf({ query: query! })]).toEqual([query, `invalid_request ${name}`]);
    const idleOf = (query: string) => enter({ query })!.idleTimeoutMs;
    expect(
      ['', 'inactivity_timeout=7', 'inactivity_timeout=180', 'inactivity_timeout=999'].map(idleOf),
    ).toEqual([20_000, 7000, 180_000, 180_000]);
    // The preset refuses it; nothing may throw before.
    expect(idleOf('inactivity_timeout=soon')).toBe(20_000);
    const spoken = [
      'af',
      'sq',
      'am',
      'ar',
      'bn',
      'bg',
      'ca',
      'hr',
      'cs',
      'da',
      'nl',
      'en',
      'fr',
      'gl',
      'de',
      'el',
      'he',
      'hi',
      'hu',
      'id',
      'it',
      'ja',
      'ko',
      'ms',
      'zh',
      'pl',
      'pt',
      'ru',
      'sr',
      'es',
      'sv',
      'fil',
      'th',
      'tr',
      'uk',
      'ur',
      'xh',
    ];
    expect(spoken.map((code) => presetOf({ query: `language_code=${code}` })!.language)).toEqual([
      ...LANGUAGES,
    ]);
  });

  it('ignore every other parameter, as LiveKit, pipecat and others send many', () => {
    const query =
      'model_id=eleven_turbo_v2_5&output_format=pcm_16000&enable_ssml_parsing=false&enable_logging=true&inactivity_timeout=180&apply_text_normalization=auto&apply_language_text_normalization=true&sync_alignment=true&auto_mode=true&optimize_streaming_latency=3&colour=red';
    expect(presetOf({ query })).toEqual({
      format: 'raw',
      sampleRate: 16_000,
      frameMs: 40,
      pace: 'burst',
      leadMs: 1000,
      flow: 'clock',
      captions: 'words',
      voice: 'anna',
    });
  });

  it('pace a single context at the listener, many as fast as they are made, and either as the caller says', () => {
    const paceOf = (path: string, query = '') => {
      const { pace, leadMs } = presetOf({ path, query })!;
      return `${pace} ${leadMs}`;
    };
    expect([MULTI, DIALOGUE, SINGLE].map((path) => paceOf(path))).toEqual([
      'burst 1000',
      'burst 1000',
      'realtime 1000',
    ]);
    expect(paceOf(MULTI, 'voxgate_pace=realtime&voxgate_lead_ms=400')).toBe('realtime 400');
    expect(paceOf(SINGLE, 'voxgate_pace=burst')).toBe('burst 1000');
  });

  it('want captions unless they say that they do not', () => {
    const captionsOf = (query: string) => presetOf({ query })!.captions;
    expect(['', 'sync_alignment=true', 'sync_alignment=false'].map(captionsOf)).toEqual([
      'words',
      'words',
      'off',
    ]);
  });

  it('bring their key in any of the vendor’s places, the first of which wins', () => {
    const keyOf = (headers: UpgradeParts['headers'], query = '') => {
      const { caller } = enter({ query, ...(headers !== undefined && { headers }) })!;
      return caller === 'headers' ? 'headers' : caller.apiKey;
    };
    expect(keyOf({ 'xi-api-key': ['k1'], authorization: ['Bearer k2'] }, 'xi_api_key=k3')).toBe('k1');
    expect(keyOf({ authorization: ['Bearer k2'] }, 'xi_api_key=k3')).toBe('k2');
    expect(keyOf({ authorization: ['bearer  k2 '] })).toBe('k2');
    expect(keyOf({}, 'authorization=Bearer%20k4&single_use_token=k5')).toBe('k4');
    expect(keyOf({}, 'single_use_token=k5&xi-api-key=k6')).toBe('k5');
    expect(keyOf({}, 'xi-api-key=k6')).toBe('k6');
    expect(keyOf({}, 'xi_api_key=k7')).toBe('k7');
    expect(keyOf({})).toBeUndefined();
    // Two lines: a proxy may have looked at the other one.
    expect(keyOf({ 'xi-api-key': ['k1', 'k2'] }, 'xi_api_key=k3')).toBeUndefined();
  });
});
