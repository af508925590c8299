// Speech with word times by synthesisers that are not our engine, as a truth that our own word times can be held against.
// Flite and festival lay their sound out by segments and tell which word each belongs to; nothing here is estimated.
//
//   node scripts/foreign-speech.mjs --list
//   node scripts/foreign-speech.mjs --voice flite:slt --sentences FILE [--out DIR] [--most 50]
//
// Writes N.wav and N.json into DIR, tells how many sentences were dropped and why, and how far from the told starts
// the level rises behind pauses. FILE has a sentence on each line.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installedVoices } from './foreign-speech/foreign-voices.mjs';
import { onsetErrors } from './foreign-speech/onset-check.mjs';
import { encoderOf, openSynthesiser } from './foreign-speech/run-synthesiser.mjs';
import { writtenWords } from './foreign-speech/written-words.mjs';

/** Sentences that one run of a synthesiser speaks: enough to pay for its start, few enough to hold. */
const BATCH = 10;
const LONGEST_SENTENCE = 1000;
/** Signs that the old charsets lack, as the ones that they have. */
const PLAIN_SIGNS = { '’': "'", '‘': "'", '“': '"', '”': '"', '„': '"', '–': '-', '—': '-', '\u00a0': ' ' };

/** The Hindi voice knows letters with a dot below by their own code points only, into which Unicode composes nothing. */
const DOTTED = new Map(
  Array.from('कखगजडढफय', (letter, index) => [`${letter}\u093c`, String.fromCodePoint(0x0958 + index)]),
);

/** The sentence in signs that the voices read, with the same words between the same spaces. */
const plain = (sentence) =>
  sentence
    .replace(/[’‘“”„–—\u00a0]/g, (sign) => PLAIN_SIGNS[sign])
    .replace(/[कखगजडढफय]\u093c/g, (pair) => DOTTED.get(pair));

/** {engine, voice, language} of each voice that this machine has. */
export function listForeignVoices() {
  return installedVoices().map(({ engine, voice, language }) => ({ engine, voice, language }));
}

function* batches(items) {
  let batch = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Speaks `sentences` one after the other and yields those whose words can be told apart beyond doubt, as
 * {sentence, pcm, sampleRate, words: [{text, startMs, endMs, charStart, charEnd}]}: 16-bit mono samples, times
 * from the first sample, written words by white space with their punctuation, positions in code points of `sentence`.
 * `onDropped(sentence, reason)` hears of the others: 'long', 'charset', 'unspoken' (the voice gave up), or a reason of
 * writtenWords(). Throws when the voice is not installed, does not compile or takes minutes over ten sentences.
 */
export async function* speakForeign({ engine, voice, sentences, onDropped = () => {} }) {
  const found = installedVoices().find((each) => each.engine === engine && each.voice === voice);
  if (found === undefined) throw new Error(`${engine}:${voice} is not installed`);
  const encode = encoderOf(found.charset);
  const prepare = (given) => {
    const sentence = given.normalize('NFC');
    const asSpoken = plain(sentence);
    if (Array.from(sentence).length > LONGEST_SENTENCE) return { sentence, reason: 'long' };
    const bytes = encode(asSpoken);
    return bytes === undefined || /\p{Cc}/u.test(sentence)
      ? { sentence, reason: 'charset' }
      : { sentence, asSpoken, bytes };
  };
  const folder = await mkdtemp(join(tmpdir(), 'foreign-speech-'));
  try {
    const speak = await openSynthesiser(found, folder);
    for (const batch of batches(sentences)) {
      const prepared = batch.map(prepare);
      for (const { sentence, reason } of prepared) if (reason !== undefined) onDropped(sentence, reason);
      const spoken = prepared.filter(({ reason }) => reason === undefined);
      const sounds = spoken.length > 0 ? await speak(spoken.map(({ bytes }) => bytes)) : [];
      for (const [index, { sentence, asSpoken }] of spoken.entries()) {
        const sound = sounds[index];
        if (sound === undefined) {
          onDropped(sentence, 'unspoken');
          continue;
        }
        const { pcm, sampleRate, tokens } = sound;
        const { words, reason } = writtenWords(sentence, asSpoken, tokens, (pcm.length * 1000) / sampleRate);
        if (words === undefined) onDropped(sentence, reason);
        else yield { sentence, pcm, sampleRate, words };
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A WAV file of 16-bit mono samples. */
function wavOf({ pcm, sampleRate }) {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + pcm.byteLength, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([header, Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)]);
}

function quantiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]?.toFixed(0);
  return `10 % ${at(0.1)}, median ${at(0.5)}, 90 % ${at(0.9)} ms over ${sorted.length}`;
}

async function main() {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean' },
      out: { type: 'string' },
      voice: { type: 'string' },
      sentences: { type: 'string' },
      most: { type: 'string', default: '50' },
    },
  });
  if (values.list || values.voice === undefined || values.sentences === undefined) {
    for (const { engine, voice, language } of listForeignVoices())
      console.log(`${engine}:${voice} ${language}`);
    return;
  }
  const [engine, voice] = values.voice.split(':');
  const lines = readFileSync(values.sentences, 'utf8').split('\n');
  const sentences = lines.filter((line) => line.trim() !== '').slice(0, Number(values.most));
  const dropped = {};
  const onDropped = (_, reason) => {
    dropped[reason] = (dropped[reason] ?? 0) + 1;
  };
  if (values.out !== undefined) mkdirSync(values.out, { recursive: true });
  const errors = [];
  let [number, wordCount, seconds] = [0, 0, 0];
  for await (const spoken of speakForeign({ engine, voice, sentences, onDropped })) {
    const { sentence, pcm, sampleRate, words } = spoken;
    errors.push(...onsetErrors(spoken));
    [number, wordCount, seconds] = [number + 1, wordCount + words.length, seconds + pcm.length / sampleRate];
    if (values.out === undefined) continue;
    writeFileSync(join(values.out, `${number}.wav`), wavOf(spoken));
    const shown = { sentence, sampleRate, words };
    writeFileSync(join(values.out, `${number}.json`), `${JSON.stringify(shown, undefined, 1)}\n`);
  }
  const told = Object.entries(dropped).map(([reason, count]) => `, ${count} dropped (${reason})`);
  console.log(
    `${values.voice}: ${number} sentences, ${wordCount} words, ${seconds.toFixed(0)} s${told.join('')}`,
  );
  console.log(`  the level rises behind the told start by: ${quantiles(errors)}`);
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) await main();
