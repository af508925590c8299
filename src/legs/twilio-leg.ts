// Twilio Media Streams, bidirectional (`<Connect><Stream>`): text frames of JSON, µ-law at 8 kHz in base64 both ways. Of
// what we send it knows three messages, `media`, `mark` and `clear`, each with the stream's id, which its first message
// tells; when a `clear` is sent is decided in playout/leg-playout.ts. Numbers come as strings. SignalWire's cXML `<Stream>` is the same with more codecs, whose rate stands in the name
// of the encoding or beside it; what Twilio names beyond µ-law is served as there.

import { createJsonCodec, type JsonLegTable } from './json-leg.ts';
import { fieldsOf, textOf } from './json-message.ts';
import type { Leg, LegRules } from './leg.ts';

const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 8000, stepMs: 20 };

/** Where callers of TwiML put what is theirs: `<Parameter name="token">`. */
const TOKEN_PARAMETER = 'token';

const TABLE: JsonLegTable = {
  rules: RULES,
  byteOrder: 'little-endian',
  readStart(message) {
    const start = fieldsOf(message.start);
    const stream = textOf(message.streamSid) ?? textOf(start.streamSid);
    if (stream === undefined) return undefined;
    const { encoding = 'audio/x-mulaw', sampleRate, channels } = fieldsOf(start.mediaFormat);
    const token = textOf(fieldsOf(start.customParameters)[TOKEN_PARAMETER]);
    return { stream, callId: textOf(start.callSid), token, audio: { encoding, sampleRate, channels } };
  },
  media: (payload, { stream }) => ({ event: 'media', streamSid: stream, media: { payload } }),
  mark: (name, { stream }) => ({ event: 'mark', streamSid: stream, mark: { name } }),
  clear: ({ stream }) => ({ event: 'clear', streamSid: stream }),
};
const open = () => createJsonCodec(TABLE);

export const twilioLeg: Leg = { kind: 'twilio', protocols: [], open };
export const signalWireLeg: Leg = { kind: 'signalwire', protocols: [], open };
