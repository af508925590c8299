// Twilio Media Streams, bidirectional (`<Connect><Stream>`): text frames of JSON, µ-law at 8 kHz in base64 both ways. Of
// what we send it knows three messages, `media`, `mark` and `clear`, each with the stream's id, which its first message
// tells. Numbers come as strings. SignalWire's cXML `<Stream>` is the same with two more codecs.

import type { JsonObject } from '../base/json.ts';
import { createJsonCodec, type JsonLegTable } from './json-leg.ts';
import { fieldsOf, linearAudio, MULAW_8K, textOf } from './json-message.ts';
import type { Leg, LegAudio, LegRules } from './leg.ts';

const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 8000, stepMs: 20 };

/** SignalWire's beside µ-law; the rate stands in the name of the encoding, or beside it. */
const WIDEBAND = /^audio\/x-L16(?:;rate=(\d+))?$/;
const WIDEBAND_RATES = [16_000, 24_000];

/** Where callers of TwiML put what is theirs: `<Parameter name="token">`. */
const TOKEN_PARAMETER = 'token';

function mulawOnly({ encoding = 'audio/x-mulaw' }: JsonObject): LegAudio | undefined {
  return encoding === 'audio/x-mulaw' ? MULAW_8K : undefined;
}

function mulawOrWideband(format: JsonObject): LegAudio | undefined {
  const wideband = WIDEBAND.exec(textOf(format.encoding) ?? '');
  return wideband === null
    ? mulawOnly(format)
    : linearAudio(wideband[1] ?? format.sampleRate, WIDEBAND_RATES);
}

const tableFor = (audioOf: (format: JsonObject) => LegAudio | undefined): JsonLegTable => ({
  rules: RULES,
  byteOrder: 'little-endian',
  readStart(message) {
    const start = fieldsOf(message.start);
    const stream = textOf(message.streamSid) ?? textOf(start.streamSid);
    const audio = audioOf(fieldsOf(start.mediaFormat));
    if (stream === undefined || audio === undefined) return undefined;
    const token = textOf(fieldsOf(start.customParameters)[TOKEN_PARAMETER]);
    return { stream, callId: textOf(start.callSid), token, audio };
  },
  media: (payload, { stream }) => ({ event: 'media', streamSid: stream, media: { payload } }),
  mark: (name, { stream }) => ({ event: 'mark', streamSid: stream, mark: { name } }),
  clear: ({ stream }) => ({ event: 'clear', streamSid: stream }),
});

const TWILIO = tableFor(mulawOnly);
const SIGNALWIRE = tableFor(mulawOrWideband);

export const twilioLeg: Leg = { kind: 'twilio', protocols: [], open: () => createJsonCodec(TWILIO) };
export const signalWireLeg: Leg = {
  kind: 'signalwire',
  protocols: [],
  open: () => createJsonCodec(SIGNALWIRE),
};
