// Vonage's side of a call's WebSocket endpoint: binary messages of exactly 20 ms, JSON for the rest.

import type { LegAudio } from '../../src/legs/leg.ts';
import type { CarrierSide } from './carrier-side.ts';
import { fault, hasFields, is, isText, readStrictMessage } from './strict-message.ts';

const MESSAGES_PER_SECOND = 50;

export function createVonageSide(
  { sampleRate }: LegAudio,
  contentType = `audio/l16;rate=${sampleRate}`,
): CarrierSide {
  const wanted = (sampleRate * 2) / MESSAGES_PER_SECOND;
  return {
    open: ({ callId, token }) => [
      JSON.stringify({
        event: 'websocket:connected',
        'content-type': contentType,
        callId,
        ...(token !== undefined && { token }),
      }),
    ],
    inbound: (bytes) => bytes,
    mark: (name) => [JSON.stringify({ event: 'websocket:notify', payload: { name } })],
    cleared: () => [JSON.stringify({ event: 'websocket:cleared' })],
    digit: (digit) => [JSON.stringify({ event: 'websocket:dtmf', digit, duration: 260 })],
    end: () => [],
    read(frame) {
      if (typeof frame !== 'string')
        return frame.length === wanted
          ? { kind: 'media', bytes: frame }
          : fault(`a binary message of ${frame.length} bytes, not ${wanted}`);
      return readStrictMessage(frame, [
        {
          fits: hasFields({ action: is('notify'), payload: hasFields({ name: isText }) }),
          order: ({ payload }) => ({ kind: 'mark', name: payload.name }),
        },
        { fits: hasFields({ action: is('clear') }), order: () => ({ kind: 'clear' }) },
      ]);
    },
  };
}
