// Telnyx's side of media streaming in RTP mode: snake case, numbers as text, 20 ms to 30 s of audio in a message.

import type { LegAudio } from '../../src/legs/leg.ts';
import { bytesPerMs } from '../../src/speech/plain-sound.ts';
import type { CarrierSide } from './carrier-side.ts';
import { fault, hasFields, is, isBase64, isText, mediaOrder, readStrictMessage } from './strict-message.ts';

const STREAM_ID = '32de0dea-53cb-4b21-89a4-9e1819c043bc';
const USER_ID = '3e6f995f-85f7-4705-9741-53b116d28237';
const CHUNK_MS = 20;
const MIN_MS = 20;
const MAX_MS = 30_000;
const ENCODINGS = { mulaw: 'PCMU', alaw: 'PCMA', raw: 'L16' } as const;

export function createTelnyxSide(audio: LegAudio, encoding: string = ENCODINGS[audio.format]): CarrierSide {
  const { format, sampleRate } = audio;
  let sequence = 0;
  const say = (event: string, fields: object): string =>
    JSON.stringify({ event, sequence_number: String(++sequence), stream_id: STREAM_ID, ...fields });
  /** 16-bit samples go in network byte order; what we say and play is little-endian. */
  const swapped = (bytes: Uint8Array) => {
    const own = Buffer.from(bytes);
    return format === 'raw' && own.length % 2 === 0 ? own.swap16() : own;
  };
  const problemOf = ({ length }: Uint8Array) => {
    const ms = length / bytesPerMs(audio);
    return ms < MIN_MS || ms > MAX_MS ? `${ms} ms of audio in a message` : undefined;
  };
  let callControlId = '';
  return {
    open({ callId, token }) {
      callControlId = callId;
      const start = {
        user_id: USER_ID,
        call_control_id: callId,
        call_session_id: 'ff55a038-6f5d-11ef-9692-02420aeffb1f',
        from: '+13122010094',
        to: '+13122123456',
        tags: [],
        client_state: '',
        custom_parameters: token === undefined ? {} : { token },
        media_format: { encoding, sample_rate: sampleRate, channels: 1 },
      };
      return [JSON.stringify({ event: 'connected', version: '1.0.0' }), say('start', { start })];
    },
    inbound: (bytes, index) =>
      say('media', {
        media: {
          track: 'inbound',
          chunk: String(index + 1),
          timestamp: String(index * CHUNK_MS),
          payload: swapped(bytes).toString('base64'),
        },
      }),
    mark: (name) => [say('mark', { mark: { name } })],
    digit: (digit) => [say('dtmf', { occurred_at: '2026-11-22T20:00:00.000000Z', dtmf: { digit } })],
    end: () => [say('stop', { stop: { user_id: USER_ID, call_control_id: callControlId } })],
    read(frame) {
      if (typeof frame !== 'string') return fault('a binary frame');
      const order = readStrictMessage(frame, [
        {
          fits: hasFields({ event: is('media'), media: hasFields({ payload: isBase64 }) }),
          order: ({ media }) => mediaOrder(media.payload, problemOf),
        },
        {
          fits: hasFields({ event: is('mark'), mark: hasFields({ name: isText }) }),
          order: ({ mark }) => ({ kind: 'mark', name: mark.name }),
        },
        { fits: hasFields({ event: is('clear') }), order: () => ({ kind: 'clear' }) },
      ]);
      return order.kind === 'media' ? { kind: 'media', bytes: swapped(order.bytes) } : order;
    },
  };
}
