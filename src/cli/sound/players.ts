// Programs that play sound on a person's machine, and how each is given samples: 16-bit, little-endian, mono. The first that is
// there is taken.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Player = {
  readonly program: string;
  /** `pipe`: samples without a header on its standard input; `file`: a WAV file whose name is the last argument. */
  readonly takes: 'pipe' | 'file';
  readonly args: (sampleRate: number) => readonly string[];
};

const sox = (rate: number) => [
  '-q',
  '-t',
  'raw',
  '-e',
  'signed',
  '-b',
  '16',
  '-L',
  '-c',
  '1',
  '-r',
  String(rate),
  '-',
];

/** Each begins to play with the first samples, not when it has seen enough of them. */
export const PLAYERS: readonly Player[] = [
  {
    program: 'ffplay',
    takes: 'pipe',
    // One channel is its default. Nothing has to be found out, and what is buffered would be a delay.
    args: (rate) => [
      ...['-nodisp', '-autoexit', '-loglevel', 'error', '-fflags', 'nobuffer', '-probesize', '32'],
      ...['-f', 's16le', '-ar', String(rate), '-i', 'pipe:0'],
    ],
  },
  {
    program: 'mpv',
    takes: 'pipe',
    args: (rate) => [
      ...['--no-config', '--no-video', '--no-terminal', '--cache=no', '--demuxer=rawaudio'],
      ...['--demuxer-rawaudio-format=s16le', '--demuxer-rawaudio-channels=1'],
      ...[`--demuxer-rawaudio-rate=${rate}`, '-'],
    ],
  },
  {
    program: 'aplay',
    takes: 'pipe',
    args: (rate) => ['-q', '-t', 'raw', '-f', 'S16_LE', '-c', '1', '-r', String(rate), '-'],
  },
  { program: 'play', takes: 'pipe', args: sox },
  { program: 'sox', takes: 'pipe', args: (rate) => [...sox(rate), '-d'] },
  // Of macOS. It reads no pipe.
  { program: 'afplay', takes: 'file', args: () => [] },
];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export type FoundPlayer = Player & { readonly path: string };

/** `searchPath`: the variable PATH. Undefined: none of them is there. */
export function findPlayer(searchPath: string | undefined): FoundPlayer | undefined {
  const folders = (searchPath ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const player of PLAYERS)
    for (const folder of folders) {
      const path = join(folder, player.program);
      if (isProgram(path)) return { ...player, path };
    }
  return undefined;
}
