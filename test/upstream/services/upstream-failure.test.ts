import { describe, expect, it } from 'vitest';
import type { OutgoingRequest } from '../../../src/speech/speech-request.ts';
import { createServiceKind } from '../../../src/upstream/services/service-kinds.ts';
import {
  brokenError,
  namedService,
  readErrorId,
  refusedError,
  sentFields,
} from '../../../src/upstream/services/upstream-failure.ts';

describe('error ids', () => {
  it('passes a well-formed id on', () => {
    expect(readErrorId('{"errorId":"UNAUTHORIZED","errorMessage":"x"}', ['secret'])).toBe('UNAUTHORIZED');
  });
  it.each(['', '{', '"X"', '{"errorId":"lower"}', '{"errorId":"A B"}', `{"errorId":"${'A'.repeat(41)}"}`])(
    'passes nothing of %s on',
    (body) => {
      expect(readErrorId(body, [])).toBeUndefined();
    },
  );
  it('passes nothing on that holds a secret or is part of one', () => {
    expect(readErrorId('{"errorId":"KEY_ABC"}', ['KEY_ABC'])).toBeUndefined();
    expect(readErrorId('{"errorId":"X_KEY_ABC"}', ['KEY_ABC'])).toBeUndefined();
    expect(readErrorId('{"errorId":"KEY"}', ['KEY_ABC'])).toBeUndefined();
  });
});

it('names the code of a broken connection, never its message', () => {
  const thrown = Object.assign(new Error('secret bytes'), { code: 'ECONNRESET', data: 'secret bytes' });
  const error = brokenError('upstream_broken', thrown);
  expect(error.message).toMatch(/\(ECONNRESET\)/);
  expect([error.cause, JSON.stringify(error)]).toEqual([undefined, expect.not.stringContaining('secret')]);
  for (const odd of [null, undefined, 'x', { code: 5 }, { code: 'has spaces' }])
    expect(brokenError('upstream_unreachable', odd).message).toMatch(/could not be reached; try again/);
});

describe('a request that the service refuses', () => {
  const sent = {
    voice: 'voice://nobody',
    speed: 2,
    text: 'secret words',
    prompt: 'secret manner',
    language: 'german',
  };
  const told = (errorMessage: unknown, status = 400) =>
    refusedError(
      {
        status,
        retryAfter: undefined,
        date: undefined,
        body: JSON.stringify({ errorMessage, errorId: 'INVALID_REQUEST' }),
      },
      ['the-key', 'the-user', sent.text],
      { values: sent, names: {} },
    );

  it('is told by the field that the service names, with what was sent for it', () => {
    const { code, field, message } = told('voice: there is no voice "voice://nobody" here');
    expect([code, field]).toEqual(['upstream_rejected', 'voice']);
    expect(message).toBe(
      'The speech service rejected the request (400, INVALID_REQUEST): voice: the service does not take what was sent (got "voice://nobody"); GET /api/v1/voices lists its voices, where it tells them',
    );
    expect(told('Invalid speed 2').message).toContain(
      'speed: the service does not take what was sent (got 2)',
    );
  });

  it('is told without what is spoken, and without the words of the service', () => {
    for (const words of [
      'text is too long: secret words',
      'bad prompt secret manner',
      'secret words',
      7,
      undefined,
      { a: 1 },
    ])
      expect(told(words).message).not.toMatch(/secret|too long|bad/);
    expect(told('text: secret words').field).toBe('text');
    expect(told('something secret').message).toMatch(
      /check voice and fields, the service does not say which/,
    );
  });

  it('takes an answer that is no JSON, or very long, for one that says nothing', () => {
    const answer = { status: 422, retryAfter: undefined, date: undefined };
    for (const body of [
      '',
      '<html>voice</html>',
      'null',
      '[]',
      `{"errorMessage":"${'x '.repeat(2000)}voice"}`,
    ])
      expect(refusedError({ ...answer, body }, [], { values: sent, names: {} }).message).toMatch(
        /does not say which/,
      );
  });
});

describe('the field that is refused', () => {
  const NO_VOICE: OutgoingRequest = {
    ...{ model: 'VoxDialog', text: 'secret words', prompt: 'secret manner', language: 'german', speed: 1.1 },
  };
  const WHOLE: OutgoingRequest = { ...NO_VOICE, voice: 'nobody' };
  const credentials = { userId: 'user', apiKey: 'key' };
  const refusal = (
    name: Parameters<typeof createServiceKind>[0],
    status: number,
    body: object,
    asked = WHOLE,
  ) => {
    const kind = createServiceKind(name, { model: undefined });
    const http = kind.toHttp(asked, credentials, { format: 'mp3' });
    const answer = { status, retryAfter: undefined, date: undefined, body: JSON.stringify(body) };
    return refusedError(answer, ['key', 'user'], sentFields(http.path, http.body, kind.names, asked));
  };

  it.each([
    // Our own interface, and the embedded engine.
    [
      'speech-service',
      { errorMessage: 'voice: must be a string; fields are text, voice, model' },
      NO_VOICE,
      'voice',
      undefined,
    ],
    [
      'speech-service',
      { errorMessage: 'The text cannot be spoken: there is no voice nobody' },
      WHOLE,
      'voice',
      'nobody',
    ],
    ['speech-service', { errorMessage: 'language: must be one of …' }, WHOLE, 'language', 'german'],
    ['speech-service', { errorMessage: 'speed: must be a number from 0.1 to 5' }, WHOLE, 'speed', '1.1'],
    [
      'speech-service',
      { errorMessage: 'text: must have at most 20000 characters' },
      WHOLE,
      'text',
      undefined,
    ],
    ['speech-service', { errorMessage: 'model: …' }, WHOLE, 'model', 'VoxDialog'],
    // Errors of OpenAI's interface, and of the servers made with FastAPI.
    ['openai', { error: { message: 'Invalid value', param: 'voice', code: null } }, WHOLE, 'voice', 'nobody'],
    [
      'openai',
      { error: { message: 'The input is too long for model tts-1', param: null } },
      WHOLE,
      'text',
      undefined,
    ],
    [
      'openai',
      { error: { message: 'The model does not exist', param: null, code: 'model_not_found' } },
      WHOLE,
      'model',
      'gpt-4o-mini-tts',
    ],
    [
      'openai',
      { detail: [{ loc: ['body', 'response_format'], msg: 'Input should be mp3' }] },
      WHOLE,
      'outputFormat',
      'mp3',
    ],
    ['openai', { detail: [{ loc: ['body', 'input'], msg: 'Field required' }] }, WHOLE, 'text', undefined],
    [
      'elevenlabs',
      { detail: { status: 'voice_not_found', message: 'Nothing was found.' } },
      WHOLE,
      'voice',
      'nobody',
    ],
    [
      'elevenlabs',
      { detail: { status: 'max_character_limit_exceeded', message: 'The text is over it.' } },
      WHOLE,
      'text',
      undefined,
    ],
    ['elevenlabs', { detail: { status: 'unsupported_language', message: 'No.' } }, WHOLE, 'language', 'de'],
    ['deepgram', { err_code: 'INVALID', err_msg: 'No such model was found.' }, WHOLE, 'voice', 'nobody'],
    ['deepgram', { err_msg: 'encoding is not supported' }, WHOLE, 'outputFormat', 'mp3'],
    [
      'cartesia',
      { title: 'x', message: 'The voice was not found', error_code: 'voice_not_found' },
      WHOLE,
      'voice',
      'nobody',
    ],
    ['cartesia', { message: 'transcript: is too long' }, WHOLE, 'text', undefined],
  ] as const)('by %s: %j', (kind, body, asked, field, shown) => {
    const error = refusal(kind, 400, body, asked);
    expect([error.code, error.field]).toEqual(['upstream_rejected', field]);
    expect(error.message).toContain(`(400): ${field}: `);
    if (shown === undefined) expect(error.message).not.toContain('got');
    else expect(error.message).toMatch(new RegExp(`\\(got "?${shown}"?\\); `));
    expect(error.message).not.toContain('secret');
  });

  it('that was not sent is said to be wanted', () => {
    const { message } = refusal(
      'speech-service',
      400,
      { errorMessage: 'voice: is missing; text is there' },
      NO_VOICE,
    );
    expect(message).toContain(
      'voice: the service wants it, and none was given; GET /api/v1/voices lists its voices',
    );
  });

  it('is none where the words of a sentence name what was not sent', () => {
    expect(refusal('openai', 400, { message: 'the seed or the language is wrong' }).message).toMatch(
      /does not say which/,
    );
  });
});

describe('a service that cannot be reached', () => {
  it('is told by the setting of its address', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
    expect(brokenError('upstream_unreachable', refused).message).toBe(
      'The speech service could not be reached (ECONNREFUSED); nothing listens at VOXGATE_UPSTREAM_URL: start the service, or correct the address.',
    );
    expect(brokenError('upstream_unreachable', refused, namedService('kokoro')).message).toBe(
      'The speech service "kokoro" could not be reached (ECONNREFUSED); nothing listens at url of "kokoro" in upstreams: start the service, or correct the address.',
    );
    const odd = Object.assign(new Error('x'), { code: 'ECONNRESET' });
    expect(brokenError('upstream_unreachable', odd, namedService('kokoro')).message).toMatch(
      /\(ECONNRESET\); try again, the operator checks url of "kokoro" in upstreams and the service\.$/,
    );
    const denied = { status: 401, retryAfter: undefined, date: undefined, body: '' };
    expect(refusedError(denied, [], undefined, namedService('kokoro')).message).toBe(
      'The speech service "kokoro" refused the configured key (401); check keys of "kokoro" in upstreams.',
    );
  });

  it.each([
    [402, ''],
    [401, '{"detail":{"status":"quota_exceeded","message":"Key sk-1 has none left."}}'],
    [403, '{"errorId":"OUT_OF_CREDITS"}'],
    [429, '{"error":{"code":"insufficient_quota"}}'],
  ])('tells an account without money from a wrong key: %d %s', (status, body) => {
    const error = refusedError({ status, retryAfter: undefined, date: undefined, body }, []);
    expect(error.code).toBe('upstream_unauthorized');
    expect(error.message).toMatch(
      /^The speech service says that the account of the configured key has nothing left \(\d{3}/,
    );
    expect(error.message).not.toContain('sk-1');
  });
});
