// Whoever reads a line of the log finds it in the documents: every event with a name, at the level `info` or above, is in
// docs/operations.md.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const NAMED = /\blog(?:\??\.(?:info|warn|error)|\[[^\n]+?\])\(\s*'([a-z0-9]+(?:_[a-z0-9]+)+)'/g;

const sources = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const named = new Set(
  sources.flatMap((name) =>
    [...readFileSync(new URL(`src/${name}`, ROOT), 'utf8').matchAll(NAMED)].map(([, event]) => event!),
  ),
);
const page = readFileSync(new URL('docs/operations.md', ROOT), 'utf8');

describe('the log', () => {
  it.each([...named].sort())('%s is explained to operators', (event) => {
    expect(page).toContain(`\`${event}\``);
  });

  it('has names that the pattern finds', () => {
    expect(named.size).toBeGreaterThan(45);
  });
});
