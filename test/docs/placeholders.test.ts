// The pages as they are published: a figure that was to be measured later must have been put in, and the files that they name
// are there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findVoice } from '../../src/engine/voices.ts';

const ROOT = new URL('../../', import.meta.url);
const PLACEHOLDER = /@[A-Z]{3,}@/;

const below = readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' });
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...below.map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
);

describe('the pages', () => {
  it.each(pages)('%s holds no placeholder', (name) => {
    const lines = readFileSync(new URL(name, ROOT), 'utf8').split('\n');
    const found = lines.flatMap((line, at) => (PLACEHOLDER.test(line) ? [`${at + 1}: ${line}`] : []));
    expect(found).toEqual([]);
  });

  it.each(pages)('%s names no voice that the engine does not have', (name) => {
    const page = readFileSync(new URL(name, ROOT), 'utf8');
    const named = [...page.matchAll(/voxgate:\/\/embedded\/voices\/\w+/g)].map(([id]) => id);
    expect(named.filter((id) => findVoice(id) === undefined)).toEqual([]);
  });

  it.each(pages)('%s names no file of the source that is not there', (name) => {
    const page = readFileSync(new URL(name, ROOT), 'utf8');
    // What a withdrawn decision tells of is gone.
    if (/^(Withdrawn|Superseded) by /m.test(page)) return;
    const named = [...page.matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)+\.(?:ts|mjs|json))`/g)].map(
      ([, file]) => file!,
    );
    const missing = named.filter(
      (file) =>
        // Names to be chosen, and files of a data folder, are no files of the repository.
        !/NAME|^records\//.test(file) &&
        !['', 'src/'].some((folder) => existsSync(new URL(`${folder}${file}`, ROOT))),
    );
    expect(missing).toEqual([]);
  });
});
