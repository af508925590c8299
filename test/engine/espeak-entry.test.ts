// The real eSpeak NG program: the same line gives the same samples anywhere, and text is never a command.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Utterance } from '../../src/engine/speech-child.ts';
import { createSpeechProcess, type SpeechProcess } from '../../src/engine/speech-process.ts';
import { programVoice, VOICES } from '../../src/engine/voices.ts';
import { LANGUAGES } from '../../src/speech/language.ts';

const ENTRY = fileURLToPath(new URL('../../src/engine/espeak-entry.mjs', import.meta.url));
const start = () =>
  createSpeechProcess({ command: [process.execPath, ENTRY], clock: systemClock, log: silentLog });
const speech = start();
afterAll(() => speech.close());

const never = new AbortController().signal;
async function say(text: string, changes: Partial<Utterance> = {}, by: SpeechProcess = speech) {
  const hash = createHash('sha256');
  let samples = 0;
  let blocks = 0;
  let sampleRate = 0;
  const utterance = { text, voice: 'en-us+f2', rate: 175, pitch: 50, range: 50, ...changes };
  const onBlock = (block: { samples: Float32Array; sampleRate: number }) => {
    hash.update(block.samples);
    samples += block.samples.length;
    blocks += 1;
    sampleRate = block.sampleRate;
  };
  await by.speak(utterance, onBlock, never);
  return { hash: hash.digest('hex'), seconds: samples / sampleRate, blocks, sampleRate };
}

describe('the eSpeak NG program', () => {
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
