// The compiled program's own parts, loaded from where it was built: what is measured is what is shipped.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** By file of the program, what is taken from it. */
const PARTS = {
  'audio/filter-bank.js': ['createFilterBanks'],
  'audio/layer3-decoders.js': ['createLayer3Decoders'],
  'audio/mp3-frame-parser.js': ['createMp3FrameParser'],
  'audio/mp3-to-pcm.js': ['streamSamples'],
  'audio/mp3-encoder.js': ['loadMp3Encoders', 'speechBitrateKbps'],
  'audio/resampler.js': ['createResampler'],
  'audio/wasm-sound-path.js': ['createSoundPath'],
  'base/clock.js': ['systemClock'],
  'base/log.js': ['silentLog'],
  'base/seeded-numbers.js': ['seededNumbers'],
  'engine/prosody.js': ['createProsody'],
  'engine/speech-job.js': ['toSpeechJob'],
  'engine/speech-source.js': ['createSpeechSource'],
  'engine/time-stretch.js': ['loadTimeStretch'],
  'engine/voices.js': ['VOICES', 'programVoice'],
  'pipeline/mp3-spool.js': ['createMp3Spool'],
  'pipeline/reference-speaker.js': ['createReferenceSpeaker'],
  'pipeline/relayed-speech.js': ['createRelayedSpeech'],
  'pipeline/speech-timing.js': ['createSpeechTiming'],
  'pipeline/speech-upkeep.js': ['createSpeechUpkeep'],
  'pipeline/speech-words.js': ['createSpeechWords'],
  'pipeline/whole-body.js': ['relayWholeBody'],
  'session/create-turn-playout.js': ['createTurnPlayout'],
  'session/turn-script.js': ['createTurnScript'],
  'session/turn-settings.js': ['applySettings', 'defaultSettings'],
  'speech/audio-format.js': ['MP3_SAMPLE_RATES'],
  'speech-program/speech-command.js': ['espeakCommand', 'isEspeakInstalled'],
  'speech-program/speech-process.js': ['createSpeechProcess'],
};

/** A reader that stops for so long is broken; this one never stops. */
const READER_STALL_MS = 60_000;

/**
 * Everything in PARTS by name, and what has to be started: `source` speaks what is timed, `reference` is a process of
 * its own that speaks what it is held against; `references` fills with the `{voice, rate, pitch}` of all that it says.
 */
export async function openProgram(dist) {
  const program = {};
  for (const [file, names] of Object.entries(PARTS)) {
    const loaded = await import(pathToFileURL(join(dist, file)).href);
    for (const name of names) {
      if (loaded[name] === undefined) throw new Error(`${file} has no ${name}: build the program again`);
      program[name] = loaded[name];
    }
  }
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
