// Texts in every language of the service, cut by hand by somebody who does not write the rules. A cut stands
// before a character that is no white space, so that only the sentence ends count. What must never be parted is
// found by plain patterns and a list of its own here, not by the rules under test.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/speech/language.ts';
import { type Segment, segmentText } from '../../../src/text/segment.ts';
import { createTurnText, wholeTextSegments } from '../../../src/text/turn-text.ts';
import { splitOf } from '../any-split.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/texts');
/** Most spoken first: these have the most texts. */
const LARGE: readonly Language[] = [
  'english',
  'mandarin',
  'hindi',
  'spanish',
  'french',
  'arabic',
  'bengali',
  'portuguese',
  'russian',
  'urdu',
  'indonesian',
  'german',
  'japanese',
  'italian',
];

/** Neither parted nor followed by a sentence end; nothing here ends a sentence in these texts. */
const UNPARTED: Record<Language, string> = {
  afrikaans: 'Mnr.|mev.|Dr.|prof.|bv.|d.w.s.|bl.|nr.',
  albanian: 'Z.|znj.|Dr.|prof.|p.sh.|d.m.th.|rr.|nr.|shek.|f.|p.e.s.',
  amharic: 'ዓ.ም.|እ.ኤ.አ.',
  arabic: 'د.|أ. د.|م.|ق. م.|ص.|ت. س.|Ph.D.',
  bengali: 'ডা.|ড.|মো.|মোসা.|এ. কে.|বি.এ.|এম.এ.|কি.মি.|খ্রি. পূ.|পৃ.|বি. দ্র.|Dr.',
  bulgarian: 'проф.|напр.|т.е.|гр.|ул.|бул.|П. К.|Св.|ч.|лв.|стр.|фиг.',
  catalan: 'Sr.|Sra.|Dra.|p. ex.|pàg.|núm.|cap.|a. C.|av.|pl.',
  croatian: 'Dr.|prof.|Prof. dr. sc.|npr.|tj.|ul.|br.|str.|sl.|pr. Kr.|Pavao II.|Petar II.',
  czech: 'MUDr.|Ing.|Prof.|např.|tj.|Karel IV.|Rudolfa II.|hod.|str.|obr.|ul.|č.|př. n. l.',
  danish: 'f.eks.|dvs.|bl.a.|kl.|Hr.|dr.|H. C.|Christian 4.|kr.|ca.|s.|nr.',
  dutch: 'Dhr.|mevr.|Prof. dr.|drs.|bijv.|d.w.z.|o.a.|m.b.t.|i.p.v.|blz.|nr.|hfst.|v.Chr.',
  english: 'Dr.|Mr.|Mrs.|Prof.|Gen.|Sgt.|e.g.|i.e.|approx.|Rd.|ext.|Sept.|Nov.|vol.|p.|pp.',
  french: 'M.|MM.|J.-P.|V.|A.|p. ex.|c.-à-d.|p.|art.|av. J.-C.|av.|S.N.C.F.|O.N.U.|tél.',
  galician: 'Sr.|Sra.|Dra.|p. ex.|EE. UU.|páx.|núm.|cap.|a. C.|avda.|r.',
  german: 'Dr. med.|Prof.|z.B.|d.h.|u. a.|z. B.|d. h.|Jan.|Friedrich II.|Paul II.|Nr.|S.|Bd.|Abs.|ca.|St.',
  greek: 'κ.|δρ.|π.χ.|δηλ.|π.μ.|μ.μ.|π.Χ.|Βλ.|σελ.|αρ.',
  hebrew: 'ש. י.',
  hindi: 'डॉ.|प्रो.|रु.|ए. पी. जे.|बी.ए.|एम.ए.|पी.एच.डी.|कि.मी.|कि.ग्रा.|ई. पू.|सं.|पृ.|Dr.',
  hungarian: 'Dr.|prof.|Özv.|pl.|ún.|IV. Béla|II. Ulászló|u.|kb.|Kr. e.',
  indonesian: 'dr.|Dr.|Prof.|Jl.|No.|Gg.|dsb.|tgl.|hlm.|S.H.|M.Kn.|S.T.|H.|Hj.|W. R.|B. J.|Tbk.|Yth.|a.n.',
  italian:
    'sig.|sig.ra|dott.|prof.ssa|avv.|ing.|ad es.|p. es.|pag.|fig.|n.|art.|a.C.|d.C.|S.p.A.|S.r.l.|S.|tel.',
  japanese: 'Ph.D.|Dr.|J.S.|U.S.A.|No.|Yahoo!',
  korean: 'Dr.|Ph.D.|2024. 5. 3.에',
  malay: 'En.|Pn.|Dr.|Prof.|No.|Jln.|dsb.|pkl.|hlm.|Sdn. Bhd.',
  mandarin: 'Dr.|Ph.D.|Inc.|No.|《怎么办？》',
  polish: 'prof.|Inż.|mgr.|np.|tzn.|m.in.|ul.|pl.|godz.|Zob.|s.|rys.|rozdz.|XIX w.|XX w.|św.|J. I.',
  portuguese: 'Sr.|Sra.|Dra.|Prof.|p. ex.|pág.|vol.|n.º|art.|Av.|R.|S.A.|Ltda.|a.C.|J. M.|C. D.|D.|tel.',
  russian: 'ул.|д. 5|кв.|т. е.|т. к.|т. п.|А. С.|Л. Н.|А. П.|им.|до н. э.|Проф.|акад.|См.|рис.|стр.|гл.|тыс.',
  serbian: 'проф.|Проф. др|нпр.|тј.|ул.|бр.|стр.|сл.|п. н. е.|npr.',
  spanish:
    'Sr.|Sra.|Dra.|Prof.|Ud.|D.|Dña.|EE. UU.|p. ej.|pág.|vol.|núm.|a. m.|p. m.|J. L.|a. C.|S. A.|tel.|Av.',
  swedish: 't.ex.|d.v.s.|bl.a.|t. ex.|m. m.|kl.|A.|Dr.|prof.|s.|f.Kr.',
  tagalog: 'G.|Gng.|Bb.|Dr.|hal.|Brgy.|Sta.|Sto.|Blg.|p.|n.u.',
  thai: 'ดร.|นพ.|พ.ศ.|น.|ฯลฯ|ๆ',
  turkish: 'Dr.|Prof. Dr.|Av.|Sn.|vb.|vs.|1. sınıfa|3. katta|II. Mehmet|IV. Murat|Cad.|No.|Sok.|M.Ö.|Bkz.|s.',
  ukrainian: 'м.|вул.|буд.|кв.|Т. Г.|І. Я.|напр.|та ін.|ім.|Проф.|акад.|Див.|с.|рис.|ст.',
  urdu: 'بی۔ اے۔|ایم۔ اے۔|پی۔ایچ۔ڈی۔|ن۔ م۔|ق۔ م۔|ص۔|Dr.',
  xhosa: 'UMnu.|noNksz.|UGqr.|UNjing.|S. E. K.',
};
const NUMBER = /\p{Nd}+(?:[.,:/٫٬-]\p{Nd}+)+/gu;
const URL_OR_MAIL = /https?:\/\/[!-~]*[\w/]|[\w.+-]+@[\w-]+(?:\.\w+)+/g;

type Text = {
  readonly file: string;
  readonly language: Language;
  readonly name: string;
  readonly text: string;
  readonly cuts: ReadonlySet<number>;
};

/** Where the segments after the first begin, white space apart. */
function cutsOf(segments: readonly string[]): Set<number> {
  const text = segments.join('');
  const cuts = new Set<number>();
  let end = 0;
  for (const segment of segments) {
    end += segment.length;
    cuts.add(end + text.slice(end).search(/\S|$/));
  }
  cuts.delete(text.length);
  return cuts;
}

/** The format is told at the head of english.txt. */
function readTexts(file: string): Text[] {
  const language = file.replace(/(-.*)?\.txt$/, '') as Language;
  return readFileSync(join(FOLDER, file), 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const [name, ...lines] = block
        .split(/\n\s*\n/)[0]!
        .trim()
        .split('\n');
      const marked = lines
        .map((line) => line.replace(/·+$/, (spaces) => ' '.repeat(spaces.length)))
        .join(' ');
      const segments = marked.replaceAll('⏎', '\n').split('¦');
      return { file, language, name: name!, text: segments.join(''), cuts: cutsOf(segments) };
    });
}

/** Whether a segment may begin at this place: not within a number or an address, nor within or after an abbreviation. */
function partedAt({ text, language }: Text): (place: number) => boolean {
  const escaped = UNPARTED[language].replaceAll(/[.()]/g, '\\$&');
  const abbreviation = new RegExp(`(?<![\\p{L}\\p{M}])(?:${escaped})\\s*(?=\\S)`, 'gu');
  const spans: { from: number; last: number }[] = [];
  const mark = (pattern: RegExp, after: number) => {
    for (const { index, 0: found } of text.matchAll(pattern))
      spans.push({ from: index, last: index + found.length - 1 + after });
  };
  mark(NUMBER, 0);
  mark(URL_OR_MAIL, 0);
  mark(abbreviation, 1);
  return (place) => spans.some(({ from, last }) => from < place && place <= last);
}

const shown = ({ file, name, text }: Text, place: number): string =>
  `${file}: ${name}: ${text.slice(0, place)}¦${text.slice(place)}`;

const wordCount = (text: string): number =>
  text.split(/[\s፡]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));
const judged = files.map((file) => {
  const texts = readTexts(file);
  const right: string[] = [];
  const missing: string[] = [];
  const wrong: string[] = [];
  const parting: string[] = [];
  for (const text of texts) {
    const segments = wholeTextSegments(text.text, { language: text.language, markup: 'keep' });
    const cuts = cutsOf(segments.map(segmentText));
    const parts = partedAt(text);
    for (const place of text.cuts) (cuts.has(place) ? right : missing).push(shown(text, place));
    for (const place of cuts) {
      if (!text.cuts.has(place)) wrong.push(shown(text, place));
      if (parts(place)) parting.push(shown(text, place));
    }
  }
  return { file, texts, right, missing, wrong, parting };
});

describe('the texts themselves', () => {
  const texts = judged.flatMap((one) => one.texts);

  it.each(LANGUAGES)('has enough of %s', (language) => {
    const own = texts.filter((text) => text.language === language);
    expect(own.length).toBeGreaterThanOrEqual(LARGE.includes(language) ? 22 : 6);
    expect(new Set(own.map((text) => text.name)).size).toBe(own.length);
    expect(own.filter((text) => text.text.trim() !== text.text || text.text === '')).toEqual([]);
  });

  it('belongs to a language each', () => {
    expect(texts.filter((text) => !LANGUAGES.includes(text.language))).toEqual([]);
  });

  it('is nowhere cut where nothing may be parted', () => {
    const parted = texts.flatMap((text) =>
      [...text.cuts].filter(partedAt(text)).map((place) => shown(text, place)),
    );
    expect(parted).toEqual([]);
  });

  it.each(LANGUAGES)('holds what is listed for %s', (language) => {
    const own = texts.filter((text) => text.language === language).map((text) => text.text);
    const absent = UNPARTED[language]
      .split('|')
      .filter((listed) => !own.some((text) => text.includes(listed)));
    expect(absent).toEqual([]);
  });
});

describe.each(judged)('$file', ({ texts, wrong, parting }) => {
  it('has at most one wrong cut', () => {
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(1);
  });

  it('is not cut within a number, an address or an abbreviation', () => {
    expect(parting).toEqual([]);
  });

  it('begins with at most twelve words when it is streamed', () => {
    const long = texts.flatMap(({ text, language }) => {
      let first: string | undefined;
      const turn = createTurnText({ language, markup: 'keep', early: 'first-clause' }, (one) => {
        first ??= segmentText(one);
      });
      turn.append(text);
      turn.end();
      return wordCount(first ?? '') > 12 ? [first] : [];
    });
    expect(long).toEqual([]);
  });

  it('is cut alike however it comes', () => {
    const { language } = texts[0]!;
    const whole = (text: string) => wholeTextSegments(text, { language, markup: 'keep' });
    fc.assert(
      fc.property(splitOf(fc.constantFrom(...texts.map(({ text }) => text))), ({ text, chunks }) => {
        const segments: Segment[] = [];
        const turn = createTurnText({ language, markup: 'keep', early: 'off' }, (one) => segments.push(one));
        for (const chunk of chunks) turn.append(chunk);
        turn.end();
        expect(segments).toEqual(whole(text));
      }),
      { numRuns: 50 },
    );
  });
});

it('is right in 98 of 100 cuts, wrong and missing ones together', () => {
  const all = (kind: 'right' | 'missing' | 'wrong') => judged.flatMap((one) => one[kind]);
  const mistakes = [
    ...all('wrong').map((cut) => `wrong   ${cut}`),
    ...all('missing').map((cut) => `missing ${cut}`),
  ];
  const right = all('right').length;
  expect(right / (right + mistakes.length), mistakes.join('\n')).toBeGreaterThanOrEqual(0.98);
});
