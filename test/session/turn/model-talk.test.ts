// What a model thinks or calls goes nowhere: not upstream, not into captions, not into what is told as heard or left.
import { describe, expect, it } from 'vitest';
import type { LiveSession, LiveSessionOptions } from '../../support/live-session.ts';
import { startNarration } from '../../support/narrator.ts';

const texts = (live: LiveSession) => live.upstream.requests.map(({ body }) => body.text);
const start = (options: LiveSessionOptions = {}) =>
  startNarration({ ...options, preset: { captions: 'words', ...options.preset } });
const words = (live: LiveSession) => live.said('caption').flatMap((event) => event.words);

async function toEnd(live: LiveSession): Promise<void> {
  for (let n = 0; n < 600 && live.said('heard').length === 0; n += 1) await live.run(100);
}

const TEXT =
  'One is 😀 said. <think>Secret: no. <b>None</b>.</think> Two is said. <tool_call>{"a": 1}</tool_call>Three is.';
const TOLD = 'One is 😀 said.  Two is said. Three is.';

describe('what a model thinks or calls', () => {
  it.each(['speak', 'append', 'dialogue'] as const)('is neither spoken nor told, by %s', async (how) => {
    const live = start();
    if (how === 'speak') live.send({ type: 'speak', turn: 'a', text: TEXT });
    else if (how === 'dialogue')
      live.send({ type: 'speak', turn: 'a', dialogue: [{ speaker: 1, text: TEXT }] });
    else {
      for (const token of TEXT.split('')) live.send({ type: 'append', turn: 'a', text: token });
      live.send({ type: 'end', turn: 'a' });
    }
    await toEnd(live);
    expect(texts(live).join('')).not.toMatch(/secret|none|think|tool|"a"/i);
    expect(texts(live).join(' ')).toMatch(/One is 😀 said\.[\s\S]*Two is said\.[\s\S]*Three is\./);
    expect(live.said('heard')).toMatchObject([{ spokenText: TOLD, remainingText: '' }]);
    for (const { text, charStart, charEnd } of words(live))
      expect([...TEXT].slice(charStart, charEnd).join('')).toBe(text);
    expect(words(live).map(({ text }) => text)).toEqual([
      'One',
      'is',
      'said.',
      'Two',
      'is',
      'said.',
      'Three',
      'is.',
    ]);
  });

  it('is in neither part of a text that is cut', async () => {
    const live = start();
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    for (let n = 0; n < 100 && words(live).length < 4; n += 1) await live.run(20);
    await live.run(200);
    live.send({ type: 'cancel', turn: 'a' });
    const { spokenText, remainingText } = live.said('heard')[0]!;
    expect(spokenText + remainingText).toBe(TOLD);
    expect(remainingText).not.toBe('');
  });

  it('lets what was complete before it be spoken meanwhile', async () => {
    const live = start();
    live.send({ type: 'append', turn: 'a', text: 'One moment please. <think>' });
    for (let n = 0; n < 200; n += 1) {
      live.send({ type: 'append', turn: 'a', text: 'secret ' });
      await live.run(20);
    }
    expect(texts(live)).toEqual(['One moment please. ']);
    expect(words(live).map(({ text }) => text)).toEqual(['One', 'moment', 'please.']);
    live.send({ type: 'append', turn: 'a', text: '</think>It is four.' });
    live.send({ type: 'end', turn: 'a' });
    await toEnd(live);
    expect(texts(live)).toEqual(['One moment please. ', 'It is four.']);
    expect(live.said('heard')).toMatchObject([{ spokenText: 'One moment please. It is four.' }]);
  });

  it('is all that there was: a short silence, complete', async () => {
    const live = start();
    live.send({ type: 'append', turn: 'a', text: '<think>Secret, and no end.' });
    live.send({ type: 'end', turn: 'a' });
    await toEnd(live);
    expect(texts(live)).toEqual([]);
    expect(live.said('ended')).toMatchObject([{ outcome: 'complete' }]);
    expect(live.said('heard')).toMatchObject([{ spokenText: '', remainingText: '' }]);
  });

  it.each(['speak', 'append'] as const)(
    'stays left out where a paragraph of it is sought, by %s',
    async (how) => {
      const text = 'First is said.\n\n<think>Secret.\n\nSecret too.</think>\n\nLast is said.';
      const live = start();
      live.send({ type: how, turn: 'a', text } as Parameters<typeof live.send>[0]);
      await live.run(100);
      live.send({ type: 'seek', turn: 'a', paragraph: 2 });
      if (how === 'append') live.send({ type: 'end', turn: 'a' });
      await toEnd(live);
      expect(texts(live).join('')).not.toContain('ecret');
      expect(live.said('heard')).toMatchObject([{ spokenText: '\n\nLast is said.', remainingText: '' }]);
    },
  );

  it('is spoken and told with markup kept', async () => {
    const live = start({ preset: { markup: 'keep' } });
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await toEnd(live);
    expect(texts(live).join('')).toBe(TEXT);
    expect(live.said('heard')).toMatchObject([{ spokenText: TEXT }]);
  });
});

describe('halves of surrogate pairs', () => {
  it('never go upstream, and count as one character each', async () => {
    const live = start();
    const text = 'One \ud83d two \udc00three. Four \ud83d\ude00 five.';
    live.send({ type: 'speak', turn: 'a', text, prompt: 'calm \ud83d' });
    await toEnd(live);
    const sent = JSON.stringify(live.upstream.requests.map(({ body }) => body));
    expect(sent).not.toMatch(/\\ud[89a-f]/);
    expect(sent).toContain('One \ufffd two \ufffdthree. Four 😀 five.');
    for (const { charStart, charEnd, text: word } of words(live))
      expect([...text].slice(charStart, charEnd).join('')).toBe(word);
    expect(live.said('heard')).toMatchObject([{ spokenText: text, remainingText: '' }]);
  });
});

describe('the second of two speakers', () => {
  it('has the second voice, whatever stands before his prefix', async () => {
    for (const [text, turnPrefix, turnPrefix2] of [
      ['<Person1>One is said.</Person1><Person2>Two is said.</Person2>', '<Person1>', '<Person2>'],
      ['**Host:** One is said.\n**Guest:** Two is said.', 'Host:', 'Guest:'],
    ] as const) {
      const live = start();
      live.send({ type: 'speak', turn: 'a', text, turnPrefix, turnPrefix2 });
      await toEnd(live);
      const [{ body }] = live.upstream.requests as unknown as [
        { body: { text: string; turnPrefix: string; turnPrefix2: string } },
      ];
      expect(body.text.trim()).toMatch(
        new RegExp(
          `^${patternOf(body.turnPrefix)} *One is said\\.\\s+${patternOf(body.turnPrefix2)} *Two is said\\.$`,
        ),
      );
      expect(words(live).map(({ speaker }) => speaker)).toEqual([1, 1, 1, 2, 2, 2]);
    }
  });
});

const patternOf = (text: string) => text.replace(/[^\w\s:]/g, '\\$&');
