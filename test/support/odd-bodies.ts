// Bodies of MP3 that are whole and do not look like it, made from the fixtures: what encoders, tag writers, containers and
// proxies put before, behind and between the frames of a stream, and what they write into its tag. Each tells what is to
// be heard of it.

import { parseMp3Header } from '../../src/audio/mp3/mp3-header.ts';
import { mp3Fixture } from './mp3-fixtures.ts';

export type OddBody = {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Samples at the stream's own rate. */
  readonly samples: number;
  /** Bodies that sound the same one after another, where nothing of the sound is damaged. */
  readonly soundsLike: readonly Uint8Array[] | undefined;
};

type Part = Uint8Array | readonly number[] | string;

/** Text is Latin-1. */
const joinBytes = (...parts: readonly Part[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Uint8Array.from(part))),
    ),
  );
const zeros = (length: number) => new Uint8Array(length);
const uint32 = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
const uint32le = (value: number) => uint32(value).reverse();
const changed = (bytes: Uint8Array, change: (copy: Uint8Array, view: DataView) => void): Uint8Array => {
  const copy = bytes.slice();
  change(copy, new DataView(copy.buffer));
  return copy;
};
/** No byte of it begins a frame. */
const noise = (length: number) => Uint8Array.from({ length }, (_, i) => 0x80 + ((i * 37) % 0x7f));

const speech = mp3Fixture('lame-cbr-24k.mp3');
const variable = mp3Fixture('lame-vbr-24k.mp3');
const untagged = mp3Fixture('ffmpeg-live-24k.mp3');
const padded = mp3Fixture('lame-joint-44k.mp3');
const SOURCE = 54_321;
const FRAME = 192;
const SAMPLES_PER_FRAME = 576;
const LEAD = 1105;
/** Behind header and side information of MPEG-2 mono. */
const TAG_AT = 13;
const INFO_FRAMES_AT = TAG_AT + 8;
const INFO_BYTES_AT = TAG_AT + 12;
/** Magic, flags, frames, bytes, 100 bytes of seek table, quality; then the encoder's name. */
const LAME_AT = TAG_AT + 120;
const DELAY_AT = LAME_AT + 21;

const synchsafe = (size: number) => [21, 14, 7, 0].map((shift) => (size >>> shift) & 0x7f);
const id3v2 = (body: Part, flags = 0) => {
  const content = joinBytes(body);
  return joinBytes('ID3', [4, 0, flags], synchsafe(content.length), content);
};
/** A picture that holds frames: whoever looks for them there finds some. */
const PICTURE = joinBytes(
  'APIC',
  ...Array.from({ length: 6 }, () => joinBytes(untagged.subarray(FRAME * 20, FRAME * 23), noise(5000))),
);
const FOOTER = joinBytes('3DI', [4, 0, 0x10], synchsafe(300));
const ID3_WITH_FOOTER = joinBytes(id3v2(zeros(300), 0x10), FOOTER);
const ID3V1 = joinBytes('TAG', 'A title'.padEnd(124, '\0'), [0xff]);
const apeFlags = (isHeader: 'header' | 'footer') => uint32le(isHeader === 'header' ? 0xa0000000 : 0x80000000);
const apePart = (size: number, which: 'header' | 'footer') =>
  joinBytes('APETAGEX', uint32le(2000), uint32le(size), uint32le(1), apeFlags(which), zeros(8));
const APE_ITEM = joinBytes(uint32le(5), uint32le(0), 'Artist', [0], 'Voice');
const APE = joinBytes(
  apePart(APE_ITEM.length + 32, 'header'),
  APE_ITEM,
  apePart(APE_ITEM.length + 32, 'footer'),
);
const LYRICS_1 = 'LYRICSBEGINWords that are sung.\r\nMore of them.LYRICSEND';
const LYRICS_2 = 'LYRICSBEGININD0000200LYR00017[00:00]The words.000047LYRICS200';
const PAGE = '<!doctype html><html><body><p>Service closed.</p></body></html>\n'.repeat(20);
const WAVE_CHUNKS = (dataBytes: number) =>
  joinBytes(
    'RIFF',
    uint32le(dataBytes + 60),
    'WAVEfmt ',
    uint32le(30),
    [0x55, 0, 1, 0],
    uint32le(24_000),
    uint32le(8000),
    [1, 0, 0, 0, 12, 0, 1, 0, 2, 0, 0, 0, FRAME, 0, 1, 0, 0x71, 5],
    'fact',
    uint32le(4),
    uint32le(SOURCE),
    'data',
    uint32le(dataBytes),
  );

const withInfo = (at: number, value: number, body = speech) =>
  changed(body, (_, view) => view.setUint32(at, value));
const withDelays = (delay: number, padding: number, body = speech) =>
  changed(body, (copy) => copy.set(uint32((delay << 12) | padding).slice(1), DELAY_AT));
/** The tag frame of `speech` with another tag in it. */
const withTag = (at: number, ...tag: readonly Part[]) => {
  const frame = joinBytes(speech.subarray(0, 4), zeros(FRAME - 4));
  frame.set(joinBytes(...tag), at);
  return joinBytes(frame, speech.subarray(FRAME));
};
const vbri = (frames: number) =>
  withTag(36, 'VBRI', [0, 1, 0, 0, 0, 50], uint32(98 * FRAME), uint32(frames), zeros(8));
const frames = (from: number, until: number, body = speech) => body.subarray(from * FRAME, until * FRAME);
const firstFrameOf = (body: Uint8Array) =>
  body.subarray(0, parseMp3Header(new DataView(body.buffer).getUint32(0))!.frameBytes);
/** `speech` in two at a frame, with something between. */
const parted = (at: number, ...between: readonly Part[]) =>
  joinBytes(frames(0, at), ...between, frames(at, 98));
/** Bit rate 0: the length of a frame is not told. */
const inFreeFormat = (body: Uint8Array, from = 0) =>
  changed(body, (_, view) => {
    for (
      let at = from;
      at < body.length;
      at += parseMp3Header(new DataView(body.buffer).getUint32(at))!.frameBytes
    )
      view.setUint32(at, view.getUint32(at) & ~0xf000);
  });

/** What is decoded of a stream whose tag says nothing about its ends. */
const allOf = (frameCount: number, samplesPerFrame = SAMPLES_PER_FRAME) =>
  frameCount * samplesPerFrame - LEAD;

const same = (name: string, bytes: Uint8Array, like = speech, samples = SOURCE): OddBody => ({
  name,
  bytes,
  samples,
  soundsLike: [like],
});
const damaged = (name: string, bytes: Uint8Array, samples = SOURCE): OddBody => ({
  name,
  bytes,
  samples,
  soundsLike: undefined,
});

const behind: readonly (readonly [string, Part])[] = [
  ['a line feed', '\n'],
  ['CR LF', '\r\n'],
  ['one NUL', [0]],
  ['4,096 NULs', zeros(4096)],
  ['300 spaces', ' '.repeat(300)],
  ['the end of a chunked body', '\r\n0\r\n\r\n'],
  ['a page', PAGE],
  ['two bytes of no frame', [0xfe, 0xff, 0x41]],
  ['FF at the end of a row of them', [0xff, 0xff, 0xff, 0xff, 0xff]],
  ['noise', noise(700)],
  ['ID3v1', ID3V1],
  ['NULs and ID3v1', joinBytes(zeros(7), ID3V1)],
  ['APEv2', APE],
  ['APEv2 and ID3v1', joinBytes(APE, ID3V1)],
  ['APE items with a footer alone', joinBytes(APE_ITEM, apePart(APE_ITEM.length + 32, 'footer'))],
  ['Lyrics3 and ID3v1', joinBytes(LYRICS_1, ID3V1)],
  ['Lyrics3v2 and ID3v1', joinBytes(LYRICS_2, ID3V1)],
  ['ID3v2.4 with a footer', ID3_WITH_FOOTER],
  ['a footer alone', FOOTER],
  ['every tag there is', joinBytes('\n', APE, LYRICS_2, ID3_WITH_FOOTER, ID3V1, '\r\n')],
  ['half of an ID3v1', ID3V1.subarray(0, 60)],
];
const before: readonly (readonly [string, Part])[] = [
  ['CR LF', '\r\n'],
  ['a byte-order mark', [0xef, 0xbb, 0xbf]],
  ['100 NULs', zeros(100)],
  ['ID3v2 twice', joinBytes(id3v2(zeros(100)), id3v2(zeros(20)))],
  ['ID3v2.4 with a footer', ID3_WITH_FOOTER],
  ['ID3v2 with a picture', id3v2(PICTURE)],
  ['CR LF and ID3v2 with a picture', joinBytes('\r\n', id3v2(PICTURE))],
  ['a letter and ID3v2 with a picture', joinBytes('x', id3v2(PICTURE))],
  ['noise and ID3v2 with a picture', joinBytes(noise(50), id3v2(PICTURE))],
  ['ID3v2 and NULs that it does not count', joinBytes(id3v2(zeros(100)), zeros(500))],
  ['APEv2', APE],
];

const SHORT = frames(1, 7, untagged);

/** Each of them is whole: one request, every sample. */
export const ODD_BODIES: readonly OddBody[] = [
  ...behind.map(([name, part]) => same(`behind the frames: ${name}`, joinBytes(speech, part))),
  ...behind.map(([name, part]) =>
    same(`behind frames without a tag: ${name}`, joinBytes(untagged, part), untagged, allOf(97)),
  ),
  ...behind.map(([name, part]) =>
    same(`behind a variable rate: ${name}`, joinBytes(variable, part), variable),
  ),
  ...before.map(([name, part]) => same(`before the frames: ${name}`, joinBytes(part, speech))),
  same('a wave file around it', joinBytes(WAVE_CHUNKS(speech.length), speech, 'LIST', uint32le(4), 'INFO')),

  same('between frames: CR LF', parted(40, '\r\n')),
  same('between frames: the size of a chunk', parted(40, '\r\n2000\r\n')),
  same('between frames: 1,000 NULs', parted(40, zeros(1000))),
  same('between frames: ID3v2 with a picture', parted(40, id3v2(PICTURE))),
  same('between frames: a letter and ID3v2 with a picture', parted(40, 'x', id3v2(PICTURE))),
  same(
    'between all frames: NULs',
    joinBytes(...Array.from({ length: 98 }, (_, i) => joinBytes(frames(i, i + 1), zeros(i % 5)))),
  ),

  same("a count that counts the tag's own frame", withInfo(INFO_FRAMES_AT, 98)),
  same('a count of 0', withInfo(INFO_FRAMES_AT, 0), withInfo(INFO_FRAMES_AT, 0), allOf(97)),
  ...[195, 2000, 1e6, 0x7fffffff, 0xffffffff].map((count) =>
    damaged(`a count of ${count}, and the right bytes`, withInfo(INFO_FRAMES_AT, count), allOf(97)),
  ),
  ...[1e6, 0xffffffff].map((count) =>
    damaged(
      `a count of ${count}, and as many bytes`,
      withInfo(INFO_BYTES_AT, 0xffffffff, withInfo(INFO_FRAMES_AT, count)),
      allOf(97),
    ),
  ),
  same('bytes of 0', withInfo(INFO_BYTES_AT, 0)),
  same(
    'a wrong checksum of the tag',
    changed(speech, (copy) => copy.fill(0x55, LAME_AT + 34, LAME_AT + 36)),
  ),
  damaged('Xing without a count', withTag(TAG_AT, 'Xing', uint32(0)), allOf(97)),
  damaged('Xing with a count alone', withTag(TAG_AT, 'Xing', uint32(1), uint32(97)), allOf(97)),
  damaged('Xing with a count of one too many', withTag(TAG_AT, 'Xing', uint32(1), uint32(98)), allOf(97)),
  damaged('VBRI', vbri(97), allOf(97)),
  damaged("VBRI that counts the tag's own frame", vbri(98), allOf(97)),
  same(
    'Xing of a variable rate with a count of one too many',
    changed(variable, (_, view) => view.setUint32(INFO_FRAMES_AT, 98)),
    variable,
  ),

  ...[
    [4095, 4095, 6],
    [2000, 2000, 6],
    [576, 2900, 6],
    [4095, 0, 0xffffffff],
  ].map(([delay, padding, count]) => ({
    name: `delay ${delay} and padding ${padding} of six frames, counted as ${count}`,
    bytes: joinBytes(
      withDelays(delay!, padding!, withInfo(INFO_FRAMES_AT, count!)).subarray(0, FRAME),
      SHORT,
    ),
    samples: allOf(6),
    soundsLike: [SHORT],
  })),

  {
    name: 'two files with tags, joined',
    bytes: joinBytes(speech, variable),
    samples: 2 * SOURCE,
    soundsLike: [speech, variable],
  },
  {
    name: 'two files with all their tags, joined, and NULs between',
    bytes: joinBytes(speech, APE, ID3V1, zeros(9), id3v2(PICTURE), variable, ID3V1),
    samples: 2 * SOURCE,
    soundsLike: [speech, variable],
  },
  {
    name: 'two files with lyrics, joined by a line feed',
    bytes: joinBytes(speech, LYRICS_2, ID3V1, '\n', id3v2(zeros(30)), speech),
    samples: 2 * SOURCE,
    soundsLike: [speech, speech],
  },

  ...(
    [
      ['shine-44k.mp3', allOf(76, 1152)],
      ['lame-joint-44k.mp3', 88_200],
      ['ffmpeg-xing-48k.mp3', 96_001],
      ['lame-untagged-22k.mp3', allOf(89)],
      ['lame-8k.mp3', 18_001],
      ['lame-id3-crc-24k.mp3', SOURCE],
      ['ffmpeg-piped-24k.mp3', allOf(97)],
    ] as const
  ).map(([name, samples]) => {
    const fixture = mp3Fixture(name);
    return same(`${name} between line ends`, joinBytes('\r\n', fixture, '\n'), fixture, samples);
  }),

  ...(
    [
      ['', ''],
      [' and a line feed', '\n'],
      [' and NULs', zeros(4096)],
      [' and a page', PAGE],
      [' and noise', noise(300)],
      [' and ID3v1', ID3V1],
    ] as const
  ).map(([name, tail]) => {
    const one = firstFrameOf(mp3Fixture('shine-44k.mp3'));
    return same(`one frame${name}`, joinBytes(one, tail), one, 1152 - LEAD);
  }),

  damaged(
    '700 bytes of noise in its place',
    changed(speech, (copy) => copy.set(noise(700), 11_588)),
  ),
  damaged(
    '700 zeros in its place',
    changed(speech, (copy) => copy.fill(0, 11_588, 12_288)),
  ),
  damaged(
    'three frames of zeros',
    changed(speech, (copy) => copy.fill(0, 50 * FRAME, 53 * FRAME)),
  ),
  damaged(
    'damage in 44.1 kHz',
    changed(padded, (copy) => copy.set(noise(1000), 12_345)),
    88_200,
  ),
  damaged(
    'damage in the third frame',
    changed(speech, (copy) => copy.set(noise(200), 3 * FRAME - 50)),
  ),
  damaged(
    'a bit rate that is another',
    changed(speech, (copy) => (copy[50 * FRAME + 2]! ^= 0x10)),
  ),
  damaged(
    'a bit rate that is twice as high',
    changed(speech, (copy) => (copy[50 * FRAME + 2] = 0xc4)),
  ),
  damaged(
    'every second of ten headers destroyed',
    changed(speech, (copy) => {
      for (let frame = 40; frame < 50; frame += 2) copy[frame * FRAME] = 0x7f;
    }),
  ),
  damaged(
    'a frame of a variable rate without its header',
    changed(variable, (copy) => (copy[4000] = 0)),
    SOURCE,
  ),

  ...(
    [
      ['free format', inFreeFormat(untagged), untagged, allOf(97)],
      ['free format with a tag', inFreeFormat(speech), speech, SOURCE],
      ['free format with a tag that tells its rate', inFreeFormat(speech, FRAME), speech, SOURCE],
      ['free format of 44.1 kHz in two lengths', inFreeFormat(padded), padded, 88_200],
      ['free format between line ends', joinBytes('\r\n', inFreeFormat(untagged), '\n'), untagged, allOf(97)],
      ['free format behind a letter', joinBytes('x', inFreeFormat(untagged)), untagged, allOf(97)],
      ['free format, two frames', inFreeFormat(frames(0, 2, untagged).slice()), frames(0, 2, untagged), 47],
    ] as const
  ).map(([name, bytes, like, samples]) => same(name, bytes, like, samples)),
];
