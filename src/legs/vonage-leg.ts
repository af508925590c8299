// Vonage Voice over a WebSocket: binary messages of 20 ms of 16-bit little-endian audio both ways, and JSON beside them.
// The first message tells the content type, with the `headers` of the call's endpoint flattened into it, so what is ours
// (`token`, `callId`) stands there, too. The call's own id is in none of it unless the caller puts it there.

import type { JsonObject } from '../base/json.ts';
import { bytesPerMs } from '../speech/plain-sound.ts';
import { fieldsOf, parseJsonObject, textOf } from './json-message.ts';
import type { Leg, LegAudio, LegCodec, LegInput, LegRules } from './leg.ts';
import { audioInput, markInput, UNKNOWN, unservedInput } from './leg-input.ts';
import { type NamedAudio, readNamedAudio, stepMsOf, swappedBytes } from './named-audio.ts';

const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 16_000, stepMs: 20 };
const NARROWBAND: LegAudio = { format: 'raw', sampleRate: 8000 };

function open(): LegCodec {
  let call: NamedAudio | undefined;
  let rules = RULES;

  const begin = (message: JsonObject): readonly LegInput[] => {
    if (call !== undefined) return UNKNOWN;
    const callId = textOf(message.callId) ?? textOf(message.uuid);
    const token = textOf(message.token);
    const named = readNamedAudio({ encoding: message['content-type'] });
    if ('came' in named) return unservedInput(named, { callId, token });
    call = named;
    rules = { ...RULES, stepMs: stepMsOf(named.audio) };
    return [{ kind: 'start', callId, token, audio: named.audio }];
  };
  const swaps = () => call?.byteOrder === 'big-endian';

  return {
    rules: () => rules,
    read(frame) {
      if (typeof frame !== 'string')
        return call === undefined ? UNKNOWN : audioInput(swaps() ? swappedBytes(frame) : frame);
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
      const size = rules.stepMs * bytesPerMs(call?.audio ?? NARROWBAND);
      const sent = swaps() ? swappedBytes(bytes) : bytes;
      return Array.from({ length: Math.ceil(sent.length / size) }, (_, index) =>
        sent.subarray(index * size, (index + 1) * size),
      );
    },
    mark: (name) => [JSON.stringify({ action: 'notify', payload: { name } })],
    clear: () => [JSON.stringify({ action: 'clear' })],
  };
}

export const vonageLeg: Leg = { kind: 'vonage', protocols: [], open };
