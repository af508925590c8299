// The parts of the program that trials and tests take from a build, so that what they measure is what is shipped. Bundled
// into dist/bench/, which is not published.

export { startGateway } from '../src/app/start.ts';
export { createFilterBanks } from '../src/audio/dsp/filter-bank.ts';
export { createResampler } from '../src/audio/dsp/resampler.ts';
export { createSoundPath } from '../src/audio/dsp/wasm-sound-path.ts';
export { createLayer3Decoders } from '../src/audio/mp3/layer3-decoders.ts';
export { loadMp3Encoders, speechBitrateKbps } from '../src/audio/mp3/mp3-encoder.ts';
export { Mp3FrameParser } from '../src/audio/mp3/mp3-frame-parser.ts';
export { streamSamples } from '../src/audio/mp3/mp3-to-pcm.ts';
export { systemClock } from '../src/base/clock.ts';
export { silentLog } from '../src/base/log.ts';
export { seededNumbers } from '../src/base/seeded-numbers.ts';
export { runCommandLine } from '../src/cli/commands.ts';
export { connectSession } from '../src/client/session-client.ts';
export { createProsody } from '../src/engine/prosody.ts';
export { toSpeechJob } from '../src/engine/speech-job.ts';
export { createSpeechSource } from '../src/engine/speech-source.ts';
export { loadTimeStretch } from '../src/engine/time-stretch.ts';
export { programVoice, VOICES } from '../src/engine/voices.ts';
export { Mp3Spool } from '../src/pipeline/mp3-spool.ts';
export { RelayedSpeech } from '../src/pipeline/whole-body/relayed-speech.ts';
export { createSpeechRecovery } from '../src/pipeline/whole-body/speech-recovery.ts';
export { relayWholeBody } from '../src/pipeline/whole-body/whole-body.ts';
export { createReferenceSpeaker } from '../src/pipeline/word-timing/reference-speaker.ts';
export { createSpeechTiming } from '../src/pipeline/word-timing/speech-timing.ts';
export { SpeechWords } from '../src/pipeline/word-timing/speech-words.ts';
export { TurnPlayout } from '../src/session/turn/turn-playout.ts';
export { TurnScript } from '../src/session/turn/turn-script.ts';
export { applySettings, defaultSettings } from '../src/session/turn-settings.ts';
export { parseConfig } from '../src/settings/config.ts';
export { MP3_SAMPLE_RATES } from '../src/speech/audio-format.ts';
export { espeakCommand, isEspeakInstalled } from '../src/speech-program/speech-command.ts';
export { createSpeechProcess } from '../src/speech-program/speech-process.ts';
export { segmentText } from '../src/text/segment.ts';
export { wholeTextSegments } from '../src/text/turn-text.ts';
