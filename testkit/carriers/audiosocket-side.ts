// Asterisk's side of AudioSocket, from its documents and source. It takes audio and a hang-up; anything else ends its call,
// and so does a message without payload. Audio is to come in frames of 20 ms, for each is played when it comes, in whatever
// rate its kind names: Asterisk brings it to the channel's.

import { createHash } from 'node:crypto';
import { AUDIOSOCKET_RATES, audioSocketMessage } from '../../src/legs/audiosocket-leg.ts';
import type { CarrierOrder, CarrierSide } from './carrier-side.ts';

const HANG_UP = 0x00;
const UUID = 0x01;
const DIGIT = 0x03;
const SLIN_8K = 0x10;
const FRAMES_PER_SECOND = 50;
const HEADER_BYTES = 3;
const BYTES_PER_SAMPLE = 2;
const NOTHING = new Uint8Array(0);
const UUID_TEXT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const fault = (what: string): CarrierOrder => ({ kind: 'fault', what });

/** The UUID of a call: its id where that is one, else one that follows from it. */
const uuidBytes = (id: string): Uint8Array =>
  UUID_TEXT.test(id)
    ? Buffer.from(id.replaceAll('-', ''), 'hex')
    : createHash('sha256').update(id).digest().subarray(0, 16);

/** Each sample again as often as it takes: enough to tell what was heard, and when. */
function inRate(bytes: Uint8Array, samples: number): Uint8Array {
  const given = bytes.length / BYTES_PER_SAMPLE;
  if (given === samples) return bytes;
  const made = new Uint8Array(samples * BYTES_PER_SAMPLE);
  for (let at = 0; at < samples; at += 1) {
    const from = Math.floor((at * given) / samples) * BYTES_PER_SAMPLE;
    made.set(bytes.subarray(from, from + BYTES_PER_SAMPLE), at * BYTES_PER_SAMPLE);
  }
  return made;
}

/** Frames are messages whole, header included. */
export function createAudioSocketSide(sampleRate = 8000): CarrierSide {
  const ownKind = SLIN_8K + AUDIOSOCKET_RATES.indexOf(sampleRate);
  return {
    open: ({ callId, token }) => [audioSocketMessage(UUID, uuidBytes(token ?? callId))],
    inbound: (bytes) => audioSocketMessage(ownKind, bytes),
    mark: () => [],
    digit: (digit) => [audioSocketMessage(DIGIT, Buffer.from(digit, 'latin1'))],
    end: () => [audioSocketMessage(HANG_UP, NOTHING)],
    read(frame) {
      if (typeof frame === 'string') return fault('text');
      const kind = frame[0]!;
      if (kind === HANG_UP) return { kind: 'hang-up' };
      const rate = AUDIOSOCKET_RATES[kind - SLIN_8K];
      if (rate === undefined) return fault(`a message of kind ${kind}: the call is ended`);
      const bytes = frame.subarray(HEADER_BYTES);
      if (bytes.length === 0) return fault('a message without payload: the call is ended');
      if (bytes.length !== (rate / FRAMES_PER_SECOND) * BYTES_PER_SAMPLE)
        return fault(`a message of ${bytes.length} bytes, which is not one frame`);
      return { kind: 'media', bytes: inRate(bytes, sampleRate / FRAMES_PER_SECOND) };
    },
  };
}
