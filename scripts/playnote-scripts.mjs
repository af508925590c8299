// Scripts of given documents in all four styles, without speech, to be judged by a person (docs/playnotes.md says how).
// Prints what rules can find; ends with 1 if a sentence is told without the one that it leans on, or twice.
//
//   node scripts/playnote-scripts.mjs [--out FOLDER] FILE…

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { out: { type: 'string' } },
  allowPositionals: true,
});

// The sources and the tests' own judges, which are TypeScript.
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { readBytes } = await import('../test/reading/read-fixture.ts');
const { repeatedIn, unanchored } = await import('../test/script/grounding.ts');
const { languageReaderOf } = await import('../src/script/language-reader.ts');
const { scriptLanguageOf } = await import('../src/script/script-languages.ts');
const { toSourceSentences } = await import('../src/script/source-sentences.ts');
const { wordCount } = await import('../src/script/words.ts');
const { createEmbeddedScriptWriter } = await import('../src/service/playnotes/embedded-script-writer.ts');
const { cutSentences } = await import('../src/service/playnotes/sentence-cutter.ts');
const { SYNTHESIS_STYLES } = await import('../src/speech/playnote-request.ts');

const writer = createEmbeddedScriptWriter();
const SPEAKERS = { name1: 'Ada', name2: 'Ben', voices: 2 };
const never = new AbortController().signal;

/** Each sentence that leans, behind the ones that it leans on. */
function antecedents(script, sentences) {
  const told = script.chapters.flatMap((chapter) => chapter.lines.flatMap((line) => line.sources));
  return told
    .filter((number) => sentences[number].leans)
    .map((number) => `${sentences[number - 1].spoken} → ${sentences[number].spoken}`);
}

let isGood = true;
console.log('| source | style | words | stated | leaning | without antecedent | twice |');
console.log('|---|---|--:|--:|--:|--:|--:|');
for (const file of positionals) {
  const name = basename(file);
  const document = await readBytes(new Uint8Array(readFileSync(file)), name).catch((error) => {
    console.log(`| ${name} | not read: ${error.message} |`);
  });
  if (document === undefined) continue;
  const language = document.language ?? 'english';
  const reader = languageReaderOf(scriptLanguageOf(language)?.cues);
  const sentences = toSourceSentences(document, cutSentences, language, reader);
  for (const style of SYNTHESIS_STYLES) {
    let script;
    try {
      script = await writer.write(document, { style, speakers: SPEAKERS, language, seed: 1 }, never);
    } catch (error) {
      console.log(`| ${name} | ${style} | refused: ${error.message} |`);
      continue;
    }
    const lines = script.chapters.flatMap((chapter) => chapter.lines);
    const leaning = antecedents(script, sentences);
    const without = unanchored(script, sentences).length;
    const twice = repeatedIn(script).length;
    isGood &&= without === 0 && twice === 0;
    const words = lines.reduce((sum, line) => sum + wordCount(line.text), 0);
    const stated = lines.reduce((sum, line) => sum + line.sources.length, 0);
    console.log(`| ${[name, style, words, stated, leaning.length, without, twice].join(' | ')} |`);
    if (values.out === undefined) continue;
    mkdirSync(values.out, { recursive: true });
    const text = script.chapters.flatMap((chapter) => [
      `## ${chapter.title}`,
      ...chapter.lines.map((line) => `${line.speaker}${line.sources.length > 0 ? '' : ' ~'} ${line.text}`),
    ]);
    writeFileSync(
      join(values.out, `${name}-${style}.txt`),
      [...text, '', '# leaning sentences', ...leaning].join('\n'),
    );
  }
}
process.exitCode = isGood ? 0 : 1;
