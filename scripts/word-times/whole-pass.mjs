// All of a speech at once: what the captions of a file or the last word about a turn would be.

import { openBody } from './relayed-body.mjs';
import { openTurn } from './turn.mjs';

/** Estimates change with the aligner that made them. */
export const keepEstimate = (estimate) => ({
  ...estimate,
  startsMs: Float64Array.from(estimate.startsMs),
  endsMs: Float64Array.from(estimate.endsMs),
});

/**
 * `voice` is what is known of the voice's sound, and learns. Answers `{words, references}`: the words as timed, and
 * what the reference speaker said, `{reference, words}` in order, so that it need not speak again.
 */
export async function timeWhole(program, speech, voice, isAided) {
  const turn = await openTurn(program, speech);
  const references = [];
  const speaker = {
    speak: (text, how, onReference, signal) =>
      program.speaker.speak(
        text,
        how,
        (reference, words) => {
          references.push({ reference, words });
          onReference(reference, words);
        },
        signal,
      ),
  };
  const timing = program.createSpeechTiming({
    language: speech.language,
    speed: speech.speed,
    decoders: program.decoders,
    speaker: isAided ? speaker : undefined,
    voice,
    wants: 'words',
    onEstimate: (index, estimate) => turn.timeline.align(index, keepEstimate(estimate)),
    onFault(event, cause) {
      if (isAided || event !== 'reference_speech_failed') throw new Error(event, { cause });
    },
  });
  try {
    timing.request(0, turn.aligned);
    const items = [];
    const body = openBody(program, (item) => items.push(item));
    body.push(speech.bytes);
    body.end();
    turn.timeline.progress(0, body.heardMs(), 'complete');
    timing.items(items, false);
    await timing.settled();
    return { words: turn.timeline.words(), references };
  } finally {
    timing.close();
  }
}
