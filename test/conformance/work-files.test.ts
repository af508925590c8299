// What every store for the files of works promises; there is one, in a local folder.

import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileWorkFiles } from '../../src/storage/works/file-work-files.ts';
import type { WorkFiles } from '../../src/storage/works/work-files.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

describe('files of works in a local folder', () => {
  let dataDir: string;
  let files: WorkFiles;
  beforeAll(() => {
    dataDir = scratchFolder('files');
    files = createFileWorkFiles(dataDir);
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  const made = async (id: string, content: string, name = 'part') => {
    const path = join(await files.scratch(id), name);
    await writeFile(path, content);
    return path;
  };
  const readOf = async (id: string, name: string) => {
    const found = await files.find(id, name);
    return found && (await buffer(found.open())).toString();
  };

  it('has nothing at first', async () => {
    const empty = createFileWorkFiles(join(dataDir, 'not-there'));
    expect(await empty.owned()).toEqual([]);
    expect(await empty.find(randomUUID(), 'audio.mp3')).toBeUndefined();
    await empty.tidy(randomUUID());
    await empty.remove(randomUUID());
  });

  it('keeps a scratch folder of each work', async () => {
    const id = randomUUID();
    await made(id, 'half');
    expect(await readFile(join(await files.scratch(id), 'part'), 'utf8')).toBe('half');
    expect(await files.scratch(randomUUID())).not.toBe(await files.scratch(id));
    expect(await files.owned()).toContain(id);
    expect(await files.find(id, 'part')).toBeUndefined();
  });

  it('drops a work while more of it is still being made', async () => {
    const id = randomUUID();
    const folder = await files.scratch(id);
    let made = 0;
    const making = setInterval(() => {
      for (let i = 0; i < 20; i++)
        try {
          writeFileSync(join(folder, `part-${made++}`), '');
        } catch {
          // The folder is gone.
        }
    });
    const until = setTimeout(() => clearInterval(making), 40);
    try {
      await files.remove(id);
    } finally {
      clearInterval(making);
      clearTimeout(until);
    }
    expect(await files.owned()).not.toContain(id);
  });

  it('serves what was published, whole and in parts', async () => {
    const id = randomUUID();
    expect(await files.publish(id, 'audio.mp3', await made(id, '0123456789'))).toEqual({ bytes: 10 });
    const found = (await files.find(id, 'audio.mp3'))!;
    expect(found.bytes).toBe(10);
    expect((await buffer(found.open())).toString()).toBe('0123456789');
    expect((await buffer(found.open({ start: 3, end: 5 }))).toString()).toBe('345');
    expect((await buffer(found.open({ start: 9, end: 9 }))).toString()).toBe('9');
    expect(await files.find(id, 'words.json')).toBeUndefined();
    expect(await files.find(randomUUID(), 'audio.mp3')).toBeUndefined();
    // Moved, not copied; and the later one takes its place.
    await expect(readFile(join(await files.scratch(id), 'part'))).rejects.toThrow();
    await files.publish(id, 'audio.mp3', await made(id, 'again'));
    expect(await readOf(id, 'audio.mp3')).toBe('again');
  });

  it('drops the scratch folder, and everything', async () => {
    const id = randomUUID();
    await files.publish(id, 'audio.mp3', await made(id, 'kept'));
    await made(id, 'dropped');
    await files.tidy(id);
    expect(await readOf(id, 'audio.mp3')).toBe('kept');
    await expect(readFile(join(dataDir, 'works', id, 'scratch', 'part'))).rejects.toThrow();
    await files.remove(id);
    expect(await files.find(id, 'audio.mp3')).toBeUndefined();
    expect(await files.owned()).not.toContain(id);
    await files.remove(id);
  });

  it('survives a restart', async () => {
    const id = randomUUID();
    await files.publish(id, 'audio.mp3', await made(id, 'kept'));
    await made(id, 'half');
    const again = createFileWorkFiles(dataDir);
    expect((await again.find(id, 'audio.mp3'))?.bytes).toBe(4);
    expect(await readFile(join(await again.scratch(id), 'part'), 'utf8')).toBe('half');
  });

  it.each([
    '',
    '.',
    '..',
    '../x',
    'a',
    `${randomUUID()}/..`,
    `${randomUUID()}\0`,
    randomUUID().toUpperCase(),
  ])('takes no %j for the id of a work', async (id) => {
    await expect(files.scratch(id)).rejects.toThrow('not the id');
    await expect(files.tidy(id)).rejects.toThrow('not the id');
    await expect(files.remove(id)).rejects.toThrow('not the id');
    expect(await files.find(id, 'audio.mp3')).toBeUndefined();
  });

  it.each([
    '',
    '.',
    '..',
    '../audio.mp3',
    '.hidden',
    'a/b',
    'a\\b',
    'a..b',
    'a\0b',
    'A.mp3',
    'a.',
    'x'.repeat(101),
  ])('takes no %j for the name of a file', async (name) => {
    const id = randomUUID();
    const path = await made(id, 'x');
    await expect(files.publish(id, name, path)).rejects.toThrow('not a name');
    expect(await files.find(id, name)).toBeUndefined();
    expect(await readFile(path, 'utf8')).toBe('x');
  });

  it('publishes nothing from elsewhere', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    const secret = join(dataDir, 'secret');
    await writeFile(secret, 'secret');
    const scratch = await files.scratch(id);
    await symlink(secret, join(scratch, 'link'));
    await symlink(dataDir, join(scratch, 'folder'));
    await mkdir(join(scratch, 'inner'));
    for (const path of [
      secret,
      await made(other, 'of another'),
      join(scratch, '../../../secret'),
      join(scratch, 'link'),
      join(scratch, 'folder/secret'),
      join(scratch, 'inner'),
      scratch,
    ])
      await expect(files.publish(id, 'audio.mp3', path)).rejects.toThrow('only a file in the scratch');
    await expect(files.publish(id, 'audio.mp3', join(scratch, 'missing'))).rejects.toThrow();
    expect(await files.find(id, 'audio.mp3')).toBeUndefined();
    expect(await readFile(secret, 'utf8')).toBe('secret');
    await writeFile(join(scratch, 'inner/part'), 'of a folder in it');
    await files.publish(id, 'audio.mp3', join(scratch, 'inner/part'));
    expect(await readOf(id, 'audio.mp3')).toBe('of a folder in it');
  });

  it('does not tell what is no work', async () => {
    await mkdir(join(dataDir, 'works', 'lost+found'), { recursive: true });
    expect(await files.owned()).not.toContain('lost+found');
  });
});
