// What the carriers have in common that put everything in JSON, audio in base64: messages told apart by `event`, a start
// message that names the stream, and the events of a call. A carrier is a table of what it says otherwise.

import type { JsonObject } from '../base/json.ts';
import { fieldsOf, parseJsonObject, textOf } from './json-message.ts';
import type { LegAudio, LegCodec, LegInput, LegRules } from './leg.ts';
import { audioInput, markInput, UNKNOWN, unservedInput } from './leg-input.ts';
import {
  type AudioFields,
  type ByteOrder,
  type NamedAudio,
  readNamedAudio,
  stepMsOf,
  swappedBytes,
} from './named-audio.ts';

export type JsonStart = {
  /** The carrier's id of the stream, which it may want back. */
  readonly stream: string;
  readonly callId: string | undefined;
  readonly token: string | undefined;
  readonly audio: AudioFields;
};

/** One whose audio is served. */
export type JsonCall = Omit<JsonStart, 'audio'> & NamedAudio;

export type JsonLegTable = {
  readonly rules: LegRules;
  /** Where more of the rules than the step follows from the audio. */
  rulesFor?(audio: LegAudio): LegRules;
  /** Undefined for what is no start of a call. */
  readStart(message: JsonObject): JsonStart | undefined;
  /** By `event`, what it says beside what all say, or in another way. */
  readonly events?: Readonly<Record<string, (message: JsonObject) => readonly LegInput[]>>;
  media(payload: string, call: JsonCall): object;
  mark(name: string, call: JsonCall): object;
  clear(call: JsonCall): object;
  /** How 16-bit samples are sent where the call does not say so; those of other formats are single bytes. */
  readonly byteOrder: ByteOrder;
};

const NO_CALL: JsonCall = {
  stream: '',
  callId: undefined,
  token: undefined,
  audio: { format: 'mulaw', sampleRate: 8000 },
  byteOrder: undefined,
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

export function createJsonCodec(table: JsonLegTable): LegCodec {
  const events = { ...eventsOfAll, ...table.events };
  let { rules } = table;
  let call: JsonCall | undefined;

  const swaps = () => call?.audio.format === 'raw' && (call.byteOrder ?? table.byteOrder) === 'big-endian';
  const readMedia = (message: JsonObject): readonly LegInput[] => {
    const { payload, track } = fieldsOf(message.media);
    if (typeof payload !== 'string') return UNKNOWN;
    // What we have said ourselves, when both tracks are asked for.
    if (track === 'outbound') return [];
    const bytes = Buffer.from(payload, 'base64');
    return audioInput(swaps() ? swappedBytes(bytes) : bytes);
  };
  const begin = (message: JsonObject): readonly LegInput[] => {
    const start = call === undefined ? table.readStart(message) : undefined;
    if (start === undefined) return UNKNOWN;
    const { callId, token } = start;
    const named = readNamedAudio(start.audio);
    if ('came' in named) return unservedInput(named, start);
    const { audio } = named;
    call = { ...start, ...named };
    rules = table.rulesFor?.(audio) ?? { ...table.rules, stepMs: stepMsOf(audio) };
    return [{ kind: 'start', callId, token, audio }];
  };

  return {
    rules: () => rules,
    read(frame) {
      const message = parseJsonObject(frame);
      const event = message?.event;
      if (message === undefined || typeof event !== 'string') return UNKNOWN;
      if (event === 'start') return begin(message);
      if (event === 'media') return readMedia(message);
      return Object.hasOwn(events, event) ? events[event]!(message) : UNKNOWN;
    },
    media(bytes) {
      const payload = (swaps() ? swappedBytes(bytes) : Buffer.from(bytes)).toString('base64');
      return [JSON.stringify(table.media(payload, call ?? NO_CALL))];
    },
    mark: (name) => [JSON.stringify(table.mark(name, call ?? NO_CALL))],
    clear: () => [JSON.stringify(table.clear(call ?? NO_CALL))],
  };
}
