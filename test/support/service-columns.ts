// The ways in which speech services are asked, as the columns of the conformance suite: each kind by its usual route, and by the one
// that tells the times of words where it has one. And what only one vendor answers: its errors, and what it tells of its limits.

import type { ErrorCode } from '../../src/base/app-error.ts';
import type { RateAdvice } from '../../src/limits/rate-headers.ts';
import type { ServiceKindName } from '../../src/settings/service-kind-names.ts';
import { createHttpSpeechUpstream } from '../../src/upstream/services/http-speech-upstream.ts';
import { createServiceKind } from '../../src/upstream/services/service-kinds.ts';
import { createFakeClock } from './fake-clock.ts';
import { type Script, startScriptedUpstream } from './scripted-upstream.ts';

type AskedKind = Exclude<ServiceKindName, 'engine'>;

/** Why a kind has no column. */
export const NO_COLUMN: Readonly<Partial<Record<ServiceKindName, string>>> = {
  engine: 'is a process of the gateway that is asked as a speech-service is',
};

type Framing = {
  readonly type: string;
  readonly piece: (sound: Uint8Array | undefined) => string;
  /** Behind the last piece. */
  readonly end: string;
};
const base64 = (sound: Uint8Array | undefined) =>
  sound === undefined ? '' : Buffer.from(sound).toString('base64');
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

type ColumnPlan = {
  readonly kind: AskedKind;
  readonly model?: string;
  /** Of the route that tells times: how the sound stands in its answer. */
  readonly framing?: Framing;
};
const COLUMN_PLANS = {
  'speech-service': { kind: 'speech-service' },
  openai: { kind: 'openai' },
  'openai with times': {
    kind: 'openai',
    model: 'kokoro',
    framing: {
      type: 'application/json',
      piece: (sound) => `${JSON.stringify({ audio: base64(sound), timestamps: [] })}\n`,
      end: '',
    },
  },
  elevenlabs: { kind: 'elevenlabs' },
  'elevenlabs with times': {
    kind: 'elevenlabs',
    framing: {
      type: 'application/json',
      piece: (sound) => `${JSON.stringify({ audio_base64: base64(sound), alignment: null })}\n`,
      end: '',
    },
  },
  deepgram: { kind: 'deepgram' },
  cartesia: { kind: 'cartesia' },
  'cartesia with times': {
    kind: 'cartesia',
    framing: {
      type: 'text/event-stream',
      piece: (sound) => event({ type: 'chunk', data: base64(sound), done: false, status_code: 206 }),
      end: event({ type: 'done', done: true, status_code: 200 }),
    },
  },
} as const satisfies Readonly<Record<string, ColumnPlan>>;
export type ColumnName = keyof typeof COLUMN_PLANS;
export type Column = ColumnPlan & { readonly name: ColumnName };
export const COLUMNS: readonly Column[] = Object.entries(COLUMN_PLANS).map(([name, plan]) => ({
  ...(plan as ColumnPlan),
  name: name as ColumnName,
}));

/** The head of an answer in sound of `type`, a piece of its body, and what stands behind the last one. */
export const headOf = ({ framing }: Column, type: string) => ({ 'content-type': framing?.type ?? type });
export const pieceOf = ({ framing }: Column, sound: Uint8Array) => framing?.piece(sound) ?? sound;
export const endOf = ({ framing }: Column) => framing?.end ?? '';
export const answering =
  (column: Column, type: string, ...parts: readonly Uint8Array[]): Script =>
  (reply) => {
    reply.start(200, headOf(column, type));
    for (const part of parts) reply.write(pieceOf(column, part));
    if (endOf(column) !== '') reply.write(endOf(column));
    reply.end();
  };

export const DEADLINES = { connectMs: 2000, firstByteMs: 8000, stallMs: 3000 };
export const MAX_CONNECTIONS = 2;

export const kindOf = ({ kind, model, framing }: Column) =>
  createServiceKind(kind, { model, wordTimes: framing === undefined ? 'ours' : 'service' });

/** A service of the column's kind that answers by `script`, on sockets, and what asks it, on a clock that stands still. */
export async function openColumn(column: Column, script: Script | readonly Script[]) {
  const upstream = await startScriptedUpstream(script);
  const clock = createFakeClock();
  const transport = createHttpSpeechUpstream({
    baseUrl: new URL(`${upstream.url.origin}/base`),
    kind: kindOf(column),
    maxConnections: MAX_CONNECTIONS,
    deadlines: DEADLINES,
    clock,
  });
  const close = async () => {
    await transport.close();
    await upstream.close();
  };
  return { upstream, clock, transport, close };
}

type OwnError = readonly [status: number, body: object, code: ErrorCode, field?: string];
/** As their documents and clients have them. */
export const OWN_ERRORS: Readonly<Record<AskedKind, readonly OwnError[]>> = {
  'speech-service': [
    [401, { errorMessage: 'no such key', errorId: 'UNAUTHORIZED' }, 'upstream_unauthorized'],
    [429, { errorMessage: 'too many', errorId: 'RATE_LIMITED' }, 'upstream_rate_limited'],
    [429, { errorMessage: 'no money', errorId: 'OUT_OF_CREDITS' }, 'upstream_unauthorized'],
    [400, { errorMessage: 'voice: unknown', errorId: 'INVALID_REQUEST' }, 'upstream_rejected', 'voice'],
    [503, { errorMessage: 'full', errorId: 'BUSY' }, 'upstream_unreachable'],
  ],
  openai: [
    [401, { error: { type: 'invalid_request_error', code: 'invalid_api_key' } }, 'upstream_unauthorized'],
    [429, { error: { type: 'requests', code: 'rate_limit_exceeded' } }, 'upstream_rate_limited'],
    [429, { error: { type: 'insufficient_quota', code: 'insufficient_quota' } }, 'upstream_unauthorized'],
    [400, { error: { message: 'no', param: 'voice', code: 'invalid_value' } }, 'upstream_rejected', 'voice'],
    [404, { error: { message: 'no', code: 'model_not_found' } }, 'upstream_rejected', 'model'],
    [500, { error: { type: 'server_error' } }, 'upstream_unreachable'],
  ],
  elevenlabs: [
    [401, { detail: { status: 'invalid_api_key' } }, 'upstream_unauthorized'],
    [401, { detail: { status: 'quota_exceeded' } }, 'upstream_unauthorized'],
    [429, { detail: { status: 'too_many_concurrent_requests' } }, 'upstream_rate_limited'],
    [429, { detail: { status: 'system_busy' } }, 'upstream_rate_limited'],
    [404, { detail: { status: 'voice_not_found', message: 'no' } }, 'upstream_rejected', 'voice'],
    [422, { detail: [{ type: 'missing', loc: ['body', 'text'], msg: 'no' }] }, 'upstream_rejected', 'text'],
  ],
  deepgram: [
    [401, { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.' }, 'upstream_unauthorized'],
    [402, { err_code: 'ASR_PAYMENT_REQUIRED', err_msg: 'no' }, 'upstream_unauthorized'],
    [403, { err_code: 'INSUFFICIENT_PERMISSIONS', err_msg: 'no' }, 'upstream_unauthorized'],
    [429, { err_code: 'TOO_MANY_REQUESTS', err_msg: 'no' }, 'upstream_rate_limited'],
    [400, { err_code: 'INVALID_QUERY_PARAMETER', err_msg: 'no such model' }, 'upstream_rejected', 'voice'],
    [413, { err_code: 'PAYLOAD_TOO_LARGE', err_msg: 'no' }, 'upstream_rejected'],
  ],
  cartesia: [
    [401, { error_code: 'unauthorized', title: 'no' }, 'upstream_unauthorized'],
    [402, { error_code: 'quota_exceeded', title: 'no' }, 'upstream_unauthorized'],
    [429, { error_code: 'concurrency_limited', title: 'no' }, 'upstream_rate_limited'],
    [400, { error_code: 'voice_not_found', title: 'no', message: 'no' }, 'upstream_rejected', 'voice'],
    [500, { error_code: 'internal_error', title: 'no' }, 'upstream_unreachable'],
  ],
};

/** What the headers of an answer tell of limits and of cost; a sentence where they tell nothing. */
export const OWN_LIMITS: Readonly<
  Record<AskedKind, { readonly headers: Record<string, string>; readonly advice: RateAdvice } | string>
> = {
  'speech-service': {
    headers: { 'ratelimit-policy': '"requests";q=60;w=60', ratelimit: '"requests";r=58;t=31' },
    advice: { limit: 60, windowMs: 60_000, remaining: 58, resetMs: 31_000 },
  },
  openai: {
    headers: {
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '499',
      'x-ratelimit-reset-requests': '120ms',
    },
    advice: { limit: 500, remaining: 499, resetMs: 120 },
  },
  elevenlabs: {
    headers: {
      'current-concurrent-requests': '2',
      'maximum-concurrent-requests': '5',
      'character-cost': '27',
    },
    advice: { concurrent: 5, characterCost: 27 },
  },
  deepgram: 'its answers have no such headers',
  cartesia: 'its answers have no such headers',
};
