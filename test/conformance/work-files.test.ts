// What every store for the files of works promises: in a folder, and in a bucket of S3.

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createS3WorkFiles } from '../../src/storage/s3/s3-work-files.ts';
import { createFileWorkFiles } from '../../src/storage/works/file-work-files.ts';
import type { WorkFiles } from '../../src/storage/works/work-files.ts';
import { openTestBucket, startS3 } from '../support/s3-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

type Store = {
  /** Another instance, on the same machine or on another one. */
  readonly open: (machine: 'this' | 'other') => WorkFiles;
  readonly close: () => Promise<void> | void;
};

const inFolder = async (): Promise<Store> => {
  const dataDir = scratchFolder('files');
  mkdirSync(join(dataDir, 'works', 'lost+found'), { recursive: true });
  return { open: () => createFileWorkFiles(dataDir), close: () => rmSync(dataDir, { recursive: true }) };
};

const inBucket = async (): Promise<Store> => {
  const server = await startS3();
  const bucket = await openTestBucket(server.endpoint);
  await bucket.put('works/lost+found/files/x', Buffer.from('x'));
  const folders = { this: scratchFolder('this'), other: scratchFolder('other') };
  return {
    open: (machine) => createS3WorkFiles({ bucket, folder: folders[machine], mayWrite: async () => {} }),
    async close() {
      bucket.close();
      await server.close();
      for (const folder of Object.values(folders)) rmSync(folder, { recursive: true });
    },
  };
};

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
])('files of works in %s', (_, openStore) => {
  let store: Store;
  let files: WorkFiles;
  let outside: string;
  beforeAll(async () => {
    store = await openStore();
    files = store.open('this');
    outside = scratchFolder('outside');
  });
  afterAll(async () => {
    await store.close();
    rmSync(outside, { recursive: true });
  });

  const made = async (id: string, content: string | Uint8Array, name = 'part') => {
    const path = join(await files.scratch(id), name);
    await writeFile(path, content);
    return path;
  };
  const readOf = async (id: string, name: string) => {
    const found = await files.find(id, name);
    return found && (await buffer(found.open())).toString();
  };

  it('has nothing at first', async () => {
    expect(await files.owned()).toEqual([]);
    expect(await files.find(randomUUID(), 'audio.mp3')).toBeUndefined();
    expect(await files.recover(randomUUID(), 'part')).toBe(false);
    await files.tidy(randomUUID());
    await files.remove(randomUUID());
  });

  it('keeps a scratch folder of each work', async () => {
    const id = randomUUID();
    await files.checkpoint(id, 'part', await made(id, 'half'));
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
    await files.publish(id, 'words.vtt', await made(id, 'WEBVTT'));
    expect(await files.names(id)).toEqual(['audio.mp3', 'words.vtt']);
    for (const name of ['part-0001.mp3', 'part-0001.json']) {
      const draft = await made(id, 'part', `${name}.draft`);
      await files.checkpoint(id, name, draft);
      await rename(draft, join(await files.scratch(id), name));
    }
    expect(await files.parts(id)).toEqual(['part-0001.json', 'part-0001.mp3']);
    for (const none of [randomUUID(), '../x'])
      expect([await files.names(none), await files.parts(none)]).toEqual([[], []]);
  });

  it('drops the scratch folder, and everything', async () => {
    const id = randomUUID();
    await files.publish(id, 'audio.mp3', await made(id, 'kept'));
    await made(id, 'dropped');
    await files.tidy(id);
    expect(await readOf(id, 'audio.mp3')).toBe('kept');
    await expect(readFile(join(await files.scratch(id), 'part'))).rejects.toThrow();
    expect(await files.recover(id, 'part')).toBe(false);
    await files.remove(id);
    expect(await files.find(id, 'audio.mp3')).toBeUndefined();
    expect(await files.owned()).not.toContain(id);
    await files.remove(id);
  });

  it.each(['this', 'other'] as const)('lets %s machine go on with a work', async (machine) => {
    const id = randomUUID();
    await files.publish(id, 'audio.mp3', await made(id, 'kept'));
    for (const content of ['first', 'half']) {
      const unfinished = await made(id, content, 'part.new');
      await files.checkpoint(id, 'part', unfinished);
      await rename(unfinished, join(await files.scratch(id), 'part'));
    }
    const again = store.open(machine);
    expect((await again.find(id, 'audio.mp3'))?.bytes).toBe(4);
    const folder = await again.scratch(id);
    expect([await again.recover(id, 'part'), await again.recover(id, 'other')]).toEqual([true, false]);
    expect(await readFile(join(folder, 'part'), 'utf8')).toBe('half');
    await again.tidy(id);
    expect(await again.recover(id, 'part')).toBe(false);
    expect((await files.find(id, 'audio.mp3'))?.bytes).toBe(4);
    await again.remove(id);
    expect(await files.find(id, 'audio.mp3')).toBeUndefined();
  });

  it('serves and hands on files of many parts', async () => {
    const id = randomUUID();
    const content = randomBytes(11 * 1024 * 1024 + 1);
    const path = await made(id, content);
    await files.checkpoint(id, 'part', path);
    expect(await files.publish(id, 'audio.wav', path)).toEqual({ bytes: content.length });
    const found = (await store.open('other').find(id, 'audio.wav'))!;
    expect((await buffer(found.open())).equals(content)).toBe(true);
    const [start, end] = [5 * 1024 * 1024 - 2, 5 * 1024 * 1024 + 2];
    expect((await buffer(found.open({ start, end }))).equals(content.subarray(start, end + 1))).toBe(true);
    const given = found.open();
    for await (const _ of given) break;
    expect(given.destroyed).toBe(true);
    await files.remove(id);
  });

  it('serves what is empty', async () => {
    const id = randomUUID();
    expect(await files.publish(id, 'words.vtt', await made(id, ''))).toEqual({ bytes: 0 });
    expect(await readOf(id, 'words.vtt')).toBe('');
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
    await expect(files.recover(id, 'part')).rejects.toThrow('not the id');
    await expect(files.checkpoint(id, 'part', outside)).rejects.toThrow('not the id');
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
    await expect(files.checkpoint(id, name, path)).rejects.toThrow('not a name');
    await expect(files.recover(id, name)).rejects.toThrow('not a name');
    expect(await files.find(id, name)).toBeUndefined();
    expect(await readFile(path, 'utf8')).toBe('x');
  });

  it('publishes nothing from elsewhere', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    const secret = join(outside, 'secret');
    await writeFile(secret, 'secret');
    const scratch = await files.scratch(id);
    await symlink(secret, join(scratch, 'link'));
    await symlink(outside, join(scratch, 'folder'));
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
    expect(await files.owned()).not.toContain('lost+found');
  });
});
