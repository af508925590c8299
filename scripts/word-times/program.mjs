// The compiled program's own parts, loaded from where it was built: what is measured is what is shipped.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PARTS = 'bench/program-parts.js';

/** A reader that stops for so long is broken; this one never stops. */
const READER_STALL_MS = 60_000;

/**
 * The program's parts by name, and what has to be started: `source` speaks what is timed, `reference` is a process of
 * its own that speaks what it is held against; `references` fills with the `{voice, rate, pitch}` of all that it says.
 */
export async function openProgram(dist) {
  const program = await import(pathToFileURL(join(dist, PARTS)).href);
  if (!program.isEspeakInstalled()) throw new Error('the speech program is not installed');
  const { systemClock: clock, silentLog: log } = program;
  const command = program.espeakCommand();
  const banks = program.createFilterBanks();
  const source = await program.createSpeechSource({ command, clock, log, readerStallMs: READER_STALL_MS });
  const reference = program.createSpeechProcess({ command, clock, log });
  await Promise.all([source.ready, reference.started]);
  const references = [];
  const listened = {
    speak(utterance, ...rest) {
      const { voice, rate, pitch } = utterance;
      references.push({ voice, rate, pitch });
      return reference.speak(utterance, ...rest);
    },
  };
  return {
    ...program,
    banks,
    source,
    references,
    speaker: program.createReferenceSpeaker(listened),
    decoders: program.createLayer3Decoders(),
    encoders: await program.loadMp3Encoders(),
    stretch: await program.loadTimeStretch(),
    close: () => Promise.all([source.close(), reference.close()]),
  };
}
