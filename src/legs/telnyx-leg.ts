// Telnyx media streaming, bidirectional with `stream_bidirectional_mode: "rtp"`: JSON, the payload of RTP packets in
// base64 without their headers, so 16-bit samples are big-endian (RFC 3551 4.5.11). A message holds 20 ms to 30 s. What
// we send has to be what `media_format` tells of the other direction: both codecs are to be asked for alike.

import { createJsonCodec, type JsonLegTable } from './json-leg.ts';
import { fieldsOf, textOf } from './json-message.ts';
import type { Leg } from './leg.ts';

const TELNYX: JsonLegTable = {
  rules: { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 16_000, stepMs: 20, shortestMs: 20 },
  byteOrder: 'big-endian',
  readStart(message) {
    const start = fieldsOf(message.start);
    const { encoding, sample_rate: sampleRate, channels } = fieldsOf(start.media_format);
    const stream = textOf(message.stream_id);
    if (stream === undefined) return undefined;
    const token = textOf(fieldsOf(start.custom_parameters).token);
    return {
      stream,
      callId: textOf(start.call_control_id),
      token,
      audio: { encoding, sampleRate, channels },
    };
  },
  // Complaints about what was sent: nothing that the call's session could do about it.
  events: { error: () => [] },
  media: (payload) => ({ event: 'media', media: { payload } }),
  mark: (name) => ({ event: 'mark', mark: { name } }),
  clear: () => ({ event: 'clear' }),
};

export const telnyxLeg: Leg = { kind: 'telnyx', protocols: [], open: () => createJsonCodec(TELNYX) };
