// What is said at start of a data folder that cannot be used: the setting, the folder, what is wrong, what to do.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dataFolderFault, openDataFolder } from '../../src/storage/data-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'voxgate-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const messageOf = (task: () => unknown): string => {
  try {
    task();
  } catch (error) {
    return (error as Error).message;
  }
  return 'opened';
};
const withCode = (code: string) => Object.assign(new Error(`${code}: some words, mkdir '/data'`), { code });

describe('a data folder', () => {
  it('is made with its parents, for its owner alone', () => {
    const path = join(folder, 'a/b/c');
    openDataFolder(path);
    openDataFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('that is a file, or lies below one, is told as that', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')])
      expect(messageOf(() => openDataFolder(path))).toMatch(
        new RegExp(`^VOXGATE_DATA_DIR is ${path}, which is not a folder, .*: move .*\\.$`),
      );
  });

  // The kernel lets nobody, root included, make a folder there.
  it.runIf(process.platform === 'linux')('that the system makes for nobody says so in one line', () => {
    const message = messageOf(() => openDataFolder('/proc/voxgate/data'));
    expect(message).toMatch(/^VOXGATE_DATA_DIR is \/proc\/voxgate\/data, which .+: .+\.$/);
    expect(message).not.toMatch(/mkdir|\n/);
  });

  it.each([
    ['EROFS', /read-only file system/],
    ['EACCES', /may not be written by the user/],
    ['EPERM', /may not be written by the user/],
    ['ENOSPC', /full/],
    ['EDQUOT', /quota/],
    ['ENOTDIR', /not a folder/],
    ['ENOENT', /cannot be made in/],
  ])('tells %s in words, however deep it lies', (code, words) => {
    const path = join(folder, 'new');
    for (const cause of [
      withCode(code),
      new Error('the records cannot be opened', { cause: withCode(code) }),
    ]) {
      const { message } = dataFolderFault(path, cause) as Error;
      expect(message).toMatch(words);
      expect(message).toContain(`VOXGATE_DATA_DIR is ${path}`);
      expect(message).not.toContain('some words');
    }
  });

  it('leaves what is no failure of a folder as it is', () => {
    const cause = new Error('another process has it');
    expect(dataFolderFault(folder, cause)).toBe(cause);
    expect(dataFolderFault(folder, withCode('EIO'))).toMatchObject({ code: 'EIO' });
  });
});
