// jambonz `listen` with streaming audio both ways, which is FreeSWITCH's mod_audio_fork: binary 16-bit little-endian at the
// rate that the first text frame tells, and JSON told apart by `type`. The module marks its own audio with samples of
// 0xFFFF, so that value is never sent: it would pass for a mark. It plays nothing before it holds 640 samples, and keeps
// 30 marks.

import type { JsonObject } from '../base/json.ts';
import { fieldsOf, parseJsonObject, textOf } from './json-message.ts';
import type { Leg, LegAudio, LegCodec, LegInput, LegRules } from './leg.ts';
import { audioInput, markInput, UNKNOWN, unservedInput } from './leg-input.ts';
import { readNamedAudio, stepMsOf } from './named-audio.ts';

const RULES: LegRules = {
  clock: 'carrier',
  leadMs: 240,
  leastMs: 80,
  // 640 samples at 8 kHz, which is as much as it waits for at any rate.
  shortestMs: 80,
  mostBytes: 8000,
  stepMs: 20,
  mostMarks: 30,
};

/** −1 becomes 0, which nobody hears. */
function withoutMarkers(bytes: Uint8Array): Uint8Array {
  const clean = new Uint8Array(bytes);
  for (let at = 0; at + 1 < clean.length; at += 2) {
    if (clean[at] !== 0xff || clean[at + 1] !== 0xff) continue;
    clean[at] = 0;
    clean[at + 1] = 0;
  }
  return clean;
}

function readMark(message: JsonObject): readonly LegInput[] {
  const { name, event } = fieldsOf(message.data);
  if (event === 'playout') return markInput(name, 'played');
  return event === 'cleared' ? markInput(name, 'cleared') : UNKNOWN;
}

function open(): LegCodec {
  let audio: LegAudio | undefined;
  let rules = RULES;

  /** The call's attributes, with the verb's `metadata` among them. */
  const begin = (message: JsonObject): readonly LegInput[] => {
    const { sampleRate, mixType = 'mono' } = message;
    // What is none of its first message: each of these has the rate.
    if (sampleRate === undefined) return UNKNOWN;
    const callId = textOf(message.callSid);
    const token = textOf(message.token) ?? textOf(fieldsOf(message.metadata).token);
    const channels = mixType === 'mono' ? 1 : mixType;
    const named = readNamedAudio({ encoding: 'L16', sampleRate, channels });
    if ('came' in named) return unservedInput(named, { callId, token });
    audio = named.audio;
    rules = { ...RULES, stepMs: stepMsOf(audio) };
    return [{ kind: 'start', callId, token, audio }];
  };

  return {
    rules: () => rules,
    read(frame) {
      if (typeof frame !== 'string') return audio === undefined ? UNKNOWN : audioInput(frame);
      const message = parseJsonObject(frame);
      if (message === undefined) return UNKNOWN;
      if (audio === undefined) return begin(message);
      if (message.type === 'mark') return readMark(message);
      const digit = message.event === 'dtmf' ? textOf(message.dtmf) : undefined;
      return digit === undefined ? UNKNOWN : [{ kind: 'digit', digit }];
    },
    media: (bytes) => [withoutMarkers(bytes)],
    mark: (name) => [JSON.stringify({ type: 'mark', data: { name } })],
    clear: () => [JSON.stringify({ type: 'killAudio' })],
    hangUp: () => [JSON.stringify({ type: 'disconnect' })],
  };
}

export const jambonzLeg: Leg = {
  kind: 'jambonz',
  // The module's own name, and the one in the documents of the verb.
  protocols: ['audio.drachtio.org', 'audio.jambonz.org'],
  open,
};
