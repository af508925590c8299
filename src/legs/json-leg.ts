// What the carriers have in common that put everything in JSON, audio in base64: messages told apart by `event`, a start
// message that names the stream, and the events of a call. A carrier is a table of what it says otherwise.

import type { JsonObject } from '../base/json.ts';
import { fieldsOf, parseJsonObject, textOf } from './json-message.ts';
import type { LegAudio, LegCodec, LegInput, LegRules } from './leg.ts';
import { audioInput, markInput, UNKNOWN } from './leg-input.ts';

export type JsonStart = {
  /** The carrier's id of the stream, which it may want back. */
  readonly stream: string;
  readonly callId: string | undefined;
  readonly token: string | undefined;
  readonly audio: LegAudio;
};

export type JsonLegTable = {
  readonly rules: LegRules;
  /** Undefined for a call that cannot be served. */
  readStart(message: JsonObject): JsonStart | undefined;
  /** By `event`, what it says beside what all say, or in another way. */
  readonly events?: Readonly<Record<string, (message: JsonObject) => readonly LegInput[]>>;
  media(payload: string, call: JsonStart): object;
  mark(name: string, call: JsonStart): object;
  clear(call: JsonStart): object;
  /** How 16-bit samples are sent; those of other formats are single bytes. */
  readonly byteOrder: 'little-endian' | 'big-endian';
};

const NO_CALL: JsonStart = {
  stream: '',
  callId: undefined,
  token: undefined,
  audio: { format: 'mulaw', sampleRate: 8000 },
};

const eventsOfAll: NonNullable<JsonLegTable['events']> = {
  connected: () => [],
  dtmf(message) {
    const digit = textOf(fieldsOf(message.dtmf).digit);
    return digit === undefined ? UNKNOWN : [{ kind: 'digit', digit }];
  },
  mark: (message) => markInput(fieldsOf(message.mark).name, 'echoed'),
  stop: () => [{ kind: 'stop' }],
};

const withoutOddByte = (bytes: Buffer) => bytes.subarray(0, bytes.length - (bytes.length % 2));

export function createJsonCodec(table: JsonLegTable): LegCodec {
  const events = { ...eventsOfAll, ...table.events };
  let call: JsonStart | undefined;

  const swaps = () => table.byteOrder === 'big-endian' && call?.audio.format === 'raw';
  const readMedia = (message: JsonObject): readonly LegInput[] => {
    const { payload, track } = fieldsOf(message.media);
    if (typeof payload !== 'string') return UNKNOWN;
    // What we have said ourselves, when both tracks are asked for.
    if (track === 'outbound') return [];
    const bytes = Buffer.from(payload, 'base64');
    return audioInput(swaps() ? withoutOddByte(bytes).swap16() : bytes);
  };
  const begin = (message: JsonObject): readonly LegInput[] => {
    const start = call === undefined ? table.readStart(message) : undefined;
    if (start === undefined) return UNKNOWN;
    call = start;
    const { callId, token, audio } = start;
    return [{ kind: 'start', callId, token, audio }];
  };

  return {
    rules: () => table.rules,
    read(frame) {
      const message = parseJsonObject(frame);
      const event = message?.event;
      if (message === undefined || typeof event !== 'string') return UNKNOWN;
      if (event === 'start') return begin(message);
      if (event === 'media') return readMedia(message);
      return Object.hasOwn(events, event) ? events[event]!(message) : UNKNOWN;
    },
    media(bytes) {
      const own = Buffer.from(bytes);
      const payload = (swaps() ? withoutOddByte(own).swap16() : own).toString('base64');
      return [JSON.stringify(table.media(payload, call ?? NO_CALL))];
    },
    mark: (name) => [JSON.stringify(table.mark(name, call ?? NO_CALL))],
    clear: () => [JSON.stringify(table.clear(call ?? NO_CALL))],
  };
}
