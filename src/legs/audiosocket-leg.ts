// AudioSocket: a byte stream cut into messages of a kind, a length (big-endian) and a payload, both ways. It names the
// call by a UUID, first, and that is all that it can be known by. Of what we might send it takes a hang-up and audio; any
// other kind, or a message without payload, ends the call. Asterisk plays each message as it comes, in whatever rate its
// kind names; the rate of the call is that of the audio which it sends, the first of which may come late.

import type { Leg, LegAudio, LegCodec, LegFrame, LegInput, LegRules } from './leg.ts';

/** A message holds 20 ms at the highest rate. */
const RULES: LegRules = { clock: 'sender', leadMs: 60, leastMs: 20, mostBytes: 7680, stepMs: 20 };

const HANG_UP = 0x00;
const UUID = 0x01;
const DIGIT = 0x03;
const SLIN_8K = 0x10;
/** Signed linear by its kind, from 0x10 on. */
export const AUDIOSOCKET_RATES: readonly number[] = [
  8000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000,
];
/** Kinds up to here are audio; those without a rate are of an Asterisk to come. */
const LAST_AUDIO = 0x1f;

const HEADER_BYTES = 3;
const UUID_BYTES = 16;

/** The canonical text of a UUID: lower case, with hyphens. */
function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function audioSocketMessage(kind: number, payload: Uint8Array): Uint8Array {
  const message = Buffer.alloc(HEADER_BYTES + payload.length);
  message.writeUInt8(kind, 0);
  message.writeUInt16BE(payload.length, 1);
  message.set(payload, HEADER_BYTES);
  return message;
}

/** Cuts a byte stream into messages, however it was split; keeps one message at most. */
export function createAudioSocketReader(onMessage: (kind: number, payload: Uint8Array) => void) {
  const header = new Uint8Array(HEADER_BYTES);
  let payload: Uint8Array | undefined;
  let filled = 0;
  return (chunk: Uint8Array): void => {
    let at = 0;
    const fill = (target: Uint8Array): boolean => {
      const part = chunk.subarray(at, at + target.length - filled);
      target.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < target.length) return false;
      filled = 0;
      return true;
    };
    while (at < chunk.length) {
      if (payload === undefined) {
        if (!fill(header)) return;
        payload = new Uint8Array(header[1]! * 256 + header[2]!);
      }
      if (!fill(payload)) return;
      const whole = payload;
      payload = undefined;
      onMessage(header[0]!, whole);
    }
  };
}

/** 20 ms of silence in the rate that every call takes: what there is to say before a call's own rate is known. */
export const AUDIOSOCKET_SILENCE = audioSocketMessage(SLIN_8K, new Uint8Array(320));

const audioOf = (kind: number): LegAudio | undefined => {
  const sampleRate = AUDIOSOCKET_RATES[kind - SLIN_8K];
  return sampleRate === undefined ? undefined : { format: 'raw', sampleRate };
};

function createCodec(): LegCodec {
  let callId: string | undefined;
  let audioKind: number | undefined;
  let inputs: LegInput[] = [];

  const say = (input: LegInput) => void inputs.push(input);
  /** The UUID does not tell the rate, audio does. */
  const follow = (kind: number, audio: LegAudio) => {
    if (kind === audioKind) return;
    say(
      audioKind === undefined
        ? { kind: 'start', callId, token: callId, audio }
        : { kind: 'audio-changed', audio },
    );
    audioKind = kind;
  };
  const takeAudio = (kind: number, payload: Uint8Array) => {
    const audio = audioOf(kind);
    if (audio !== undefined && payload.length > 0 && payload.length % 2 === 0) {
      follow(kind, audio);
      return say({ kind: 'audio', bytes: payload });
    }
    if (audio !== undefined || audioKind !== undefined) return say({ kind: 'unknown' });
    const came = `AudioSocket kind 0x${kind.toString(16)}`;
    say({ kind: 'unserved', callId, token: callId, came, served: 'kinds 0x10 to 0x18 (slin to slin192)' });
  };
  const take = (kind: number, payload: Uint8Array) => {
    if (kind === HANG_UP) return say({ kind: 'stop' });
    if (kind === UUID && callId === undefined && payload.length === UUID_BYTES) {
      callId = uuidText(payload);
      return;
    }
    if (callId === undefined) return say({ kind: 'unknown' });
    if (kind === DIGIT && payload.length === 1 && /[0-9A-D*#]/.test(String.fromCharCode(payload[0]!)))
      return say({ kind: 'digit', digit: String.fromCharCode(payload[0]!) });
    if (kind >= SLIN_8K && kind <= LAST_AUDIO) return takeAudio(kind, payload);
    say({ kind: 'unknown' });
  };
  const readChunk = createAudioSocketReader(take);

  return {
    rules: () => RULES,
    /**
     * A chunk of the stream, in any split. An empty one says that nothing has been heard for a while: the call begins at
     * 8 kHz, until audio tells another rate.
     */
    read(chunk) {
      inputs = [];
      if (typeof chunk === 'string') return [{ kind: 'unknown' }];
      readChunk(chunk);
      if (chunk.length === 0 && callId !== undefined && audioKind === undefined)
        follow(SLIN_8K, audioOf(SLIN_8K)!);
      return inputs;
    },
    media: (bytes): readonly LegFrame[] =>
      bytes.length === 0 ? [] : [audioSocketMessage(audioKind ?? SLIN_8K, bytes)],
    hangUp: () => [audioSocketMessage(HANG_UP, new Uint8Array(0))],
  };
}

export const audioSocketLeg: Leg = { kind: 'audiosocket', protocols: [], open: createCodec };
