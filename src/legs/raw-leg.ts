// Our own leg, for a bridge that is written by hand: the first message tells the audio, then binary is audio both ways and
// text is JSON with one field that says what it is. Its reference is docs/legs/raw.md.

import type { JsonObject } from '../base/json.ts';
import { parseJsonObject, textOf } from './json-message.ts';
import type { Leg, LegCodec, LegInput, LegRules } from './leg.ts';
import { audioInput, markInput, UNKNOWN, unservedInput } from './leg-input.ts';
import { type NamedAudio, readNamedAudio, stepMsOf, swappedBytes } from './named-audio.ts';

const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 16_000, stepMs: 20 };
function readEvent({ mark, fate, digit, stop }: JsonObject): readonly LegInput[] {
  if (mark !== undefined) return fate === 'played' || fate === 'cleared' ? markInput(mark, fate) : UNKNOWN;
  if (stop === true) return [{ kind: 'stop' }];
  const pressed = textOf(digit);
  return pressed === undefined ? UNKNOWN : [{ kind: 'digit', digit: pressed }];
}

function open(): LegCodec {
  let call: NamedAudio | undefined;
  let rules = RULES;

  const begin = (message: JsonObject): readonly LegInput[] => {
    const { format: encoding, sampleRate, byteOrder } = message;
    const callId = textOf(message.callId);
    const token = textOf(message.token);
    const named = readNamedAudio({ encoding, sampleRate, byteOrder });
    if ('came' in named) return unservedInput(named, { callId, token });
    call = named;
    rules = { ...RULES, stepMs: stepMsOf(named.audio) };
    return [{ kind: 'start', callId, token, audio: named.audio }];
  };
  const inOrder = (bytes: Uint8Array) => (call?.byteOrder === 'big-endian' ? swappedBytes(bytes) : bytes);

  return {
    rules: () => rules,
    read(frame) {
      if (typeof frame !== 'string') return call === undefined ? UNKNOWN : audioInput(inOrder(frame));
      const message = parseJsonObject(frame);
      if (message === undefined) return UNKNOWN;
      return call === undefined ? begin(message) : readEvent(message);
    },
    media: (bytes) => [inOrder(bytes)],
    mark: (name) => [JSON.stringify({ mark: name })],
    clear: () => [JSON.stringify({ clear: true })],
  };
}

export const rawLeg: Leg = { kind: 'raw', protocols: [], open };
