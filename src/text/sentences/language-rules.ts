// The sentence rules of each of the service's languages.
import type { Language } from '../../speech/language.ts';
import type { SentenceRules } from './sentence-rules.ts';
import {
  amharic,
  arabic,
  bengali,
  hebrew,
  hindi,
  japanese,
  korean,
  mandarin,
  thai,
  urdu,
} from './sentence-rules-caseless.ts';
import { bulgarian, russian, serbian, ukrainian } from './sentence-rules-east-slavic.ts';
import { english } from './sentence-rules-english.ts';
import { albanian, greek, hungarian, turkish } from './sentence-rules-european.ts';
import { afrikaans, danish, dutch, german, swedish } from './sentence-rules-germanic.ts';
import { catalan, french, galician, italian, portuguese, spanish } from './sentence-rules-romance.ts';
import { indonesian, malay, tagalog, xhosa } from './sentence-rules-southern.ts';
import { croatian, czech, polish } from './sentence-rules-west-slavic.ts';

const RULES: Readonly<Record<Language, SentenceRules>> = {
  afrikaans,
  albanian,
  amharic,
  arabic,
  bengali,
  bulgarian,
  catalan,
  croatian,
  czech,
  danish,
  dutch,
  english,
  french,
  galician,
  german,
  greek,
  hebrew,
  hindi,
  hungarian,
  indonesian,
  italian,
  japanese,
  korean,
  malay,
  mandarin,
  polish,
  portuguese,
  russian,
  serbian,
  spanish,
  swedish,
  tagalog,
  thai,
  turkish,
  ukrainian,
  urdu,
  xhosa,
};

/** English when the caller names no language. */
export const sentenceRulesOf = (language: Language | undefined): SentenceRules =>
  RULES[language ?? 'english'];
