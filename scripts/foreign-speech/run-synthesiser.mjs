// Runs flite or festival over a few sentences in a folder of its own and reads back what they wrote.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readWav } from '../sound.mjs';

const run = promisify(execFile);
const COMPILE_DEADLINE_MS = 60_000;
const SPEAK_DEADLINE_MS = 180_000;
/** Of what a synthesiser prints, which nobody reads. */
const MOST_NOISE_BYTES = 2 ** 24;
const FLITE_SOURCE = join(import.meta.dirname, 'flite-words.c');
const FESTIVAL_SOURCE = join(import.meta.dirname, 'festival-words.scm');

/** What each code point is in a charset of one byte per character. */
function encodingTable(charset) {
  const decoder = new TextDecoder(charset);
  const highest = charset === 'ascii' ? 0x7f : 0xff;
  const bytes = Array.from({ length: highest + 1 }, (_, byte) => byte);
  return new Map(bytes.map((byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
}

/** Answers with a function from text to bytes, or to undefined when the charset lacks one of the characters. */
export function encoderOf(charset) {
  if (charset === 'utf-8') return (text) => Buffer.from(text);
  const table = encodingTable(charset);
  return (text) => {
    const bytes = Array.from(text, (character) => table.get(character));
    return bytes.includes(undefined) ? undefined : Buffer.from(bytes);
  };
}

/** Lines of the .words form (see flite-words.c) as tokens; undefined when the end is missing. */
function readTokens(text) {
  const lines = text.trimEnd().split('\n');
  if (lines.pop() !== 'E') return undefined;
  const tokens = [];
  for (const line of lines) {
    const [kind, text, ...more] = line.split('\t');
    if (kind === 'T') tokens.push({ text, punctuation: more[0], words: [] });
    else tokens.at(-1).words.push({ startMs: Number(more[0]) * 1000, endMs: Number(more[1]) * 1000 });
  }
  return tokens;
}

const toInt16 = (samples) => Int16Array.from(samples, (sample) => sample * 32_768);

/** The sound and the tokens of sentence `number`, or undefined when the synthesiser gave up on it. */
async function readSpoken(folder, number, charset) {
  try {
    const [wav, words] = await Promise.all(
      ['wav', 'words'].map((ending) => readFile(join(folder, `${number}.${ending}`))),
    );
    const tokens = readTokens(new TextDecoder(charset).decode(words));
    if (tokens === undefined) return undefined;
    const { samples, rate } = readWav(wav, `sound ${number}`);
    return { pcm: toInt16(samples), sampleRate: rate, tokens };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function compileFlite(voice, folder) {
  const libraries = [`flite_cmu_us_${voice}`, 'flite_usenglish', 'flite_cmulex', 'flite', 'm'];
  const args = ['-O1', `-DREGISTER=register_cmu_us_${voice}`, FLITE_SOURCE, '-o', 'speak'];
  await run('cc', [...args, ...libraries.map((name) => `-l${name}`)], {
    cwd: folder,
    timeout: COMPILE_DEADLINE_MS,
  });
  return {
    name: 'sentences.txt',
    pack: (each) => Buffer.concat(each.flatMap((bytes) => [bytes, Buffer.from('\n')])),
    command: [join(folder, 'speak')],
  };
}

async function writeFestivalProgram({ voice, setup = '' }, folder) {
  const source = readFileSync(FESTIVAL_SOURCE);
  await writeFile(
    join(folder, 'run.scm'),
    Buffer.concat([Buffer.from(`(voice_${voice})\n${setup}\n`), source]),
  );
  const quoted = (bytes) =>
    Buffer.from(`"${bytes.toString('latin1').replace(/["\\]/g, '\\$&')}"\n`, 'latin1');
  return {
    name: 'sentences.scm',
    pack: (each) => Buffer.concat(each.map(quoted)),
    command: ['festival', '-b', 'run.scm'],
  };
}

/**
 * Makes what the voice needs in `folder`. The answer speaks a batch of encoded sentences, each without line breaks:
 * one {pcm, sampleRate, tokens: [{text, punctuation, words: [{startMs, endMs}]}]} or undefined per sentence.
 */
export async function openSynthesiser(voice, folder) {
  const { name, pack, command } =
    voice.engine === 'flite'
      ? await compileFlite(voice.voice, folder)
      : await writeFestivalProgram(voice, folder);
  const [program, ...args] = command;
  /** True when the program came to its own end. */
  const ends = async () => {
    try {
      await run(program, args, { cwd: folder, timeout: SPEAK_DEADLINE_MS, maxBuffer: MOST_NOISE_BYTES });
      return true;
    } catch (error) {
      if (error.code === 'ENOENT' || error.killed) throw new Error(`${program} did not run or end in time`);
      return false;
    }
  };
  const speak = async (batch) => {
    if (batch.length === 0) return [];
    await writeFile(join(folder, name), pack(batch));
    // What is left of the batch before would pass for the words of a sentence that fails.
    await Promise.all(batch.map((_, number) => rm(join(folder, `${number}.words`), { force: true })));
    const hasEnded = await ends();
    const spoken = await Promise.all(batch.map((_, number) => readSpoken(folder, number, voice.charset)));
    if (hasEnded) return spoken;
    // It crashed over the sentence after the last one that it spoke; those behind that one are still to be spoken.
    const crashed = spoken.findLastIndex((each) => each !== undefined) + 1;
    return [...spoken.slice(0, crashed), undefined, ...(await speak(batch.slice(crashed + 1)))].slice(
      0,
      batch.length,
    );
  };
  return speak;
}
