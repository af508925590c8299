import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeWholeFile } from '../../../src/service/finishing/whole-file.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

let folder: string;
beforeEach(() => {
  folder = scratchFolder('whole-file');
});
afterEach(() => rmSync(folder, { recursive: true }));
const place = (name = 'audio.mp3') => join(folder, name);

it('is moved to its place when it is whole, and tells its size', async () => {
  const written = await writeWholeFile(place(), async (path) => {
    writeFileSync(path, 'sound');
    return { samples: 5 };
  });
  expect(written).toEqual({ samples: 5, bytes: 5 });
  expect(readdirSync(folder)).toEqual(['audio.mp3']);
});

it('leaves nothing when it fails, and what was there before stays', async () => {
  writeFileSync(place(), 'before');
  const writing = writeWholeFile(place(), async (path) => {
    writeFileSync(path, 'half');
    throw new Error('no more');
  });
  await expect(writing).rejects.toThrow('no more');
  expect(readdirSync(folder)).toEqual(['audio.mp3']);
  expect(readFileSync(place(), 'utf8')).toBe('before');
});

it('is not written to by a program that outlived the one that began it', async () => {
  // What kill -9 leaves: the unfinished file, and an ffmpeg that still has it open.
  const orphan = openSync(`${place()}.unfinished`, 'w');
  await writeWholeFile(place(), async (path) => {
    writeFileSync(path, 'new sound');
    writeSync(orphan, 'OLD', 0);
    return {};
  });
  closeSync(orphan);
  expect(readFileSync(place(), 'utf8')).toBe('new sound');
});

it('is a file of its own, whatever lies under the other name', async () => {
  writeFileSync(place('elsewhere'), 'mine');
  symlinkSync(place('elsewhere'), `${place()}.unfinished`);
  await writeWholeFile(place(), async (path) => {
    writeFileSync(path, 'sound');
    return {};
  });
  expect(readFileSync(place('elsewhere'), 'utf8')).toBe('mine');
});
