// A wrong field is told in the same way wherever it comes in: by the name that it has there, with what is allowed and what was
// given, and never with what is spoken. One table of faults, one of ways in; a cell is a way that has the field.

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AppError, toAppError } from '../../src/base/app-error.ts';
import { checkFields, fieldError } from '../../src/base/check-fields.ts';
import { readSound } from '../../src/cli/say-flags.ts';
import { readCartesiaOpening } from '../../src/dialects/cartesia/cartesia-opening.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { renamedError } from '../../src/dialects/field-names.ts';
import { decodeNative } from '../../src/dialects/native-dialect.ts';
import { readCartesiaSpeech } from '../../src/http/compat/cartesia-routes.ts';
import { readDeepgramSpeech } from '../../src/http/compat/deepgram-routes.ts';
import { readElevenLabsSpeech } from '../../src/http/compat/elevenlabs-routes.ts';
import { readJambonzSpeech } from '../../src/http/compat/jambonz-routes.ts';
import { readOpenAiSpeech } from '../../src/http/compat/openai-routes.ts';
import { applySettings, defaultSettings } from '../../src/session/turn-settings.ts';
import { agentProfileSchema } from '../../src/speech/agent-profile.ts';
import { jobRequestSchema } from '../../src/speech/job-request.ts';
import { playNoteFieldsSchema } from '../../src/speech/playnote-request.ts';
import { streamRequestSchema } from '../../src/speech/speech-request.ts';
import { createKnownVoices } from '../support/voice-directories.ts';

type Fault =
  | 'voice'
  | 'speed'
  | 'rate'
  | 'rateOfFormat'
  | 'format'
  | 'language'
  | 'seed'
  | 'text'
  | 'unknown';

/** What is given, how it is shown, and what is said to be allowed. */
const FAULTS: Readonly<Record<Fault, { readonly given: unknown; readonly told: RegExp }>> = {
  voice: {
    given: 'nobody',
    told: /there is no such voice here \(got "nobody"\); GET \/api\/v1\/voices lists/,
  },
  speed: { given: 99, told: /must be a number from [\d.]+ to [\d.]+.*\(got 99\)/ },
  rate: { given: 7999, told: /must be a whole number from 8000 to 48000 \(got 7999\)/ },
  rateOfFormat: { given: 9000, told: /must be a rate that mp3 has: 8000, .*48000 \(got 9000\)/ },
  format: { given: 'aiff', told: /must be (one of )?\w+, .*\(got "?aiff"?\)/ },
  language: { given: 'klingon', told: /must be .*(de|german).*\(got "klingon"\)/ },
  seed: { given: -1, told: /must be a number from 0 to 9007199254740992 \(got "?-1"?\)/ },
  text: { given: 'secret '.repeat(60_000), told: /must have at most \d+ characters.* \(got 420000/ },
  unknown: { given: 'secret', told: /is no (field|parameter)/ },
};

/** Undefined: it was taken. */
type Refuse = (name: string, given: unknown) => string | undefined;
type Way = { readonly names: Partial<Record<Fault, string>>; readonly refuse: Refuse };

const VOICES = createKnownVoices([{ id: 'voice://a' }], {
  aliases: { anna: 'voice://a' },
  ignoredFields: [],
  spokenAs: () => undefined,
});
const messageOf = (attempt: () => unknown): string | undefined => {
  try {
    const read = attempt() as { ok?: boolean; message?: string } | undefined;
    return read?.ok === false ? read.message : undefined;
  } catch (thrown) {
    expect(['invalid_request', 'internal']).toContain(toAppError(thrown).code);
    return (thrown as Error).message;
  }
};
/** `a.b` is a field of the object `a`. */
function withField(body: object, name: string, value: unknown): object {
  const [first, ...rest] = name.split('.');
  const inner = (body as Record<string, unknown>)[first!];
  return {
    ...body,
    [first!]: rest.length === 0 ? value : withField((inner ?? {}) as object, rest.join('.'), value),
  };
}
const bySchema =
  (schema: z.ZodType, least: object, voices: readonly string[] = ['voice']): Refuse =>
  (name, given) =>
    messageOf(() => {
      const fields = checkFields(schema, withField(least, name, given), 'body') as Record<string, string>;
      VOICES.check(Object.fromEntries(voices.map((field) => [field, fields[field]])));
    });
const vendor =
  (
    read: (body: object) => unknown,
    least: object,
    field: string,
    voiceOf: (body: object) => string | undefined,
  ): Refuse =>
  (name, given) => {
    const body = withField(least, name, given);
    return (
      messageOf(() => read(body)) ??
      messageOf(() => {
        try {
          VOICES.check({ voice: voiceOf(body) });
        } catch (thrown) {
          throw renamedError(thrown as AppError, { voice: field });
        }
      })
    );
  };
const settings = defaultSettings(200, 'off', VOICES);
/** Refused by the dialect, or by the session in the dialect's words. */
const upgrade =
  (
    dialect: Dialect,
    path: string | ((name: string, given: unknown) => string),
    least: Record<string, string> = {},
  ): Refuse =>
  (name, given) =>
    messageOf(() => {
      const query = new URLSearchParams(least);
      if (typeof path === 'string') query.set(name, String(given));
      const at = typeof path === 'string' ? path : path(name, given);
      const entry = dialect.enter({ path: at, query, headers: {}, protocols: [] })!;
      try {
        applySettings(settings, entry.preset());
      } catch (thrown) {
        throw renamedError(thrown as AppError, entry.fieldNames ?? {});
      }
    });
const dialect = (name: string): Dialect => DIALECTS.find((each) => each.name === name)!;

const TEXT = { text: 'Hello.', voice: 'voice://a' };
const CARTESIA = {
  transcript: 'Hello.',
  voice: 'voice://a',
  output_format: { container: 'mp3', sample_rate: 24_000 },
};
const native = (type: string, least: object): Refuse => {
  return (name, given) => {
    const decoded = decodeNative(JSON.stringify({ type, ...least, [name]: given }));
    if (!decoded.ok) {
      expect(decoded.message.startsWith(`${type}: `)).toBe(true);
      return decoded.message.slice(type.length + 2);
    }
    const { type: _type, turn: _turn, text: _text, ...fields } = decoded.command as Record<string, unknown>;
    return messageOf(() => applySettings(settings, fields));
  };
};
const OURS = {
  voice: 'voice',
  speed: 'speed',
  rate: 'sampleRate',
  language: 'language',
  unknown: 'colour',
} as const;

const WAYS: Readonly<Record<string, Way>> = {
  'POST /api/v1/tts/stream': {
    names: { ...OURS, rateOfFormat: 'sampleRate', format: 'outputFormat', seed: 'seed', text: 'text' },
    refuse: bySchema(streamRequestSchema, { ...TEXT, model: 'VoxDialog' }),
  },
  'POST /api/v1/tts': {
    names: { ...OURS, rateOfFormat: 'sampleRate', format: 'outputFormat', seed: 'seed', text: 'text' },
    refuse: bySchema(jobRequestSchema, TEXT),
  },
  'POST /api/v1/playnotes': {
    names: { voice: 'voice1', language: 'language', unknown: 'colour', format: 'synthesisStyle' },
    refuse: bySchema(
      playNoteFieldsSchema,
      { synthesisStyle: 'podcast', voice1: 'voice://a', voice1Name: 'Ann' },
      ['voice1'],
    ),
  },
  'POST /api/v1/agents': {
    names: { ...OURS, rateOfFormat: 'sampleRate', format: 'format' },
    refuse: bySchema(agentProfileSchema, { name: 'Desk', format: 'mp3' }),
  },
  speak: {
    names: { ...OURS, rateOfFormat: 'sampleRate', format: 'format', seed: 'seed' },
    refuse: native('speak', { turn: 'a', text: 'Hello.', format: 'mp3' }),
  },
  append: {
    names: { ...OURS, format: 'format', seed: 'seed' },
    refuse: native('append', { turn: 'a', text: 'Hi.' }),
  },
  configure: {
    names: { ...OURS, rateOfFormat: 'sampleRate', format: 'format', seed: 'seed' },
    refuse: native('configure', { format: 'mp3' }),
  },
  'upgrade /v1/session': {
    names: { ...OURS, rateOfFormat: 'sampleRate', format: 'format', seed: 'seed' },
    refuse: upgrade(dialect('native'), '/v1/session', { format: 'mp3' }),
  },
  'POST /v1/audio/speech (OpenAI)': {
    names: { voice: 'voice', speed: 'speed', format: 'response_format', text: 'input' },
    refuse: vendor(
      readOpenAiSpeech,
      { input: 'Hello.', voice: 'voice://a' },
      'voice',
      (body) => (body as { voice: string }).voice,
    ),
  },
  'POST /v1/text-to-speech (ElevenLabs)': {
    names: {
      voice: 'voice_id',
      speed: 'voice_settings.speed',
      seed: 'seed',
      text: 'text',
      language: 'language_code',
    },
    refuse: vendor(
      (body) => readElevenLabsSpeech((body as { voice_id: string }).voice_id, body, {}),
      { text: 'Hello.', voice_id: 'voice://a' },
      'voice_id',
      (body) => (body as { voice_id: string }).voice_id,
    ),
  },
  'upgrade stream-input (ElevenLabs), voice': {
    names: { voice: 'voice_id' },
    refuse: upgrade(dialect('elevenlabs'), (_, given) => `/v1/text-to-speech/${String(given)}/stream-input`),
  },
  'upgrade stream-input (ElevenLabs)': {
    names: { format: 'output_format', seed: 'seed', language: 'language_code' },
    refuse: upgrade(dialect('elevenlabs'), '/v1/text-to-speech/anna/stream-input'),
  },
  'POST /v1/speak (Deepgram)': {
    names: {
      voice: 'model',
      speed: 'speed',
      rate: 'sample_rate',
      rateOfFormat: 'sample_rate',
      format: 'encoding',
    },
    refuse: vendor(
      (query) =>
        readDeepgramSpeech(
          { text: 'Hello.' },
          Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)])),
        ),
      { model: 'anna', encoding: 'mp3' },
      'model',
      (query) => (query as { model: string }).model.replace('anna', 'voice://a'),
    ),
  },
  'upgrade /v1/speak (Deepgram)': {
    names: { voice: 'model', speed: 'speed', rate: 'sample_rate', format: 'encoding' },
    refuse: upgrade(dialect('deepgram-v1'), '/v1/speak'),
  },
  'upgrade /v2/speak (Deepgram)': {
    names: { voice: 'model', speed: 'speed', rate: 'sample_rate', format: 'encoding' },
    refuse: upgrade(dialect('deepgram-v2'), '/v2/speak', { model: 'anna' }),
  },
  'POST /tts/bytes (Cartesia)': {
    names: {
      voice: 'voice',
      speed: 'generation_config.speed',
      rate: 'output_format.sample_rate',
      rateOfFormat: 'output_format.sample_rate',
      format: 'output_format.container',
      text: 'transcript',
      language: 'language',
    },
    refuse: vendor(
      (body) => readCartesiaSpeech(body, 'bytes'),
      CARTESIA,
      'voice',
      (body) => (body as { voice: string }).voice,
    ),
  },
  'message of /tts/websocket (Cartesia)': {
    names: {
      voice: 'voice',
      rate: 'output_format.sample_rate',
      format: 'output_format.encoding',
      language: 'language',
    },
    refuse(name, given) {
      const least = {
        voice: 'anna',
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 8000 },
      };
      const read = readCartesiaOpening(withField(least, name, given));
      return read.ok ? messageOf(() => applySettings(settings, read.opening.fields)) : read.message;
    },
  },
  'POST /jambonz/tts': {
    names: { voice: 'voice', text: 'text', format: 'type' },
    refuse: vendor(
      (body) => readJambonzSpeech(body, undefined),
      TEXT,
      'voice',
      (body) => (body as { voice: string }).voice,
    ),
  },
  'upgrade /jambonz/tts': {
    names: { voice: 'voice', rate: 'sampleRate' },
    refuse: upgrade(dialect('jambonz'), '/jambonz/tts'),
  },
};

const FREE_FORM = new Set(['POST /jambonz/tts type']);

describe.each(Object.entries(WAYS))('%s', (way, { names, refuse }) => {
  it.each(Object.entries(names) as [Fault, string][])('names the field of a wrong %s, %s', (fault, name) => {
    const { given, told } = FAULTS[fault];
    const message = refuse(name, given);
    expect(message, `${way} has taken ${name}`).toBeDefined();
    // By its name there, at the beginning, so that a program may find it, too.
    expect(message!.startsWith(`${name}: `), message).toBe(true);
    if (!FREE_FORM.has(`${way} ${name}`)) expect(message).toMatch(told);
    expect(message).not.toContain('secret');
    expect(message!.length).toBeLessThan(1000);
  });
});

describe('say', () => {
  it.each([
    ['speed', '99', '0.1 to 5'],
    ['sample-rate', '7999', '8000 to 48000'],
    ['format', 'aiff', 'mulaw, alaw'],
    ['language', 'klingon', 'afrikaans, '],
    ['seed', '-1', 'a number from 0 to 9007199254740992'],
  ])('names its flag --%s, %s', (flag, given, allowed) => {
    expect(() => readSound({ [flag]: given })).toThrow(
      `--${flag} is ${JSON.stringify(given)}; allowed: ${allowed}`,
    );
  });
});

describe('what was given', () => {
  const schema = z.strictObject({
    text: z.string().max(3),
    format: z.enum(['mp3', 'wav']),
    n: z.int().optional(),
  });
  const told = (given: unknown) => {
    try {
      return checkFields(schema, given, 'body');
    } catch (thrown) {
      return (thrown as AppError).message;
    }
  };

  it('is a name, a number or a count of characters, and never a text', () => {
    expect(told({ text: 'abcd', format: 'mp3' })).toBe(
      'text: must have at most 3 characters (got 4 characters)',
    );
    expect(told({ text: 'a', format: 'opus' })).toBe('format: must be one of mp3, wav (got "opus")');
    expect(told({ text: 'a', format: 'two words' })).toBe(
      'format: must be one of mp3, wav (got 9 characters)',
    );
    expect(told({ text: 'a', format: 'mp3', n: '7' })).toBe('n: must be a number (got "7")');
    expect(told({ text: ['a'], format: 'mp3' })).toBe('text: must be a text (got a list of 1)');
    expect(told({ format: 'mp3' })).toBe('text: must be a text; it is missing');
    expect(told({ text: 'a', format: 'mp3', colour: 'red' })).toBe(
      'colour: is no field here; there are text, format, n',
    );
    expect(told([])).toBe('body: must be an object (got a list of 0)');
    expect(told('x'.repeat(1e6))).toBe('body: must be an object (got 1000000 characters)');
    const wild = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${'k'.repeat(200)}${at}`, 1]));
    expect((told({ text: 'a', format: 'mp3', ...wild }) as string).length).toBeLessThan(500);
  });

  it('is told of a check by hand in the same form, with the field for programs', () => {
    const error = fieldError({
      field: 'agent',
      allowed: 'there is no agent of this id',
      name: 'x y',
      todo: 'make one',
    });
    expect(error).toMatchObject({
      code: 'invalid_request',
      field: 'agent',
      message: 'agent: there is no agent of this id (got "x y"); make one',
    });
    expect(fieldError({ field: 'a', allowed: 'must be b', given: 'spoken words' }).message).toBe(
      'a: must be b (got 12 characters)',
    );
  });
});
