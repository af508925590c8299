import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captionsSrt } from '../../src/captions/sub-rip.ts';
import { captionsVtt } from '../../src/captions/web-vtt.ts';
import type { TimedWord } from '../../src/captions/word-timeline.ts';
import { readSrt } from '../support/read-srt.ts';
import { readVtt } from '../support/read-vtt.ts';

type Line = { readonly text: string; readonly speaker: 1 | 2 | undefined };

/** Each word takes what `stepMs` gives, and a pause before it too. */
function timed(lines: readonly Line[], stepMs: () => number): TimedWord[] {
  let atMs = 0;
  return lines.flatMap(({ text, speaker }, line) =>
    [...text.matchAll(/\S+/g)].map((match): TimedWord => {
      const startMs = atMs + stepMs();
      atMs = startMs + stepMs();
      const charStart = [...text.slice(0, match.index)].length;
      const charEnd = charStart + [...match[0]].length;
      return { text: match[0], line, speaker, charStart, charEnd, weight: 1, pause: 0, startMs, endMs: atMs };
    }),
  );
}
const optionsOf = (lines: readonly Line[], name?: string) => ({
  lines: lines.map(({ text }) => text),
  nameOf: (speaker: 1 | 2 | undefined) =>
    name === undefined || speaker === undefined ? undefined : `${name}${speaker}`,
});
const srtOf = (lines: readonly Line[], name?: string, stepMs = 150) =>
  captionsSrt(
    timed(lines, () => stepMs),
    optionsOf(lines, name),
  );
const plain = (text: string): Line => ({ text, speaker: undefined });

const word = fc.oneof(
  fc.constantFrom('Tea', 'ebb.', 'flow?', '<b>', '-->', '&amp;', '{\\an8}', '7', '«so»', '𝄞', '你好。'),
  fc.stringMatching(/^\S{1,12}$/),
);
const line = fc.record({
  text: fc.array(word, { minLength: 1, maxLength: 20 }).map((words) => words.join(' ')),
  speaker: fc.constantFrom<1 | 2 | undefined>(1, 2, undefined),
});

describe('SubRip', () => {
  it('has numbered cues, commas before the milliseconds, and a blank line between them', () => {
    expect(srtOf([plain('The tide turns again. Yes')])).toBe(
      '1\n00:00:00,150 --> 00:00:01,200\nThe tide turns again.\n\n2\n00:00:01,350 --> 00:00:02,350\nYes\n',
    );
  });

  it('has the cues of WebVTT, whatever is spoken and however long it takes', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        fc.array(fc.oneof(fc.constant(0), fc.nat(400), fc.nat(3000), fc.constant(3_600_000)), {
          minLength: 1,
          maxLength: 40,
        }),
        (drawnLines, steps) => {
          let drawn = 0;
          const lines = drawnLines.map(({ text }) => plain(text)); // one voice: no dashes
          const words = timed(lines, () => steps[drawn++ % steps.length]!);
          const cues = readSrt(captionsSrt(words, optionsOf(lines)));
          const same = readVtt(captionsVtt(words, optionsOf(lines)));
          const times = ({ startMs, endMs }: { startMs: number; endMs: number }) => [startMs, endMs];
          expect(cues.map(times)).toEqual(same.map(times));
          const shown = cues.map(({ text }) => text.replaceAll('\u2060', '')).join(' ');
          const said = words.map(({ text }) => text.replaceAll('\u2060', '')).join(' ');
          expect(shown.replace(/\s/g, '')).toBe(said.replace(/\s/g, ''));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('shows signs as they were written: it has no escapes, and nothing of the text is styling', () => {
    const [cue] = readSrt(srtOf([plain('a & b < c <i>d</i> {\\an8} e --> f')]));
    expect(cue!.text.replaceAll('\u2060', '')).toBe('a & b < c <i>d</i> {\\an8} e --> f');
    expect(cue!.text).not.toMatch(/<\/?[a-z]|\{\\|-->/i);
  });

  it('says who speaks where the speaker changes', () => {
    const lines: Line[] = [
      { text: 'Who is there? Tell me.', speaker: 1 },
      { text: 'It is me.', speaker: 2 },
      { text: 'Come in.', speaker: 1 },
    ];
    expect(readSrt(srtOf(lines, 'Ann', 300)).map(({ text }) => text)).toEqual([
      'Ann1: Who is there?',
      'Tell me.',
      'Ann2: It is me.',
      'Ann1: Come in.',
    ]);
    expect(readSrt(srtOf(lines, undefined, 300)).map(({ text }) => text)).toEqual([
      'Who is there?',
      'Tell me.',
      '- It is me.',
      '- Come in.',
    ]);
    // Too short to be read by themselves.
    expect(readSrt(srtOf(lines.slice(1), 'Ann', 120)).map(({ text }) => text)).toEqual([
      '- Ann2: It is me.\n- Ann1: Come in.',
    ]);
  });

  it('writes a name that leaves no room beside it on a line of its own', () => {
    const [cue] = readSrt(
      srtOf([{ text: 'incomprehensibilitiesnotwithstandings', speaker: 1 }], 'Annabella', 600),
    );
    expect(cue!.text).toBe('Annabella1:\nincomprehensibilitiesnotwithstandings');
  });

  it('of nothing is an empty file', () => {
    expect(captionsSrt([], optionsOf([]))).toBe('');
  });
});
