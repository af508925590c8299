// Speech of our own engine with the word times that it tells itself: sentences × languages × voices × speeds, sampled so
// that every combination has as many sentences and none of them the same ones, and dialogues of two voices.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTurn, trueStarts } from './turn.mjs';

const LANGUAGES = [
  'english',
  'french',
  'german',
  'hindi',
  'italian',
  'mandarin',
  'polish',
  'russian',
  'spanish',
  'thai',
];
/** Two women and two men that are far apart. */
const VOICES = ['Anna', 'Dora', 'Adam', 'Carl'];
const SPEEDS = [0.7, 1, 1.4];
/** No divisor of a file's length, so that sentences in a row are not those of one kind. */
const STRIDE = 61;
const DIALOGUE_LINES = 4;

export const sentencesOf = (root, language) =>
  readFileSync(join(root, `fixtures/texts/spoken-sentences/${language}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');

/** Sentences `from` to `from + count`, around the end of the file. */
const pick = (sentences, from, count) =>
  Array.from({ length: count }, (_, at) => sentences[((from + at) * STRIDE) % sentences.length]);

/** `{kind, language, speed, voice, voice2?, whole, seed}` of each speech; `perCombination` sentences of each. */
export function* planOwn(program, root, perCombination, languages = LANGUAGES) {
  const idOf = (name) => program.VOICES.find((voice) => voice.name === name).id;
  const wanted = languages.filter((each) => LANGUAGES.includes(each));
  let seed = 0;
  // A run that is stopped has had a part of everything.
  for (let number = 0; number < perCombination; number += 1)
    for (const language of wanted) {
      const sentences = sentencesOf(root, language);
      for (const [place, name] of VOICES.entries())
        for (const [pace, speed] of SPEEDS.entries()) {
          const from = (place * SPEEDS.length + pace) * perCombination;
          const [text] = pick(sentences, from + number, 1);
          seed += 1;
          const whole = { kind: 'text', text };
          yield { kind: 'own', language, speed, name, voice: idOf(name), whole, seed };
        }
    }
}

export function* planDialogues(program, root, perLanguage, languages = LANGUAGES) {
  let seed = 1_000_000;
  for (const language of languages.filter((each) => LANGUAGES.includes(each))) {
    const sentences = sentencesOf(root, language);
    for (let number = 0; number < perLanguage; number += 1) {
      seed += 1;
      const texts = pick(sentences, number * DIALOGUE_LINES, DIALOGUE_LINES);
      const lines = texts.map((text, at) => ({ speaker: at % 2 === 0 ? 1 : 2, text }));
      const voice = program.VOICES[number % 5].id;
      const voice2 = program.VOICES[5 + (number % 5)].id;
      const speed = SPEEDS[number % SPEEDS.length];
      const whole = { kind: 'dialogue', lines };
      yield { kind: 'dialogue', language, speed, name: 'two voices', voice, voice2, whole, seed };
    }
  }
}

/** How the lines of a job are spoken, in the speech program's terms. */
const spokenAs = (program, job) =>
  job.lines.map((line, index) => {
    const voice = job.voices[line.speaker];
    const { rate, pitch } = program.createProsody({ ...job, voice }, index, line.pause);
    return { voice: program.programVoice(voice, job.language), rate, pitch };
  });

/** Throws when the reference shared voice, rate or pitch with the speech under test: it would be held against itself. */
export function refuseItself(lines, references) {
  for (const line of lines)
    for (const reference of references)
      for (const trait of ['voice', 'rate', 'pitch'])
        if (line[trait] === reference[trait])
          throw new Error(`the reference speech has the ${trait} of the speech under test`);
}

/** The speech as MP3, as the gateway asks for it, and when each word truly begins; undefined: it cannot be had. */
export async function speakOwn(program, plan) {
  const turn = await openTurn(program, plan);
  if (turn === undefined) return undefined;
  const { job } = program.toSpeechJob(turn.outgoing, { below: () => plan.seed });
  const told = [];
  const { body, started } = program.source.open(job, (word) => told.push(word));
  await started;
  const chunks = [];
  for await (const chunk of body) chunks.push(chunk);
  const truthMs = trueStarts(turn.aligned.wordAt, told);
  const bytes = Buffer.concat(chunks);
  return { ...plan, bytes, sampleRate: job.sampleRate, truthMs, spokenAs: spokenAs(program, job) };
}
