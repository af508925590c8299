import { describe, expect, it } from 'vitest';
import { hasRunningText } from '../../src/script/running-text.ts';
import type { SourceBlock } from '../../src/script/source-document.ts';

const paragraph = (text: string): SourceBlock => ({ kind: 'paragraph', text });
const TIDE =
  'The tide comes in twice a day. Every harbour of the coast lives by it, and no captain sails without a table. It is never late.';

describe('running text', () => {
  it('is what a page says, in one piece or in several, and in a table', () => {
    expect(hasRunningText([paragraph(TIDE)])).toBe(true);
    expect(hasRunningText(TIDE.split(/(?<=\.) /).map(paragraph))).toBe(true);
    expect(hasRunningText(TIDE.split(' ').map((text) => ({ kind: 'item', text })))).toBe(true);
    const cells = TIDE.split(' ').map((value) => ({ name: '', value }));
    expect(hasRunningText([{ kind: 'row', cells }])).toBe(true);
  });

  it('is there in scripts without spaces', () => {
    const text =
      '潮は一日に二度満ちる。海岸のどの港も潮によって生きている。船長は潮の表なしには出航しない。潮は決して遅れない。';
    expect(hasRunningText([paragraph(text)])).toBe(true);
  });

  it('is not there in a few words, or in the same ones over and over', () => {
    expect(hasRunningText([])).toBe(false);
    expect(hasRunningText([paragraph(TIDE.split(' ').slice(0, 20).join(' '))])).toBe(false);
    expect(hasRunningText(Array.from({ length: 9_000 }, () => paragraph('a b c')))).toBe(false);
    expect(hasRunningText([paragraph(TIDE.replaceAll('.', ''))])).toBe(false);
    expect(hasRunningText([paragraph('a'.repeat(1_000_000))])).toBe(false);
  });

  it('is not what stands in headings, which nobody reads out as a sentence', () => {
    expect(hasRunningText([{ kind: 'heading', level: 1, text: TIDE }])).toBe(false);
  });
});
