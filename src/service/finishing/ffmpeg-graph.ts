// The filter graphs of ffmpeg for a finished file, as text: every length in samples, so that the file is as long as
// our own finisher makes it, to the sample, whatever ffmpeg's decoder and resampler add or leave out.

import { CEILING_DBTP, fromDecibels, type Levelling, type Measured } from '../../audio/dsp/loudness-rule.ts';
import type { FinishRequest } from '../audio-finisher.ts';
import { gapSamples } from './decode-parts.ts';
import type { PartFacts } from './examine-part.ts';
import type { FinishedSound } from './finished-sound.ts';

/** The pad that graphs end in. */
export const FFMPEG_OUT = 'out';

/** Of the whole file, at its rate; lengths as the resampler of our own sound path rounds them. */
export function soundOf(
  parts: FinishRequest['parts'],
  facts: readonly PartFacts[],
  sampleRate: number,
): FinishedSound {
  let samples = 0;
  const places = facts.map((part, index) => {
    const start = samples;
    const end = start + Math.round((part.samples * sampleRate) / part.sampleRate);
    samples = end + gapSamples(parts[index]?.gapMs ?? 0, sampleRate);
    return { start, end };
  });
  return { sampleRate, samples, places };
}

/** Inputs are decoded whole, their lead included (`-flags2 +skip_manual`). */
function joinedParts(facts: readonly PartFacts[], { sampleRate, samples, places }: FinishedSound): string {
  const chains = facts.map(({ lead, samples: length }, index) => {
    const next = places[index + 1]?.start ?? samples;
    const spoken = `atrim=start_sample=${lead}:end_sample=${lead + length},asetpts=N/SR/TB`;
    // Without `rematrix_maxval` two channels of floats would be added instead of averaged.
    const converted = `aresample=${sampleRate}:rematrix_maxval=1,aformat=sample_fmts=flt:channel_layouts=mono`;
    const { start, end } = places[index]!;
    return `[${index}:a]${spoken},${converted},${exactly(end - start)},apad=whole_len=${next - start}[p${index}];`;
  });
  const pads = facts.map((_, index) => `[p${index}]`).join('');
  return `${chains.join('')}${pads}concat=n=${facts.length}:v=0:a=1`;
}

const exactly = (samples: number): string => `apad=whole_len=${samples},atrim=end_sample=${samples}`;
const inDb = (value: number): string => value.toFixed(2);

/** Measures the parts by EBU R128 and their highest sample: finding the true peak would take half of the time. */
export const measuringGraph = (facts: readonly PartFacts[], sound: FinishedSound): string =>
  `${joinedParts(facts, sound)},ebur128=peak=sample:framelog=verbose[${FFMPEG_OUT}]`;

/**
 * Measures how loud the parts are when `level` has limited their peaks. Those between samples are left as they are
 * here: they change the loudness by less than 0.1 LU and would take two thirds of the time.
 */
export const tryingGraph = (
  facts: readonly PartFacts[],
  sound: FinishedSound,
  level: Levelling,
  ceilingDbtp = CEILING_DBTP,
): string =>
  `${[joinedParts(facts, sound), ...limited(level, ceilingDbtp, sound.sampleRate)].join(',')},ebur128=framelog=verbose[${FFMPEG_OUT}]`;

/** Measures the peaks of a file as it is heard, those between samples too. */
export const HEARING_GRAPH = `[0:a]ebur128=peak=true:framelog=verbose[${FFMPEG_OUT}]`;

/** dBTP, from what the hearing run wrote. */
export function readTruePeak(stderr: string): number | undefined {
  const peaks = stderr.matchAll(/True peak:\s+Peak:\s*(-?(?:inf|[\d.]+)) dBFS/g);
  const [, text] = [...peaks].at(-1) ?? [];
  if (text === undefined) return undefined;
  return text === '-inf' ? Number.NEGATIVE_INFINITY : Number(text);
}

/** LUFS, from what the trying run wrote: the last summary, for ffmpeg builds a graph once before it runs it. */
export function readEbur128Summary(stderr: string): number | undefined {
  const summaries = stderr.matchAll(/Summary:\s+Integrated loudness:\s+I:\s*(-?[\d.]+) LUFS/g);
  const [, lufs] = [...summaries].at(-1) ?? [];
  return lufs === undefined ? undefined : Number(lufs);
}

/** What is as quiet as this was not measured: it is too quiet, or too short. */
const UNMEASURED_LUFS = -70;
/** How far a peak between two samples may lie above both: a tone of a quarter of the rate, sampled beside its crests. */
const BETWEEN_SAMPLES_DB = 3;

/** From what the measuring run wrote; undefined when the report is not there. The peak is the highest that it may be. */
export function readLoudnessReport(stderr: string): Measured | undefined {
  const [summary] = /Summary:(?![\s\S]*Summary:)[\s\S]*/.exec(stderr) ?? [];
  const value = (name: string) => {
    const [, text] = new RegExp(`^.*\\b${name}:\\s*(-?(?:inf|[\\d.]+))`, 'm').exec(summary ?? '') ?? [];
    return text === '-inf' ? Number.NEGATIVE_INFINITY : Number(text);
  };
  const lufs = value('I');
  const peakDbtp = value('Peak') + BETWEEN_SAMPLES_DB;
  if (Number.isNaN(lufs) || Number.isNaN(peakDbtp)) return undefined;
  return { loudnessLufs: lufs <= UNMEASURED_LUFS ? Number.NEGATIVE_INFINITY : lufs, peakDbtp };
}

/** `compensation`: a factor for what the encoder does to the level. */
export function levellingGraph(
  facts: readonly PartFacts[],
  sound: FinishedSound,
  level: Levelling,
  compensation: number,
  ceilingDbtp = CEILING_DBTP,
): string {
  const chain = [
    joinedParts(facts, sound),
    ...(level.peaks === 'limit'
      ? limited(level, ceilingDbtp, sound.sampleRate, OVERSAMPLING)
      : [amplified(level)]),
    `volume=${compensation.toFixed(4)}`,
    exactly(sound.samples),
    'asetpts=N/SR/TB',
  ];
  return `${chain.join(',')}[${FFMPEG_OUT}]`;
}

const LOOK_AHEAD_MS = 5;
const RELEASE_MS = 50;
/** So that peaks between samples are seen, too. */
const OVERSAMPLING = 4;

const amplified = ({ gainDb }: Levelling): string => `volume=${inDb(gainDb)}dB`;

/** Gain and a limiter like our own, whose look-ahead delays the sound and is cut away again. */
function limited(
  level: Levelling,
  ceilingDbtp: number,
  sampleRate: number,
  oversampling = 1,
): readonly string[] {
  const rate = oversampling * sampleRate;
  const delay = Math.floor((rate * LOOK_AHEAD_MS) / 1000);
  const ceiling = fromDecibels(ceilingDbtp).toFixed(4);
  const limiter = [
    `apad=pad_len=${delay}`,
    `alimiter=limit=${ceiling}:attack=${LOOK_AHEAD_MS}:release=${RELEASE_MS}:level=0`,
    `atrim=start_sample=${delay}`,
    'asetpts=N/SR/TB',
  ];
  const isSame = oversampling === 1;
  return [
    amplified(level),
    ...(isSame ? limiter : [`aresample=${rate}`, ...limiter, `aresample=${sampleRate}`]),
  ];
}
