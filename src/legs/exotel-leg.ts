// Exotel AgentStream (Voicebot applet): JSON in snake case, 16-bit little-endian at 8, 16 or 24 kHz in base64. A message
// holds 3.2 kB to 100 kB and a multiple of 320 bytes; what is smaller is heard as jitter, so the lead is longer here
// than elsewhere, and what ends a turn is filled up with silence.

import { bytesPerMs } from '../speech/plain-sound.ts';
import { createJsonCodec, type JsonLegTable } from './json-leg.ts';
import { fieldsOf, textOf } from './json-message.ts';
import type { Leg, LegAudio, LegRules } from './leg.ts';

/** Their documents call it by one name here and by another there. */
const LINEAR_NAMES: readonly unknown[] = [undefined, 'base64'];

/** Bytes of a message are a multiple of this, and as many at least. */
const STEP_BYTES = 320;
const MIN_BYTES = 3200;
const STEP_MS = 20;

const RULES: LegRules = {
  clock: 'carrier',
  leadMs: 400,
  // 3.2 kB at 8 kHz.
  leastMs: 200,
  shortestMs: 200,
  mostBytes: 96_000,
  stepMs: STEP_MS,
};

function rulesFor(audio: LegAudio): LegRules {
  const stepBytes = STEP_MS * bytesPerMs(audio);
  const stepMs = stepBytes % STEP_BYTES === 0 ? STEP_MS : STEP_BYTES / bytesPerMs(audio);
  const shortestMs = Math.max(RULES.leastMs, MIN_BYTES / bytesPerMs(audio));
  return {
    ...RULES,
    leadMs: Math.max(RULES.leadMs, 2 * shortestMs),
    leastMs: shortestMs,
    shortestMs,
    stepMs,
  };
}

const EXOTEL: JsonLegTable = {
  rules: RULES,
  rulesFor,
  byteOrder: 'little-endian',
  readStart(message) {
    const start = fieldsOf(message.start);
    const { encoding, sample_rate: sampleRate = 8000 } = fieldsOf(start.media_format);
    const stream = textOf(message.stream_sid) ?? textOf(start.stream_sid);
    if (stream === undefined) return undefined;
    const audio = { encoding: LINEAR_NAMES.includes(encoding) ? 'L16' : encoding, sampleRate };
    const token = textOf(fieldsOf(start.custom_parameters).token);
    return { stream, callId: textOf(start.call_sid), token, audio };
  },
  // It tells of a context that was reset; there is nothing to answer.
  events: { clear: () => [] },
  media: (payload, { stream }) => ({ event: 'media', stream_sid: stream, media: { payload } }),
  mark: (name, { stream }) => ({ event: 'mark', stream_sid: stream, mark: { name } }),
  clear: ({ stream }) => ({ event: 'clear', stream_sid: stream }),
};

export const exotelLeg: Leg = { kind: 'exotel', protocols: [], open: () => createJsonCodec(EXOTEL) };
