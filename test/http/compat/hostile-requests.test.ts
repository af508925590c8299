// The readers of vendors' requests under whatever may be sent: they never throw, what they let through can be spoken, and
// what they refuse is told without a word of it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskedSpeech, Read } from '../../../src/http/compat/asked-speech.ts';
import { readCartesiaSpeech } from '../../../src/http/compat/cartesia-routes.ts';
import { readDeepgramSpeech } from '../../../src/http/compat/deepgram-routes.ts';
import {
  readElevenLabsDialogue,
  readElevenLabsSpeech,
  readSpeechPath,
  SPEECH_PATH,
} from '../../../src/http/compat/elevenlabs-routes.ts';
import { acceptedSound, readJambonzSpeech } from '../../../src/http/compat/jambonz-routes.ts';
import { readOpenAiSpeech } from '../../../src/http/compat/openai-routes.ts';
import { planSpeech } from '../../../src/http/compat/speech-plan.ts';
import { isSampleRateOf } from '../../../src/speech/audio-format.ts';
import { MAX_REQUEST_TEXT } from '../../../src/speech/speech-request.ts';
import { trialSize } from '../../support/trial-size.ts';

/** Stands for spoken text wherever a string may be. */
const SECRET = 'hush-hush';
const RUNS = trialSize(15_000, 3000);

const hostile = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom<unknown>('raw', 'wav', 'mp3', 'pcm', 'pcm_s16le', 'mulaw', 'sse', 'en', 'id'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      8000,
      24_000,
      1,
      0.5,
      -1,
      1e99,
      Number.NaN,
      null,
      true,
      '24000',
      '1e9',
    ),
  },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text + SECRET) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>('\ud800', '\u0000', '[S1] a [S2] b', '<speak>&lt;b&gt;', ''),
  },
  { weight: 1, arbitrary: fc.anything({ maxDepth: 2, maxKeys: 3 }) },
);
/** Each field may be missing, good, or anything else; or the whole is something else. */
const mostly = (good: Readonly<Record<string, readonly unknown[]>>) =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record(
        Object.fromEntries(
          Object.entries(good).map(([name, values]) => [
            name,
            fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: hostile }),
          ]),
        ),
      ),
    },
    { weight: 1, arbitrary: hostile },
  );
const TEXTS = ['Hello.', '[S1] Ready? [S2] **Almost.**', '\ud800 <b>&lt;', '…', 'x'.repeat(20_001)];
const VOICES = ['alloy', 'pair', 'duo:alloy+voice://b', 's3://a/b.json'];

let spoken = 0;

const holds = (read: Read<AskedSpeech>) => {
  if (!read.ok) {
    expect(read.message).not.toContain(SECRET);
    expect(read.message.length).toBeLessThan(1500);
    return;
  }
  spoken += 1;
  const { sound, lines, seed, speed } = read.value;
  const { format, sampleRate } = sound.output;
  expect(sampleRate === undefined ? format === 'mp3' : isSampleRateOf(format, sampleRate)).toBe(true);
  expect(speed === undefined || (speed >= 0.1 && speed <= 5)).toBe(true);
  expect(seed === undefined || (seed >= 0 && seed <= 2 ** 53)).toBe(true);
  const { texts, synthesis } = planSpeech(read.value, { alloy: 'voice://a', pair: 'alloy+voice://b' });
  for (const { text } of texts) expect(text.length).toBeLessThanOrEqual(MAX_REQUEST_TEXT);
  if (new Set(lines.map(({ voice }) => voice)).size > 1) expect(synthesis.voice2).toBeDefined();
};

const check = <T>(arbitrary: fc.Arbitrary<T>, property: (given: T) => void) =>
  fc.assert(fc.property(arbitrary, property), { numRuns: RUNS });

/** Of requests that are all refused, or all read, nothing would be learned. */
const checkRequests = <T>(arbitrary: fc.Arbitrary<T>, property: (given: T) => void) => {
  spoken = 0;
  check(arbitrary, property);
  expect(spoken).toBeGreaterThan(RUNS / 20);
  expect(spoken).toBeLessThan(RUNS * 0.9);
};

describe('a hostile request', () => {
  it('in OpenAI’s form is read or refused', () => {
    const bodies = mostly({
      input: TEXTS,
      voice: [...VOICES, { id: 'alloy' }],
      response_format: ['mp3', 'opus', 'aac', 'pcm', undefined],
      speed: [0.25, 4, undefined],
      instructions: ['Softly.', '', null],
      stream_format: ['sse', 'audio', undefined],
    });
    checkRequests(bodies, (body) => {
      const read = readOpenAiSpeech(body);
      holds(read.ok ? { ok: true, value: read.value.asked } : read);
    });
  });
  it('in ElevenLabs’s form is read or refused', () => {
    const bodies = mostly({
      text: TEXTS,
      language_code: ['en', 'pt-BR', null],
      seed: [0, 4_294_967_295, null],
      voice_settings: [{ speed: 1.2 }, { stability: 1 }, null],
    });
    const queries = mostly({ output_format: ['pcm_8000', 'wav_44100', 'mp3_44100_128', 'opus_48000_32'] });
    checkRequests(fc.tuple(fc.constantFrom(...VOICES), bodies, queries), ([voice, body, query]) =>
      holds(readElevenLabsSpeech(voice, body, query)),
    );
  });
  it('for a dialogue is read or refused', () => {
    const lines = fc.array(mostly({ text: TEXTS, voice_id: VOICES.slice(0, 3) }), { maxLength: 3 });
    const more = mostly({ seed: [1, null], language_code: ['en', null] });
    checkRequests(fc.tuple(lines, more, fc.option(hostile)), ([inputs, fields, query]) =>
      holds(readElevenLabsDialogue({ ...(typeof fields === 'object' ? fields : {}), inputs }, query)),
    );
  });
  it('in Deepgram’s form is read or refused', () => {
    const queries = mostly({
      model: [...VOICES, undefined],
      encoding: ['linear16', 'mulaw', 'alaw', 'mp3', 'opus', 'flac', undefined],
      container: ['none', 'wav', 'ogg', undefined],
      sample_rate: ['8000', '24000', '48000', undefined],
      speed: ['1.2', undefined],
      callback: [undefined],
      tag: [['a', 'b'], 'c'],
    });
    checkRequests(fc.tuple(mostly({ text: TEXTS }), queries), ([body, query]) =>
      holds(readDeepgramSpeech(body, query)),
    );
  });
  it('in Cartesia’s form is read or refused', () => {
    const format = mostly({
      container: ['raw', 'wav', 'mp3'],
      encoding: ['pcm_s16le', 'pcm_f32le', 'pcm_mulaw', 'pcm_alaw'],
      sample_rate: [8000, 22_050, 44_100, 48_000],
    });
    const bodies = mostly({
      transcript: TEXTS,
      voice: [...VOICES, { mode: 'id', id: 'alloy' }, null],
      language: ['en', null],
      speed: ['slow', 'fast', null],
      generation_config: [{ speed: 1.5 }, {}, null],
      add_timestamps: [true, false, null],
      context_id: ['c', null],
    });
    checkRequests(fc.tuple(bodies, format, fc.boolean()), ([body, output_format, isEvents]) => {
      const given = typeof body === 'object' ? { ...body, output_format } : body;
      const read = readCartesiaSpeech(given, isEvents ? 'events' : 'bytes');
      holds(read.ok ? { ok: true, value: read.value.asked } : read);
    });
  });
  it('in jambonz’s form is read or refused', () => {
    const accept = fc.option(fc.string({ maxLength: 60 }), { nil: undefined });
    const bodies = mostly({
      text: TEXTS,
      voice: [...VOICES, null],
      language: ['en-US', 'de_DE', 'xx', null],
      type: ['text', 'ssml', null],
    });
    checkRequests(fc.tuple(bodies, accept), ([body, header]) => holds(readJambonzSpeech(body, header)));
  });
  it('with any path names a voice or is refused', () => {
    const part = fc.constantFrom(
      's3://',
      'a',
      '%2F',
      '%',
      '%ff',
      '/stream',
      '/with-timestamps',
      '/',
      'é',
      '-input',
    );
    check(fc.array(part, { maxLength: 8 }), (parts) => {
      const read = readSpeechPath(SPEECH_PATH + parts.join(''));
      if (read !== 'for-sockets' && read.ok) expect(read.value.voice.length).toBeGreaterThan(0);
    });
  });
  it('with any Accept gets a sound', () => {
    const part = fc.constantFrom(
      'audio/',
      'l16',
      'wav',
      'mpeg',
      ';rate=',
      '16000',
      '99999',
      ';q=',
      '0.5',
      ',',
      ' ',
      '*/*',
    );
    check(fc.array(part, { maxLength: 12 }), (parts) => {
      const { format, sampleRate } = acceptedSound(parts.join('')).output;
      expect(sampleRate === undefined ? format === 'mp3' : isSampleRateOf(format, sampleRate)).toBe(true);
    });
  });
});
