// A failure of ours as ElevenLabs tells one: by one of the two close codes that its clients know.

import { ERROR_TABLE, type ErrorCode } from '../../base/app-error.ts';
import { renamedMessage } from '../field-names.ts';

export type ProtocolError = {
  readonly message: string;
  /** A code of docs/errors.md, or one of the two below. */
  readonly error: string;
  readonly code: 1008 | 1011;
};

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_TABLE, code);

/** The product's own code of a failure; the vendor's own two are for what a client may not do. */
export const errorCodeOf = ({ error }: ProtocolError): ErrorCode =>
  isErrorCode(error) ? error : 'invalid_request';

/** 1008: the client must change something; 1011: it may try again. Of the codes of docs/errors.md. */
export function vendorCode(code: string): 1008 | 1011 {
  return isErrorCode(code) && ERROR_TABLE[code].http < 500 ? 1008 : 1011;
}

/** What this protocol calls the fields of a session. */
export const FIELD_NAMES = {
  voice: 'voice_id',
  voice2: 'voice_id',
  language: 'language_code',
  model: 'model_id',
  outputFormat: 'output_format',
  sampleRate: 'output_format',
} as const;

export const toProtocolError = (failure: {
  readonly code: string;
  readonly message: string;
}): ProtocolError => ({
  message: renamedMessage(failure.message, FIELD_NAMES),
  error: failure.code,
  code: vendorCode(failure.code),
});

export const tooManyContexts = (most: number): ProtocolError => ({
  message: `At most ${most} contexts may be open, and none of them is about to end; close one first.`,
  error: 'max_active_conversations',
  code: 1008,
});

export const tooManyVoices = (most: number): ProtocolError => ({
  message: `A context has at most ${most} voices here; open another context for a third one.`,
  error: 'too_many_voices',
  code: 1008,
});

/** Nothing that looks like success may stand for speech that was not heard to its end. */
export const brokeOff = (): ProtocolError =>
  toProtocolError({ code: 'upstream_broken', message: 'The text was not spoken to its end.' });
