// The real eSpeak NG program: the same line gives the same samples anywhere, and text is never a command.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { programVoice, VOICES } from '../../src/engine/voices.ts';
import { LANGUAGES } from '../../src/speech/language.ts';
import type { Utterance, WordEvent } from '../../src/speech-program/speech-child.ts';
import { createSpeechProcess, type SpeechProcess } from '../../src/speech-program/speech-process.ts';

const ENTRY = fileURLToPath(new URL('../../src/engine/espeak-entry.mjs', import.meta.url));
const start = () =>
  createSpeechProcess({ command: [process.execPath, ENTRY], clock: systemClock, log: silentLog });
const speech = start();
afterAll(() => speech.close());

const never = new AbortController().signal;
const NORMAL = { voice: 'en-us+f2', rate: 175, pitch: 50, range: 50 };

async function say(
  text: string,
  changes: Partial<Utterance> = {},
  by: SpeechProcess = speech,
  onWords?: (words: readonly WordEvent[]) => void,
) {
  const hash = createHash('sha256');
  let samples = 0;
  let blocks = 0;
  let sampleRate = 0;
  const utterance = { text, ...NORMAL, ...changes };
  const onBlock = (block: { samples: Float32Array; sampleRate: number }) => {
    hash.update(block.samples);
    samples += block.samples.length;
    blocks += 1;
    sampleRate = block.sampleRate;
  };
  await by.speak(utterance, onBlock, never, onWords);
  return { hash: hash.digest('hex'), seconds: samples / sampleRate, blocks, sampleRate };
}

/** The words that it tells, each as what stands there in `text`. */
async function wordsOf(text: string, changes: Partial<Utterance> = {}) {
  const told: WordEvent[] = [];
  const sound = await say(text, changes, speech, (words) => told.push(...words));
  const characters = [...text];
  const words = told.map(({ codePoint, codePoints }) =>
    characters.slice(codePoint, codePoint + codePoints).join(''),
  );
  return { sound, words, timesMs: told.map(({ atMs }) => atMs) };
}

describe('the eSpeak NG program', () => {
  it('tells when it speaks which word, and speaks it the same', async () => {
    const text = 'Hello there, the boy may go. Next sentence.';
    const { sound, words, timesMs } = await wordsOf(text);
    expect(words).toEqual(['Hello', 'there', 'the', 'boy', 'may', 'go', 'Next', 'sentence']);
    expect(timesMs).toEqual(timesMs.toSorted((a, b) => a - b));
    expect(timesMs[0]).toBe(0);
    expect(timesMs.at(-1)! / 1000).toBeLessThan(sound.seconds);
    expect(sound).toEqual(await say(text));
    // Half the rate, twice as late.
    const slow = await wordsOf(text, { rate: 90 });
    const slower = slow.sound.seconds / sound.seconds;
    expect(slow.timesMs.at(-1)! / timesMs.at(-1)! / slower).toBeCloseTo(1, 1);
  });

  it('tells words as they stand in the text that it was given', async () => {
    const noise = 'Tom & Ann <say> [[[five \u0001\ud800 & Zoë 𝒳 six] && seven < eight';
    const found = (await wordsOf(noise)).words.filter((word) => /\p{L}/u.test(word) && word !== '𝒳');
    expect(found).toEqual(['Tom', 'Ann', 'say', 'five', 'Zoë', 'six', 'seven', 'eight']);
    expect((await wordsOf('&')).words).toEqual(['&']);
    expect((await wordsOf('Мальчик пошёл', { voice: 'ru+f2' })).words).toEqual(['Мальчик', 'пошёл']);
    expect((await wordsOf(' ')).words).toEqual([]);
  });

  it('tells a word within a few milliseconds of its sound', async () => {
    // A silence of a comma, then a vowel: where the sound begins is plain to see.
    const samples: number[] = [];
    const told: WordEvent[] = [];
    const utterance = { text: 'Go, all, ice, ill, ate.', ...NORMAL, rate: 110 };
    await speech.speak(
      utterance,
      (block) => samples.push(...block.samples),
      never,
      (words) => told.push(...words),
    );
    const loudAt = (ms: number) => {
      const from = Math.max(0, Math.round(ms * 22.05));
      return Math.max(...samples.slice(from, from + 220).map(Math.abs));
    };
    expect(told.length).toBe(5);
    for (const { atMs } of told.slice(1)) {
      expect(loudAt(atMs - 30)).toBeLessThan(0.02);
      expect(loudAt(atMs + 30)).toBeGreaterThan(0.05);
    }
  });

  it('gives the same samples in another process and after other sentences', async () => {
    const lines: [string, Partial<Utterance>][] = [
      ['The first of several sentences.', { voice: 'en-us+f5' }],
      ['Der zweite Satz.', { voice: 'de+m7', pitch: 20 }],
      ['A third one, faster.', { voice: 'en-us+m1', rate: 300 }],
      ['Et encore une phrase.', { voice: 'fr+f1', range: 90 }],
    ];
    const other = start();
    try {
      const here = await Promise.all(lines.map(([text, changes]) => say(text, changes)));
      const there = await Promise.all(lines.toReversed().map(([text, changes]) => say(text, changes, other)));
      const again = await Promise.all(lines.map(([text, changes]) => say(text, changes)));
      expect(there.toReversed()).toEqual(here);
      expect(again).toEqual(here);
      expect(new Set(here.map((one) => one.hash)).size).toBe(lines.length);
    } finally {
      await other.close();
    }
  });

  it('sends a long sentence in many pieces at 22050 Hz', async () => {
    const long = await say('word '.repeat(100));
    expect(long.sampleRate).toBe(22_050);
    expect(long.blocks).toBeGreaterThan(20);
  });

  it('obeys rate and pitch', async () => {
    const text = 'One sentence that is spoken at several rates.';
    const [slow, normal, fast, high] = await Promise.all([
      say(text, { rate: 90 }),
      say(text),
      say(text, { rate: 350 }),
      say(text, { pitch: 80 }),
    ]);
    expect(slow.seconds / normal.seconds).toBeGreaterThan(1.6);
    expect(normal.seconds / fast.seconds).toBeGreaterThan(1.6);
    expect(high.hash).not.toBe(normal.hash);
  });

  it('has every voice and every language', async () => {
    for (const language of LANGUAGES)
      expect([
        language,
        (await say('1 2 3', { voice: programVoice(VOICES[0]!, language) })).seconds > 0.3,
      ]).toEqual([language, true]);
    const spoken = await Promise.all(
      VOICES.map((voice) => say('One two three.', { voice: programVoice(voice, 'english') })),
    );
    expect(new Set(spoken.map((one) => one.hash)).size).toBe(VOICES.length);
  });

  it('refuses a voice that it does not have and a text that is too long for it', async () => {
    await expect(say('hello', { voice: 'xx+f1' })).rejects.toMatchObject({ code: 'internal' });
    await expect(say('&'.repeat(2000))).rejects.toMatchObject({ code: 'internal' });
    expect((await say('&'.repeat(1200))).seconds).toBeGreaterThan(1);
  });

  it('does not take markup, phoneme codes or control characters in a text for commands', async () => {
    expect((await say('one <break time="20s"/> two')).seconds).toBeLessThan(8);
    expect(await say('hello \u0001there')).toEqual(await say('hello  there'));
    expect(await say("[[h@l'oU]] there")).not.toEqual(await say('hello there'));
    expect((await say('<voice name="de">nine</voice>')).hash).not.toBe(
      (await say('nine', { voice: 'de+f2' })).hash,
    );
    expect(await say('half \ud800 pair')).toEqual(await say('half   pair'));
    expect((await say('Tom & Ann')).seconds).toBeGreaterThan((await say('Tom Ann')).seconds);
  });
});
