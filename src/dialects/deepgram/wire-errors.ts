// Failures in this protocol's own codes: DOMAIN-NNNN in messages, and the close codes that go with them. The product's
// own code is told beside, because the protocol has one for everything that is not the client's doing.

import { ERROR_TABLE, type ErrorCode } from '../../base/app-error.ts';
import { renamedMessage } from '../field-names.ts';
import type { EventOf } from '../native-events.ts';

type WireCode = 'MESSAGE-0000' | 'DATA-0000' | 'BIG-0000' | 'NET-0000' | 'NET-0004';

const WIRE_CODES: Readonly<Record<string, WireCode>> = {
  invalid_json: 'MESSAGE-0000',
  unexpected_binary: 'MESSAGE-0000',
  invalid_request: 'DATA-0000',
  unknown_type: 'DATA-0000',
  payload_too_large: 'BIG-0000',
  text_too_long: 'BIG-0000',
  text_full: 'BIG-0000',
  idle_timeout: 'NET-0004',
};
const CLOSE_CODES: Partial<Record<ErrorCode, number>> = {
  idle_timeout: 1011,
  slow_reader: 1011,
  rate_limited: 1008,
  ended_by_operator: 1008,
};
/** Whatever is not told apart above is the server's, or the speech service's. */
const SERVER_FAULT = 'NET-0000';

const wireCodeOf = (code: string): WireCode =>
  Object.hasOwn(WIRE_CODES, code) ? WIRE_CODES[code]! : SERVER_FAULT;

export const wireCloseCode = (code: ErrorCode): number => CLOSE_CODES[code] ?? ERROR_TABLE[code].close;

/** What this protocol calls our fields. */
export const FIELD_NAMES = {
  ...{ voice: 'model', voice2: 'model', outputFormat: 'encoding', sampleRate: 'sample_rate' },
} as const;

export type WireFailure = Pick<EventOf<'error'>, 'code' | 'message' | 'retryable' | 'retryAfterMs'>;

export const errorMessage = ({ code, message, retryable, retryAfterMs }: WireFailure) => ({
  type: 'Error',
  code: wireCodeOf(code),
  description: renamedMessage(message, FIELD_NAMES),
  voxgate_code: code,
  retryable,
  ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
});

/** Some clients read `description`, others `warn_msg`. */
export const warningMessage = (code: string, description: string) => ({
  type: 'Warning',
  code,
  description,
  warn_msg: description,
});
