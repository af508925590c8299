// The judge is heard with all voices of the embedded engine, and with sounds that are no speech at seven rates.
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSpeechJudge } from '../../../src/audio/dsp/speech-judge.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { programVoice, VOICES } from '../../../src/engine/voices.ts';
import type { Language } from '../../../src/speech/language.ts';
import { espeakCommand } from '../../../src/speech-program/speech-command.ts';
import { createSpeechProcess } from '../../../src/speech-program/speech-process.ts';
import { fixtureSpeech } from '../../support/fixture-speech.ts';
import { trialSize } from '../../support/trial-size.ts';

const RATES = [8000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000];

/** When speech was found, ms of the sound; undefined: never. */
function foundMs(samples: Float32Array, sampleRate: number, piece = 240): number | undefined {
  const judge = createSpeechJudge();
  for (let at = 0; at < samples.length; at += piece)
    if (judge.push(samples.subarray(at, at + piece), sampleRate)) return ((at + piece) * 1000) / sampleRate;
  return undefined;
}

type Sound = (t: number) => number;
const wave = (hz: number, t: number) => Math.sin(2 * Math.PI * hz * t);
const noise = (seed: number) => {
  const next = seededNumbers(seed, 0);
  // The sum of four is near enough to normal.
  return () => (next() + next() + next() + next() - 2) * 0.9;
};
/** A part of each `every` seconds. */
const pulsed =
  (sound: Sound, every: number, share: number): Sound =>
  (t) =>
    (t / every) % 1 < share ? sound(t) : 0;
const melody = (t: number) => [262, 330, 392, 523, 440, 349][Math.floor(t / 0.3) % 6]!;

function pink(seed: number): Sound {
  const next = noise(seed);
  let [slow, middle, fast] = [0, 0, 0];
  return () => {
    const white = next();
    slow = 0.99765 * slow + white * 0.099046;
    middle = 0.963 * middle + white * 0.2965164;
    fast = 0.57 * fast + white * 1.0526913;
    return 0.2 * (slow + middle + fast + 0.1848 * white);
  };
}

const SOUNDS: Readonly<Record<string, () => Sound>> = {
  silence: () => () => 0,
  'a constant': () => () => 0.5,
  'white noise': () => noise(1),
  'pink noise': () => pink(2),
  'noise that swells four times a second': () => {
    const next = noise(3);
    return (t) => next() * (0.5 + 0.5 * wave(4, t));
  },
  'bursts of noise': () => pulsed(noise(4), 0.4, 0.4),
  'hum of 50 Hz': () => (t) =>
    0.5 * wave(50, t) + 0.25 * wave(100, t) + 0.2 * wave(150, t) + 0.1 * wave(250, t),
  'hum of 60 Hz': () => (t) =>
    0.5 * wave(60, t) + 0.25 * wave(120, t) + 0.2 * wave(180, t) + 0.1 * wave(300, t),
  'a buzz': () => (t) => ((t * 50) % 1) * 2 - 1,
  'a square wave': () => (t) => 0.7 * Math.sign(wave(120, t)),
  'a tone of 100 Hz': () => (t) => wave(100, t),
  'a tone of 440 Hz': () => (t) => wave(440, t),
  'a tone of 1 kHz': () => (t) => wave(1000, t),
  'a tone of 3.1 kHz': () => (t) => wave(3100, t),
  'a tone that swells': () => (t) => Math.min(1, t / 2) * wave(440, t),
  'a dial tone': () => (t) => 0.5 * wave(350, t) + 0.5 * wave(440, t),
  'a key of a telephone': () => (t) => 0.5 * wave(770, t) + 0.5 * wave(1336, t),
  'keys of a telephone': () =>
    pulsed((t) => 0.5 * wave([697, 770, 852][Math.floor(t / 0.15) % 3]!, t) + 0.5 * wave(1209, t), 0.15, 0.6),
  'a busy line': () => pulsed((t) => 0.5 * wave(480, t) + 0.5 * wave(620, t), 1, 0.5),
  ringing: () => pulsed((t) => 0.5 * wave(440, t) + 0.5 * wave(480, t), 1, 0.4),
  beeps: () => pulsed((t) => wave(1000, t), 0.2, 0.5),
  'three tones': () => (t) => wave([950, 1400, 1800][Math.floor(t / 0.33) % 3]!, t),
  'a melody': () => (t) => wave(melody(t), t),
  'a melody that is struck': () => (t) =>
    Math.exp(-5 * (t % 0.3)) * [1, 2, 3, 4].reduce((sum, n) => sum + wave(n * melody(t), t) / (2 * n), 0),
  'a siren': () => (t) => Math.sin(2 * Math.PI * (700 * t + 40 * wave(1, t))),
  'a rising tone': () => (t) => Math.sin(2 * Math.PI * (300 * t + 250 * t * t)),
  clicks: () => (t) => ((t * 10) % 1 < 0.002 ? 0.9 : 0),
};

function made(sound: Sound, sampleRate: number, seconds: number, gain: number): Float32Array {
  return Float32Array.from({ length: sampleRate * seconds }, (_, i) =>
    Math.max(-1, Math.min(1, gain * sound(i / sampleRate))),
  );
}

describe('what is no speech', () => {
  it.each(Object.entries(SOUNDS))('%s', (_name, sound) => {
    for (const rate of RATES)
      for (const gain of [0.02, 0.9]) expect(foundMs(made(sound(), rate, 3, gain), rate)).toBeUndefined();
  });
});

describe('speech', () => {
  it('is found within a syllable or two, however it is cut into pieces', () => {
    const speech = fixtureSpeech();
    const at = foundMs(speech, 24_000)!;
    expect(at).toBeLessThan(500);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (piece) => {
        const found = foundMs(speech, 24_000, piece)!;
        expect(found).toBeGreaterThan(at - 20);
        expect(found).toBeLessThan(at + 20 + (piece * 1000) / 24_000);
      }),
      { numRuns: 20 },
    );
  });

  it('is found behind silence and behind noise', () => {
    const speech = fixtureSpeech();
    const silence = new Float32Array(24_000);
    const hiss = made(noise(5), 24_000, 1, 0.003);
    for (const front of [silence, hiss]) {
      const at = foundMs(Float32Array.from([...front, ...speech]), 24_000)!;
      expect(at).toBeGreaterThan(1000);
      expect(at).toBeLessThan(1600);
    }
  });

  it('is never missed with the voices of the engine', { timeout: 600_000 }, async () => {
    const texts = readdirSync('fixtures/texts')
      .filter((file) => file.endsWith('.txt'))
      .flatMap((file) => {
        const language = file.replace(/(-more)?\.txt$/, '') as Language;
        const lines = readFileSync(`fixtures/texts/${file}`, 'utf8').split('\n');
        const told = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
        return told.slice(0, 8).map((line) => ({ language, text: line.slice(0, 60) }));
      });
    const program = createSpeechProcess({ command: espeakCommand(), clock: systemClock, log: silentLog });
    const missed: string[] = [];
    const delays: number[] = [];
    try {
      for (let at = 0; at < trialSize(10 * texts.length, 120); at += 1) {
        const voice = VOICES[at % VOICES.length]!;
        const { language, text } = texts[Math.floor(at / VOICES.length + 7 * at) % texts.length]!;
        const judge = createSpeechJudge();
        let [sounding, untilFound, found] = [0, 0, false];
        const prosody = { rate: 120 + ((37 * at) % 130), pitch: voice.pitch, range: voice.range };
        await program.speak(
          { text, voice: programVoice(voice, language), ...prosody },
          ({ samples, sampleRate }) => {
            for (let from = 0; from < samples.length && !found; from += 220) {
              const piece = samples.subarray(from, from + 220);
              found = judge.push(piece, sampleRate);
              if (sounding > 0 || piece.some((sample) => Math.abs(sample) > 0.02)) sounding += 220;
              untilFound = (1000 * sounding) / sampleRate;
            }
          },
          new AbortController().signal,
        );
        if (found) delays.push(untilFound);
        else missed.push(`${voice.name} ${language}: ${text}`);
      }
    } finally {
      await program.close();
    }
    expect(missed).toEqual([]);
    delays.sort((a, b) => a - b);
    expect(delays[delays.length >> 1]).toBeLessThan(200);
    expect(delays[Math.floor(0.95 * delays.length)]).toBeLessThan(600);
  });
});
