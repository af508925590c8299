// The language of a text: by its script where that decides, else by eld. Its smallest data is used: on a page of text
// it tells the same as the larger ones, which take up to 190 MB and three quarters of a second to load.

import { eld } from 'eld';
import type { SourceBlock } from '../script/source-document.ts';
import type { Language } from '../speech/language.ts';
import { languageOfTag } from '../speech/language-tag.ts';

/** Scripts of one language of ours each. Kana before Han: Japanese has both. */
const SCRIPTS: readonly (readonly [RegExp, Language])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'japanese'],
  [/\p{Script=Hangul}/gu, 'korean'],
  [/\p{Script=Han}/gu, 'mandarin'],
  [/\p{Script=Thai}/gu, 'thai'],
  [/\p{Script=Greek}/gu, 'greek'],
  [/\p{Script=Hebrew}/gu, 'hebrew'],
  [/\p{Script=Ethiopic}/gu, 'amharic'],
  [/\p{Script=Bengali}/gu, 'bengali'],
];
/** What eld cannot tell from a neighbour, because it does not know it. */
const UNKNOWN_TO_DETECTION = new Set<Language>(['afrikaans', 'galician', 'indonesian', 'xhosa']);

const SAMPLE_CHARS = 4_000;
const MIN_CHARS = 60;

/** From three places of the text: a book may begin with a foreign motto, and end with an index. */
function sample(blocks: readonly SourceBlock[]): string {
  const text = blocks
    .map((block) => (block.kind === 'row' ? block.cells.map(({ value }) => value).join(' ') : block.text))
    .join('\n');
  if (text.length <= SAMPLE_CHARS * 3) return text;
  return [0.1, 0.45, 0.8]
    .map((part) => text.slice(text.length * part, text.length * part + SAMPLE_CHARS))
    .join('\n');
}

/**
 * What the file declares (a language tag) counts if detection agrees, is unsure or does not know it; else what was
 * detected. Undefined when neither tells.
 */
export async function detectLanguage(
  blocks: readonly SourceBlock[],
  declared: string | undefined,
): Promise<Language | undefined> {
  const said = languageOfTag(declared);
  const text = sample(blocks);
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  for (const [script, language] of SCRIPTS)
    if ((text.match(script)?.length ?? 0) > letters * (language === 'japanese' ? 0.1 : 0.4)) return language;
  if (letters < MIN_CHARS || (said !== undefined && UNKNOWN_TO_DETECTION.has(said))) return said;
  if ('load' in eld) await eld.load('extrasmall');
  const found = eld.detect(text);
  const detected = found.isReliable() ? languageOfTag(found.language) : undefined;
  return found.isReliable() && found.language !== '' ? detected : said;
}
