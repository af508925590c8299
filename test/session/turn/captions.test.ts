// Captions as a client gets them: whole words of his own text, in time, before the audio that they stand for.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WordEstimate } from '../../../src/captions/alignment/word-estimate.ts';
import type { TimedSpeech, WordTimer } from '../../../src/pipeline/word-timing/word-timer.ts';
import { captionEvents } from '../../../src/session/turn/turn-messages.ts';
import type { AlignedText } from '../../../src/text/aligned-text.ts';
import { mp3Facts, speechMp3 } from '../../support/codecs.ts';
import { type LiveSession, startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const wordsOf = (live: LiveSession, turn = 'a') => live.said('caption', turn).flatMap(({ words }) => words);
const codePoints = (text: string, from: number, to: number) => [...text].slice(from, to).join('');
const lengths: Record<string, number> = { One: 700, Four: 1300, Seven: 400 };
const byFirstWord = (text: string) => speechMp3(lengths[/\w+/.exec(text)![0]] ?? 500);

/** Three requests of known lengths. */
async function threeRequests(preset: Record<string, unknown>): Promise<LiveSession> {
  const live = startSession({ auto: atOnce(byFirstWord), preset: { captions: 'words', ...preset } });
  for (const text of ['One two three. ', 'Four five six. ', 'Seven eight nine. ']) {
    live.send({ type: 'append', turn: 'a', text });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
  }
  live.send({ type: 'end', turn: 'a' });
  await live.run(5000);
  expect(live.upstream.requests).toHaveLength(3);
  return live;
}

describe('captions', () => {
  it('begin the first word of each request exactly where its audio begins', async () => {
    const live = await threeRequests({});
    const words = wordsOf(live);
    expect(words.map(({ text }) => text)).toEqual(
      'One two three. Four five six. Seven eight nine.'.split(' '),
    );
    const first = mp3Facts(speechMp3(700)).ms;
    const second = first + mp3Facts(speechMp3(1300)).ms;
    expect([0, 3, 6].map((index) => words[index]!.startMs)).toEqual([
      0,
      Math.round(first),
      Math.round(second),
    ]);
  });

  it('count the frames as they are when mp3 passes through', async () => {
    const live = await threeRequests({ format: 'mp3' });
    const frames = (ms: number) => mp3Facts(speechMp3(ms)).frames.length * 24;
    const starts = [0, 3, 6].map((index) => wordsOf(live)[index]!.startMs);
    expect(starts).toEqual([0, frames(700), frames(700) + frames(1300)]);
    expect(live.said('ended')[0]!.sentMs).toBe(frames(700) + frames(1300) + frames(400));
  });

  it('stand before their audio', async () => {
    const live = await threeRequests({ leadMs: 1000 });
    let sentMs = 0;
    // Words are timed without the silence with which a flush fills its frame, less than 20 ms each.
    let filledMs = 0;
    for (const entry of live.log) {
      if ('audio' in entry) sentMs += 20;
      else if (entry.event.type === 'caption')
        for (const { startMs } of entry.event.words)
          expect(startMs).toBeGreaterThanOrEqual(sentMs - filledMs - 1);
      else if (entry.event.type === 'flushed') filledMs += 20;
    }
  });

  it('point into the line of a dialogue, and name the speaker', async () => {
    const lines = [
      { speaker: 1, text: 'Good **morning**, café.' },
      { speaker: 2, text: '😀 Good evening!' },
      { speaker: 2, text: '你好，世界。' },
    ] as const;
    const live = startSession({ auto: atOnce(() => speechMp3(1500)), preset: { captions: 'words' } });
    live.send({ type: 'speak', turn: 'a', dialogue: lines });
    await live.run(3000);
    const captions = live.said('caption');
    for (const { line, words } of captions)
      for (const { text, charStart, charEnd, speaker } of words) {
        const own = codePoints(lines[line]!.text, charStart, charEnd);
        // Markup inside a word is not shown.
        expect(own.replaceAll('*', '')).toBe(text);
        expect(speaker).toBe(lines[line]!.speaker);
      }
    expect(captions.flatMap(({ words }) => words.map(({ text }) => text)).join(' ')).toBe(
      'Good morning, café. Good evening! 你好 世界',
    );
    expect(captions.every(({ estimated }) => estimated)).toBe(true);
  });

  it('of appended text point into the whole text, prefixes and split pairs included', async () => {
    const parts = ['A: Hi \ud83d', '\ude00 there. ', 'B: Well ', 'met, all of you. '];
    const text = parts.join('');
    const live = startSession({ auto: atOnce(() => speechMp3(800)), preset: { captions: 'words' } });
    for (const [index, part] of parts.entries()) {
      const fields = index === 0 ? { turnPrefix: 'A:', turnPrefix2: 'B:' } : {};
      live.send({ type: 'append', turn: 'a', text: part, ...fields });
    }
    live.send({ type: 'end', turn: 'a' });
    await live.run(4000);
    const words = wordsOf(live);
    expect(words.map(({ text: word }) => word)).toEqual([
      'Hi',
      'there.',
      'Well',
      'met,',
      'all',
      'of',
      'you.',
    ]);
    for (const { text: word, charStart, charEnd } of words)
      expect(codePoints(text, charStart, charEnd)).toBe(word);
    expect(words.map(({ speaker }) => speaker)).toEqual([1, 1, 2, 2, 2, 2, 2]);
    expect(live.said('caption').every(({ line }) => line === 0)).toBe(true);
  });

  it('are all told, in order, however far the guess was off and however slowly audio came', async () => {
    const words = 'Antidisestablishmentarianism is a word, and so is floccinaucinihilipilification. ';
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(100, 300, 1500), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 30, 400),
        fc.constantFrom(40, 200, 2000),
        fc.constantFrom('mulaw', 'wav', 'mp3'),
        async (pieces, pauseMs, leadMs, format) => {
          const live = startSession({ preset: { captions: 'words', leadMs, format: format as 'mulaw' } });
          live.send({ type: 'speak', turn: 'a', text: words });
          await live.run(0);
          for (const ms of pieces) {
            live.upstream.requests[0]!.send(speechMp3(ms));
            await live.run(pauseMs);
          }
          live.upstream.requests[0]!.end();
          await live.run(12_000);
          const told = wordsOf(live);
          expect(told.map(({ text }) => text).join(' ')).toBe(words.trim());
          const { sentMs } = live.said('ended')[0]!;
          let last = 0;
          for (const { startMs } of told) {
            expect(startMs).toBeGreaterThanOrEqual(last);
            expect(startMs).toBeLessThanOrEqual(sentMs);
            last = startMs;
          }
          expect(live.said('heard')[0]).toMatchObject({ spokenText: words, remainingText: '' });
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('heard text', () => {
  it('ends with the last word that had begun', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(2000)), preset: { captions: 'words' } });
    live.send({ type: 'speak', turn: 'a', text: 'One two three four five.' });
    await live.run(1000);
    live.send({ type: 'cancel', turn: 'a' });
    const { playedMs, spokenText, remainingText } = live.said('heard')[0]!;
    const begun = wordsOf(live).filter(({ startMs }) => startMs < playedMs);
    expect(spokenText).toBe('One two three four five.'.slice(0, begun.at(-1)!.charEnd));
    expect(spokenText + remainingText).toBe('One two three four five.');
    expect(begun.length).toBeGreaterThan(1);
  });

  it('of a dialogue names the speaker who was cut', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(2000)) });
    live.send({
      type: 'speak',
      turn: 'a',
      dialogue: [
        { speaker: 1, text: 'One.' },
        { speaker: 2, text: 'Two three four five six seven eight.' },
      ],
    });
    await live.run(1200);
    live.send({ type: 'cancel' });
    const { speaker, spokenText, remainingText } = live.said('heard')[0]!;
    expect(speaker).toBe(2);
    expect(spokenText.startsWith('One.\nTwo')).toBe(true);
    expect(spokenText + remainingText).toBe('One.\nTwo three four five six seven eight.');
  });

  it('holds text that was never asked for among what remains', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(1000));
    live.send({ type: 'append', turn: 'a', text: 'Five six. And then' });
    await live.run(500);
    live.send({ type: 'cancel' });
    const { spokenText, remainingText } = live.said('heard')[0]!;
    expect(spokenText + remainingText).toBe('One two three four. Five six. And then');
    expect(
      remainingText.endsWith('four. Five six. And then') || remainingText.endsWith(' Five six. And then'),
    ).toBe(true);
  });
});

describe('captions with a word timer', () => {
  type Timed = {
    readonly speech: TimedSpeech;
    readonly texts: AlignedText[];
    audio: string[];
    isClosed: boolean;
    isBehind: boolean;
  };
  /** A timer that knows what a test tells. */
  function fakeTimer() {
    const timed: Timed[] = [];
    const wakes: (() => void)[] = [];
    const timer: WordTimer = {
      reference: 'there',
      open(speech) {
        const own: Timed = { speech, texts: [], audio: [], isClosed: false, isBehind: false };
        timed.push(own);
        return {
          spokenBy() {},
          request: (_, text) => own.texts.push(text),
          tap: { add: ({ kind }) => own.audio.push(kind), takeBack() {} },
          ending: async () => undefined,
          isBehind: () => own.isBehind,
          isClosed: () => own.isClosed,
          settled: () =>
            new Promise((resolve) => {
              wakes.push(resolve);
            }),
          close() {
            own.isClosed = true;
          },
        };
      },
    };
    const settle = () => {
      for (const wake of wakes.splice(0)) wake();
    };
    return { timer, timed, settle };
  }
  const TEXT = 'One two three four five.';
  const estimateOf = (startsMs: readonly number[], withinMs: number): WordEstimate => ({
    startsMs,
    endsMs: startsMs.map((ms, word) => startsMs[word + 1] ?? ms + 150),
    reached: startsMs.length,
    withinMs,
  });
  const HEARD = estimateOf([110, 900, 1000, 1700, 1850], 25.4);
  const start = (preset: Record<string, unknown> = {}) => {
    const fake = fakeTimer();
    const live = startSession({
      auto: atOnce(() => speechMp3(2000)),
      preset: { captions: 'words', ...preset },
      timer: fake.timer,
    });
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    return { ...fake, live };
  };

  it.each([
    [{ pace: 'burst', wordList: 'final' }, 'hold-back'],
    [{ pace: 'burst' }, 'give-up'],
    [{ wordList: 'final' }, 'give-up'],
  ] as const)('with %j, a timer that is behind is told to %s', async (preset, whenBehind) => {
    const { live, timed } = start(preset);
    await live.run(0);
    expect(timed[0]!.speech.whenBehind).toBe(whenBehind);
  });

  it('of a burst whose words are listed hold the speech back while the timer is behind', async () => {
    const { live, timed } = start({ pace: 'burst', wordList: 'final' });
    const [own] = timed;
    own!.isBehind = true;
    for (let n = 0; n < 20; n += 1) await live.run(100);
    expect(live.said('ended')).toEqual([]);
    own!.isBehind = false;
    own!.speech.onCaughtUp();
    for (let n = 0; n < 20 && live.said('ended').length === 0; n += 1) await live.run(100);
    expect(live.said('ended')[0]).toMatchObject({ outcome: 'complete' });
  });

  it('tell each word where it was heard, with how sure that is, before its audio', async () => {
    const { live, timed } = start({ leadMs: 100 });
    timed[0]!.speech.onEstimate(0, HEARD);
    await live.run(0);
    timed[0]!.speech.onEstimate(0, HEARD);
    await live.run(5000);
    const words = wordsOf(live);
    expect(words.map(({ text }) => text).join(' ')).toBe(TEXT);
    expect(words.slice(1).map(({ startMs }) => startMs)).toEqual(Array.from(HEARD.startsMs).slice(1));
    expect(
      new Set(
        live
          .said('caption')
          .slice(1)
          .map(({ withinMs }) => withinMs),
      ),
    ).toEqual(new Set([26]));
    let sentMs = 0;
    for (const entry of live.log) {
      if ('audio' in entry) sentMs += 20;
      else if (entry.event.type === 'caption')
        for (const { startMs } of entry.event.words) expect(startMs).toBeGreaterThanOrEqual(sentMs - 1);
    }
  });

  it('are final once told: what is known better later moves only the words behind them', async () => {
    const { live, timed } = start({ leadMs: 100 });
    await live.run(400);
    const early = wordsOf(live);
    expect(early.length).toBeGreaterThan(0);
    expect(early.length).toBeLessThan(5);
    expect(live.said('caption').map(({ withinMs }) => withinMs)).toEqual(early.map(() => undefined));
    timed[0]!.speech.onEstimate(0, HEARD);
    await live.run(5000);
    const words = wordsOf(live);
    expect(words.map(({ text }) => text).join(' ')).toBe(TEXT);
    expect(words.slice(0, early.length)).toEqual(early);
    expect(words.slice(early.length).map(({ startMs }) => startMs)).toEqual(
      Array.from(HEARD.startsMs).slice(early.length),
    );
  });

  it('say how sure they are of no word that nobody has heard', async () => {
    const fake = fakeTimer();
    const live = startSession({
      auto: atOnce(byFirstWord),
      preset: { captions: 'words', leadMs: 5000 },
      timer: fake.timer,
    });
    for (const text of ['One two three. ', 'Four five six. ']) {
      live.send({ type: 'append', turn: 'a', text });
      live.send({ type: 'flush', turn: 'a' });
    }
    live.send({ type: 'end', turn: 'a' });
    // The first request is heard before anything is sent, the second never.
    const { speech } = fake.timed[0]!;
    const request = fake.timed[0]!.texts;
    while (request.length === 0) await Promise.resolve();
    speech.onEstimate(0, estimateOf([0, 200, 450], 20));
    await live.run(6000);
    const surenesses = live.said('caption').flatMap(({ withinMs, words }) => words.map(() => withinMs));
    expect(wordsOf(live)).toHaveLength(6);
    expect(surenesses).toEqual([20, 20, 20, undefined, undefined, undefined]);
  });

  it('leave what was heard to the best estimate, though other times were told', async () => {
    const { live, timed } = start({ leadMs: 1000 });
    await live.run(1000);
    const toldBegun = wordsOf(live).filter(({ startMs }) => startMs < 900);
    expect(toldBegun.length).toBeGreaterThan(1);
    timed[0]!.speech.onEstimate(0, HEARD);
    live.send({ type: 'cancel', turn: 'a' });
    const { playedMs, spokenText, remainingText } = live.said('heard')[0]!;
    const begun = Array.from(HEARD.startsMs).filter((ms) => ms + 25.4 < playedMs).length;
    expect(spokenText.split(' ')).toHaveLength(begun);
    expect(spokenText + remainingText).toBe(TEXT);
    expect(timed[0]!.isClosed).toBe(true);
  });

  it('ask for what the turn is: its words, its sound and who waits for them; and let it go at its end', async () => {
    const { live, timed, settle } = start({ leadMs: 100, speed: 1.25 });
    await live.run(5000);
    const [{ speech, texts, audio, isClosed }] = timed as [Timed];
    expect(speech).toMatchObject({ language: 'english', speed: 1.25, urgency: 'captions' });
    expect(speech.passesThrough(24_000)).toBe(false);
    expect(texts.map(({ text, wordAt }) => [text, wordAt])).toEqual([[TEXT, [0, 4, 8, 14, 19]]]);
    expect([audio[0], audio.at(-1)]).toEqual(['begin', 'end']);
    // The last words may still be found.
    expect(isClosed).toBe(false);
    settle();
    await live.run(0);
    expect(timed[0]!.isClosed).toBe(true);

    const quiet = start({ captions: 'off' });
    expect(quiet.timed[0]!.speech.urgency).toBe('heard-text');
    quiet.live.send({ type: 'cancel', turn: 'a' });
    expect(quiet.timed[0]!.isClosed).toBe(true);
  });

  it('are all listed where they were found in the end, for who asks for it', async () => {
    const { live, timed, settle } = start({ captions: 'off', wordList: 'final', pace: 'burst' });
    expect(timed[0]!.speech.urgency).toBe('captions');
    await live.run(100);
    expect(live.said('ended')).toHaveLength(1);
    expect(live.said('words')).toEqual([]);
    timed[0]!.speech.onEstimate(0, HEARD);
    settle();
    await live.run(0);
    const [list, ...others] = live.said('words');
    expect(others).toEqual([]);
    expect(list).toMatchObject({ turn: 'a', line: 0, withinMs: 26, estimated: true, more: false });
    expect(list!.words.map(({ startMs }) => startMs)).toEqual(Array.from(HEARD.startsMs));
    expect(list!.words.map(({ text, charStart, charEnd }) => [text, charStart, charEnd])).toEqual([
      ['One', 0, 3],
      ['two', 4, 7],
      ['three', 8, 13],
      ['four', 14, 18],
      ['five.', 19, 24],
    ]);
    expect(live.said('caption')).toEqual([]);
  });

  it('are not listed for others, nor of a turn that was cut', async () => {
    const quiet = start({ pace: 'burst' });
    await quiet.live.run(100);
    quiet.settle();
    await quiet.live.run(0);
    expect(quiet.live.said('words')).toEqual([]);
    const cut = start({ wordList: 'final' });
    await cut.live.run(400);
    cut.live.send({ type: 'cancel', turn: 'a' });
    cut.settle();
    await cut.live.run(5000);
    expect(cut.live.said('words')).toEqual([]);
  });

  it('are listed without times of their own where none were looked for', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(900)), preset: { wordList: 'final' } });
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(2000);
    const [list] = live.said('words');
    expect(list!.words).toHaveLength(5);
    expect(list!.withinMs).toBeUndefined();
  });

  it('are listed of a turn that was sent, though its listener hangs up on it, and behind the next turn if need be', async () => {
    const { live, timed, settle } = start({ wordList: 'final', pace: 'burst' });
    live.send({ type: 'speak', turn: 'b', text: 'And then.' });
    await live.run(100);
    live.send({ type: 'cancel', turn: 'a' });
    timed[0]!.speech.onEstimate(0, HEARD);
    settle();
    await live.run(0);
    expect(live.said('ended', 'a').map(({ outcome }) => outcome)).toEqual(['complete']);
    expect(live.said('words', 'a').map(({ withinMs }) => withinMs)).toEqual([26]);
    const order = live.order();
    expect(order.indexOf('words a')).toBeGreaterThan(order.indexOf('ended a'));
  });

  it('are listed line by line, with the speaker of each', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1500)), preset: { wordList: 'final' } });
    const dialogue = [
      { speaker: 1, text: 'Good morning.' },
      { speaker: 2, text: 'Is it?' },
    ];
    live.send({ type: 'speak', turn: 'a', dialogue });
    await live.run(5000);
    const told = live
      .said('words')
      .map(({ line, words, more }) => [line, words.map(({ text, speaker }) => `${speaker} ${text}`), more]);
    expect(told).toEqual([
      [0, ['1 Good', '1 morning.'], true],
      [1, ['2 Is', '2 it?'], false],
    ]);
  });

  it('take no place of the timer for turns whose time has not come', async () => {
    const { timer, timed } = fakeTimer();
    const live = startSession({ preset: { captions: 'words' }, timer });
    for (const turn of ['a', 'b', 'c', 'd', 'e']) live.send({ type: 'speak', turn, text: TEXT });
    await live.run(0);
    expect(live.upstream.requests).toHaveLength(timed.length);
    expect(timed.length).toBeLessThan(5);
    live.send({ type: 'cancel', turn: 'e' });
    live.send({ type: 'cancel', turn: 'a' });
    await live.run(0);
    expect(timed).toHaveLength(4);
    expect(timed.filter(({ isClosed }) => !isClosed)).toHaveLength(3);
  });

  it('put words that were heard and words that were not into captions of their own', () => {
    const word = (text: string, startMs: number, withinMs?: number) => ({
      text,
      line: 0,
      speaker: undefined,
      charStart: 0,
      charEnd: text.length,
      weight: 1,
      pause: 0,
      startMs,
      endMs: startMs + 10,
      withinMs,
    });
    const words = [word('a', 0, 12.2), word('b', 10, 30), word('c', 20), word('d', 30), word('e', 40, 5)];
    const captions = captionEvents('t', words, 0);
    expect(
      captions.map(({ withinMs, words: own }) => [withinMs, own.map(({ text }) => text).join('')]),
    ).toEqual([
      [30, 'ab'],
      [undefined, 'cd'],
      [5, 'e'],
    ]);
  });
});
