// What an ffmpeg can do, as far as finished files need it: builds leave codecs out, for their licences or their size.

import { opusSpeechKbps } from '../../audio/containers/opus-encoder.ts';
import { lameGain, speechBitrateKbps } from '../../audio/mp3/mp3-encoder.ts';
import { opusRateOf, type ServiceFormat } from '../../speech/audio-format.ts';

export type FfmpegBuild = {
  /** The program, by name or path. */
  readonly path: string;
  readonly encoders: ReadonlySet<string>;
};

/** All that our graphs are made of; a build without one of them is as good as none. */
export const NEEDED_FILTERS = [
  'aformat',
  'alimiter',
  'apad',
  'aresample',
  'asetpts',
  'atrim',
  'concat',
  'ebur128',
  'volume',
];

type FormatRule = {
  readonly encoder: string;
  readonly muxer: string;
  readonly options?: readonly string[];
  /** Where the format has a choice of bit rates: the one for speech. */
  readonly speechKbps?: (sampleRate: number) => number;
  readonly tags: 'title' | 'title-and-length' | 'none';
};

const FORMATS: Readonly<Record<ServiceFormat, FormatRule>> = {
  mp3: {
    encoder: 'libmp3lame',
    muxer: 'mp3',
    options: ['-id3v2_version', '4', '-write_xing', '1'],
    speechKbps: speechBitrateKbps,
    tags: 'title-and-length',
  },
  ogg: {
    encoder: 'libopus',
    muxer: 'ogg',
    options: [
      ...['-application', 'audio', '-frame_duration', '20', '-vbr', 'constrained'],
      // The serial number of a stream (RFC 3533, 6) is random otherwise, and the same speech another file each time.
      ...['-fflags', '+bitexact', '-flags:a', '+bitexact'],
    ],
    speechKbps: opusSpeechKbps,
    tags: 'title',
  },
  flac: { encoder: 'flac', muxer: 'flac', options: ['-sample_fmt', 's16'], tags: 'title' },
  wav: { encoder: 'pcm_s16le', muxer: 'wav', tags: 'title' },
  raw: { encoder: 'pcm_s16le', muxer: 's16le', tags: 'none' },
  mulaw: { encoder: 'pcm_mulaw', muxer: 'mulaw', tags: 'none' },
};

export const hasEncoderFor = (build: FfmpegBuild, format: ServiceFormat): boolean =>
  build.encoders.has(FORMATS[format].encoder);

export type FfmpegOutput = {
  readonly format: ServiceFormat;
  readonly sampleRate: number;
  readonly bitrateKbps: number | undefined;
  readonly title: string;
  readonly artist: string | undefined;
  readonly durationMs: number;
};

/** kbit/s; undefined where the format has no choice. */
export const bitrateOf = ({
  format,
  sampleRate,
  bitrateKbps,
}: Pick<FfmpegOutput, 'format' | 'sampleRate' | 'bitrateKbps'>): number | undefined => {
  const { speechKbps } = FORMATS[format];
  return speechKbps === undefined ? undefined : (bitrateKbps ?? speechKbps(sampleRate));
};

/** What the samples have to be multiplied by for the encoder to keep their level. */
export const encoderCompensation = (output: FfmpegOutput): number =>
  output.format === 'mp3' ? 1 / lameGain(bitrateOf(output) ?? 0) : 1;

/** ffmpeg refuses a rate that Opus does not have. */
const codedRateOf = ({ format, sampleRate }: FfmpegOutput): number =>
  format === 'ogg' ? opusRateOf(sampleRate) : sampleRate;

/** The options of an output, each one argument. */
export function ffmpegOutputOptions(output: FfmpegOutput): readonly string[] {
  const { encoder, muxer, options = [] } = FORMATS[output.format];
  const kbps = bitrateOf(output);
  return [
    ...['-c:a', encoder, '-ar', String(codedRateOf(output)), '-ac', '1'],
    ...(kbps === undefined ? [] : ['-b:a', `${kbps}k`]),
    ...options,
    ...['-f', muxer],
  ];
}

/** How such an output is read again; at least two arguments. */
export function ffmpegInputOptions({ format, sampleRate }: Pick<FfmpegOutput, 'format' | 'sampleRate'>) {
  const { muxer, tags } = FORMATS[format];
  return ['-f', muxer, ...(tags === 'none' ? ['-ar', String(sampleRate), '-ac', '1'] : [])];
}

/** The tags of an output as ffmpeg's metadata demuxer reads them; they are clean (`cleanTags`), one line each. */
export function ffmpegTags({ format, title, artist, durationMs }: FfmpegOutput): string | undefined {
  const { tags } = FORMATS[format];
  if (tags === 'none') return undefined;
  const named: readonly (readonly [string, string | undefined])[] = [
    ['title', title === '' ? undefined : title],
    ['artist', artist],
    ['TLEN', tags === 'title-and-length' ? String(Math.round(durationMs)) : undefined],
  ];
  const lines = named.flatMap(([name, text]) =>
    text === undefined ? [] : [`${name}=${text.replace(/[=;#\\]/g, '\\$&')}\n`],
  );
  return `;FFMETADATA1\n${lines.join('')}`;
}
