// Which languages have a grammar here. The others are read with what holds everywhere.

import type { Language } from '../../speech/language.ts';
import type { Grammar } from './grammar.ts';
import { arabic } from './languages/arabic.ts';
import { bengali } from './languages/bengali.ts';
import { english } from './languages/english.ts';
import { french } from './languages/french.ts';
import { german } from './languages/german.ts';
import { hindi } from './languages/hindi.ts';
import { indonesian } from './languages/indonesian.ts';
import { italian } from './languages/italian.ts';
import { japanese } from './languages/japanese.ts';
import { mandarin } from './languages/mandarin.ts';
import { portuguese } from './languages/portuguese.ts';
import { russian } from './languages/russian.ts';
import { spanish } from './languages/spanish.ts';
import { urdu } from './languages/urdu.ts';

const GRAMMARS: Readonly<Partial<Record<Language, Grammar>>> = {
  arabic,
  bengali,
  english,
  french,
  german,
  hindi,
  indonesian,
  italian,
  japanese,
  mandarin,
  portuguese,
  russian,
  spanish,
  urdu,
};

export const grammarOf = (language: Language): Grammar | undefined => GRAMMARS[language];
