import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captionsVtt, chaptersVtt, vttTime } from '../../src/captions/web-vtt.ts';
import type { TimedWord } from '../../src/captions/word-timeline.ts';
import { splitIntoRequests } from '../../src/text/request-text.ts';
import { spokenWords } from '../../src/text/spoken-words.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';

type Cue = {
  readonly startMs: number;
  readonly endMs: number;
  readonly voice: string | undefined;
  readonly text: string;
};

const TIME = /^(\d{2,}):(\d\d):(\d\d)\.(\d{3})$/;
const msOf = (time: string): number => {
  const [, hours, minutes, seconds, ms] = TIME.exec(time)!.map(Number);
  return ((hours! * 60 + minutes!) * 60 + seconds!) * 1000 + ms!;
};
const unescaped = (text: string) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

/** Reads a file as the specification has it: blocks between blank lines, an id, a line of times, lines of text. */
function parse(file: string): Cue[] {
  const [head, ...blocks] = file.split(/\n{2,}/);
  expect(head!.trimEnd()).toBe('WEBVTT');
  return blocks
    .filter((block) => block.trim() !== '')
    .map((block, index) => {
      const [id, times, ...lines] = block.trimEnd().split('\n');
      expect(id).toBe(String(index + 1));
      const [start, end, ...rest] = times!.split(' --> ');
      expect(rest).toEqual([]);
      expect(lines.length).toBeLessThanOrEqual(2);
      const [, voice, text] = /^(?:<v ([^>\n]+)>)?([^<>]*)$/.exec(lines.join('\n'))!;
      return {
        startMs: msOf(start!),
        endMs: msOf(end!),
        voice: voice === undefined ? undefined : unescaped(voice),
        text: unescaped(text!),
      };
    });
}

const timed = (
  text: string,
  prefixes: { turnPrefix?: string; turnPrefix2?: string } = {},
  markup: 'keep' | 'strip' = 'keep',
) => {
  const both = { turnPrefix: prefixes.turnPrefix, turnPrefix2: prefixes.turnPrefix2 };
  const segments = wholeTextSegments(text, { language: 'english', markup, ...both });
  const words = splitIntoRequests(segments, 2000, both).flatMap(({ parts }) =>
    spokenWords(parts.map(({ segment }) => segment)),
  );
  return words.map(
    (word, index): TimedWord => ({ ...word, line: 0, startMs: index * 600, endMs: index * 600 + 550 }),
  );
};
const cuesOf = (text: string, ...more: [Parameters<typeof timed>[1]?, ('keep' | 'strip')?]) =>
  parse(captionsVtt(timed(text, ...more), { lines: [text], nameOf: () => undefined })).map(
    ({ text: shown }) => shown.replaceAll('\n', ' '),
  );

/** Lines of words at times that never go back, some without any length. */
const word = fc.oneof(
  fc.constantFrom(
    'Tea',
    'tide',
    '<b>',
    '&amp;',
    '-->',
    'NOTE',
    'ebb.',
    'flow?',
    '«so»',
    '𝄞',
    '你好。',
    '::cue',
  ),
  fc.stringMatching(/^\S{1,12}$/),
);
const script = fc.array(fc.array(word, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 6 });
const steps = fc.array(fc.oneof(fc.constant(0), fc.nat(400), fc.nat(3000)), { minLength: 1, maxLength: 50 });

describe('captions', () => {
  it('are cues in order that never overlap, parse back and keep every word', () => {
    fc.assert(
      fc.property(script, steps, fc.constantFrom(1, 2, undefined), (lines, pauses, speaker) => {
        let atMs = 0;
        let drawn = 0;
        const step = () => pauses[drawn++ % pauses.length]!;
        const words = lines.flatMap((line, index) => {
          let charStart = 0;
          return line.map((text): TimedWord => {
            const charEnd = charStart + [...text].length;
            const startMs = atMs + step();
            const endMs = startMs + step();
            atMs = endMs;
            const made = {
              text,
              line: index,
              speaker,
              charStart,
              charEnd,
              weight: 1,
              pause: 0,
              startMs,
              endMs,
            };
            charStart = charEnd + 1;
            return made;
          });
        });
        const file = captionsVtt(words, {
          lines: lines.map((line) => line.join(' ')),
          nameOf: (speaker) => (speaker === undefined ? undefined : `Speaker <${speaker}> & Co`),
        });
        const cues = parse(file);
        let endMs = 0;
        for (const cue of cues) {
          expect(cue.startMs).toBeGreaterThanOrEqual(endMs);
          expect(cue.endMs).toBeGreaterThan(cue.startMs);
          endMs = cue.endMs;
        }
        const said = cues
          .map(({ text }) => text.replaceAll('\n', ' '))
          .join(' ')
          .split(/\s+/);
        expect(said).toEqual(words.flatMap(({ text }) => text.trim().split(/\s+/)));
      }),
      { numRuns: 200 },
    );
  });

  it('ends a cue with its paragraph: a heading has no full stop', () => {
    const cues = ['The tides', 'Water rises twice a day', 'and falls as often.'];
    expect(cuesOf(cues.join('\n\n'))).toEqual(cues);
    expect(cuesOf(`# The tides\n \nWater rises.`, {}, 'strip')).toEqual(['The tides', 'Water rises.']);
  });

  it('end where a sentence does, and have at most 84 characters', () => {
    expect(cuesOf('The tide turns. “Is it late?” she asked. Yes')).toEqual([
      'The tide turns.',
      '“Is it late?” she asked.',
      'Yes',
    ]);
    const long = 'word '.repeat(200);
    for (const text of cuesOf(long)) expect([...text].length).toBeLessThanOrEqual(84);
  });

  it('mark each change of speaker, by voice spans or by dashes, and two short replies share a cue', () => {
    const lines = [
      'Who is there at this late hour of the night?',
      'Me.',
      'Come in.',
      'Thank you very much indeed.',
    ];
    let atMs = 0;
    const words = lines.flatMap((line, index) =>
      [...line.matchAll(/\S+/g)].map((match): TimedWord => {
        if (line.startsWith('Thank') && match.index === 0) atMs += 700;
        const [charStart, startMs] = [match.index, atMs];
        atMs += 300;
        return {
          text: match[0],
          line: index,
          speaker: index % 2 === 0 ? 1 : 2,
          charStart,
          charEnd: charStart + match[0].length,
          weight: 1,
          pause: 0,
          startMs,
          endMs: atMs,
        };
      }),
    );
    const shown = (nameOf: (speaker: 1 | 2 | undefined) => string | undefined) =>
      captionsVtt(words, { lines, nameOf, endMs: atMs + 500 })
        .split('\n\n')
        .slice(1)
        .map((block) => block.trimEnd().split('\n').slice(2));
    expect(shown(() => undefined)).toEqual([
      ['Who is there at this late hour', 'of the night?'],
      ['- Me.', '- Come in.'],
      ['- Thank you very much indeed.'],
    ]);
    expect(shown((speaker) => (speaker === 1 ? 'Ada' : 'Ben'))).toEqual([
      ['<v Ada>Who is there', 'at this late hour of the night?'],
      ['<v Ben>- Me.</v>', '<v Ada>- Come in.</v>'],
      ['<v Ben>Thank you very much indeed.'],
    ]);
  });

  it('leave out the marks of turns', () => {
    const text = 'A: "Who is there?" she said. A: Tell me. B: It is me. A: Plan B it is.';
    expect(cuesOf(text, { turnPrefix: 'A:', turnPrefix2: 'B:' })).toEqual([
      '"Who is there?" she said.',
      'Tell me.',
      '- It is me.',
      '- Plan B it is.',
    ]);
  });

  it('leave out markup that was not spoken', () => {
    expect(cuesOf('See **this** [link](http://x.example/y) now.', {}, 'strip')).toEqual([
      'See this link now.',
    ]);
  });

  it('keep signs that stand apart from their word', () => {
    expect(cuesOf('«Bonjour à tous !» dit-il.')).toEqual(['«Bonjour à tous !» dit-il.']);
  });

  it('of nothing are a file without cues', () => {
    expect(parse(captionsVtt([], { lines: [], nameOf: () => undefined }))).toEqual([]);
  });
});

describe('chapters', () => {
  it('are cues with their titles', () => {
    const chapters = [
      { title: 'Tides & <moons>', startMs: 0, endMs: 61_001 },
      { title: 'Two\n\nlines', startMs: 61_001, endMs: 61_001 },
    ];
    expect(parse(chaptersVtt(chapters)).map(({ startMs, endMs, text }) => [startMs, endMs, text])).toEqual([
      [0, 61_001, 'Tides & <moons>'],
      [61_001, 61_002, 'Two lines'],
    ]);
  });
});

describe('a time', () => {
  it.each([
    [0, '00:00:00.000'],
    [-5, '00:00:00.000'],
    [999.6, '00:00:01.000'],
    [3_599_999, '00:59:59.999'],
    [360_000_000, '100:00:00.000'],
  ])('%d ms is %s', (ms, text) => {
    expect(vttTime(ms)).toBe(text);
  });
});
