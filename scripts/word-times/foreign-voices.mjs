// Speech of synthesisers that are not ours, as MP3 of an encoder's usual settings, with the word times that they tell.

import { listForeignVoices, speakForeign } from '../foreign-speech.mjs';
import { sentencesOf } from './own-speech.mjs';
import { openTurn } from './turn.mjs';

const USUAL_RATE = 24_000;
/** Not languages of the service. */
const UNKNOWN_LANGUAGES = ['finnish'];

/** The voices that this machine has and that speak languages of ours. */
export const foreignVoices = () =>
  listForeignVoices().filter(({ language }) => !UNKNOWN_LANGUAGES.includes(language));

/** Samples in ±1 at `sampleRate`, in parts, as MP3 at `rate`: what each part gives, at once. */
export function* mp3Of(program, parts, sampleRate, rate) {
  const encoder = program.encoders.open({ sampleRate: rate, bitrateKbps: program.speechBitrateKbps(rate) });
  let chunks = [];
  const resampler = program.createResampler(
    program.banks,
    { fromRate: sampleRate, toRate: rate },
    (resampled) => chunks.push(encoder.encode(resampled)),
  );
  for (const samples of parts) {
    resampler.push(samples);
    yield Buffer.concat(chunks);
    chunks = [];
  }
  resampler.flush();
  chunks.push(encoder.finish());
  yield Buffer.concat(chunks);
}

/** The true start of each of our words that begins a word of theirs; both count code points of the sentence. */
function startsOf(words, foreign) {
  let at = 0;
  return words.map(({ charStart }) => {
    while (at < foreign.length && foreign[at].charEnd <= charStart) at += 1;
    const word = foreign[at];
    if (word === undefined || word.charStart > charStart) return undefined;
    at += 1;
    return word.startMs;
  });
}

/** What one voice says, `{sentence, samples, sampleRate, words}`; `onDropped(reason)` hears of sentences that give nothing. */
export async function* foreignPcm(root, { engine, voice, language }, most, onDropped) {
  const all = sentencesOf(root, language);
  const step = Math.max(1, Math.floor(all.length / most));
  const sentences = all.filter((_, index) => index % step === 0).slice(0, most);
  const dropped = (_, reason) => onDropped(reason);
  for await (const { pcm, ...spoken } of speakForeign({ engine, voice, sentences, onDropped: dropped }))
    yield { ...spoken, samples: Float32Array.from(pcm, (sample) => sample / 32_768) };
}

/** As MP3, with the true starts of its words; undefined: it is not exactly one request. */
export async function foreignSpeech(program, { engine, voice, language }, spoken, speed) {
  const name = `${engine}:${voice}`;
  const whole = { kind: 'text', text: spoken.sentence };
  const plan = { kind: 'foreign', language, speed, name, voice: name, whole, seed: 0 };
  const turn = await openTurn(program, plan);
  if (turn === undefined) return undefined;
  const sampleRate = program.MP3_SAMPLE_RATES.includes(spoken.sampleRate) ? spoken.sampleRate : USUAL_RATE;
  const bytes = Buffer.concat([...mp3Of(program, [spoken.samples], spoken.sampleRate, sampleRate)]);
  return { ...plan, bytes, sampleRate, truthMs: startsOf(turn.words, spoken.words), spokenAs: [] };
}

/** Speeches of one voice; `onDropped(reason)` hears of sentences that give none. */
export async function* speakForeignVoice(program, root, voice, most, onDropped) {
  for await (const spoken of foreignPcm(root, voice, most, onDropped)) {
    const speech = await foreignSpeech(program, voice, spoken, 1);
    if (speech === undefined) onDropped('requests');
    else yield speech;
  }
}
