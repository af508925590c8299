// docs/errors.md against the table that the program uses, both ways.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../../src/base/app-error.ts';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('docs/errors.md', () => {
  it('has exactly the codes of the table, each once', () => {
    const told = rows.map(([code]) => code);
    expect(new Set(told)).toEqual(new Set(Object.keys(ERROR_TABLE).map((code) => `\`${code}\``)));
    expect(told.length).toBe(Object.keys(ERROR_TABLE).length);
  });

  it.each(Object.entries(ERROR_TABLE))('tells %s as it is', (code, { http, close, retryable, scope }) => {
    const [, ...cells] = rows.find(([name]) => name === `\`${code}\``)!;
    expect(cells.slice(0, 4)).toEqual([String(http), String(close), retryable ? 'yes' : 'no', scope]);
    expect(cells.length).toBe(6);
    expect(cells.slice(4).every((cell) => cell.length > 5)).toBe(true);
  });
});
