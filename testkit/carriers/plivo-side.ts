// Plivo's side of an audio stream: `playAudio` with the content type of the start message, `checkpoint`, `clearAudio`.

import type { LegAudio } from '../../src/legs/leg.ts';
import type { CarrierOrder, CarrierSide } from './carrier-side.ts';
import { fault, hasFields, is, isBase64, isText, mediaOrder, readStrictMessage } from './strict-message.ts';

const STREAM_ID = '20170ada-f610-433b-8758-c02a2aab3662';
const STARTED_AT_MS = 1_763_800_000_000;
const CHUNK_MS = 20;

export function createPlivoSide(
  { format, sampleRate }: LegAudio,
  encoding = format === 'raw' ? 'audio/x-l16' : 'audio/x-mulaw',
): CarrierSide {
  let sequence = 0;
  let extraHeaders = '';
  const say = (event: string, fields: object): string =>
    JSON.stringify({ event, sequenceNumber: ++sequence, streamId: STREAM_ID, ...fields });
  const media = hasFields({ contentType: is(encoding), sampleRate: is(sampleRate), payload: isBase64 });
  const messages = [
    {
      fits: hasFields({ event: is('playAudio'), media }),
      order: (message: { media: { payload: string } }) => mediaOrder(message.media.payload),
    },
    {
      fits: hasFields({ event: is('checkpoint'), streamId: is(STREAM_ID), name: isText }),
      order: ({ name }: { name: string }): CarrierOrder => ({ kind: 'mark', name }),
    },
    {
      fits: hasFields({ event: is('clearAudio'), streamId: is(STREAM_ID) }),
      order: (): CarrierOrder => ({ kind: 'clear' }),
    },
  ];
  return {
    open({ callId, token }) {
      extraHeaders = token === undefined ? '' : `token=${token}`;
      const start = {
        callId,
        streamId: STREAM_ID,
        accountId: 'MA00000000000000000000',
        tracks: ['inbound'],
        mediaFormat: { encoding, sampleRate },
      };
      sequence += 1;
      return [
        JSON.stringify({
          event: 'start',
          sequenceNumber: sequence,
          start,
          extra_headers: extraHeaders,
        }),
      ];
    },
    inbound: (bytes, index) =>
      say('media', {
        media: {
          track: 'inbound',
          timestamp: String(STARTED_AT_MS + index * CHUNK_MS),
          chunk: index + 1,
          payload: Buffer.from(bytes).toString('base64'),
        },
        extra_headers: extraHeaders,
      }),
    mark: (name) => [say('playedStream', { name })],
    cleared: () => [say('clearedAudio', {})],
    digit: (digit) => [say('dtmf', { dtmf: { track: 'inbound', digit, timestamp: String(STARTED_AT_MS) } })],
    // The documents name no last message.
    end: () => [],
    read: (frame) =>
      typeof frame === 'string' ? readStrictMessage(frame, messages) : fault('a binary frame'),
  };
}
