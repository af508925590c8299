// The hand-checked English texts: each is cut where a reader would cut it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { segmentText } from '../../../src/text/segment.ts';
import { wholeTextSegments } from '../../../src/text/turn-text.ts';

const file = readFileSync(join(import.meta.dirname, '../../../fixtures/texts/english.txt'), 'utf8');
const cases = file
  .split(/^# /m)
  .slice(1)
  .map((block) => {
    const [name, ...lines] = block.trim().split('\n');
    const text = lines.join(' ').replaceAll('⏎', '\n').replaceAll('·', ' ');
    return { name: name!, expected: text.split('¦') };
  });

describe('English texts', () => {
  it('holds the cases it should', () => expect(cases.length).toBeGreaterThan(50));

  for (const { name, expected } of cases)
    it(name, () => {
      const segments = wholeTextSegments(expected.join(''), { language: 'english', markup: 'keep' });
      expect(segments.map(segmentText)).toEqual(expected);
    });
});
