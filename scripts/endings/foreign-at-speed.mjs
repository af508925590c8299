// Speech of foreign voices at another speed than their own, by moving its tempo and not its pitch.

import { foreignPcm, foreignSpeech } from '../word-times/foreign-voices.mjs';

const BLOCK = 4096;

function stretched(program, samples, sampleRate, speed) {
  if (speed === 1) return samples;
  const parts = [];
  const stretch = program.stretch(speed, (block) => parts.push(block.samples.slice()));
  for (let at = 0; at < samples.length; at += BLOCK)
    stretch.push({ samples: samples.subarray(at, at + BLOCK), sampleRate });
  stretch.flush();
  stretch.close();
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

/** What the voice says at each of `speeds` in turn. The synthesiser runs once: it takes longer than all that is done with its speech. */
export async function* spokenForeign(program, root, voice, speeds, most) {
  const usual = [];
  for await (const spoken of foreignPcm(root, voice, most, () => {})) usual.push(spoken);
  for (const speed of speeds)
    for (const spoken of usual) {
      const samples = stretched(program, spoken.samples, spoken.sampleRate, speed);
      const words = spoken.words.map((word) => ({ ...word, startMs: word.startMs / speed }));
      const speech = await foreignSpeech(program, voice, { ...spoken, samples, words }, speed);
      if (speech !== undefined) yield speech;
    }
}
