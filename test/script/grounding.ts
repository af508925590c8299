// What "grounded" means, independent of how scripts are made: a stated line is its source sentences, in order, with words
// left out and none added; any other line is a phrase of the table with something of the source, or a name, in its slots.
import type { Script, ScriptLine, Speakers } from '../../src/script/script.ts';
import type { ScriptLanguage } from '../../src/script/script-language.ts';
import type { SourceDocument } from '../../src/script/source-document.ts';
import type { SourceSentence } from '../../src/script/source-sentence.ts';

/** Words, or characters where words are not set apart. */
const units = (text: string): string[] =>
  text.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{M}\p{N}]+/gu) ??
  [];

/** Undefined: the line is grounded; else what is wrong with it. */
export function ungrounded(line: ScriptLine, sentences: readonly SourceSentence[]): string | undefined {
  const source = line.sources.flatMap((number) => units(sentences[number]?.text ?? ''));
  const header = line.sources.some((number) => sentences[number] === undefined);
  if (header) return 'a source that does not exist';
  let at = 0;
  for (const unit of units(line.text)) {
    while (at < source.length && source[at] !== unit) at += 1;
    if (at === source.length) return `"${unit}" is not in the source: ${line.text}`;
    at += 1;
  }
  return undefined;
}

const plain = (text: string) => text.replace(/[\s"'“”„«»「」『』‘’]+/gu, ' ').toLowerCase();

const patterns = new WeakMap<ScriptLanguage, RegExp[]>();
const patternsOf = (language: ScriptLanguage): RegExp[] => {
  const made = patterns.get(language) ?? Object.values(language.phrases).flat().map(patternOf);
  patterns.set(language, made);
  return made;
};

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const patternOf = (phrase: string): RegExp =>
  new RegExp(
    `^${escaped(phrase)
      .replace(/\\\{\w+\\\}/g, '(.+?)')
      // The stop after a quotation that has its own.
      .replace(/([”"»」』’“])\\?[.。!?？؟।]/gu, '$1[.。!?？؟।]?')}$`,
    'su',
  );

/** Everything that may stand in a slot must be in the document or among the names. */
export function untabled(
  line: ScriptLine,
  language: ScriptLanguage | undefined,
  document: SourceDocument,
  speakers: Speakers,
): string | undefined {
  const headings = document.blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []));
  const texts = document.blocks.flatMap((block) =>
    block.kind === 'row' ? block.cells.flatMap(({ name, value }) => [name, value]) : [block.text],
  );
  const known = plain(
    [document.title ?? '', (document.title ?? '').replaceAll('_', ' '), ...texts].join(' \n '),
  );
  const names = [speakers.name1, speakers.name2].map((name) => plain(name ?? '').trim());
  const isKnown = (filled: string) => {
    const text = plain(filled).trim();
    return known.includes(text) || names.includes(text);
  };
  if (headings.some((heading) => plain(heading).includes(plain(line.text).trim()))) return undefined;
  for (const pattern of language === undefined ? [] : patternsOf(language)) {
    const match = pattern.exec(line.text);
    if (match?.slice(1).every(isKnown)) return undefined;
  }
  return `not a phrase of the table: ${line.text}`;
}

/** Sentences that lean on the one before without its being said right before them. */
export function unanchored(
  script: Pick<Script, 'chapters'>,
  sentences: readonly SourceSentence[],
): SourceSentence[] {
  const told = script.chapters.flatMap((chapter) => chapter.lines.flatMap((line) => line.sources));
  return told.flatMap((number, at) => {
    const sentence = sentences[number]!;
    return sentence.leans && (at === 0 || told[at - 1] !== number - 1) ? [sentence] : [];
  });
}

/** Sentences of the source that are said a second time. */
export function repeatedIn(script: Pick<Script, 'chapters'>): number[] {
  const told = script.chapters.flatMap((chapter) => chapter.lines.flatMap((line) => line.sources));
  return told.filter((number, at) => told.indexOf(number) !== at);
}

/** Sentences that are told without all that they announce, or without what takes them back. */
export function unfinished(
  script: Pick<Script, 'chapters'>,
  sentences: readonly SourceSentence[],
): SourceSentence[] {
  const told = script.chapters.flatMap((chapter) => chapter.lines.flatMap((line) => line.sources));
  return told.flatMap((number, at) => {
    const { until } = sentences[number]!;
    for (let step = 1; number + step <= until; step += 1)
      if (told[at + step] !== number + step) return [sentences[number]!];
    return [];
  });
}
