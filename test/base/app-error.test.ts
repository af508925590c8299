// Every code of the table, on every way in: its words reach the caller whole, and say what to do. The rows are the table's own, so
// a code that is added is tested with it.

import { describe, expect, it } from 'vitest';
import {
  closedError,
  mayTryAgain,
  refusedError as refusedSession,
} from '../../packages/client/src/session-error.ts';
import { toVoxgateError } from '../../packages/client/src/voxgate-error.ts';
import { AppError, ERROR_TABLE, type ErrorCode, toErrorBody } from '../../src/base/app-error.ts';
import { rawRefusal } from '../../src/base/error-reply.ts';
import { errorMessage as cartesiaMessage } from '../../src/dialects/cartesia/cartesia-messages.ts';
import { errorMessage as deepgramMessage } from '../../src/dialects/deepgram/wire-errors.ts';
import { toProtocolError } from '../../src/dialects/elevenlabs/protocol-error.ts';
import { errorEvent } from '../../src/dialects/error-event.ts';
import { renamedError } from '../../src/dialects/field-names.ts';
import { jambonzDialect } from '../../src/dialects/jambonz-dialect.ts';
import { encodeNative } from '../../src/dialects/native-dialect.ts';
import { CARTESIA } from '../../src/http/compat/cartesia-routes.ts';
import { DEEPGRAM } from '../../src/http/compat/deepgram-routes.ts';
import { ELEVENLABS } from '../../src/http/compat/elevenlabs-routes.ts';
import { JAMBONZ } from '../../src/http/compat/jambonz-routes.ts';
import { OPENAI } from '../../src/http/compat/openai-routes.ts';
import type { Vendor } from '../../src/http/compat/vendor-scope.ts';
import { refusedError } from '../../src/upstream/services/upstream-failure.ts';

const CODES = Object.keys(ERROR_TABLE) as ErrorCode[];
const WHAT = 'This is what happened';

const byVendor = (vendor: Vendor) => (error: AppError) =>
  JSON.stringify(vendor.toBody({ error, status: error.http, field: error.field, requestId: 'r' }));

/** All that a caller of each way gets of a refusal. */
const WAYS: Readonly<Record<string, (error: AppError) => string | Promise<string>>> = {
  REST: (error) => JSON.stringify(toErrorBody(error)),
  'an upgrade, of a session or a leg': (error) => rawRefusal(error),
  'a session': (error) => encodeNative(errorEvent(error, 'turn-1')),
  'OpenAI, HTTP': byVendor(OPENAI),
  'ElevenLabs, HTTP': byVendor(ELEVENLABS),
  'Deepgram, HTTP': byVendor(DEEPGRAM),
  'Cartesia, HTTP': byVendor(CARTESIA),
  'jambonz, HTTP': byVendor(JAMBONZ),
  'ElevenLabs, WebSocket': (error) => JSON.stringify(toProtocolError(errorEvent(error))),
  'Deepgram, WebSocket': (error) => JSON.stringify(deepgramMessage(errorEvent(error))),
  'Cartesia, WebSocket': (error) =>
    JSON.stringify(cartesiaMessage('a', 'ends-context', errorEvent(error), 'r')),
  'jambonz, WebSocket'(error) {
    const sent: string[] = [];
    const entry = jambonzDialect.enter({
      path: '/jambonz/tts',
      query: new URLSearchParams(),
      headers: {},
      protocols: [],
    })!;
    const codec = entry.open({
      newId: () => 'id',
      carryOut() {},
      send: (message) => void sent.push(String(message)),
      close() {},
    });
    codec.event(errorEvent(error));
    // What the dialect mends by itself is not told.
    return error.code === 'turn_ended' || error.code === 'unknown_turn' ? error.message : sent.join();
  },
  'the command line': async (error) =>
    (await toVoxgateError(new Response(JSON.stringify(toErrorBody(error)), { status: error.http }))).message,
};

describe.each(CODES)('%s', (code) => {
  const { remedy } = ERROR_TABLE[code];
  const error = new AppError(code, `${WHAT}.`);

  it('says what happened and what to do, once', () => {
    expect(error.message).toBe(remedy === undefined ? `${WHAT}.` : `${WHAT}; ${remedy}.`);
    expect(new AppError(code, error.message).message).toBe(error.message);
    const own = `${WHAT}; do this.`;
    expect(new AppError(code, own).message).toBe(own);
  });

  it.each(Object.entries(WAYS))('%s', async (_way, told) => {
    expect(await told(error)).toContain(error.message);
  });

  it('may be tried again, or not, whichever way a client hears of it', () => {
    const { http: status, close, retryable, ...row } = ERROR_TABLE[code];
    const errorId = 'errorId' in row ? row.errorId : code.toUpperCase();
    const refused = refusedSession('words', { by: 'gateway', status, errorId, retryAfterMs: undefined });
    expect([closedError(close, code).isRetryable, closedError(close, code).code]).toEqual([retryable, code]);
    // The interface has one id of another code.
    expect(refused.isRetryable).toBe(errorId === code.toUpperCase() ? retryable : false);
    expect(mayTryAgain({ code, status: 200, closeCode: 1008, systemCode: 'ECONNRESET' })).toBe(retryable);
  });
});

describe('a field that a speech service does not take', () => {
  const answer = { status: 400, retryAfter: undefined, date: undefined };
  const refusal = (name: 'voice' | 'text') =>
    refusedError({ ...answer, body: JSON.stringify({ errorMessage: `${name}: no` }) }, [], {
      values: { voice: 'nobody', text: 'secret' },
      names: {},
    });
  const at = (names: Readonly<Record<string, string>>, name: 'voice' | 'text') => {
    const { field, message } = renamedError(refusal(name), names);
    return [field, message.split(' (400): ')[1]?.split(': ')[0]];
  };

  it.each([
    ['our own', {}, 'voice', 'text'],
    ['OpenAI, HTTP', OPENAI.fieldNames, 'voice', 'input'],
    ['ElevenLabs, HTTP', ELEVENLABS.fieldNames, 'voice_id', 'text'],
    ['Deepgram, HTTP', DEEPGRAM.fieldNames, 'model', 'text'],
    ['Cartesia, HTTP', CARTESIA.fieldNames, 'voice', 'transcript'],
    ['jambonz, HTTP', JAMBONZ.fieldNames, 'voice', 'text'],
  ])('has the name of %s', (_way, names, voice, text) => {
    expect([at(names, 'voice'), at(names, 'text')]).toEqual([
      [voice, voice],
      [text, text],
    ]);
  });

  it.each([
    ['Deepgram', (error: AppError) => deepgramMessage(errorEvent(error)), 'model', 'text'],
    ['ElevenLabs', (error: AppError) => toProtocolError(errorEvent(error)), 'voice_id', 'text'],
    [
      'Cartesia',
      (error: AppError) => cartesiaMessage('a', 'ends-context', errorEvent(error), 'r'),
      'voice',
      'transcript',
    ],
  ] as const)('has the name of %s, WebSocket', (_way, told, voice, text) => {
    expect(JSON.stringify(told(refusal('voice')))).toContain(`(400): ${voice}: the service`);
    expect(JSON.stringify(told(refusal('text')))).toContain(`(400): ${text}: the service`);
  });
});

describe('the table', () => {
  it('has no remedy only where each message names a field and what is allowed there', () => {
    expect(CODES.filter((code) => ERROR_TABLE[code].remedy === undefined)).toEqual([
      ...['invalid_json', 'invalid_request', 'unknown_type', 'unsupported_media_type'],
    ]);
  });

  it('says in few words what somebody can do, without a second half of its own', () => {
    for (const code of CODES)
      expect(ERROR_TABLE[code].remedy ?? 'x').toMatch(/^[a-zA-Z][^;]{1,90}[a-zA-Z]$|^x$/);
  });
});
