// What clients of /v1/speak and /v2/speak say. Fields that are not known are ignored; a message that cannot be read is
// an answer, not an exception, and tells nothing of the text in it.

import type { ErrorCode } from '../../base/app-error.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../base/json.ts';
import { shownValue } from '../../base/shown-value.ts';
import { NO_MESSAGE } from '../unreadable-message.ts';
import { SPEED_RULE } from './speed-rule.ts';

export type SpeakMessage = { readonly type: 'Speak'; readonly text: string };
type Bare<T extends string> = { readonly type: T };
export type V1Message = SpeakMessage | Bare<'Flush'> | Bare<'Clear'> | Bare<'Close'>;
export type V2Message =
  | SpeakMessage
  | Bare<'Flush'>
  | Bare<'Close'>
  | { readonly type: 'Interrupt'; readonly offsetMs: number | undefined }
  | { readonly type: 'Configure'; readonly speed: number | undefined };

export type Unreadable = { readonly type: 'unreadable'; readonly code: ErrorCode; readonly why: string };

const unreadable = (code: ErrorCode, why: string): Unreadable => ({ type: 'unreadable', code, why });
const wrong = (why: string) => unreadable('invalid_request', why);
function got(field: string, value: unknown): string {
  const shown = shownValue(value, { field, isSlip: true });
  return shown === undefined ? '' : ` (got ${shown})`;
}
const unknownType = (known: string, type: unknown) =>
  unreadable('unknown_type', `type: must be ${known}${got('type', type)}`);

/** /v1/speak takes no longer text in one message; /v2/speak, made for tokens, names no limit. */
const MAX_V1_CHARACTERS = 2000;

const hasMoreThan = (text: string, characters: number): boolean =>
  text.length > characters && (text.length > 2 * characters || [...text].length > characters);

const NOT_READ = unreadable('invalid_json', NO_MESSAGE);

function readFields(frame: string): JsonObject | undefined {
  const value = parseJson(frame)?.value;
  return isJsonObject(value) ? value : undefined;
}

/** JSON has a way to write numbers that are too large to be any. */
const isNumber = (value: unknown): value is number => Number.isFinite(value);

const readSpeak = ({ text }: JsonObject): SpeakMessage | Unreadable =>
  typeof text === 'string' ? { type: 'Speak', text } : wrong('Speak: text: must be a text');

export function readV1(frame: string): V1Message | Unreadable {
  const fields = readFields(frame);
  if (fields === undefined) return NOT_READ;
  const { type } = fields;
  if (type === 'Flush' || type === 'Clear' || type === 'Close') return { type };
  if (type !== 'Speak') return unknownType('Speak, Flush, Clear or Close', type);
  const speak = readSpeak(fields);
  if (speak.type === 'Speak' && hasMoreThan(speak.text, MAX_V1_CHARACTERS))
    return unreadable(
      'text_too_long',
      `Speak: text: must have at most ${MAX_V1_CHARACTERS} characters (got ${[...speak.text].length}); send it in several messages`,
    );
  return speak;
}

/** `{"type": "time_ms", "value": N}`, as `Interrupt` has it. */
function readInterrupt({ playback_offset: offset }: JsonObject): V2Message | Unreadable {
  if (offset === undefined || offset === null) return { type: 'Interrupt', offsetMs: undefined };
  const { type, value } = offset as JsonObject;
  if (type === 'time_ms' && isNumber(value) && value >= 0) return { type: 'Interrupt', offsetMs: value };
  return wrong('Interrupt: playback_offset: must be {"type": "time_ms", "value": N} with N from 0');
}

function readConfigure({ speed }: JsonObject): V2Message | Unreadable {
  if (speed === undefined || speed === null) return { type: 'Configure', speed: undefined };
  return isNumber(speed) ? { type: 'Configure', speed } : wrong(`Configure: speed: ${SPEED_RULE}${got('speed', speed)}`);
}

export function readV2(frame: string): V2Message | Unreadable {
  const fields = readFields(frame);
  if (fields === undefined) return NOT_READ;
  switch (fields.type) {
    case 'Speak':
      return readSpeak(fields);
    case 'Interrupt':
      return readInterrupt(fields);
    case 'Configure':
      return readConfigure(fields);
    case 'Flush':
      return { type: 'Flush' };
    case 'Close':
      return { type: 'Close' };
    default:
      return unknownType('Speak, Flush, Interrupt, Configure or Close', fields.type);
  }
}
