// Plivo `<Stream bidirectional="true" keepCallAlive="true">`: JSON and base64, µ-law at 8 kHz or 16-bit little-endian,
// each message with its content type, which must not change. A checkpoint is told when it has been played and
// never when it was cleared. Calls were cut that had some 40 s waiting, so little is sent ahead.

import { createJsonCodec, type JsonCall, type JsonLegTable } from './json-leg.ts';
import { fieldsOf, textOf } from './json-message.ts';
import type { Leg } from './leg.ts';
import { markInput } from './leg-input.ts';

const CONTENT_TYPES = { mulaw: 'audio/x-mulaw', alaw: 'audio/x-alaw', raw: 'audio/x-l16' } as const;

/** `extraHeaders` of the XML come as one text of `name=value`; a token of ours may end in `=` nowhere. */
function headerOf(name: string, headers: unknown): string | undefined {
  const pairs = (textOf(headers) ?? '').split(/[;,]/).map((pair) => pair.trim().split('='));
  return textOf(pairs.find(([key]) => key === name)?.[1]);
}

const contentTypeOf = ({ audio }: JsonCall) => ({
  contentType: CONTENT_TYPES[audio.format],
  sampleRate: audio.sampleRate,
});

const PLIVO: JsonLegTable = {
  rules: { clock: 'carrier', leadMs: 160, leastMs: 60, mostBytes: 16_000, stepMs: 20 },
  byteOrder: 'little-endian',
  readStart(message) {
    const start = fieldsOf(message.start);
    const { encoding, sampleRate } = fieldsOf(start.mediaFormat);
    const stream = textOf(start.streamId) ?? textOf(message.streamId);
    if (stream === undefined) return undefined;
    const token = headerOf('token', message.extra_headers);
    return { stream, callId: textOf(start.callId), token, audio: { encoding, sampleRate } };
  },
  events: {
    mark: () => [{ kind: 'unknown' }],
    playedStream: (message) => markInput(message.name, 'played'),
    clearedAudio: () => [],
  },
  media: (payload, call) => ({ event: 'playAudio', media: { ...contentTypeOf(call), payload } }),
  mark: (name, { stream }) => ({ event: 'checkpoint', streamId: stream, name }),
  clear: ({ stream }) => ({ event: 'clearAudio', streamId: stream }),
};

export const plivoLeg: Leg = { kind: 'plivo', protocols: [], open: () => createJsonCodec(PLIVO) };
