// Whether a result can be written is known before the work, and looking changes nothing.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { checkWritable, outTarget } from '../../../src/cli/output/out-target.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const folder = scratchFolder('out-target');
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});
const at = (name: string) => join(folder, name);

it('lets a new file, one that is there, a link, a device and a pipe pass, and leaves them as they are', () => {
  writeFileSync(at('file'), 'before');
  symlinkSync('nothing yet', at('dangling'));
  symlinkSync('file', at('link'));
  execFileSync('mkfifo', [at('pipe')]);
  const before = readdirSync(folder);
  for (const path of [at('new'), at('file'), at('dangling'), at('link'), at('pipe'), '/dev/null'])
    checkWritable(path);
  expect(readdirSync(folder)).toEqual(before);
  expect(readFileSync(at('file'), 'utf8')).toBe('before');
  expect(lstatSync(at('dangling')).isSymbolicLink()).toBe(true);
});

it.each([
  ['folder', 'EISDIR'],
  ['new/', 'EISDIR'],
  ['no/such', 'ENOENT'],
  ['file/x', 'ENOTDIR'],
  ['circle', 'ELOOP'],
  ['nowhere', 'ENOENT'],
  ['x'.repeat(300), 'ENAMETOOLONG'],
])('refuses %s: %s', (name, code) => {
  mkdirSync(at('folder'));
  writeFileSync(at('file'), '');
  symlinkSync('circle', at('circle'));
  symlinkSync('no/such', at('nowhere'));
  expect(() => checkWritable(`${folder}/${name}`)).toThrow(expect.objectContaining({ code }));
  expect(readdirSync(folder).sort()).toEqual(['circle', 'file', 'folder', 'nowhere']);
});

it('says what a name stands for in the end', () => {
  writeFileSync(at('file'), '');
  symlinkSync('file', at('link'));
  symlinkSync('new', at('dangling'));
  expect(outTarget(at('link'))).toMatchObject({ path: at('file'), how: 'replaced' });
  expect(outTarget(at('dangling'))).toMatchObject({ path: at('new'), stats: undefined, how: 'replaced' });
  expect(outTarget('/dev/null')).toMatchObject({ how: 'written' });
});
