// Which texts have a debate in them, and who says what in it.
import { describe, expect, it } from 'vitest';
import type { Script } from '../../../src/script/script.ts';
import { writeScript } from '../../../src/script/write-script.ts';
import { cutSentences } from '../../../src/service/playnotes/sentence-cutter.ts';
import { nightTrains, saltRoad, schoolGardens } from '../weighing-documents.ts';

const debateOf = (document: typeof nightTrains) =>
  writeScript(
    document,
    {
      style: 'debate',
      speakers: { name1: undefined, name2: undefined, voices: 2 },
      language: 'english',
      seed: 1,
    },
    cutSentences,
  );
const saidBy = (speaker: 1 | 2, script: Script) =>
  script.chapters
    .slice(2)
    .flatMap(({ lines }) => lines)
    .filter((line) => line.speaker === speaker && line.sources.length > 0)
    .map(({ text }) => text)
    .join(' ');

describe('a debate', () => {
  it('is made of an essay whose paragraphs take sides, each side by one', () => {
    const script = debateOf(nightTrains) as Script;
    expect(saidBy(1, script)).toContain('loses no working day');
    expect(saidBy(1, script)).toContain('spares the air');
    expect(saidBy(2, script)).toContain('complain about the noise');
    expect(saidBy(2, script)).toContain('carries thirty people');
    expect(saidBy(1, script)).not.toMatch(/debt|noise|worn out/);
    expect(saidBy(2, script)).not.toMatch(/hotel|breakfast/);
  });

  it('is made of an essay that goes to and fro, and no side says what the other answers', () => {
    const script = debateOf(schoolGardens) as Script;
    expect(saidBy(1, script)).toContain('improves the meals');
    expect(saidBy(1, script)).not.toMatch(/burden|hidden cost|danger/);
    expect(saidBy(2, script)).toContain('the garden is in danger');
  });

  it('is not made of a text with an opinion here and there', () => {
    expect(debateOf(saltRoad)).toMatchObject({ refused: 'no-two-sides' });
  });
});
