// A bridge's side of the raw leg: the first message tells the audio, binary is audio, text is JSON of one field.

import type { LegAudio } from '../../src/legs/leg.ts';
import type { CarrierSide } from './carrier-side.ts';
import { fault, hasFields, is, isText, readStrictMessage } from './strict-message.ts';

export function createRawSide({ format, sampleRate }: LegAudio, said: string = format): CarrierSide {
  const sampleBytes = format === 'raw' ? 2 : 1;
  return {
    open: ({ callId, token }) => [
      JSON.stringify({ format: said, sampleRate, callId, ...(token !== undefined && { token }) }),
    ],
    inbound: (bytes) => bytes,
    mark: (name, fate) => [JSON.stringify({ mark: name, fate })],
    digit: (digit) => [JSON.stringify({ digit })],
    end: () => [JSON.stringify({ stop: true })],
    read(frame) {
      if (typeof frame !== 'string')
        return frame.length > 0 && frame.length % sampleBytes === 0
          ? { kind: 'media', bytes: frame }
          : fault(`a binary message of ${frame.length} bytes`);
      return readStrictMessage(frame, [
        { fits: hasFields({ mark: isText }), order: ({ mark }) => ({ kind: 'mark', name: mark }) },
        { fits: hasFields({ clear: is(true) }), order: () => ({ kind: 'clear' }) },
      ]);
    },
  };
}
