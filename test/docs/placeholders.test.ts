// The pages as they are published: a figure that was to be measured later must have been put in.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

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
});
