import { describe, expect, it } from 'vitest';
import { languageReaderOf } from '../../src/script/language-reader.ts';
import type { Script, SynthesisStyle } from '../../src/script/script.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';
import type { SourceDocument } from '../../src/script/source-document.ts';
import { toSourceSentences } from '../../src/script/source-sentences.ts';
import { wordCount } from '../../src/script/words.ts';
import { writeScript } from '../../src/script/write-script.ts';
import { cutSentences } from '../../src/service/playnotes/sentence-cutter.ts';
import { SYNTHESIS_STYLES } from '../../src/speech/playnote-request.ts';
import { repeatedIn, unanchored, unfinished, ungrounded, untabled } from './grounding.ts';
import { beesInTown, foldingPaper, heatPumps, oldMill } from './sample-documents.ts';

const SAMPLES = { heatPumps, beesInTown, oldMill, foldingPaper };
/** A debate is written only of what has two sides. */
const stylesOf = (document: SourceDocument) =>
  SYNTHESIS_STYLES.filter((style) => style !== 'debate' || document !== oldMill);
const duo = { name1: 'Ada', name2: 'Ben', voices: 2 } as const;
const solo = { name1: 'Ada', name2: undefined, voices: 1 } as const;

function write(
  document: SourceDocument,
  style: SynthesisStyle,
  speakers: typeof duo | typeof solo = duo,
  seed = 1,
): Script {
  const script = writeScript(document, { style, speakers, language: document.language!, seed }, cutSentences);
  if ('refused' in script) throw new Error(script.refused);
  return script;
}

const linesOf = (script: Script) => script.chapters.flatMap((chapter) => chapter.lines);
const textOf = (script: Script) =>
  linesOf(script)
    .map((line) => line.text)
    .join('\n');
const wordsBy = (script: Script, speaker: 1 | 2) =>
  linesOf(script)
    .filter((line) => line.speaker === speaker)
    .reduce((sum, line) => sum + wordCount(line.text), 0);
const changes = (script: Script) => {
  const lines = linesOf(script);
  return lines.filter((line, index) => index > 0 && line.speaker !== lines[index - 1]!.speaker).length;
};
const questions = (script: Script) =>
  linesOf(script).filter((line) => /(?:[?？]|か。)\S?$/u.test(line.text) && line.sources.length === 0).length;
const sentencesOf = (document: SourceDocument) =>
  toSourceSentences(
    document,
    cutSentences,
    document.language,
    languageReaderOf(scriptLanguageOf(document.language!)?.cues),
  );

describe.each(Object.entries(SAMPLES))('a script of %s', (_, document) => {
  describe.each([
    ['two voices', duo],
    ['one voice', solo],
  ] as const)('with %s', (_name, speakers) => {
    it.each(stylesOf(document))(
      'is grounded as %s: every line is the source, or a phrase of the table',
      (style) => {
        const sentences = sentencesOf(document);
        for (const seed of [0, 1, 2, 3, 4])
          for (const line of linesOf(write(document, style, speakers, seed))) {
            if (line.sources.length > 0) expect(ungrounded(line, sentences)).toBeUndefined();
            else
              expect(
                untabled(line, scriptLanguageOf(document.language!), document, speakers),
              ).toBeUndefined();
            expect(line.text).not.toMatch(/[{}]|undefined/);
            if (speakers.voices === 1) expect(line.speaker).toBe(1);
          }
      },
    );
  });

  it('is the same for the same seed, and is phrased otherwise for another', () => {
    expect(write(document, 'podcast')).toEqual(write(document, 'podcast'));
    expect(textOf(write(document, 'podcast', duo, 2))).not.toBe(textOf(write(document, 'podcast')));
  });

  it('differs between styles', () => {
    const texts = stylesOf(document).map((style) => textOf(write(document, style)));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('as a podcast goes to and fro, with questions', () => {
    const script = write(document, 'podcast');
    expect(changes(script)).toBeGreaterThanOrEqual(8);
    expect(questions(script)).toBeGreaterThanOrEqual(4);
  });

  it('says nothing twice, and nothing without what it leans on', () => {
    const sentences = sentencesOf(document);
    for (const speakers of [duo, solo])
      for (const style of stylesOf(document)) {
        const script = write(document, style, speakers);
        expect(unanchored(script, sentences)).toEqual([]);
        if (style !== 'debate') expect(unfinished(script, sentences)).toEqual([]);
        expect(repeatedIn(script)).toEqual([]);
      }
  });

  it.runIf(stylesOf(document).includes('debate'))(
    'as a debate gives each side about half of the words',
    () => {
      const script = write(document, 'debate');
      const share = wordsBy(script, 1) / (wordsBy(script, 1) + wordsBy(script, 2));
      expect(share).toBeGreaterThan(0.36);
      expect(share).toBeLessThan(0.64);
      expect(changes(script)).toBeGreaterThanOrEqual(4);
    },
  );

  it('as a story speaks in shorter sentences than the source', () => {
    const sentences = sentencesOf(document);
    const mean = (numbers: readonly number[]) =>
      numbers.reduce((sum, number) => sum + sentences[number]!.words, 0) / numbers.length;
    const told = [...new Set(linesOf(write(document, 'childrens-story')).flatMap((line) => line.sources))];
    expect(mean(told)).toBeLessThan(mean(sentences.map(({ number }) => number)));
  });

  it('as a briefing begins with what the text is about, and goes on in the order of the source', () => {
    const [first, ...others] = write(document, 'executive-briefing').chapters.map(({ lines }) =>
      lines.flatMap((line) => line.sources),
    );
    expect(first![0]).toBeLessThan(6);
    const points = others.flat();
    expect(points).toEqual([...points].sort((a, b) => a - b));
  });
});

describe('writeScript', () => {
  it('asks at least six questions in a podcast of two pages', () => {
    expect(questions(write(heatPumps, 'podcast'))).toBeGreaterThanOrEqual(6);
    expect(questions(write(beesInTown, 'podcast'))).toBeGreaterThanOrEqual(6);
  });

  it('finds the two sides where a text has them', () => {
    const script = write(heatPumps, 'debate');
    const said = (speaker: 1 | 2) =>
      linesOf(script).filter((line) => line.speaker === speaker && line.sources.length > 0);
    expect(said(2).some((line) => line.text.includes('The purchase is expensive.'))).toBe(true);
    expect(said(1).some((line) => line.text.includes('The purchase is expensive.'))).toBe(false);
  });

  describe('refuses a style in which the source has nothing to say, and names the others', () => {
    const paragraphs = (...texts: string[]): SourceDocument => ({
      title: 'T',
      language: 'english',
      blocks: texts.map((text) => ({ kind: 'paragraph', text })),
    });
    const refusal = (document: SourceDocument, style: SynthesisStyle) =>
      writeScript(document, { style, speakers: duo, language: 'english', seed: 1 }, cutSentences);

    it('a debate of a text without two sides', () => {
      const calm = paragraphs(
        'A river begins at a spring in the hills. Rain fills the small streams of the valley. The streams meet and become a river. The river carries sand to the sea.',
        'Fish live in the cold upper part of the river. The otter hunts fish at night in the reeds. Herons stand in the shallow water and wait for fish. Reeds grow along the banks of the lower river.',
      );
      expect(refusal(calm, 'debate')).toEqual({
        refused: 'no-two-sides',
        suits: ['podcast', 'executive-briefing', 'childrens-story'],
      });
      expect(refusal(calm, 'childrens-story')).toHaveProperty('chapters');
    });

    it('a specification as a story for children', () => {
      const specification = paragraphs(
        'A server reads the header of each packet. The header holds the length of the packet in bytes. A client opens a connection to the server. The protocol has three versions. Each version has a number of its own in the header.',
        'An implementation closes the connection after an error. The default port of the protocol is 8080. The server writes its configuration to a file. A library parses the file at the start.',
      );
      expect(refusal(specification, 'childrens-story')).toEqual({
        refused: 'technical-for-children',
        suits: ['podcast', 'executive-briefing'],
      });
    });

    it('a story of sentences that no child can follow', () => {
      const long = Array.from(
        { length: 9 },
        (_, index) =>
          `The ${index + 1}th village behind the hills of the northern coast, which the sailors of the old harbour had never seen by daylight, sent every spring a long row of carts full of apples over the pass and down to the market of the capital.`,
      );
      expect(
        refusal(
          paragraphs(...long.map((text) => text.replace('th village', ' villages'))),
          'childrens-story',
        ),
      ).toMatchObject({
        refused: 'long-for-children',
      });
    });

    it('a podcast of a work of reference', () => {
      const note = (term: string, text: string): SourceDocument['blocks'] => [
        { kind: 'item', text: term },
        { kind: 'item', text, under: term },
      ];
      const manual: SourceDocument = {
        ...paragraphs(
          'The mill grinds wheat and rye for the whole valley. A miller opens the gate in the morning and closes it at night. Flour from the mill is sold in sacks of ten pounds.',
        ),
      };
      const options = ['-a', '-b', '-c', '-d', '-e'].flatMap((term) =>
        note(term, 'The wheel is set to turn faster than before, and the stones are lifted by a finger.'),
      );
      const reference = { ...manual, blocks: [...manual.blocks, ...options] };
      expect(refusal(reference, 'podcast')).toEqual({
        refused: 'reference-work',
        suits: ['executive-briefing'],
      });
      expect(refusal(manual, 'podcast')).toHaveProperty('chapters');
    });

    it('a podcast of a table', () => {
      const table: SourceDocument = {
        title: 'Rain',
        language: 'english',
        blocks: [
          'North',
          'South',
          'East',
          'West',
          'Coast',
          'Hills',
          'Plain',
          'Islands',
          'Harbour',
          'Forest',
          'Lake',
          'Moor',
        ].map((region, index) => ({
          kind: 'row',
          cells: [
            { name: 'Region', value: region },
            { name: 'Rain in summer', value: `${index * 31 + 200} millimetres` },
          ],
        })),
      };
      expect(refusal(table, 'podcast')).toEqual({ refused: 'no-statements', suits: ['executive-briefing'] });
      expect(refusal(table, 'executive-briefing')).toHaveProperty('chapters');
    });
  });

  it('makes a briefing of four sentences', () => {
    const text =
      'The harbour was deepened in the spring of last year. Larger ships have come in at every tide since then. The town has built a second crane beside the old one. Next year the railway will reach the northern quay.';
    const source: SourceDocument = { title: 'T', language: 'english', blocks: [{ kind: 'paragraph', text }] };
    const lines = linesOf(write(source, 'executive-briefing', solo));
    expect(lines.flatMap(({ sources }) => sources).length).toBeGreaterThanOrEqual(2);
  });

  it('chooses key points from statements, not from commands, items and questions', () => {
    const source: SourceDocument = {
      title: 'Salt',
      language: 'english',
      blocks: [
        { kind: 'paragraph', text: '# This file was automatically generated from salt data.' },
        { kind: 'paragraph', text: 'Salt and salt water . . . . . . . . 12' },
        {
          kind: 'paragraph',
          text: 'Add salt to the water. What does salt do? Salt keeps meat fresh for months.',
        },
        {
          kind: 'paragraph',
          text: 'Ships carried barrels of salt across the sea. A tax on salt emptied whole villages. Miners dug salt from dry seas under the hills.',
        },
        { kind: 'item', text: 'Use salt with care.' },
        { kind: 'heading', level: 1, text: 'References' },
        {
          kind: 'paragraph',
          text: 'Salt, Peter. A history of salt and salt water. Salt Press of the salt coast. Salt and more salt were sold.',
        },
      ],
    };
    const sentences = sentencesOf(source);
    const points = linesOf(write(source, 'executive-briefing')).flatMap(({ sources }) => sources);
    expect(points.length).toBeGreaterThan(1);
    for (const number of points)
      expect([
        'Salt keeps meat fresh for months.',
        'Ships carried barrels of salt across the sea.',
        'A tax on salt emptied whole villages.',
        'Miners dug salt from dry seas under the hills.',
      ]).toContain(sentences[number]!.spoken);
    const all = textOf(write(source, 'executive-briefing'));
    expect(all).not.toMatch(/generated|\. \.|Press|Peter/);
  });

  it('says once what the source says twice in nearly the same words', () => {
    const source: SourceDocument = {
      title: 'Tides',
      language: 'english',
      blocks: [
        'The tide comes in twice a day along the whole northern coast. Every harbour of the coast lives by a table of the tide.',
        'Along the whole northern coast the tide comes in twice a day. No captain sails without a careful look at the water.',
        'The moon pulls the water of the sea towards itself. A strong wind can lift the water by another metre.',
      ].map((text) => ({ kind: 'paragraph', text })),
    };
    expect(textOf(write(source, 'podcast')).match(/twice a day/g)).toHaveLength(1);
  });

  it('is told in runs of neighbouring sentences, each section from its beginning', () => {
    const word = (seed: number) => `w${((seed * 7919) % 9973).toString(36)}x`;
    const section = (name: string, part: number): SourceDocument['blocks'] => [
      { kind: 'heading', level: 2, text: name },
      ...Array.from({ length: 6 }, (_, at) => ({
        kind: 'paragraph' as const,
        text: Array.from({ length: 5 }, (_unused, place) => {
          const seed = part * 600 + at * 100 + place * 11;
          return `${name} ${Array.from({ length: 9 }, (_none, next) => word(seed + next)).join(' ')}.`;
        }).join(' '),
      })),
    ];
    const names = ['Wheels', 'Gates', 'Stones', 'Sacks'];
    const source: SourceDocument = { title: 'Mills', language: 'english', blocks: names.flatMap(section) };
    const sentences = sentencesOf(source);
    const told = linesOf(write(source, 'podcast')).flatMap((line) => line.sources);
    const joined = told.filter((number, at) => told[at + 1] === number + 1).length;
    expect(joined).toBeGreaterThan(told.length / 2);
    for (const name of names) {
      const first = sentences.find(({ path }) => path.at(-1) === name)!.number;
      expect(told).toContain(first);
    }
  });

  it('begins with what its source is about', () => {
    const opening = (title: string, ...texts: string[]) => {
      const source: SourceDocument = {
        title,
        language: 'english',
        blocks: texts.map((text) => ({ kind: 'paragraph', text })),
      };
      const number = linesOf(write(source, 'executive-briefing')).flatMap(({ sources }) => sources)[0]!;
      return sentencesOf(source)[number]!.spoken;
    };
    const others = [
      'Millers of the valley wake before the sun does. Wheels of oak last for forty years.',
      'Stones of quartz come from one quarry only. Sparks fly when a stone runs dry.',
    ];
    const about = 'This paper describes how grain was ground in the valley.';
    expect(opening('Grain and stone', ...others, about)).toBe(about);
    expect(opening('millctl - opens gates', ...others, 'millctl opens and closes the gates of a mill.')).toBe(
      'millctl opens and closes the gates of a mill.',
    );
    expect(
      opening('Sparks of dry stones', ...others, 'A mill has a stone that is dry and gives sparks.'),
    ).toBe('Sparks fly when a stone runs dry.');
  });

  it('comes to what its source concludes', () => {
    const texts = [
      [
        'Wheels',
        'Wheels of oak last for forty years in the stream. Wheels of elm last longer, but elm is hard to find. A wheel is hung by six men in a day.',
      ],
      [
        'Stones',
        'Stones of quartz come from one quarry only. A stone is dressed every spring by a mason. Sparks fly when a stone runs dry.',
      ],
      [
        'Gates',
        'Gates hold the water of the pond at night. A gate is opened by a chain from the loft. Leaves are taken from a gate with a rake.',
      ],
      [
        'Conclusion',
        'Mills need people who look after wood, stone and water. Whoever keeps a mill keeps a stream as well.',
      ],
    ] as const;
    const source: SourceDocument = {
      title: 'Mills',
      language: 'english',
      blocks: texts.flatMap(([name, text]): SourceDocument['blocks'] => [
        { kind: 'heading', level: 1, text: name },
        { kind: 'paragraph', text },
      ]),
    };
    const script = write(source, 'podcast');
    expect(script.chapters.at(-2)!.title).toBe('Summary');
    expect(script.chapters.at(-2)!.lines.at(-1)!.text).toBe(
      'Mills need people who look after wood, stone and water. Whoever keeps a mill keeps a stream as well.',
    );
  });

  it('introduces people by their names where they have some', () => {
    expect(linesOf(write(heatPumps, 'podcast'))[0]!.text).toMatch(/Ada.*Ben/);
    const nameless = writeScript(
      heatPumps,
      {
        style: 'podcast',
        speakers: { name1: ' ', name2: undefined, voices: 2 },
        language: 'english',
        seed: 1,
      },
      cutSentences,
    ) as Script;
    expect(linesOf(nameless)[0]!.text).toContain('Heat pumps in old houses');
  });

  it('takes the name of a file for a title', () => {
    expect(write(oldMill, 'podcast').title).toBe('le vieux moulin');
  });

  it.each([
    ['nothing', []],
    ['headings only', [{ kind: 'heading', level: 1, text: 'A heading without a text' }]],
    [
      'two sentences',
      [{ kind: 'paragraph', text: 'The cat sleeps on the warm roof. The dog barks at the old gate.' }],
    ],
    ['rubbish', [{ kind: 'paragraph', text: '12 34 56 . , ; 78 [][][] ((( 99' }]],
  ] as const)('refuses %s', (_, blocks) => {
    const document: SourceDocument = { title: 'T', language: 'english', blocks };
    for (const style of SYNTHESIS_STYLES)
      expect(
        writeScript(document, { style, speakers: duo, language: 'english', seed: 1 }, cutSentences),
      ).toEqual({
        refused: 'too-little-text',
      });
  });

  it('says nothing of its own in a language without phrases, and still lets two speak', () => {
    const document: SourceDocument = {
      title: 'Ilanga',
      language: 'xhosa',
      blocks: [
        {
          kind: 'paragraph',
          text: 'Ilanga liyakhanya kakhulu emini. Abantwana badlala phandle nabahlobo babo. Umama upheka ukutya kwasemini ekhitshini. Utata usebenza egadini yakhe yonke imihla.',
        },
        {
          kind: 'paragraph',
          text: 'Inja ilele phantsi komthi omkhulu. Iintaka zicula kamnandi emithini. Umlambo uhamba kancinci ukuya elwandle. Abantu bahlala kunye njengosapho olunye.',
        },
      ],
    };
    for (const style of SYNTHESIS_STYLES.filter((one) => one !== 'debate')) {
      const lines = linesOf(write(document, style));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.every((line) => line.sources.length > 0)).toBe(true);
    }
    expect(new Set(linesOf(write(document, 'podcast')).map((line) => line.speaker))).toEqual(new Set([1, 2]));
  });

  it('keeps within its length, however long the source', () => {
    const word = (seed: number) => `w${((seed * 7919) % 997).toString(36)}x`;
    const blocks: SourceDocument['blocks'] = Array.from({ length: 100 }, (_, block) => ({
      kind: 'paragraph',
      text: Array.from(
        { length: 8 },
        (_unused, index) =>
          `The ${Array.from({ length: 14 }, (_none, place) => word(block * 131 + index * 17 + place)).join(' ')} ${index % 2 === 0 ? 'is an advantage' : 'is a problem'}.`,
      ).join(' '),
    }));
    const mostWords = { podcast: 3000, debate: 3000, 'childrens-story': 1560, 'executive-briefing': 900 };
    for (const style of SYNTHESIS_STYLES) {
      const script = write({ title: 'Long', language: 'english', blocks }, style);
      expect(wordsBy(script, 1) + wordsBy(script, 2)).toBeLessThanOrEqual(mostWords[style]);
      expect(linesOf(script).length).toBeGreaterThan(5);
    }
  });
});
