// What timing the words of a speech costs, step by step and one speech after another, in this process: decoding it,
// its features, speaking the reference, holding one against the other. Processor time per second of the speech.

import { createLayer3Decoders } from '../../src/audio/mp3/layer3-decoders.ts';
import type { Mp3Decoders } from '../../src/audio/mp3/mp3-decoder.ts';
import { type Mp3Frame, Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { Mp3ToPcm } from '../../src/audio/mp3/mp3-to-pcm.ts';
import type { PcmBlock } from '../../src/audio/stage.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { featureTrack } from '../../src/captions/alignment/feature-track.ts';
import type { ReferenceSpeech } from '../../src/captions/alignment/reference-speech.ts';
import { CEPSTRA, framesIn, HEARD_HZ } from '../../src/captions/alignment/speech-features.ts';
import { createWordFinder, UNKNOWN_VOICE } from '../../src/captions/alignment/word-finder.ts';
import { GUESS_MS_PER_WEIGHT } from '../../src/captions/word-timeline.ts';
import { createReferenceSpeaker } from '../../src/pipeline/word-timing/reference-speaker.ts';
import { espeakCommand } from '../../src/speech-program/speech-command.ts';
import { createSpeechProcess, type SpeechProcess } from '../../src/speech-program/speech-process.ts';
import type { AlignedText } from '../../src/text/aligned-text.ts';
import { createSeededRandom } from './seeded-random.ts';
import { linesOf, type SpokenLine, turnOf } from './spoken-lines.ts';
import { ownProgramMs } from './word-timer-cost.ts';

/** Processor time in ms per second of the speech that is timed; null where the system does not tell of a child. */
export type WordTimingSteps = {
  readonly decode: number;
  readonly features: number;
  readonly hold: number;
  /** Our side of the reference: reading its samples, and then their features and what they are compared by. */
  readonly referenceRead: number;
  readonly referenceFeatures: number;
  readonly referenceProgram: number | null;
};

const SPEECHES = 30;
const SPEECH_SECONDS = 10;
const WARM_UP_SPEECHES = 10;
/** How often a thread is given more of a live speech. */
const ASKED_MS = 250;

type Speech = { readonly text: AlignedText; readonly frames: readonly Mp3Frame[]; readonly ms: number };

function textOf(text: string): AlignedText {
  const words = [...text.matchAll(/\S+/g)]; // the lines are within the basic plane
  return {
    text,
    turnPrefix: undefined,
    turnPrefix2: undefined,
    wordAt: words.map(({ index }) => index),
    weights: words.map(([word]) => word.length),
    pauses: words.map(() => 1),
  };
}

function createSpeech(text: string, lines: readonly SpokenLine[]): Speech {
  const frames: Mp3Frame[] = [];
  const said = linesOf(text, lines) ?? [];
  for (const { mp3 } of said) {
    const parser = new Mp3FrameParser({
      onFrame: (frame) => frames.push({ ...frame, bytes: frame.bytes.slice() }),
      onTag() {},
    });
    parser.push(Buffer.from(mp3, 'base64'));
    parser.flush();
  }
  return { text: textOf(text), frames, ms: said.reduce((sum, { ms }) => sum + ms, 0) };
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const joined = (blocks: readonly Float32Array[]): Float32Array => {
  const all = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
};

function decode(
  decoders: Mp3Decoders,
  frames: readonly Mp3Frame[],
  onBlock: (block: PcmBlock) => void,
): void {
  const decoder = new Mp3ToPcm(decoders, onBlock, HEARD_HZ);
  decoder.beginStream();
  for (const frame of frames) decoder.push(frame);
  decoder.endStream();
  decoder.close();
}

function decodeWhole(decoders: Mp3Decoders, frames: readonly Mp3Frame[]): PcmBlock {
  const blocks: Float32Array[] = [];
  let rate = 0;
  decode(decoders, frames, ({ samples, sampleRate }) => {
    blocks.push(samples.slice());
    rate = sampleRate;
  });
  return { samples: joined(blocks), sampleRate: rate };
}

/** As a live speech is held: the reference is there first, and every quarter of a second the words are asked for. */
function hold({ text }: Speech, reference: ReferenceSpeech, track: ReturnType<typeof featureTrack>): void {
  const words = text.weights.map((weight, w) => ({ weight, pause: text.pauses[w]! }));
  const finder = createWordFinder(words, GUESS_MS_PER_WEIGHT, UNKNOWN_VOICE);
  finder.hold(reference, 'whole');
  for (let frame = 0; frame < track.levels.length; frame += 1) {
    const cepstra = track.cepstra.subarray(frame * CEPSTRA, (frame + 1) * CEPSTRA);
    finder.push({ cepstra, level: track.levels[frame]! });
    if (frame % framesIn(ASKED_MS) === 0) finder.estimate();
  }
  finder.end();
  finder.estimate();
}

const HOW = { language: 'english', speed: 1 } as const;

/** Speaks the references, and tells what that costs us, the program, and both when the samples are only read. */
async function speakReferences(program: SpeechProcess, speeches: readonly Speech[], signal: AbortSignal) {
  const references: ReferenceSpeech[] = [];
  const sayings: Parameters<SpeechProcess['speak']>[0][] = [];
  const overheard: Pick<SpeechProcess, 'speak'> = {
    speak(utterance, ...rest) {
      sayings.push(utterance);
      return program.speak(utterance, ...rest);
    },
  };
  const speaker = createReferenceSpeaker(overheard);
  const [began, beganProgram] = [cpuMs(), ownProgramMs()];
  for (const { text } of speeches) {
    let last: ReferenceSpeech | undefined;
    await speaker.speak(text, HOW, (reference) => (last = reference), signal);
    references.push(last!);
  }
  const [told, toldProgram] = [cpuMs(), ownProgramMs()];
  for (const utterance of sayings)
    await program.speak(
      utterance,
      () => {},
      signal,
      () => {},
    );
  const read = cpuMs() - told;
  return { references, readMs: read, featuresMs: told - began - read, programMs: toldProgram - beganProgram };
}

export async function measureWordTiming(
  lines: readonly SpokenLine[],
  seed: number,
  signal: AbortSignal,
): Promise<WordTimingSteps> {
  const random = createSeededRandom(seed);
  const speechesOf = (count: number) =>
    Array.from({ length: count }, () => createSpeech(turnOf(lines, SPEECH_SECONDS, random), lines));
  const decoders = createLayer3Decoders();
  const program = createSpeechProcess({ command: espeakCommand(), clock: systemClock, log: silentLog });

  const measure = async (speeches: readonly Speech[]): Promise<WordTimingSteps> => {
    const seconds = speeches.reduce((sum, { ms }) => sum + ms, 0) / 1000;
    const per = (work: () => void) => {
      const began = cpuMs();
      work();
      return (cpuMs() - began) / seconds;
    };
    const { references, ...reference } = await speakReferences(program, speeches, signal);
    const sounds = speeches.map(({ frames }) => decodeWhole(decoders, frames));
    const tracks: ReturnType<typeof featureTrack>[] = [];
    return {
      decode: per(() => {
        for (const { frames } of speeches) decode(decoders, frames, () => {});
      }),
      features: per(() => {
        for (const { samples, sampleRate } of sounds)
          tracks.push(featureTrack(samples, sampleRate, decoders.belowHz(HEARD_HZ, sampleRate)));
      }),
      hold: per(() => {
        for (const [at, speech] of speeches.entries()) hold(speech, references[at]!, tracks[at]!);
      }),
      referenceRead: reference.readMs / seconds,
      referenceFeatures: reference.featuresMs / seconds,
      referenceProgram: Number.isNaN(reference.programMs) ? null : reference.programMs / seconds,
    };
  };

  try {
    await program.started;
    await measure(speechesOf(WARM_UP_SPEECHES));
    return await measure(speechesOf(SPEECHES));
  } finally {
    await program.close();
  }
}
