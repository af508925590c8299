// docs/troubleshooting.md: the words that it has people search for are said by the program, and statuses belong to their codes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../../src/base/app-error.ts';
import { SETTINGS, toEnv } from '../../src/settings/settings.ts';
import { ROOT, readPage } from '../support/page-blocks.ts';

/** Of Node, Python and the system, which come through as they are. */
const OF_OTHERS = [
  'ConnectionRefusedError',
  'Connect call failed',
  'server rejected WebSocket connection: HTTP 401',
  'EADDRINUSE',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'does not provide an export named',
  'SyntaxError',
  'Cannot find module',
  'ERR_MODULE_NOT_FOUND',
];

const page = readPage('docs/troubleshooting.md');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:you see|close code) /.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('layer3-wasm'))
  .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
  .join('\n');
/** The words of a cell that stand in code. */
const quotedIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, words]) => words!);
/** What `ready` and `ended` may say, fields, and the like are words of the protocol, so of the source, too. */
const quoted = rows.flatMap(([seen]) => quotedIn(seen!));

describe('docs/troubleshooting.md', () => {
  it('has rows of three cells', () => {
    expect(rows.length).toBeGreaterThan(60);
    for (const row of rows) expect(row, row[0]).toHaveLength(3);
  });

  it.each([...new Set(quoted)])('%s is said by the program', (words) => {
    const said = OF_OTHERS.includes(words) || sources.includes(words.replace(/: "\w+"$/, ''));
    const codes = new Set(Object.keys(ERROR_TABLE).map((code) => code.toUpperCase()));
    const variable = [...Object.keys(SETTINGS).map(toEnv)].some((name) => words.startsWith(name));
    expect(said || codes.has(words) || variable || /^<\w+>$/.test(words)).toBe(true);
  });

  it('names statuses and close codes as the table of errors has them', () => {
    for (const [seen] of rows) {
      for (const [, number, code] of seen!.matchAll(/\b(\d{3,4}) `([a-z_]+)`/g)) {
        const error = ERROR_TABLE[code as keyof typeof ERROR_TABLE];
        expect([error.http, error.close], `${number} ${code}`).toContain(Number(number));
      }
    }
  });
});
