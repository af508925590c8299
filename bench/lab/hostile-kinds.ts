// What a hostile caller sends, one row for each kind of message, dialect and leg: its largest allowed form, as often as is
// allowed. Where an entry has no credentials it is a stranger's.

import { randomUUID } from 'node:crypto';
import { audioSocketMessage } from '../../src/legs/audiosocket-leg.ts';

export type HostileKind = {
  /** Where it connects: a path, with `{token}` for an attach token of the hostile user; or AudioSocket's port. */
  readonly at: string;
  /** The headers of the dialect with the user's key; `stranger`: none. */
  readonly credentials: 'bearer' | 'xi-api-key' | 'token' | 'x-api-key' | 'stranger';
  /** Sent once when the connection opens. */
  readonly opening?: () => readonly Frame[];
  /** The `n`th message. */
  readonly message: (n: number) => Frame;
  /** Connections at the same time; 1 unless given. They are renewed when they are closed. */
  readonly connections?: number;
  /** Comes again at once, and says no more than its opening. */
  readonly style?: 'renews';
};
export type Frame = string | Uint8Array;

const LARGEST = 256 * 1024;
const ENVELOPE = 200;
const PROSE = 'It was a bright cold day in April, and the clocks were striking thirteen. ';
const BRACKETS = '[](';
const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));
const text = (fields: object): string => JSON.stringify(fields);
const native = { at: '/v1/session', credentials: 'bearer' } as const;
const appended = (piece: string) => () => [
  text({ type: 'append', turn: 'a', text: fill(piece, 93_000) }),
  text({ type: 'append', turn: 'a', text: '\n\nThe end.' }),
];
const large = (piece: string, bytes = LARGEST - ENVELOPE) => {
  const whole = fill(piece, bytes);
  return (n: number) => text({ type: 'speak', turn: `t${n}`, text: whole });
};
const UUID_KIND = 0x01;
const SLIN_48K = 0x16;

export const HOSTILE_KINDS: Readonly<Record<string, HostileKind>> = {
  speak: { ...native, message: large(PROSE) },
  'speak brackets': { ...native, message: large(BRACKETS) },
  'speak CJK': { ...native, message: large('天気がいいから、散歩しましょう。', (LARGEST - ENVELOPE) / 3) },
  'speak, cancel': {
    ...native,
    message: (n) => (n % 2 === 0 ? large(PROSE)(n) : text({ type: 'cancel' })),
  },
  dialogue: {
    ...native,
    message: (n) =>
      text({
        type: 'speak',
        turn: `t${n}`,
        dialogue: Array.from({ length: 3000 }, (_, line) => ({
          speaker: 1 + (line % 2),
          text: PROSE.slice(0, 40),
        })),
      }),
  },
  append: { ...native, message: (n) => text({ type: 'append', turn: `t${n % 8}`, text: 'word ' }) },
  'append brackets': {
    ...native,
    message: (n) => text({ type: 'append', turn: `t${n}`, text: fill(BRACKETS, 93_000) }),
  },
  seek: {
    ...native,
    opening: appended(PROSE),
    message: (n) => text({ type: 'seek', turn: 'a', paragraph: n % 2 }),
  },
  'seek brackets': {
    ...native,
    opening: appended(BRACKETS),
    message: (n) => text({ type: 'seek', turn: 'a', paragraph: n % 2 }),
  },
  'pause, resume': {
    ...native,
    opening: appended(PROSE),
    message: (n) => text({ type: n % 2 === 0 ? 'pause' : 'resume', turn: 'a' }),
  },
  configure: {
    ...native,
    opening: () => [text({ type: 'configure', prompt: 'p'.repeat(19_000), prompt2: 'q'.repeat(19_000) })],
    message: () => text({ type: 'configure' }),
  },
  mark: {
    ...native,
    opening: appended(PROSE),
    message: (n) => text({ type: 'mark', turn: 'a', name: `${n}` }),
  },
  flush: { ...native, opening: appended(PROSE), message: () => text({ type: 'flush', turn: 'a' }) },
  played: { ...native, opening: appended(PROSE), message: (n) => text({ type: 'played', turn: 'a', ms: n }) },
  attach: {
    ...native,
    message: (n) => text(n % 2 === 0 ? { type: 'attach', leg: { callSid: `${n}` } } : { type: 'detach' }),
  },
  ping: { ...native, message: (n) => text({ type: 'ping', id: `${n}` }) },
  nesting: { ...native, message: () => '['.repeat(LARGEST - 1) },
  'wrong fields': {
    ...native,
    message: () =>
      text({
        type: 'speak',
        ...Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field${n}`, n])),
      }),
  },
  elevenlabs: {
    at: '/v1/text-to-speech/anna/multi-stream-input',
    credentials: 'xi-api-key',
    message: (n) => text({ context_id: `c${n % 5}`, text: fill(PROSE, 93_000) }),
  },
  'elevenlabs small': {
    at: '/v1/text-to-speech/anna/multi-stream-input',
    credentials: 'xi-api-key',
    message: (n) => text({ context_id: `c${n % 5}`, text: 'word ' }),
  },
  deepgram: {
    at: '/v1/speak',
    credentials: 'token',
    message: (n) => text(n % 10 === 9 ? { type: 'Flush' } : { type: 'Speak', text: fill(PROSE, 1900) }),
  },
  cartesia: {
    at: '/tts/websocket?api_version=1',
    credentials: 'x-api-key',
    message: (n) =>
      text({
        context_id: `c${n}`,
        model_id: 'sonic',
        transcript: fill(PROSE, 93_000),
        voice: { mode: 'id', id: 'anna' },
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
        continue: true,
      }),
  },
  jambonz: {
    at: '/jambonz/tts',
    credentials: 'bearer',
    message: (n) => text(n % 20 === 19 ? { type: 'flush' } : { type: 'stream', text: fill(PROSE, 93_000) }),
  },
  'leg raw': {
    at: '/v1/legs/raw/{token}',
    credentials: 'stranger',
    opening: () => [text({ callId: 'c', format: 'raw', sampleRate: 48_000 })],
    message: () => new Uint8Array(1920),
  },
  'leg telnyx': {
    at: '/v1/legs/telnyx/{token}',
    credentials: 'stranger',
    opening: () => [
      text({
        event: 'start',
        stream_id: 's',
        start: { call_control_id: 'c', media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 } },
      }),
    ],
    message: (n) =>
      text({
        event: 'media',
        stream_id: 's',
        media: { track: 'inbound', chunk: `${n}`, payload: 'f'.repeat(200_000) },
      }),
  },
  'leg strangers, text': {
    at: '/v1/legs/raw',
    credentials: 'stranger',
    connections: 4,
    message: () => 'x'.repeat(LARGEST - 1),
  },
  'leg strangers, renewed': {
    at: '/v1/legs/raw',
    credentials: 'stranger',
    connections: 200,
    style: 'renews',
    message: () => '',
  },
  audiosocket: {
    at: 'audiosocket',
    credentials: 'stranger',
    connections: 4,
    opening: () => [audioSocketMessage(UUID_KIND, Buffer.from(randomUUID().replaceAll('-', ''), 'hex'))],
    message: () => audioSocketMessage(SLIN_48K, new Uint8Array(1920)),
  },
};
