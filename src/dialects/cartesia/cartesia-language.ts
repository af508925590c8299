// Languages as Cartesia names them, ISO 639-1 with or without a region (`en`, `en-GB`), and as the service does.

import type { Language } from '../../speech/language.ts';

const LANGUAGE_OF: ReadonlyMap<string, Language> = new Map([
  ['af', 'afrikaans'],
  ['am', 'amharic'],
  ['ar', 'arabic'],
  ['bg', 'bulgarian'],
  ['bn', 'bengali'],
  ['ca', 'catalan'],
  ['cs', 'czech'],
  ['da', 'danish'],
  ['de', 'german'],
  ['el', 'greek'],
  ['en', 'english'],
  ['es', 'spanish'],
  ['fr', 'french'],
  ['gl', 'galician'],
  ['he', 'hebrew'],
  ['hi', 'hindi'],
  ['hr', 'croatian'],
  ['hu', 'hungarian'],
  ['id', 'indonesian'],
  ['it', 'italian'],
  ['ja', 'japanese'],
  ['ko', 'korean'],
  ['ms', 'malay'],
  ['nl', 'dutch'],
  ['pl', 'polish'],
  ['pt', 'portuguese'],
  ['ru', 'russian'],
  ['sq', 'albanian'],
  ['sr', 'serbian'],
  ['sv', 'swedish'],
  ['th', 'thai'],
  ['tl', 'tagalog'],
  ['tr', 'turkish'],
  ['uk', 'ukrainian'],
  ['ur', 'urdu'],
  ['xh', 'xhosa'],
  ['zh', 'mandarin'],
]);

/** Undefined for a language that the service does not speak. */
export const cartesiaLanguage = (code: string): Language | undefined =>
  LANGUAGE_OF.get(code.toLowerCase().split(/[-_]/, 1)[0]!);
