// What endings of names say, and what is refused where they say something else than a flag.
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/command.ts';
import { audioFormatOf, captionFormatOf, checkAudioEnding } from '../../../src/cli/output/file-endings.ts';
import { AUDIO_FORMATS, SESSION_FORMATS } from '../../../src/speech/audio-format.ts';

const live = (out: string, given?: string) => audioFormatOf(out, given, SESSION_FORMATS);
const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  return 'taken';
};

describe('the ending of an audio file', () => {
  it.each([
    ['x.wav', 'wav'],
    ['x.WAV', 'wav'],
    ['a.b/x.mp3', 'mp3'],
    ['x.ogg', 'ogg'],
    ['x.oga', 'ogg'],
    ['x.opus', 'ogg'],
    ['x.flac', 'flac'],
    ['x.ulaw', 'mulaw'],
    ['x.mulaw', 'mulaw'],
    ['x.ul', 'mulaw'],
    ['x.alaw', 'alaw'],
    ['x.al', 'alaw'],
    ['x.raw', 'raw'],
    ['x.pcm', 'raw'],
    ['-', 'wav'],
  ])('%s says %s', (out, format) => {
    expect(live(out)).toBe(format);
    expect(live(out, format)).toBe(format);
  });

  it('may be any other with --format', () => {
    expect(live('x', 'mp3')).toBe('mp3');
    expect(live('x.bin', 'alaw')).toBe('alaw');
    expect(live('-', 'mp3')).toBe('mp3');
  });

  it.each([
    [
      'x.wav',
      'mp3',
      '--out is "x.wav", which says wav, and --format is mp3; leave one of them out, or let them say the same',
    ],
    ['x.ulaw', 'alaw', '--out is "x.ulaw", which says mulaw, and --format is alaw; leave'],
    ['x.aac', 'mp3', '--out is "x.aac", which says aac, and --format is mp3'],
    ['x.aac', undefined, '--out is "x.aac"; allowed: a name that ends in .wav .mp3 .ogg'],
    ['x', undefined, '--out is "x"; allowed: a name that ends in .wav'],
    ['x.constructor', undefined, '--out is "x.constructor"; allowed: a name'],
    ['x.wav', 'opus', '--format is "opus"; allowed: mulaw, alaw, raw'],
  ])('%s with --format %s is refused', (out, format, words) => {
    expect(refusal(() => live(out, format))).toContain(words);
  });

  it('is refused where the command does not make it', () => {
    expect(refusal(() => audioFormatOf('x.alaw', undefined, AUDIO_FORMATS))).toMatch(
      /^--out is "x\.alaw"; allowed: a name that ends in \.wav \.mp3 .*\.ulaw/,
    );
  });

  it('of the one format that a command makes may be any name that says nothing else', () => {
    for (const out of ['x.mp3', 'x.MP3', 'x', 'x.bin', '-']) checkAudioEnding(out, 'mp3', 'it is mp3');
    for (const out of ['x.wav', 'x.ulaw', 'x.opus', 'x.m4b'])
      expect(refusal(() => checkAudioEnding(out, 'mp3', 'it is mp3'))).toBe(
        `--out is ${JSON.stringify(out)}; it is mp3: allowed: a name that ends in .mp3`,
      );
  });
});

describe('the ending of a file of captions', () => {
  const read = (path: string, other: 'taken' | 'refused') =>
    captionFormatOf('--captions', path, ['vtt', 'srt'], other);

  it('says WebVTT or SubRip; standard output is the first that the command writes', () => {
    expect(['x.vtt', 'x.SRT', '-'].map((path) => read(path, 'refused'))).toEqual(['vtt', 'srt', 'vtt']);
    expect(read('x.txt', 'taken')).toBe('vtt');
  });

  it('that says something else is refused', () => {
    for (const path of ['x.json', 'x.mp3'])
      expect(refusal(() => read(path, 'taken'))).toBe(
        `--captions is "${path}"; allowed: a name that ends in .vtt .srt`,
      );
    expect(refusal(() => read('x.txt', 'refused'))).toContain(
      '"x.txt"; allowed: a name that ends in .vtt .srt',
    );
  });
});
