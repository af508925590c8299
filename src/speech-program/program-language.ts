// How a language is named to eSpeak NG, and which of its languages reads one that it does not have.

import type { Language } from '../speech/language.ts';

/** eSpeak NG's code for each language. Japanese is read from kana; kanji are not. */
const LANGUAGE_CODES: Readonly<Record<Language, string>> = {
  afrikaans: 'af',
  albanian: 'sq',
  amharic: 'am',
  arabic: 'ar',
  bengali: 'bn',
  bulgarian: 'bg',
  catalan: 'ca',
  croatian: 'hr',
  czech: 'cs',
  danish: 'da',
  dutch: 'nl',
  english: 'en-us',
  french: 'fr',
  galician: 'pt',
  german: 'de',
  greek: 'el',
  hebrew: 'he',
  hindi: 'hi',
  hungarian: 'hu',
  indonesian: 'id',
  italian: 'it',
  japanese: 'ja',
  korean: 'ko',
  malay: 'ms',
  mandarin: 'cmn',
  polish: 'pl',
  portuguese: 'pt',
  russian: 'ru',
  serbian: 'sr',
  spanish: 'es',
  swedish: 'sv',
  tagalog: 'id',
  thai: 'th',
  turkish: 'tr',
  ukrainian: 'uk',
  urdu: 'ur',
  xhosa: 'tn',
};

/** eSpeak NG does not have these; the nearest that it has reads them, with a foreign accent. */
const SPOKEN_AS: Readonly<Partial<Record<Language, string>>> = {
  galician: 'portuguese',
  tagalog: 'indonesian',
  xhosa: 'tswana',
};

/** The language whose rules read `language`, when it is another one. */
export const spokenAs = (language: Language): string | undefined => SPOKEN_AS[language];

/** The language in the speech program's terms, e.g. `de`; a variant of its voice may follow, e.g. `de+f2`. */
export const programLanguage = (language: Language): string => LANGUAGE_CODES[language];
