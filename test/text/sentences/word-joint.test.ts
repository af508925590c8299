// What holds two words together, against the texts of all languages that were cut by hand: lines of captions break by the same
// knowledge as speech does.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/speech/language.ts';
import { type Joint, WordJoints } from '../../../src/text/sentences/word-joint.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/texts');
/** Their words are not parted by spaces. */
const UNSPACED: ReadonlySet<Language> = new Set(['mandarin', 'japanese', 'thai']);

function jointsOf(text: string, language?: Language): { readonly word: string; readonly joint: Joint }[] {
  const joints = new WordJoints(language);
  const words = text.trim().split(/\s+(?![»›](?:\s|$))/);
  return words.map((word, at) => ({
    word,
    joint: joints.read({
      word,
      next: words.slice(at + 1, at + 4).join(' '),
      spaces: at + 1 < words.length ? 1 : 0,
    }),
  }));
}

/** Texts of a language, each a line, with `¦` where a sentence ends. */
const marked = (language: Language): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file === `${language}.txt`)
    .flatMap((file) =>
      readFileSync(join(FOLDER, file), 'utf8')
        .split(/^# .*\n/m)
        .slice(1),
    )
    .map((one) => one.trim().split(/\n\s*\n/)[0]!)
    .filter((one) => !/[⏎·\n]|\S¦(?=\S)/.test(one));

describe('the end of a sentence between two words', () => {
  it.each(LANGUAGES.filter((language) => !UNSPACED.has(language)))(
    'of %s is where it was cut by hand',
    (language) => {
      const found: string[] = [];
      const wanted: string[] = [];
      for (const text of marked(language)) {
        const plain = text.replaceAll('¦', '').replace(/\s+/g, ' ').trim();
        wanted.push(
          text
            .replace(/\s*¦\s*/g, ' ¦ ')
            .replace(/\s+/g, ' ')
            .trim(),
        );
        found.push(
          jointsOf(plain, language)
            .map(({ word, joint }, at, all) =>
              joint === 'sentence' && at < all.length - 1 ? `${word} ¦` : word,
            )
            .join(' '),
        );
      }
      expect(found).toEqual(wanted);
    },
  );
});

describe('one thing', () => {
  const CASES: Readonly<Partial<Record<Language, readonly string[]>>> = {
    english: [
      'surveyor Dr.~Ahlgren',
      'by J.~S.~Bach wrote',
      'see No.~5 there',
      '(p.~47) this',
      'in Fig.~2 below',
      'about approx.~5 km',
      'by Prof.~Dr.~Weber',
      'fruit, e.g.~apples',
      'with Mrs.~O’Hara',
      'on St.~Mary',
    ],
    german: [
      'Herr Dr.~med.~Weber',
      'etwa z.~B.~in',
      'und z.~B.~Holz',
      'auf S.~47 steht',
      'die Nr.~5 ist',
      'am 3.~Mai',
      'in Abb.~2 oben',
      'um ca.~fünf',
      'von J.~S.~Bach',
    ],
    french: [
      'à M.~Dupont',
      'avec Mme Leroy',
      'de J.-P.~Martin',
      'page p.~47 du',
      'le Dr.~Morel',
      'l’art.~5 dit',
    ],
    spanish: ['la Sra.~García', 'el Dr.~Ruiz', 'la pág.~47 dice', 'por J.~L.~Borges', 'el núm.~5 es'],
    italian: ['il dott.~Rossi', 'a pag.~47 si', 'il sig.~Bianchi', 'di G.~B.~Vico', 'la fig.~2 mostra'],
    polish: [
      'pan prof.~Nowak',
      'na s.~47 jest',
      'rys.~2 pokazuje',
      'przez J.~I.~Kraszewskiego',
      'przy ul.~Długiej',
    ],
    russian: ['на ул.~Ленина', 'см. рис.~2 ниже', 'стр.~47 книги', 'у А.~С.~Пушкина'],
    dutch: ['met dhr.~Jansen', 'op blz.~47 staat', 'van J.~S.~Bach', 'naar nr.~5 toe'],
    swedish: ['på s.~47 står', 'av J.~S.~Bach'],
    portuguese: ['o Sr.~Silva', 'a Dra.~Costa', 'na pág.~47 diz', 'o Dr.~J.~Santos'],
    czech: ['pan Ing.~Novák', 'str.~47 knihy', 'obr.~2 dole', 'v ul.~Dlouhé'],
    turkish: ['ile Dr.~Yılmaz', 'bkz.~s.~47 ve'],
    hindi: ['और डॉ.~शर्मा', 'पृ.~47 पर'],
    indonesian: ['oleh Dr.~Hatta', 'di Jl.~Merdeka', 'No.~5 itu'],
  };
  it.each(Object.entries(CASES))('of %s stays together', (language, cases) => {
    const found = cases.map((one) =>
      jointsOf(one.replaceAll('~', ' '), language as Language)
        .map(
          ({ word, joint }, at, all) =>
            word + (at === all.length - 1 ? '' : joint === 'one-thing' ? '~' : ' '),
        )
        .join(''),
    );
    expect(found).toEqual(cases);
  });

  it('is a number and what it counts, too', () => {
    const joined = (text: string, language?: Language) =>
      jointsOf(text, language)
        .filter(({ joint }) => joint === 'counted')
        .map(({ word }) => word);
    expect(joined('see page 12 now')).toEqual(['page', '12']);
    expect(joined('on May 3, 2024, it rained')).toEqual(['May', '3,']);
    expect(joined('um 14.30 Uhr morgens dann', 'german')).toEqual(['14.30', 'Uhr']);
  });
});
