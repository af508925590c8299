// Twilio Media Streams, bidirectional (`<Connect><Stream>`): text frames of JSON, µ-law at 8 kHz in base64 both ways. Of
// what we send it knows three messages, `media`, `mark` and `clear`, each with the stream's id, which its first message
// tells. Numbers come as strings. SignalWire's cXML `<Stream>` is the same with two more codecs.

import { parseJsonObject, textOf } from './json-message.ts';
import type { Leg, LegAudio, LegCodec, LegFrame, LegInput, LegRules } from './leg.ts';

const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 8000, stepMs: 20 };
const MULAW: LegAudio = { format: 'mulaw', sampleRate: 8000 };

type Encodings = Readonly<Record<string, LegAudio>>;
const TWILIO: Encodings = { 'audio/x-mulaw': MULAW };
const SIGNALWIRE: Encodings = {
  ...TWILIO,
  'audio/x-L16;rate=16000': { format: 'raw', sampleRate: 16_000 },
  'audio/x-L16;rate=24000': { format: 'raw', sampleRate: 24_000 },
};

/** Where callers of TwiML put what is theirs: `<Parameter name="token">`. */
const TOKEN_PARAMETER = 'token';

function createCodec(encodings: Encodings): LegCodec {
  let streamSid = '';

  const readStart = (message: Record<string, unknown>): readonly LegInput[] => {
    const start = message.start as Record<string, unknown> | null | undefined;
    if (typeof start !== 'object' || start === null) return [{ kind: 'unknown' }];
    const { mediaFormat, customParameters } = start as Record<string, Record<string, unknown> | undefined>;
    const encoding = textOf(mediaFormat?.encoding) ?? 'audio/x-mulaw';
    const rate = Number(mediaFormat?.sampleRate ?? 8000);
    const audio = encodings[encoding] ?? encodings[`${encoding};rate=${rate}`];
    const sid = textOf(message.streamSid) ?? textOf(start.streamSid);
    if (audio === undefined || sid === undefined) return [{ kind: 'unknown' }];
    streamSid = sid;
    const token = textOf(customParameters?.[TOKEN_PARAMETER]);
    return [{ kind: 'start', callId: textOf(start.callSid), token, audio }];
  };

  const say = (event: string, fields: object = {}): readonly LegFrame[] => [
    JSON.stringify({ event, streamSid, ...fields }),
  ];

  return {
    rules: RULES,
    read(frame) {
      const message = parseJsonObject(frame);
      switch (message?.event) {
        case 'connected':
          return [];
        case 'start':
          return readStart(message);
        case 'media': {
          const payload = textOf((message.media as Record<string, unknown> | undefined)?.payload);
          return payload === undefined
            ? [{ kind: 'unknown' }]
            : [{ kind: 'audio', bytes: Buffer.from(payload, 'base64') }];
        }
        case 'mark': {
          const name = textOf((message.mark as Record<string, unknown> | undefined)?.name);
          return name === undefined ? [{ kind: 'unknown' }] : [{ kind: 'mark', name, fate: 'echoed' }];
        }
        case 'dtmf': {
          const digit = textOf((message.dtmf as Record<string, unknown> | undefined)?.digit);
          return digit === undefined ? [{ kind: 'unknown' }] : [{ kind: 'digit', digit }];
        }
        case 'stop':
          return [{ kind: 'stop' }];
        default:
          return [{ kind: 'unknown' }];
      }
    },
    media: (bytes) => say('media', { media: { payload: Buffer.from(bytes).toString('base64') } }),
    mark: (name) => say('mark', { mark: { name } }),
    clear: () => say('clear'),
  };
}

export const twilioLeg: Leg = { kind: 'twilio', protocols: [], open: () => createCodec(TWILIO) };
export const signalWireLeg: Leg = { kind: 'signalwire', protocols: [], open: () => createCodec(SIGNALWIRE) };
