import { describe, expect, it } from 'vitest';
import {
  brokenError,
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
      sent,
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
      expect(refusedError({ ...answer, body }, [], sent).message).toMatch(/does not say which/);
  });
});

describe('what was sent', () => {
  const answer = { status: 400, retryAfter: undefined, date: undefined };
  const refusal = (message: string, path: string, body: object) =>
    refusedError(
      { ...answer, body: JSON.stringify({ message }) },
      [],
      sentFields(path, JSON.stringify(body)),
    );

  it('is what the service was sent, not what the turn had', () => {
    const body = { model: 'tts-1', input: 'secret words', voice: 'nobody', response_format: 'mp3' };
    expect(refusal('invalid model', '/audio/speech', body).message).toContain('(got "tts-1")');
    expect(refusal('the seed or the language is wrong', '/audio/speech', body).message).toMatch(
      /does not say which/,
    );
    const about = refusal('input is too long: secret words', '/audio/speech', body);
    expect([about.field, about.message]).toEqual(['input', expect.not.stringContaining('secret')]);
  });

  it('includes the query', () => {
    const path = '/v1/speak?model=aura-2-nobody-en&encoding=mp3';
    expect(refusal('no such model', path, { text: 'secret' }).message).toContain('"aura-2-nobody-en"');
  });
});

describe('a service that cannot be reached', () => {
  it('is told by the setting of its address', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
    expect(brokenError('upstream_unreachable', refused).message).toBe(
      'The speech service could not be reached (ECONNREFUSED); nothing listens at VOXGATE_UPSTREAM_URL: start the service, or correct the address.',
    );
  });
});
