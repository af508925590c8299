// Twilio's side of Media Streams, from its documents and as strict as they are: what it says of a call, and what it takes
// from a server. Anything else that is sent to it is a fault.

import { isJsonObject, parseJson } from '../../src/base/json.ts';
import type { LegAudio } from '../../src/legs/leg.ts';
import type { CarrierOrder, CarrierSide } from './carrier-side.ts';
import { fault } from './strict-message.ts';

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  media: ['event', 'streamSid', 'media'],
  mark: ['event', 'streamSid', 'mark'],
  clear: ['event', 'streamSid'],
};
const STREAM_SID = `MZ${'0'.repeat(32)}`;
const ACCOUNT_SID = `AC${'0'.repeat(32)}`;
const CHUNK_MS = 20;

function readMessage(text: string): CarrierOrder {
  const json = parseJson(text);
  if (json === undefined) return fault('a text frame is not JSON (31924)');
  const message = isJsonObject(json.value) ? json.value : {};
  const fields = FIELDS[String(message.event)];
  if (fields === undefined) return fault('an event that Twilio does not know (31924)');
  const unknown = Object.keys(message).find((key) => !fields.includes(key));
  if (unknown !== undefined) return fault(`the field ${unknown} is not one of ${String(message.event)}`);
  if (message.streamSid !== STREAM_SID) return fault('the stream id is not that of the start message');
  if (message.event === 'clear') return { kind: 'clear' };
  if (message.event === 'mark') {
    const name = (message.mark as { name?: unknown } | undefined)?.name;
    return typeof name === 'string' && name !== '' ? { kind: 'mark', name } : fault('a mark without a name');
  }
  const payload = (message.media as { payload?: unknown } | undefined)?.payload;
  if (typeof payload !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(payload))
    return fault('media is not base64');
  return { kind: 'media', bytes: Buffer.from(payload, 'base64') };
}

const MULAW: LegAudio = { format: 'mulaw', sampleRate: 8000 };

/** `encoding`: as Twilio, or SignalWire, names the audio. */
export function createTwilioSide({ sampleRate }: LegAudio = MULAW, encoding = 'audio/x-mulaw'): CarrierSide {
  let sequence = 0;
  const say = (event: string, fields: object): string =>
    JSON.stringify({ event, sequenceNumber: String(++sequence), streamSid: STREAM_SID, ...fields });
  let callSid = '';
  return {
    open({ callId, token }) {
      callSid = callId;
      const start = {
        streamSid: STREAM_SID,
        accountSid: ACCOUNT_SID,
        callSid,
        tracks: ['inbound'],
        mediaFormat: { encoding, sampleRate, channels: 1 },
        customParameters: token === undefined ? {} : { token },
      };
      return [
        JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }),
        say('start', { start }),
      ];
    },
    inbound: (bytes, index) =>
      say('media', {
        media: {
          track: 'inbound',
          chunk: String(index + 1),
          timestamp: String(index * CHUNK_MS),
          payload: Buffer.from(bytes).toString('base64'),
        },
      }),
    mark: (name) => [say('mark', { mark: { name } })],
    digit: (digit) => [say('dtmf', { dtmf: { track: 'inbound_track', digit } })],
    end: () => [say('stop', { stop: { accountSid: ACCOUNT_SID, callSid } })],
    read(frame) {
      if (typeof frame !== 'string') return fault('a binary frame (31950)');
      return readMessage(frame);
    },
  };
}
