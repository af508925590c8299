// The table of protocols: what it says is served, is.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../src/dialects/dialects.ts';

const page = readFileSync(new URL('../../docs/dialects/README.md', import.meta.url), 'utf8');
/** Of rows as `| Deepgram | `ws` `/v1/speak`, `/v2/speak` | …`. */
const paths = page
  .split('\n')
  .filter((line) => line.includes('| `ws` '))
  .flatMap((line) => line.split('|')[2]!.match(/`\/[^`]+`/g) ?? [])
  .map((path) => path.slice(1, -1).replace('{voice}', 'anna'));

const dialectsAt = (path: string) =>
  DIALECTS.filter((dialect) => {
    const upgrade = { path, query: new URLSearchParams(), headers: {}, protocols: [] };
    return dialect.enter(upgrade) !== undefined;
  });

describe('the table of protocols', () => {
  it('names paths that are each one protocol’s', () => {
    expect(paths.length).toBeGreaterThanOrEqual(8);
    for (const path of paths) expect(dialectsAt(path), path).toHaveLength(1);
  });

  it('leaves no protocol out', () => {
    expect(new Set(paths.flatMap(dialectsAt))).toEqual(new Set(DIALECTS));
  });
});
