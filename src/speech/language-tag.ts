// Language tags of files and of other services' callers (BCP 47: `de-AT`, `zh-Hant`; ISO 639-2 in older ones) as the
// languages of the service interface. Norwegian, Finnish and the like are not among them: undefined.

import type { AppError } from '../base/app-error.ts';
import { type FieldFault, fieldError } from '../base/check-fields.ts';
import { LANGUAGES, type Language } from './language.ts';

/** Two letters and three, by ISO 639-1 and 639-2 (bibliographic and terminological). */
const CODES: Readonly<Record<Language, string>> = {
  afrikaans: 'af afr',
  albanian: 'sq sqi alb',
  amharic: 'am amh',
  arabic: 'ar ara',
  bengali: 'bn ben',
  bulgarian: 'bg bul',
  catalan: 'ca cat',
  croatian: 'hr hrv',
  czech: 'cs ces cze',
  danish: 'da dan',
  dutch: 'nl nld dut',
  english: 'en eng',
  french: 'fr fra fre',
  galician: 'gl glg',
  german: 'de deu ger',
  greek: 'el ell gre',
  hebrew: 'he heb iw',
  hindi: 'hi hin',
  hungarian: 'hu hun',
  indonesian: 'id ind in',
  italian: 'it ita',
  japanese: 'ja jpn',
  korean: 'ko kor',
  malay: 'ms msa may',
  mandarin: 'zh zho chi cmn',
  polish: 'pl pol',
  portuguese: 'pt por',
  russian: 'ru rus',
  serbian: 'sr srp',
  spanish: 'es spa',
  swedish: 'sv swe',
  tagalog: 'tl tgl fil',
  thai: 'th tha',
  turkish: 'tr tur',
  ukrainian: 'uk ukr',
  urdu: 'ur urd',
  xhosa: 'xh xho',
};

const BY_CODE = new Map(
  Object.entries(CODES).flatMap(([language, codes]) =>
    codes.split(' ').map((code) => [code, language as Language]),
  ),
);

/** The language of a tag such as `pt-BR` or `eng`, whatever its case; undefined when it is none of ours. */
export const languageOfTag = (tag: string | null | undefined): Language | undefined =>
  BY_CODE.get(/^\s*([a-z]{2,3})(?:[-_][\w-]{0,60})?\s*$/i.exec(tag ?? '')?.[1]?.toLowerCase() ?? '');

/** The two letters of ISO 639-1 for a language of the service interface. */
export const languageCode = (language: Language): string => CODES[language].slice(0, 2);

/** Of a tag that is none of those languages'. */
export const languageFault = (field: string, given: string): FieldFault => ({
  field,
  allowed: `must be a tag (de, pt-BR) of a language that is spoken here: ${LANGUAGES.map(languageCode).join(', ')}`,
  given,
});
export const unknownLanguage = (field: string, given: string): AppError =>
  fieldError(languageFault(field, given));
