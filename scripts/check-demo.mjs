// Judges what `npm run demo` left behind: demo.wav is a playable PCM file, demo.ulaw is µ-law 8000, both
// hold seconds of sound, not silence, and a woman and a man speak in it.

import { readFileSync } from 'node:fs';
import { judgeTwoVoices } from './pitch.mjs';
import { fromMulaw, judgeSpeech, readWav } from './sound.mjs';

const LEAST_SECONDS = 3;

try {
  const wav = readWav(readFileSync('demo.wav'), 'demo.wav');
  const mulaw = { samples: Array.from(readFileSync('demo.ulaw'), fromMulaw), rate: 8000 };
  console.log(judgeSpeech('demo.wav', wav, LEAST_SECONDS));
  console.log(judgeSpeech('demo.ulaw', mulaw, LEAST_SECONDS));
  console.log(judgeTwoVoices('demo.wav', wav));
} catch (error) {
  console.error(`demo check failed: ${error.message}`);
  process.exitCode = 1;
}
