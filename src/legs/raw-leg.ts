// Our own leg, for a bridge that is written by hand: the first message tells the audio, then binary is audio both ways and
// text is JSON with one field that says what it is. Its reference is docs/legs/raw.md.

import type { JsonObject } from '../base/json.ts';
import { parseJsonObject, textOf } from './json-message.ts';
import type { Leg, LegAudio, LegCodec, LegInput, LegRules } from './leg.ts';
import { audioInput, markInput, UNKNOWN } from './leg-input.ts';

const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 16_000, stepMs: 20 };
const LOWEST_RATE = 8000;
const HIGHEST_RATE = 48_000;
/** 20 ms are whole samples at multiples of this. */
const RATE_STEP = 50;

function audioOf({ format, sampleRate }: JsonObject): LegAudio | undefined {
  if (format !== 'mulaw' && format !== 'alaw' && format !== 'raw') return undefined;
  if (typeof sampleRate !== 'number' || sampleRate % RATE_STEP !== 0) return undefined;
  return sampleRate < LOWEST_RATE || sampleRate > HIGHEST_RATE ? undefined : { format, sampleRate };
}

function readEvent({ mark, fate, digit, stop }: JsonObject): readonly LegInput[] {
  if (mark !== undefined) return fate === 'played' || fate === 'cleared' ? markInput(mark, fate) : UNKNOWN;
  if (stop === true) return [{ kind: 'stop' }];
  const pressed = textOf(digit);
  return pressed === undefined ? UNKNOWN : [{ kind: 'digit', digit: pressed }];
}

function open(): LegCodec {
  let audio: LegAudio | undefined;
  return {
    rules: () => RULES,
    read(frame) {
      if (typeof frame !== 'string') return audio === undefined ? UNKNOWN : audioInput(frame);
      const message = parseJsonObject(frame);
      if (message === undefined) return UNKNOWN;
      if (audio !== undefined) return readEvent(message);
      audio = audioOf(message);
      if (audio === undefined) return UNKNOWN;
      return [{ kind: 'start', callId: textOf(message.callId), token: textOf(message.token), audio }];
    },
    media: (bytes) => [bytes],
    mark: (name) => [JSON.stringify({ mark: name })],
    clear: () => [JSON.stringify({ clear: true })],
  };
}

export const rawLeg: Leg = { kind: 'raw', protocols: [], open };
