// Every phrase table, so that a speaker of the language who mends one cannot break a script.
import { describe, expect, it } from 'vitest';
import { languageReaderOf } from '../../src/script/language-reader.ts';
import { PLACES, type Place } from '../../src/script/script-language.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';
import { LANGUAGES } from '../../src/speech/language.ts';

const tables = LANGUAGES.flatMap((language) => {
  const spoken = scriptLanguageOf(language);
  return spoken === undefined ? [] : [{ language, spoken }];
});
const slotsIn = (phrase: string) => [...phrase.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
const ALWAYS_POSSIBLE = ['title', 'name1', 'name2'];
/** Places that a script passes many times. */
const OFTEN: readonly Place[] = ['ask', 'askOn', 'react', 'childWonder', 'reply', 'replyOn', 'topicNext'];

it('covers the languages that most people speak', () => {
  expect(tables.map(({ language }) => language)).toEqual(
    expect.arrayContaining([
      'english',
      'german',
      'french',
      'spanish',
      'mandarin',
      'japanese',
      'arabic',
      'hindi',
    ]),
  );
});

describe.each(tables)('the phrases of $language', ({ spoken }) => {
  it('fill every place, without needing a title or a name', () => {
    for (const [place, guaranteed] of Object.entries(PLACES)) {
      const phrases = spoken.phrases[place as Place];
      const safe = phrases.filter((phrase) =>
        slotsIn(phrase).every((slot) => (guaranteed as readonly string[]).includes(slot)),
      );
      expect(safe.length, place).toBeGreaterThan(0);
    }
  });

  it('have no slot that their place cannot fill, and each that it must', () => {
    for (const [place, guaranteed] of Object.entries(PLACES))
      for (const phrase of spoken.phrases[place as Place]) {
        for (const slot of slotsIn(phrase))
          expect([...ALWAYS_POSSIBLE, ...guaranteed], phrase).toContain(slot);
        for (const slot of guaranteed) expect(slotsIn(phrase), `${place}: ${phrase}`).toContain(slot);
        expect(phrase.replace(/\{\w+\}/g, '')).not.toMatch(/[{}]/);
      }
  });

  it('are enough where a script comes by often, and are not there twice', () => {
    for (const place of OFTEN) expect(spoken.phrases[place].length, place).toBeGreaterThanOrEqual(4);
    for (const [place, phrases] of Object.entries(spoken.phrases))
      expect(new Set(phrases).size, place).toBe(phrases.length);
  });

  it('end as sentences do, titles excepted', () => {
    for (const [place, phrases] of Object.entries(spoken.phrases))
      for (const phrase of phrases)
        if (!place.startsWith('title')) expect(phrase, place).toMatch(/[.!?;…。！？؟।]["”»“」』]?$/u);
  });

  it('come with cue words that can be looked for and match nothing empty', () => {
    const reader = languageReaderOf(spoken.cues);
    for (const [name, cue] of Object.entries(reader))
      if (cue instanceof RegExp) expect(cue.test(''), name).toBe(false);
    expect(reader.common.size).toBeGreaterThan(10);
  });
});
