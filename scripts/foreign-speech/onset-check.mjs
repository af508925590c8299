// Holds the told start of a word against the sound: behind a pause the level must rise where the word starts.

const HOP_MS = 2;
const FRAME_MS = 8;
/** Shorter pauses hold the end of the word before. */
const LEAST_PAUSE_MS = 70;
const SEARCH_MS = 120;
/** Of the sentence's loudest frame, about −35 dB: above breath, below the weakest sound that opens a word. */
const RISE = 0.018;
/** Of the loudest frame in the middle half of the pause: some voices have noise in their pauses. */
const ABOVE_NOISE = 1.5;
const FRAMES_ABOVE = 4;

function levels(pcm, sampleRate) {
  const [hop, frame] = [HOP_MS, FRAME_MS].map((ms) => Math.round((sampleRate * ms) / 1000));
  const found = [];
  for (let at = 0; at + frame <= pcm.length; at += hop) {
    let energy = 0;
    for (let i = at; i < at + frame; i++) energy += pcm[i] ** 2;
    found.push(Math.sqrt(energy / frame));
  }
  return found;
}

/**
 * Ms from the told start to the rise of the level, for each word behind a pause. A positive value says that the
 * sound comes later, as it does behind the silent closure of a stop.
 */
export function onsetErrors({ pcm, sampleRate, words }) {
  const level = levels(pcm, sampleRate);
  const loudest = (frames) => frames.reduce((most, each) => Math.max(most, each), 0);
  const frameAt = (ms) => Math.round((ms - FRAME_MS / 2) / HOP_MS);
  return words.flatMap(({ startMs }, index) => {
    const pauseMs = startMs - (words[index - 1]?.endMs ?? 0);
    if (pauseMs < LEAST_PAUSE_MS) return [];
    const pause = level.slice(frameAt(startMs - pauseMs * 0.75), frameAt(startMs - pauseMs * 0.25));
    const least = Math.max(RISE * loudest(level), ABOVE_NOISE * loudest(pause));
    const from = Math.max(0, frameAt(startMs - Math.min(pauseMs / 2, SEARCH_MS)));
    for (let at = from; at <= frameAt(startMs + SEARCH_MS) && at < level.length; at++) {
      const isUp = level.slice(at, at + FRAMES_ABOVE).every((each) => each >= least);
      if (isUp) return at === from ? [] : [at * HOP_MS + FRAME_MS / 2 - startMs];
    }
    return [];
  });
}
