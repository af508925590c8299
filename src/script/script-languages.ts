// The languages that scripts have phrases for. The others get a plain script: sentences in turn, no word of another
// language between them.

import arabic from '../../languages/phrases/arabic.json' with { type: 'json' };
import dutch from '../../languages/phrases/dutch.json' with { type: 'json' };
import english from '../../languages/phrases/english.json' with { type: 'json' };
import french from '../../languages/phrases/french.json' with { type: 'json' };
import german from '../../languages/phrases/german.json' with { type: 'json' };
import hindi from '../../languages/phrases/hindi.json' with { type: 'json' };
import italian from '../../languages/phrases/italian.json' with { type: 'json' };
import japanese from '../../languages/phrases/japanese.json' with { type: 'json' };
import korean from '../../languages/phrases/korean.json' with { type: 'json' };
import mandarin from '../../languages/phrases/mandarin.json' with { type: 'json' };
import polish from '../../languages/phrases/polish.json' with { type: 'json' };
import portuguese from '../../languages/phrases/portuguese.json' with { type: 'json' };
import russian from '../../languages/phrases/russian.json' with { type: 'json' };
import spanish from '../../languages/phrases/spanish.json' with { type: 'json' };
import swedish from '../../languages/phrases/swedish.json' with { type: 'json' };
import turkish from '../../languages/phrases/turkish.json' with { type: 'json' };
import type { Language } from '../speech/language.ts';
import type { ScriptLanguage } from './script-language.ts';

/** Each is checked whole by a test; the compiler knows no more of a file than that it holds strings. */
const LANGUAGES = {
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
} as Partial<Readonly<Record<Language, ScriptLanguage>>>;

/** Undefined: no phrases for this language. */
export const scriptLanguageOf = (language: Language): ScriptLanguage | undefined => LANGUAGES[language];
