// Who reads a long narration aloud in `narration-words-trial.mjs`, and tells when each word really begins: the embedded engine, or
// a synthesiser that is not ours, whose sentences are spoken beforehand and joined as a request asks for them.

import { setImmediate } from 'node:timers/promises';
import { foreignPcm, mp3Of } from './foreign-voices.mjs';
import { sentencesOf } from './own-speech.mjs';
import { openBody } from './relayed-body.mjs';

/** Between two sentences of a foreign voice. */
const REST_MS = 250;
const DISTINCT_SENTENCES = 200;

/**
 * A narrator has `voice` (what a turn asks for), `sentences` (what it can say), `mayHaveFigures` (whether other text can stand among
 * them) and `speak(asked, write)`, which writes the MP3 of a request and answers with `{told: [{startMs, charStart}], heardMs}`.
 */
export function embeddedNarrator(program, root, below) {
  return {
    name: 'embedded',
    voice: program.VOICES[0].id,
    sentences: sentencesOf(root, 'english'),
    mayHaveFigures: true,
    async speak(asked, begin, write) {
      const { job, headers } = program.toSpeechJob(asked, { below });
      const told = [];
      const counted = openBody(program, () => {});
      const { body, started } = program.source.open(job, (word) => told.push(word));
      await started;
      begin(headers);
      for await (const chunk of body) {
        counted.push(chunk);
        await write(chunk);
      }
      counted.end();
      return { told, heardMs: counted.heardMs() };
    },
  };
}

/** `{engine, voice, language}`, as the list of foreign voices has it. */
export async function foreignNarrator(program, root, foreign) {
  const known = new Map();
  for await (const spoken of foreignPcm(root, foreign, DISTINCT_SENTENCES, () => {}))
    known.set(spoken.sentence, spoken);
  const name = `${foreign.engine}:${foreign.voice}`;
  const sentences = [...known.keys()].sort((a, b) => b.length - a.length);
  const rate = known.values().next().value.sampleRate;
  const sampleRate = program.MP3_SAMPLE_RATES.includes(rate) ? rate : 24_000;
  return {
    name,
    voice: name,
    sentences,
    mayHaveFigures: false,
    async speak({ text }, begin, write) {
      const told = [];
      const parts = [];
      let samples = 0;
      let at = 0;
      while (at < text.length) {
        const space = /^\s+/.exec(text.slice(at))?.[0] ?? '';
        at += space.length;
        if (at === text.length) break;
        const sentence = sentences.find((one) => text.startsWith(one, at));
        if (sentence === undefined) throw new Error(`no sentence begins at character ${at} of a request`);
        const { words, samples: sound } = known.get(sentence);
        const fromMs = (samples * 1000) / rate;
        const before = [...text.slice(0, at)].length;
        for (const { startMs, charStart } of words)
          told.push({ startMs: fromMs + startMs, charStart: before + charStart });
        const rest = new Float32Array(Math.round((REST_MS * rate) / 1000));
        parts.push(sound, rest);
        samples += sound.length + rest.length;
        at += sentence.length;
      }
      const counted = openBody(program, () => {});
      begin({ 'content-type': 'audio/mpeg' });
      for (const chunk of mp3Of(program, parts, rate, sampleRate)) {
        if (chunk.length > 0) {
          counted.push(chunk);
          await write(chunk);
        }
        // The client that listens is in this process, too.
        await setImmediate();
      }
      counted.end();
      return { told, heardMs: counted.heardMs() };
    },
  };
}
