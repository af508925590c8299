// Exotel's side of a Voicebot applet: snake case, 16-bit audio, messages of 3.2 kB to 100 kB in multiples of 320 bytes.

import type { LegAudio } from '../../src/legs/leg.ts';
import type { CarrierSide } from './carrier-side.ts';
import { fault, hasFields, is, isBase64, isText, mediaOrder, readStrictMessage } from './strict-message.ts';

const STREAM_SID = 'f86fbc7ff93b4cb8a86bd5b0fd141969';
const CHUNK_MS = 20;
const MIN_BYTES = 3200;
const MAX_BYTES = 100_000;
const STEP_BYTES = 320;

function problemOf({ length }: Uint8Array): string | undefined {
  if (length < MIN_BYTES || length > MAX_BYTES) return `${length} bytes of audio in a message`;
  return length % STEP_BYTES === 0 ? undefined : `${length} bytes are no multiple of ${STEP_BYTES}`;
}

export function createExotelSide({ sampleRate }: LegAudio, encoding = 'audio/x-raw'): CarrierSide {
  let sequence = 0;
  let callSid = '';
  const say = (event: string, fields: object): string =>
    JSON.stringify({ event, sequence_number: ++sequence, stream_sid: STREAM_SID, ...fields });
  return {
    open({ callId, token }) {
      callSid = callId;
      const start = {
        stream_sid: STREAM_SID,
        call_sid: callId,
        account_sid: 'exotel1',
        from: '09000000000',
        to: '08000000000',
        custom_parameters: token === undefined ? {} : { token },
        media_format: { encoding, sample_rate: String(sampleRate), bit_rate: '16' },
      };
      return [JSON.stringify({ event: 'connected' }), say('start', { start })];
    },
    inbound: (bytes, index) =>
      say('media', {
        media: {
          chunk: index + 1,
          timestamp: String(index * CHUNK_MS),
          payload: Buffer.from(bytes).toString('base64'),
        },
      }),
    mark: (name) => [say('mark', { mark: { name } })],
    digit: (digit) => [say('dtmf', { dtmf: { duration: '100', digit } })],
    end: () => [say('stop', { stop: { call_sid: callSid, account_sid: 'exotel1', reason: 'callended' } })],
    read(frame) {
      if (typeof frame !== 'string') return fault('a binary frame');
      const stream = { stream_sid: is(STREAM_SID) };
      return readStrictMessage(frame, [
        {
          fits: hasFields({ event: is('media'), ...stream, media: hasFields({ payload: isBase64 }) }),
          order: ({ media }) => mediaOrder(media.payload, problemOf),
        },
        {
          fits: hasFields({ event: is('mark'), ...stream, mark: hasFields({ name: isText }) }),
          order: ({ mark }) => ({ kind: 'mark', name: mark.name }),
        },
        { fits: hasFields({ event: is('clear'), ...stream }), order: () => ({ kind: 'clear' }) },
      ]);
    },
  };
}
