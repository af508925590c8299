// What an answer's sound is: known by its Content-Type and by its first bytes, and refused when the two disagree. Plain samples have
// no mark of their own: what they are is said by the type, or was asked for, and content that bears another's mark is not they.

import { Buffer } from 'node:buffer';
import type { AskedFormat, AskedSound } from '../../speech/audio-format.ts';
import { parseMp3Header, wordAt } from '../mp3/mp3-header.ts';
import type { PlainSound, SampleLayout } from './plain-reader.ts';

export type BodyType =
  | { readonly kind: 'mp3' | 'wav' | 'ogg' }
  | { readonly kind: 'plain'; readonly sound: PlainSound };

export const MP3_BODY: BodyType = { kind: 'mp3' };

/** What a body is in the words of those who ask for one; of a container, its rate is not known yet. */
export function soundOf(type: BodyType): AskedSound {
  if (type.kind !== 'plain') return { format: type.kind };
  const { layout, sampleRate } = type.sound;
  return { format: layout === 'mulaw' || layout === 'alaw' ? layout : 'raw', sampleRate };
}

/** The media type that is asked for in `Accept`. */
export function acceptOf({ format, sampleRate }: AskedSound): string {
  if (format === 'mp3') return 'audio/mpeg';
  if (format === 'wav' || format === 'ogg') return `audio/${format}`;
  if (format === 'raw') return 'audio/pcm';
  if (format === 'alaw') return 'audio/PCMA';
  return sampleRate === 8000 ? 'audio/basic' : 'audio/PCMU';
}

type Sound =
  | { readonly kind: 'mp3' | 'wav' | 'ogg' }
  | { readonly kind: 'plain'; readonly layout: SampleLayout; readonly usualRate: number | undefined };
type Told =
  | Sound
  /** The type says no more than that it is bytes. */
  | { readonly kind: 'bytes' };

const MP3: Sound = { kind: 'mp3' };
const WAV: Sound = { kind: 'wav' };
const OGG: Sound = { kind: 'ogg' };
const BYTES: Told = { kind: 'bytes' };
const plain = (layout: SampleLayout, usualRate?: number): Sound => ({ kind: 'plain', layout, usualRate });
/** RFC 2046 4.3 (basic), RFC 4856 (PCMU, PCMA); the others are what servers send. L16 is big-endian by RFC 2586, and little-endian at each speech service that names it. */
const MEDIA_TYPES: Readonly<Record<string, Told>> = {
  'audio/mpeg': MP3,
  'audio/mp3': MP3,
  'audio/x-mpeg': MP3,
  'audio/x-mp3': MP3,
  'audio/wav': WAV,
  'audio/x-wav': WAV,
  'audio/wave': WAV,
  'audio/vnd.wave': WAV,
  'audio/ogg': OGG,
  'audio/opus': OGG,
  'application/ogg': OGG,
  'audio/basic': plain('mulaw', 8000),
  'audio/pcmu': plain('mulaw', 8000),
  'audio/mulaw': plain('mulaw', 8000),
  'audio/x-mulaw': plain('mulaw', 8000),
  'audio/ulaw': plain('mulaw', 8000),
  'audio/x-ulaw': plain('mulaw', 8000),
  'audio/pcma': plain('alaw', 8000),
  'audio/alaw': plain('alaw', 8000),
  'audio/x-alaw': plain('alaw', 8000),
  'audio/pcm': plain('s16'),
  'audio/x-pcm': plain('s16'),
  'audio/raw': plain('s16'),
  'audio/x-raw': plain('s16'),
  'audio/l16': plain('s16'),
  'audio/x-l16': plain('s16'),
  'application/octet-stream': BYTES,
  'binary/octet-stream': BYTES,
};

/** The `encoding` or `codec` parameter of audio/pcm. */
const ENCODINGS: Readonly<Record<string, SampleLayout>> = {
  s16le: 's16',
  pcm_s16le: 's16',
  pcm: 's16',
  linear16: 's16',
  'signed-int': 's16',
  f32le: 'f32',
  pcm_f32le: 'f32',
  mulaw: 'mulaw',
  pcm_mulaw: 'mulaw',
  alaw: 'alaw',
  pcm_alaw: 'alaw',
};

/** Of formats without a mark of their own, what a body has that is as it was asked for. */
export const ASKED_LAYOUTS: Readonly<Partial<Record<AskedFormat | 'flac', SampleLayout>>> = {
  raw: 's16',
  mulaw: 'mulaw',
  alaw: 'alaw',
};

const NAMES: Readonly<Record<SampleLayout, string>> = {
  mulaw: 'µ-law',
  alaw: 'A-law',
  s16: 'PCM',
  f32: 'PCM',
  u8: 'PCM',
  s24: 'PCM',
  s32: 'PCM',
  f64: 'PCM',
};
const nameOf = (told: Sound): string => {
  if (told.kind === 'plain') return NAMES[told.layout];
  return { mp3: 'MP3', wav: 'WAV', ogg: 'Ogg' }[told.kind];
};

type BodyTypeFound =
  | { readonly found: 'type'; readonly type: BodyType }
  | { readonly found: 'more-bytes' }
  /** `what` ends a sentence: "The speech service …". */
  | { readonly found: 'refused'; readonly what: string };

type AnswerHead = {
  readonly contentType: string | undefined;
  readonly asked: AskedSound;
  /** Hz of the service's PCM where neither the type nor the request tells it. */
  readonly usualRate?: number | undefined;
};

/** Such a type can be sound at all; undefined before its first bytes say more. */
export function typeRefusal({
  contentType,
  asked,
}: Pick<AnswerHead, 'contentType' | 'asked'>): string | undefined {
  if (readMediaType(contentType).told !== undefined) return undefined;
  return asked.format === 'mp3'
    ? 'answered with something other than audio/mpeg'
    : `answered with something other than ${acceptOf(asked)}`;
}

/** As many bytes are enough to know the mark of each type; of RIFF, the format tag too. */
const MARK_BYTES = 12;
const RIFF_MARK_BYTES = 22;
const enough = (first: Uint8Array): number => (first[0] === 0x52 ? RIFF_MARK_BYTES : MARK_BYTES);

/** `first`: the beginning of the body; `isAll`: nothing follows it. */
export function bodyTypeOf(head: AnswerHead, first: Uint8Array, isAll: boolean): BodyTypeFound {
  const { told, parameters } = readMediaType(head.contentType);
  if (told === undefined) return { found: 'refused', what: typeRefusal(head)! };
  if (first.length < enough(first) && !isAll && mayBeginMark(first)) return { found: 'more-bytes' };
  const mark = markOf(first);
  // Bytes that can be no plain samples are known by two frames.
  const isPlain = told.kind !== 'bytes' || ASKED_LAYOUTS[head.asked.format] !== undefined;
  if (!isPlain && mark === undefined && !isAll && mayBeginFrames(first)) return { found: 'more-bytes' };
  const says = told.kind === 'bytes' ? meantBytes(head, mark) : told;
  if (says === undefined) return refused('answered with bytes that are no audio');
  if (mark === 'text') return refused(`said that it sends ${nameOf(says)} and sent text`);
  // MP3 in a WAV file is MP3 behind a header, whatever it is called.
  if (mark === 'MP3 in WAV' && says.kind !== 'plain' && says.kind !== 'ogg')
    return { found: 'type', type: MP3_BODY };
  const isRight = says.kind === 'mp3' ? mark === undefined || mark === 'MP3' : mark === MARKS[says.kind];
  if (!isRight) return refused(`said that it sends ${nameOf(says)} and sent ${mark ?? 'something else'}`);
  if (says.kind !== 'plain') return { found: 'type', type: { kind: says.kind } };
  return plainType(head, says, parameters);
}

const MARKS = { wav: 'WAV', ogg: 'Ogg', plain: undefined } as const;
const refused = (what: string): BodyTypeFound => ({ found: 'refused', what });

function plainType(
  { asked, usualRate }: AnswerHead,
  told: Extract<Sound, { kind: 'plain' }>,
  parameters: ReadonlyMap<string, string>,
): BodyTypeFound {
  const encoding = parameters.get('encoding') ?? parameters.get('codec') ?? parameters.get('codecs');
  const layout = encoding === undefined ? told.layout : ENCODINGS[encoding];
  if (layout === undefined) return refused('answered with PCM in an encoding that is not known');
  const askedLayout = ASKED_LAYOUTS[asked.format];
  const askedRate = layout === askedLayout ? asked.sampleRate : undefined;
  const toldRate = wholeNumber(
    parameters.get('rate') ?? parameters.get('sample_rate') ?? parameters.get('samplerate'),
  );
  const sampleRate = toldRate ?? askedRate ?? told.usualRate ?? usualRate;
  if (sampleRate === undefined) return refused('answered with PCM of a rate that it does not tell');
  if (sampleRate < 8000 || sampleRate > 192_000)
    return refused(`answered with ${NAMES[layout]} of ${sampleRate} Hz`);
  if (askedLayout !== undefined && layout !== askedLayout && encoding === undefined)
    return refused(`was asked for ${NAMES[askedLayout]} and said that it sends ${NAMES[layout]}`);
  const channels = wholeNumber(parameters.get('channels')) ?? 1;
  if (channels !== 1 && channels !== 2)
    return refused(`answered with ${NAMES[layout]} of ${channels} channels`);
  return { found: 'type', type: { kind: 'plain', sound: { layout, sampleRate, channels } } };
}

/** What bytes of no told type are: what their mark says, else what was asked for. */
function meantBytes({ asked }: AnswerHead, mark: Mark | undefined): Sound | undefined {
  if (mark === 'WAV') return WAV;
  if (mark === 'Ogg') return OGG;
  if (mark === 'MP3' || mark === 'MP3 in WAV') return MP3;
  const layout = ASKED_LAYOUTS[asked.format];
  return layout === undefined ? undefined : plain(layout);
}

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,7}$/.test(text) ? Number(text) : undefined;

const MAX_TYPE = 200;

function readMediaType(contentType: string | undefined): {
  readonly told: Told | undefined;
  readonly parameters: ReadonlyMap<string, string>;
} {
  const [name = '', ...rest] = (contentType ?? '').slice(0, MAX_TYPE).toLowerCase().split(';');
  const parameters = new Map(
    rest.map((part) => {
      const at = part.indexOf('=');
      const value = part.slice(at + 1).trim();
      return [part.slice(0, Math.max(at, 0)).trim(), value.replace(/^"|"$/g, '')] as const;
    }),
  );
  const media = name.trim();
  return { told: Object.hasOwn(MEDIA_TYPES, media) ? MEDIA_TYPES[media] : undefined, parameters };
}

type Mark = 'WAV' | 'MP3 in WAV' | 'Ogg' | 'MP3' | 'FLAC' | 'text';

/** What the first bytes can be by their mark alone. */
function markOf(first: Uint8Array): Mark | undefined {
  const name = Buffer.from(first.buffer, first.byteOffset, Math.min(first.length, MARK_BYTES)).toString(
    'latin1',
  );
  // RF64 and RIFX are refused by their names where they are read.
  if (/^(RIFF|RIFX|RF64|BW64)/.test(name)) return isMp3InWav(first) ? 'MP3 in WAV' : 'WAV';
  if (name.startsWith('OggS')) return 'Ogg';
  if (name.startsWith('fLaC')) return 'FLAC';
  if (name.startsWith('ID3') || areFrames(first)) return 'MP3';
  return isText(first) ? 'text' : undefined;
}

const BEGINNINGS = ['RIFF', 'RIFX', 'RF64', 'BW64', 'OggS', 'fLaC', 'ID3', '{', '<'];
/** More bytes may show a mark; a sound without one need not wait for them. */
function mayBeginMark(first: Uint8Array): boolean {
  const text = Buffer.from(first).toString('latin1');
  return BEGINNINGS.some((mark) => mark.startsWith(text) || text.startsWith(mark));
}

/** The format tag is WAVE_FORMAT_MPEGLAYER3. */
const isMp3InWav = (first: Uint8Array): boolean =>
  first.length >= RIFF_MARK_BYTES &&
  Buffer.from(first.subarray(12, 16)).toString('latin1') === 'fmt ' &&
  first[20] === 0x55 &&
  first[21] === 0;

/** Two MP3 frames, one behind the other; noise and speech hardly ever look so. */
function areFrames(first: Uint8Array): boolean {
  if (first.length < 4) return false;
  const header = parseMp3Header(wordAt(first, 0));
  if (header === undefined || header.frameBytes + 4 > first.length) return false;
  const next = parseMp3Header(wordAt(first, header.frameBytes));
  return next?.sampleRate === header.sampleRate && next.version === header.version;
}

/** An MP3 frame, and not yet the header behind it. */
function mayBeginFrames(first: Uint8Array): boolean {
  if (first.length < 4) return first.length === 0 || first[0] === 0xff;
  const header = parseMp3Header(wordAt(first, 0));
  return header !== undefined && header.frameBytes + 4 > first.length;
}

const TEXT_BYTES = 48;
/** An error as JSON or a page: begins as one, and has no byte that a line of text has not. */
function isText(first: Uint8Array): boolean {
  if (first[0] !== 0x7b && first[0] !== 0x3c) return false;
  return first
    .subarray(0, TEXT_BYTES)
    .every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09);
}
