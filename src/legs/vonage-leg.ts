// Vonage Voice over a WebSocket: binary messages of 20 ms of 16-bit little-endian audio both ways, and JSON beside them.
// The first message tells the content type, with the `headers` of the call's endpoint flattened into it, so what is ours
// (`token`, `callId`) stands there, too. The call's own id is in none of it unless the caller puts it there.

import type { JsonObject } from '../base/json.ts';
import { fieldsOf, linearAudio, parseJsonObject, textOf } from './json-message.ts';
import type { Leg, LegAudio, LegCodec, LegInput, LegRules } from './leg.ts';
import { audioInput, markInput, UNKNOWN } from './leg-input.ts';

const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 16_000, stepMs: 20 };
const RATES = [8000, 16_000];
const MESSAGES_PER_SECOND = 50;

const audioOf = (contentType: unknown): LegAudio | undefined =>
  linearAudio(/^audio\/l16; ?rate=(\d+)$/i.exec(textOf(contentType) ?? '')?.[1], RATES);

function open(): LegCodec {
  let audio: LegAudio | undefined;

  const begin = (message: JsonObject): readonly LegInput[] => {
    const told = audio === undefined ? audioOf(message['content-type']) : undefined;
    if (told === undefined) return UNKNOWN;
    audio = told;
    const callId = textOf(message.callId) ?? textOf(message.uuid);
    return [{ kind: 'start', callId, token: textOf(message.token), audio }];
  };

  return {
    rules: () => RULES,
    read(frame) {
      if (typeof frame !== 'string') return audio === undefined ? UNKNOWN : audioInput(frame);
      const message = parseJsonObject(frame);
      switch (message?.event) {
        case 'websocket:connected':
          return begin(message);
        case 'websocket:dtmf': {
          const digit = textOf(message.digit);
          return digit === undefined ? UNKNOWN : [{ kind: 'digit', digit }];
        }
        case 'websocket:notify':
          return markInput(fieldsOf(message.payload).name, 'echoed');
        case 'websocket:cleared':
          return [];
        default:
          return UNKNOWN;
      }
    },
    media(bytes) {
      const size = ((audio?.sampleRate ?? 8000) * 2) / MESSAGES_PER_SECOND;
      return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
    },
    mark: (name) => [JSON.stringify({ action: 'notify', payload: { name } })],
    clear: () => [JSON.stringify({ action: 'clear' })],
  };
}

export const vonageLeg: Leg = { kind: 'vonage', protocols: [], open };
