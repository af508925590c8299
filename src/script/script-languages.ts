// The languages that scripts have phrases for. The others get a plain script: sentences in turn, no word of another
// language between them.

import type { Language } from '../speech/language.ts';
import { arabic } from './phrases/arabic.ts';
import { dutch } from './phrases/dutch.ts';
import { english } from './phrases/english.ts';
import { french } from './phrases/french.ts';
import { german } from './phrases/german.ts';
import { hindi } from './phrases/hindi.ts';
import { italian } from './phrases/italian.ts';
import { japanese } from './phrases/japanese.ts';
import { korean } from './phrases/korean.ts';
import { mandarin } from './phrases/mandarin.ts';
import { polish } from './phrases/polish.ts';
import { portuguese } from './phrases/portuguese.ts';
import { russian } from './phrases/russian.ts';
import { spanish } from './phrases/spanish.ts';
import { swedish } from './phrases/swedish.ts';
import { turkish } from './phrases/turkish.ts';
import type { ScriptLanguage } from './script-language.ts';

const LANGUAGES: Partial<Readonly<Record<Language, ScriptLanguage>>> = {
  arabic,
  dutch,
  english,
  french,
  german,
  hindi,
  italian,
  japanese,
  korean,
  mandarin,
  polish,
  portuguese,
  russian,
  spanish,
  swedish,
  turkish,
};

/** Undefined: no phrases for this language. */
export const scriptLanguageOf = (language: Language): ScriptLanguage | undefined => LANGUAGES[language];
