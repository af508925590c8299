// What the ending of a file's name says about what is in it, the same for every command that writes audio or captions.

import { extname } from 'node:path';
import { UsageError } from '../command.ts';

/** Standard input or standard output, in the place of a file. */
export const STANDARD = '-';

/** Other names of it. What is said beside a result must not go there, whichever is used. */
const OF_STANDARD_OUTPUT: readonly string[] = [STANDARD, '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

export const isStandardOutput = (path: string | undefined): boolean =>
  path !== undefined && OF_STANDARD_OUTPUT.includes(path);

const AUDIO: Readonly<Record<string, string>> = {
  '.wav': 'wav',
  '.mp3': 'mp3',
  '.ogg': 'ogg',
  '.oga': 'ogg',
  '.opus': 'ogg',
  '.flac': 'flac',
  '.ulaw': 'mulaw',
  '.mulaw': 'mulaw',
  '.ul': 'mulaw',
  '.alaw': 'alaw',
  '.al': 'alaw',
  '.raw': 'raw',
  '.pcm': 'raw',
};
/** Audio that is not made here: such a file would not be what it is called. */
const FOREIGN_AUDIO = ['.m4a', '.m4b', '.mp4', '.aac', '.aif', '.aiff', '.wma', '.webm', '.au', '.g722'];

export type CaptionFormat = 'vtt' | 'srt' | 'json';
const CAPTIONS: Readonly<Record<string, CaptionFormat>> = { '.vtt': 'vtt', '.srt': 'srt', '.json': 'json' };

/** A live container whose header need not be true in the end, and which players take from a pipe. */
const FORMAT_OF_A_PIPE = 'wav';

const lookUp = <T>(table: Readonly<Record<string, T>>, ending: string): T | undefined =>
  Object.hasOwn(table, ending) ? table[ending] : undefined;
const endingOf = (path: string): string => extname(path).toLowerCase();
const said = (flag: string, path: string) => `${flag} is ${JSON.stringify(path)}`;

/** The endings of the audio formats `formats`, as a sentence lists them. */
export const audioEndings = (formats: readonly string[]): string =>
  Object.entries(AUDIO)
    .filter(([, format]) => formats.includes(format))
    .map(([ending]) => ending)
    .join(' ');

/**
 * The format of the audio file `out`: `given` by --format, or what its ending says, which must not be two. `formats`: what the
 * command makes. Throws a UsageError.
 */
export function audioFormatOf(out: string, given: string | undefined, formats: readonly string[]): string {
  if (given !== undefined && !formats.includes(given))
    throw new UsageError(`--format is ${JSON.stringify(given)}; allowed: ${formats.join(', ')}`);
  if (isStandardOutput(out)) return given ?? FORMAT_OF_A_PIPE;
  const ending = endingOf(out);
  const told = lookUp(AUDIO, ending) ?? (FOREIGN_AUDIO.includes(ending) ? ending.slice(1) : undefined);
  if (told !== undefined && given !== undefined && told !== given)
    throw new UsageError(
      `${said('--out', out)}, which says ${told}, and --format is ${given}; leave one of them out, or let them say the same`,
    );
  const format = given ?? told;
  if (format !== undefined && formats.includes(format)) return format;
  throw new UsageError(
    `${said('--out', out)}; allowed: a name that ends in ${audioEndings(formats)}, or any other with --format`,
  );
}

/** Throws a UsageError where `out` says by its ending that it is something else than `only`. */
export function checkAudioEnding(out: string, only: string, why: string): void {
  const ending = endingOf(out);
  const told = lookUp(AUDIO, ending) ?? (FOREIGN_AUDIO.includes(ending) ? ending.slice(1) : only);
  if (told !== only)
    throw new UsageError(`${said('--out', out)}; ${why}: allowed: a name that ends in .${only}`);
}

/**
 * The format of the file of captions `path`, by its ending. Any other ending is the first of `formats`, and so is standard output;
 * with `strict` it is refused. Throws a UsageError.
 */
export function captionFormatOf(
  flag: string,
  path: string,
  formats: readonly CaptionFormat[],
  other: 'taken' | 'refused',
): CaptionFormat {
  if (isStandardOutput(path)) return formats[0]!;
  const ending = endingOf(path);
  const told = lookUp(CAPTIONS, ending);
  if (told !== undefined && formats.includes(told)) return told;
  if (told === undefined && other === 'taken' && lookUp(AUDIO, ending) === undefined) return formats[0]!;
  throw new UsageError(
    `${said(flag, path)}; allowed: a name that ends in ${formats.map((format) => `.${format}`).join(' ')}`,
  );
}
