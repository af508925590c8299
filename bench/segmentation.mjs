// Sentence cuts of Voxgate, Intl.Segmenter and sentencex, counted in one run against the texts cut by hand in
// fixtures/texts. After a build: node bench/segmentation.mjs prints one table and one JSON line.
// sentencex is no dependency: it is installed into a temporary folder, and left out when that fails.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'fixtures/texts');
const SENTENCEX = 'sentencex@1.0.17';

/** Our language names as the tags that the other two know. */
const TAGS = {
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
  english: 'en',
  french: 'fr',
  galician: 'gl',
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
  mandarin: 'zh',
  polish: 'pl',
  portuguese: 'pt',
  russian: 'ru',
  serbian: 'sr',
  spanish: 'es',
  swedish: 'sv',
  tagalog: 'tl',
  thai: 'th',
  turkish: 'tr',
  ukrainian: 'uk',
  urdu: 'ur',
  xhosa: 'xh',
};

/** The format is told at the head of english.txt. */
function readTexts(file) {
  const language = file.replace(/(-.*)?\.txt$/, '');
  return readFileSync(join(FOLDER, file), 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const lines = block
        .split(/\n\s*\n/)[0]
        .trim()
        .split('\n')
        .slice(1);
      const marked = lines
        .map((line) => line.replace(/·+$/, (spaces) => ' '.repeat(spaces.length)))
        .join(' ');
      const segments = marked.replaceAll('⏎', '\n').split('¦');
      return { language, text: segments.join(''), segments };
    });
}

/** Where segments after the first begin, white space apart: so nobody is judged by whose the spaces are. */
function cutsOf(text, segments) {
  const cuts = new Set();
  let end = 0;
  for (const segment of segments) {
    const words = segment.trim();
    if (words === '') continue;
    const start = text.indexOf(words, end);
    if (start < 0) throw new Error(`a segment is not in the text: ${words}`);
    if (text.slice(0, start).trim() !== '') cuts.add(start);
    end = start + words.length;
  }
  return cuts;
}

async function ours() {
  try {
    const { wholeTextSegments, segmentText } = await import('../dist/bench/program-parts.js');
    return (language, text) => wholeTextSegments(text, { language, markup: 'keep' }).map(segmentText);
  } catch (error) {
    console.error(`There is no build to measure: run node scripts/build.mjs first. (${error.message})`);
    process.exit(1);
  }
}

/** Intl.Segmenter reads the language from a cache of segmenters: making one costs more than a text. */
function intl() {
  const made = new Map();
  return (language, text) => {
    if (!made.has(language))
      made.set(language, new Intl.Segmenter(TAGS[language], { granularity: 'sentence' }));
    return Array.from(made.get(language).segment(text), (part) => part.segment);
  };
}

function sentencex() {
  const folder = mkdtempSync(join(tmpdir(), 'segmentation-'));
  try {
    const installed = spawnSync(
      'npm',
      [
        'install',
        '--prefix',
        folder,
        '--no-package-lock',
        '--no-audit',
        '--no-fund',
        '--silent',
        '--fetch-retries=1',
        SENTENCEX,
      ],
      { encoding: 'utf8', timeout: 120_000 },
    );
    if (installed.status !== 0)
      throw new Error(installed.stderr?.trim() || String(installed.error ?? 'npm failed'));
    const { segment } = createRequire(join(folder, 'package.json'))('sentencex');
    return (language, text) => segment(TAGS[language], text);
  } catch (error) {
    console.error(`${SENTENCEX} could not be installed and is left out: ${error.message.split('\n')[0]}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));
const texts = files.flatMap(readTexts).map((one) => ({ ...one, cuts: cutsOf(one.text, one.segments) }));
const measuredHere = { voxgate: await ours(), intl: intl(), sentencex: sentencex() };
const segmenters = Object.entries(measuredHere).filter(([, segment]) => segment !== undefined);

function count(of) {
  const counted = { texts: of.length, cuts: of.reduce((sum, { cuts }) => sum + cuts.size, 0) };
  for (const [name, segment] of segmenters) {
    let wrong = 0;
    let missed = 0;
    for (const { language, text, cuts } of of) {
      const found = cutsOf(text, segment(language, text));
      for (const cut of found) if (!cuts.has(cut)) wrong += 1;
      for (const cut of cuts) if (!found.has(cut)) missed += 1;
    }
    counted[name] = { wrong, missed };
  }
  return counted;
}

const languages = [...new Set(texts.map(({ language }) => language))];
const results = Object.fromEntries(
  languages.map((language) => [language, count(texts.filter((text) => text.language === language))]),
);
const total = count(texts);

const NAME_WIDTH = 12;
const WIDTH = 18;
const row = (name, cells) =>
  name.padEnd(NAME_WIDTH) + cells.map((cell) => String(cell).padStart(WIDTH)).join('');
const measured = (counted) => [
  counted.cuts,
  ...segmenters.map(([name]) => `${counted[name].wrong} / ${counted[name].missed}`),
];
console.log(row('language', ['cuts by hand', ...segmenters.map(([name]) => name)]));
console.log(row('', ['', ...segmenters.map(() => 'wrong / missed')]));
for (const language of languages) console.log(row(language, measured(results[language])));
console.log(row('total', measured(total)));
console.log(
  JSON.stringify({
    bench: 'segmentation',
    node: process.version,
    icu: process.versions.icu,
    total,
    languages: results,
  }),
);
