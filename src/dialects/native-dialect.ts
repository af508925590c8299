// The native protocol: text frame → command or refusal, event → text frame.

import type { z } from 'zod';
import { AppError, type ErrorCode } from '../base/app-error.ts';
import { readBySchema } from '../base/check-fields.ts';
import { isJsonObject, parseJson } from '../base/json.ts';
import { shownValue } from '../base/shown-value.ts';
import type { Dialect, DialectCodec, DialectSink } from './dialect.ts';
import { errorEvent } from './error-event.ts';
import type { ConnectionEvent, ServerEvent } from './native-events.ts';
import { type ClientCommand, clientMessageSchemas } from './native-messages.ts';
import { RESUME, readClaim, readOutlives, readPreset } from './session-preset.ts';
import { NO_MESSAGE, NOT_JSON } from './unreadable-message.ts';

export type Decoded =
  | { readonly ok: true; readonly command: ClientCommand }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      /** The turn that the refused message named, when it named one. */
      readonly turn: string | undefined;
    };

export function decodeNative(frame: string): Decoded {
  const json = parseJson(frame);
  if (json === undefined) return { ok: false, code: 'invalid_json', message: NOT_JSON, turn: undefined };
  const { value } = json;
  if (!isJsonObject(value)) {
    return {
      ok: false,
      code: 'invalid_request',
      message: NO_MESSAGE,
      turn: undefined,
    };
  }
  const named = value.turn;
  const turn = typeof named === 'string' && named.length >= 1 && named.length <= 64 ? named : undefined;
  const type = value.type;
  if (typeof type !== 'string' || !Object.hasOwn(clientMessageSchemas, type)) return refuseType(type, turn);
  const schema: z.ZodType<ClientCommand> = clientMessageSchemas[type as keyof typeof clientMessageSchemas];
  const read = readBySchema(schema, value, 'message');
  if (read.ok) return { ok: true, command: read.value };
  return { ok: false, code: 'invalid_request', message: `${type}: ${read.message}`, turn };
}

function refuseType(type: unknown, turn: string | undefined): Decoded {
  const allowed = `must be one of ${Object.keys(clientMessageSchemas).join(', ')}`;
  const given = shownValue(type, { field: 'type', isSlip: true });
  const got = given === undefined ? '; it is missing' : ` (got ${given})`;
  return { ok: false, code: 'unknown_type', message: `type: ${allowed}${got}`, turn };
}

export const encodeNative = (event: ServerEvent | ConnectionEvent): string => JSON.stringify(event);

/** Audio as text, built without a detour over an object: this is the hot path of base64 clients. */
export const encodeAudio = (turn: string, seq: number, atMs: number, bytes: Uint8Array): string =>
  `{"type":"audio","turn":${JSON.stringify(turn)},"seq":${seq},"ms":${Math.round(atMs * 1000) / 1000},"data":"${Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    bytes.byteLength,
  ).toString('base64')}"}`;

const SESSION_PATH = '/v1/session';
const SUBPROTOCOL = 'voxgate.v1';
/** A browser can set no header, but offer subprotocols; this one is never selected, so it is not echoed. */
const TOKEN_PROTOCOL = 'token.';
/** As `TOKEN_PROTOCOL`, of one that comes back. */
const RESUME_PROTOCOL = 'resume.';

/** No cancel is longer; what is longer is not looked at before its turn. */
const MAX_CANCEL_CHARS = 400;

/** A cancel may be carried out twice: what it names has ended then, or has been opened in between. */
function isCancel(frame: string): boolean {
  if (frame.length > MAX_CANCEL_CHARS || !frame.includes('cancel')) return false;
  const value = parseJson(frame)?.value;
  return isJsonObject(value) && value.type === 'cancel';
}

function createCodec({ carryOut, send }: DialectSink): DialectCodec {
  return {
    isUrgent: isCancel,
    receive(frame) {
      const decoded = decodeNative(frame);
      if (decoded.ok) return carryOut(decoded.command);
      send(encodeNative(errorEvent(new AppError(decoded.code, decoded.message), decoded.turn)));
    },
    event: (event) => send(encodeNative(event)),
    audio({ turn, encoding, seq, atMs, bytes }) {
      send(encoding === 'binary' ? bytes : encodeAudio(turn, seq, atMs, bytes));
    },
  };
}

export const nativeDialect: Dialect = {
  name: 'native',
  enter({ path, query, protocols }) {
    if (path !== SESSION_PATH) return undefined;
    const offered = (prefix: string) =>
      protocols.find((name) => name.startsWith(prefix))?.slice(prefix.length);
    const token = offered(TOKEN_PROTOCOL);
    const resume = query.get(RESUME) ?? offered(RESUME_PROTOCOL);
    return {
      caller: 'headers',
      ...(token !== undefined && { token }),
      ...(resume !== undefined && { comesBack: { token: resume, claim: () => readClaim(query) } }),
      outlives: () => readOutlives(query),
      ...(protocols.includes(SUBPROTOCOL) && { protocol: SUBPROTOCOL }),
      preset: () => readPreset(query),
      open: createCodec,
    };
  },
};
