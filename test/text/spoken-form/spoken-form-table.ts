// A language's table of what is written and what is said, with the classes that every table must cover.
import { describe, expect, it } from 'vitest';
import type { Language } from '../../../src/speech/language.ts';
import { toSpokenForm } from '../../../src/text/spoken-form/spoken-form.ts';

const CLASSES = [
  'currency',
  'date',
  'time',
  'unit',
  'url',
  'email',
  'percent',
  'range',
  'symbol',
  'ordinal',
  'plain',
] as const;

export type Row = readonly [kind: (typeof CLASSES)[number], written: string, said: string];

export function describeSpokenForm(language: Language, rows: readonly Row[]): void {
  describe(`toSpokenForm in ${language}`, () => {
    it('has a row of every class, and enough of them', () => {
      expect(CLASSES.filter((kind) => !rows.some((row) => row[0] === kind))).toEqual([]);
      expect(rows.length).toBeGreaterThanOrEqual(25);
    });

    it.each(rows)('%s: %s', (_, written, said) => {
      expect(toSpokenForm(written, language)).toBe(said);
    });

    it.each(rows)('says %s the same the second time: %s', (_, __, said) => {
      expect(toSpokenForm(said, language)).toBe(said);
    });
  });
}
