import { describe, expect, it } from 'vitest';
import { createServiceKind } from '../../src/upstream/services/service-kinds.ts';
import {
  asking,
  chooseSound,
  expectedMs,
  type Listening,
  offeredSound,
} from '../../src/upstream/sound-offer.ts';

const KINDS = ['speech-service', 'openai', 'elevenlabs', 'deepgram', 'cartesia'] as const;
const listens = (
  format: Listening['output']['format'],
  sampleRate: number | undefined,
  namedRate?: number,
  reader: Listening['reader'] = 'live',
): Listening => ({ output: { format, sampleRate }, namedRate, reader });
const PHONE = listens('mulaw', 8000);
const SHORT = 5000;
const LONG = 20 * 60_000;

const chosen = (
  kind: (typeof KINDS)[number],
  listening: Listening,
  ms = SHORT,
  sound: 'auto' | 'mp3' | 'listener' = 'auto',
) => {
  const { format, sampleRate } = chooseSound(
    createServiceKind(kind, { model: undefined, sound }).sounds,
    listening,
    ms,
  );
  return sampleRate === undefined ? format : `${format} ${sampleRate}`;
};
const ofAll = (listening: Listening, ms?: number) => KINDS.map((kind) => chosen(kind, listening, ms));

describe('what a service is asked for', () => {
  it.each([
    ['a phone', PHONE, SHORT, ['mp3', 'mp3', 'mulaw 8000', 'mulaw 8000', 'mulaw 8000']],
    ['a phone, for long', PHONE, LONG, ['mp3', 'mp3', 'mulaw 8000', 'mulaw 8000', 'mulaw 8000']],
    [
      'a phone in Europe',
      listens('alaw', 8000),
      SHORT,
      ['mp3', 'mp3', 'alaw 8000', 'alaw 8000', 'alaw 8000'],
    ],
    [
      'PCM at the usual rate',
      listens('raw', 24_000),
      SHORT,
      ['mp3', 'mp3', 'raw 24000', 'raw 24000', 'raw 24000'],
    ],
    ['PCM, a narration', listens('raw', 24_000), LONG, ['mp3', 'mp3', 'mp3', 'mp3', 'mp3']],
    [
      'PCM, 20 s: few may be open at once at some',
      listens('raw', 24_000),
      20_000,
      ['mp3', 'mp3', 'mp3', 'mp3', 'mp3'],
    ],
    ['WAV', listens('wav', 24_000), SHORT, ['mp3', 'mp3', 'raw 24000', 'raw 24000', 'raw 24000']],
    ['PCM below 24 kHz', listens('raw', 16_000, 16_000), SHORT, ['mp3', 'mp3', 'mp3', 'mp3', 'mp3']],
    ['MP3', listens('mp3', undefined), SHORT, ['mp3', 'mp3', 'mp3', 'mp3', 'mp3']],
    ['a named rate', listens('ogg', 48_000, 48_000), SHORT, ['mp3 48000', 'mp3', 'mp3', 'mp3', 'mp3 48000']],
    [
      'MP3 of a named rate',
      listens('mp3', 44_100, 44_100),
      SHORT,
      ['mp3 44100', 'mp3', 'mp3 44100', 'mp3', 'mp3 44100'],
    ],
    [
      'a named rate that MP3 has not',
      listens('raw', 30_000, 30_000),
      SHORT,
      ['mp3', 'mp3', 'mp3', 'mp3', 'mp3'],
    ],
    ['a file', listens('raw', 24_000, undefined, 'nobody'), SHORT, ['mp3', 'mp3', 'mp3', 'mp3', 'mp3']],
  ] as const)('for %s', (_, listening, ms, sounds) => {
    expect(ofAll(listening, ms)).toEqual(sounds);
  });
  it('is what the operator has set', () => {
    expect(chosen('speech-service', PHONE, SHORT, 'listener')).toBe('mulaw 8000');
    expect(chosen('speech-service', listens('raw', 44_100), SHORT, 'listener')).toBe('raw 44100');
    expect(chosen('elevenlabs', PHONE, SHORT, 'mp3')).toBe('mp3');
  });
  it('is MP3 of a service or a listener that is not known', () => {
    const { sounds } = createServiceKind('cartesia', { model: undefined });
    expect(chooseSound(undefined, PHONE, SHORT)).toEqual({ format: 'mp3' });
    expect(chooseSound(sounds, undefined, SHORT)).toEqual({ format: 'mp3' });
  });
  it('is written into the request, which stays as it is for MP3 as the service sends it', () => {
    const request = { model: 'VoxDialog', text: 'x', outputFormat: 'mp3', seed: 1 } as const;
    expect(JSON.stringify(asking(request, { format: 'mp3' }))).toBe(JSON.stringify(request));
    expect(asking(request, { format: 'mulaw', sampleRate: 8000 })).toEqual({
      ...request,
      outputFormat: 'mulaw',
      sampleRate: 8000,
    });
  });
  it('is MP3 where a request made for another service asks for what this one has not', () => {
    const { sounds } = createServiceKind('openai', { model: undefined });
    const request = { model: 'VoxDialog', text: 'x', seed: 1 } as const;
    expect(offeredSound(sounds, { ...request, outputFormat: 'mulaw', sampleRate: 8000 })).toEqual({
      format: 'mp3',
    });
    expect(offeredSound(sounds, { ...request, outputFormat: 'raw', sampleRate: 24_000 })).toEqual({
      format: 'raw',
      sampleRate: 24_000,
    });
    expect(offeredSound(sounds, request)).toEqual({ format: 'mp3' });
  });
  it('takes a text for as long as people speak it', () => {
    expect(expectedMs(120)).toBe(10_000);
    expect(expectedMs(120, 2)).toBe(5000);
  });
});
