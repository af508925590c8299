import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toAppError } from '../../src/base/app-error.ts';
import { openFilePartShelf } from '../../src/service/file-part-shelf.ts';
import { createFileWorkFiles } from '../../src/storage/works/file-work-files.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const ID = randomUUID();
let dataDir: string;
let folder: string;
beforeEach(async () => {
  dataDir = scratchFolder('shelf');
  folder = await createFileWorkFiles(dataDir).scratch(ID);
});
afterEach(() => rmSync(dataDir, { recursive: true }));
const openShelf = () => openFilePartShelf(createFileWorkFiles(dataDir))(ID, folder);

const FACTS = { audioMs: 5, words: [] };
async function* chunksOf(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

it('keeps a part whole, and finds it again', async () => {
  const kept = await openShelf().keep(1, chunksOf('so', 'und'), () => FACTS);
  expect(await openShelf().find(1)).toEqual(kept);
  expect(readdirSync(folder).sort()).toEqual(['part-0001.json', 'part-0001.mp3']);
});

it('keeps nothing of a part that the disk has no room for, and says so', async () => {
  async function* untilFull() {
    yield Buffer.from('half');
    throw Object.assign(new Error('no'), { code: 'ENOSPC', syscall: 'write' });
  }
  const shelf = openShelf();
  const failed = await shelf.keep(1, untilFull(), () => FACTS).catch(toAppError);
  expect(failed).toMatchObject({ code: 'insufficient_storage' });
  expect(readdirSync(folder)).toEqual([]);
  expect(await shelf.find(1)).toBeUndefined();
});

it('does not write into what another process is making, nor move it', async () => {
  const [first, second] = [openShelf(), openShelf()];
  let go = () => {};
  const slept = new Promise<void>((resolve) => {
    go = resolve;
  });
  async function* sleeping() {
    yield Buffer.from('OLD');
    await slept;
    yield Buffer.from('OLD');
  }
  const late = first.keep(1, sleeping(), () => FACTS);
  const [unfinished] = await new Promise<readonly string[]>((resolve) => {
    const look = () => {
      const names = readdirSync(folder);
      if (names.length > 0) resolve(names);
      else setImmediate(look);
    };
    look();
  });
  writeFileSync(join(folder, 'other'), '');
  await second.keep(1, chunksOf('new'), () => FACTS);
  expect(readdirSync(folder)).toContain(unfinished);
  go();
  await late;
  expect(readdirSync(folder).sort()).toEqual(['other', 'part-0001.json', 'part-0001.mp3']);
});
