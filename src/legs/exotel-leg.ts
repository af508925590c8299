// Exotel AgentStream (Voicebot applet): JSON in snake case, 16-bit little-endian at 8, 16 or 24 kHz in base64. A message
// holds 3.2 kB to 100 kB and a multiple of 320 bytes; what is smaller is heard as jitter, so the lead is longer here
// than elsewhere, and what ends a turn is filled up with silence.

import { createJsonCodec, type JsonLegTable } from './json-leg.ts';
import { fieldsOf, linearAudio, textOf } from './json-message.ts';
import type { Leg } from './leg.ts';

const RATES = [8000, 16_000, 24_000];
/** Their documents call it by one name here and by another there. */
const LINEAR_ENCODINGS: readonly unknown[] = [undefined, 'audio/x-raw', 'base64', 'raw/slin', 'audio/x-l16'];

const EXOTEL: JsonLegTable = {
  rules: {
    clock: 'carrier',
    leadMs: 400,
    // 3.2 kB at 8 kHz.
    leastMs: 200,
    shortestMs: 200,
    mostBytes: 96_000,
    stepMs: 20,
  },
  byteOrder: 'little-endian',
  readStart(message) {
    const start = fieldsOf(message.start);
    const { encoding, sample_rate: rate = 8000 } = fieldsOf(start.media_format);
    const stream = textOf(message.stream_sid) ?? textOf(start.stream_sid);
    const audio = LINEAR_ENCODINGS.includes(encoding) ? linearAudio(rate, RATES) : undefined;
    if (stream === undefined || audio === undefined) return undefined;
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
