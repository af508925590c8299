// What a platform calls the audio of a call, read as audio of ours: a media type with its parameters
// (`audio/x-l16;rate=16000`), a codec's name of SDP (PCMU, L16) or one of Asterisk (slin16). Any linear rate that the
// sound path makes and both laws of G.711 are taken on every leg; all else is told by what came and what is served.

import { MAX_LEG_SAMPLE_RATE, MIN_SAMPLE_RATE } from '../speech/audio-format.ts';
import type { PlainSound } from '../speech/plain-sound.ts';

export type ByteOrder = 'little-endian' | 'big-endian';

export type NamedAudio = {
  readonly audio: PlainSound;
  /** How samples of 16 bits are sent; undefined where the platform does not say so. */
  readonly byteOrder: ByteOrder | undefined;
};

/** What came, in words that are safe to repeat. */
export type UnservedAudio = { readonly came: string };

/** As they came, trusted for nothing. */
export type AudioFields = {
  readonly encoding: unknown;
  readonly sampleRate?: unknown;
  readonly channels?: unknown;
  readonly byteOrder?: unknown;
};

/** 40 ms are whole samples at multiples of this; messages hold multiples of 20 or 40 ms. */
const RATE_STEP = 25;
const LAW_RATE = 8000;

export const SERVED_AUDIO = `PCMU, PCMA, L16 of ${MIN_SAMPLE_RATE} to ${MAX_LEG_SAMPLE_RATE} Hz in steps of ${RATE_STEP}`;

const FORMATS: Readonly<Record<string, PlainSound['format']>> = {
  pcmu: 'mulaw',
  mulaw: 'mulaw',
  ulaw: 'mulaw',
  pcma: 'alaw',
  alaw: 'alaw',
  l16: 'raw',
  linear16: 'raw',
  pcm: 'raw',
  pcm_s16: 'raw',
  raw: 'raw',
  s16: 'raw',
  slin: 'raw',
};
/** Asterisk names signed linear by its thousands of Hz, rounded down. */
const SLIN_RATES: Readonly<Record<string, number>> = {
  slin: 8000,
  slin12: 12_000,
  slin16: 16_000,
  slin24: 24_000,
  slin32: 32_000,
  slin44: 44_100,
  slin48: 48_000,
  slin96: 96_000,
  slin192: 192_000,
};
const BYTE_ORDERS: Readonly<Record<string, ByteOrder>> = {
  le: 'little-endian',
  little: 'little-endian',
  'little-endian': 'little-endian',
  be: 'big-endian',
  big: 'big-endian',
  'big-endian': 'big-endian',
};

/** Part of a close reason, which has 123 bytes. */
const MAX_TOLD = 40;
const told = (value: unknown): string =>
  (typeof value === 'string' || typeof value === 'number' ? String(value) : typeof value)
    .replaceAll(/[^\w/;=@.+-]/g, '?')
    .slice(0, MAX_TOLD);

const byteOrderOf = (value: unknown): ByteOrder | undefined =>
  typeof value === 'string' && Object.hasOwn(BYTE_ORDERS, value.toLowerCase())
    ? BYTE_ORDERS[value.toLowerCase()]
    : undefined;

type Named = {
  readonly name: string;
  readonly rate: unknown;
  readonly channels: unknown;
  readonly byteOrder: unknown;
};

/** `audio/x-L16;rate=16000`, `L16@16000h`, `pcm_s16be`: the name alone, and what stands beside it. */
function takeApart(encoding: string): Named {
  const [whole = '', ...rest] = encoding.toLowerCase().split(';');
  const parameters = new Map(
    rest.map((each) => each.trim().split('=', 2)).map(([name = '', value]) => [name, value]),
  );
  const [, bare = '', atRate] = /^(?:audio\/|raw\/)?(?:x-)?([^@]*)(?:@(\d+)h?)?$/.exec(whole.trim()) ?? [];
  const [, name = bare, order] = /^(l16|pcm_s16|s16)(le|be)$/.exec(bare) ?? [];
  return {
    name,
    rate: atRate ?? parameters.get('rate'),
    channels: parameters.get('channels'),
    byteOrder: order ?? parameters.get('endian') ?? parameters.get('byteorder'),
  };
}

/** Numbers come as such or as text. */
const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
};

const isServedRate = (rate: number | undefined): rate is number =>
  rate !== undefined &&
  rate >= MIN_SAMPLE_RATE &&
  rate <= MAX_LEG_SAMPLE_RATE &&
  Number.isInteger(rate / RATE_STEP);

export function readNamedAudio(fields: AudioFields): NamedAudio | UnservedAudio {
  const { encoding } = fields;
  if (typeof encoding !== 'string' || encoding === '')
    return { came: encoding === undefined ? 'no codec' : told(encoding) };
  const parts = takeApart(encoding);
  const isSlin = Object.hasOwn(SLIN_RATES, parts.name);
  const format = isSlin ? 'raw' : Object.hasOwn(FORMATS, parts.name) ? FORMATS[parts.name] : undefined;
  const isLaw = format === 'mulaw' || format === 'alaw';
  const natural = isSlin ? SLIN_RATES[parts.name] : isLaw ? LAW_RATE : undefined;
  const saidRate = parts.rate ?? fields.sampleRate ?? natural;
  const saidChannels = parts.channels ?? fields.channels ?? 1;
  const rate = numberOf(saidRate);
  if (format === undefined || !isServedRate(rate) || numberOf(saidChannels) !== 1)
    return { came: cameAs(encoding, saidRate, saidChannels) };
  // A sample of one byte has no order.
  const byteOrder = isLaw ? undefined : byteOrderOf(parts.byteOrder ?? fields.byteOrder);
  return { audio: { format, sampleRate: rate }, byteOrder };
}

function cameAs(encoding: string, rate: unknown, channels: unknown): string {
  const hz = rate === undefined || /rate=/i.test(encoding) ? '' : ` at ${told(rate)} Hz`;
  const count = numberOf(channels);
  const beside = count === 1 ? '' : ` in ${count === undefined ? told(channels) : `${count} channels`}`;
  return `${told(encoding)}${hz}${beside}`.slice(0, MAX_TOLD);
}

/** What 20 ms of it are, or 40 where 20 are no whole samples: messages hold multiples of it. */
export const stepMsOf = ({ sampleRate }: PlainSound): number =>
  sampleRate % (2 * RATE_STEP) === 0 ? 20 : 40;

/** The other byte order; an odd last byte is dropped. */
export const swappedBytes = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
