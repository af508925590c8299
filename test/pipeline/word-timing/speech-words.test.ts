import { describe, expect, it } from 'vitest';
import type { HeardEnding } from '../../../src/captions/alignment/heard-ending.ts';
import { SpeechWords } from '../../../src/pipeline/word-timing/speech-words.ts';
import type { TimedSpeech, WordTimer } from '../../../src/pipeline/word-timing/word-timer.ts';
import type { AlignedText } from '../../../src/text/aligned-text.ts';

const textOf = (text: string): AlignedText => ({
  text,
  turnPrefix: undefined,
  turnPrefix2: undefined,
  wordAt: [0],
  weights: [4],
  pauses: [0],
});
const ENDING: HeardEnding = {
  missingCost: 90,
  mismatch: 0.8,
  spokenMs: 900,
  lengthRatio: 0.6,
  silentMs: 0,
  kind: 'speech-like',
  words: { startsMs: [0], endsMs: [400], reached: 1, withinMs: 16 },
};

/** `wants`: what the timer has a place for. */
function wordsWith(...wants: readonly TimedSpeech['wants'][]) {
  const log: string[] = [];
  const estimates: number[] = [];
  const timer: WordTimer = {
    reference: wants.length === 0 ? 'none' : 'there',
    open(speech) {
      if (!wants.includes(speech.wants)) return undefined;
      log.push(`open ${speech.wants}`);
      return {
        spokenBy: (voice) => log.push(`voice ${voice}`),
        request: (index, { text }) => log.push(`request ${index} ${text}`),
        tap: { add: ({ kind }) => log.push(kind), takeBack: (count) => log.push(`back ${count}`) },
        ending: async () => ENDING,
        isBehind: () => false,
        isClosed: () => false,
        settled: async () => {},
        close: () => log.push('close'),
      };
    },
  };
  const words = new SpeechWords({
    timer,
    synthesis: {},
    defaultVoice: undefined,
    output: { format: 'mulaw', sampleRate: 8000, frameMs: 20 },
    urgency: 'heard-text',
    whenBehind: 'give-up',
    onCaughtUp: () => {},
    onEstimate: (index) => estimates.push(index),
  });
  return { words, log, estimates };
}

describe('the words of a speech', () => {
  it('are followed from the first request on where somebody wants to know them', async () => {
    const { words, log } = wordsWith('words', 'endings');
    words.begin();
    for (const text of ['One.', 'Two.']) {
      words.request(() => textOf(text));
      words.tap.add({ kind: 'begin' });
      words.follow();
      words.tap.takeBack(2);
      words.tap.add({ kind: 'end' });
    }
    expect(log).toEqual([
      'open words',
      ...['request 0 One.', 'begin', 'back 2', 'end'],
      ...['request 1 Two.', 'begin', 'back 2', 'end'],
    ]);
    expect(await words.ending(100, 'asked')).toBe(ENDING);
  });

  it('are looked for in the sound of the voice that says them', () => {
    const { words, log } = wordsWith('words');
    words.begin();
    words.request(() => textOf('One.'));
    words.spokenBy({ synthesis: { voice2: 'ben' }, defaultVoice: 'ada' });
    words.request(() => textOf('Two.'));
    expect(log).toEqual(['open words', 'request 0 One.', 'voice ada ben', 'request 1 Two.']);
  });

  it('are followed for the ending alone, from when that is wanted, and let go behind each request', async () => {
    const { words, log, estimates } = wordsWith('endings');
    words.begin();
    words.request(() => textOf('One.'));
    words.tap.add({ kind: 'begin' });
    words.tap.add({ kind: 'end' });
    expect([log, await words.ending(100, 'asked')]).toEqual([[], undefined]);
    words.request(() => textOf('Two.'));
    words.tap.add({ kind: 'begin' });
    words.follow();
    words.follow();
    expect(await words.ending(100, 'asked')).toBe(ENDING);
    words.cutAt(ENDING);
    words.tap.add({ kind: 'end' });
    words.tap.add({ kind: 'pause', ms: 100 });
    expect(log).toEqual(['open endings', 'request 1 Two.', 'begin', 'end', 'close']);
    expect(estimates).toEqual([1]);
  });

  it('are late where the timer has no place left, and unknown where it was not asked', async () => {
    const { words } = wordsWith('words');
    words.request(() => textOf('One.'));
    expect(await words.ending(100, 'asked')).toBeUndefined();
    words.follow();
    expect(await words.ending(100, 'asked')).toBe('late');
    words.request(() => textOf('Two.'));
    expect(await words.ending(100, 'asked')).toBeUndefined();
  });

  it('are nobody’s where the timer has no place', async () => {
    const { words, log } = wordsWith();
    words.begin();
    words.request(() => textOf('One.'));
    words.follow();
    words.tap.add({ kind: 'end' });
    expect([log, await words.ending(100, 'asked')]).toEqual([[], undefined]);
    await words.settled();
    words.close();
  });
});
