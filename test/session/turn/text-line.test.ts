import { describe, expect, it } from 'vitest';
import { CHAPTER_REQUEST_UNITS } from '../../../src/text/request-text.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { type LiveSession, startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const texts = (live: LiveSession) => live.upstream.requests.map(({ body }) => body.text);
const bare = (text: string) => text.replace(/\s+/g, '');
/** Speech of about the right length: 60 ms a letter, in steps so that few are made. */
const spoken = (text: string) =>
  speechMp3(Math.min(6000, Math.max(500, Math.round(text.length / 25) * 1500)));

describe('appended text', () => {
  it('is asked for in few requests: the first words early, later text together', async () => {
    const live = startSession({ auto: atOnce(spoken) });
    const sentence = 'This is the next thing that I wanted to say. ';
    const text = `Well, let me think about that for you. ${sentence.repeat(20)}`;
    const tokens = text.match(/\s*\S+/g)!;
    for (const token of tokens) {
      live.send({ type: 'append', turn: 'a', text: token });
      await live.run(20); // 50 tokens a second, three times as fast as they are spoken
    }
    live.send({ type: 'end', turn: 'a' });
    await live.run(60_000);
    const requests = texts(live);
    expect(live.said('ended')[0]).toMatchObject({ outcome: 'complete', requests: requests.length });
    expect(bare(requests.join(''))).toBe(bare(text));
    expect(requests[0]!.length).toBeLessThan(60);
    // 21 sentences, 54 s of speech.
    expect(requests.length).toBeLessThanOrEqual(8);
    expect(live.said('underrun')).toEqual([]);
    // Requests end where sentences do.
    expect(requests.slice(1).every((request) => /\.\s*$/.test(request))).toBe(true);
  });

  it('held in mid-sentence is spoken after a second of quiet, the turn ends after twenty', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'append', turn: 'a', text: 'And then there were five of them' });
    await live.run(950);
    expect(texts(live)).toEqual(['One two three four. ']);
    await live.run(100);
    expect(texts(live)).toHaveLength(2);
    await live.run(18_900);
    expect(live.said('ended')).toEqual([]);
    await live.run(1000);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
    expect(bare(texts(live).join(''))).toBe(bare('One two three four. And then there were five of them'));
    live.send({ type: 'append', turn: 'a', text: 'late' });
    live.send({ type: 'append', turn: 'a', text: 'later' });
    expect(live.said('error').map(({ code }) => code)).toEqual(['turn_ended']);
  });

  it.each([
    ['a word and a picture', ['Okay', ' 👍']],
    ['markup', ['**One', ' moment**']],
    ['a script without spaces', ['请', '稍等']],
    ['three words', ['Let me', ' check']],
    ['an address', ['Look at https://example.com/docs']],
  ])('is spoken a second after the last of it, whatever mark it lacks: %s', async (_, tokens) => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    for (const text of tokens) {
      live.send({ type: 'append', turn: 'a', text });
      await live.run(400);
    }
    await live.run(550);
    expect(texts(live)).toEqual([]);
    await live.run(100);
    expect(texts(live).map((text) => text.trim())).toEqual([tokens.join('').replaceAll('*', '')]);
    await live.run(30_000);
    expect(texts(live)).toHaveLength(1);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
  });

  it.each([
    ['a number', 'Let us meet at ', '14.30', {}],
    ['a link', 'Please look at the ', '[first page', {}],
    ['a tag', 'This is what I wanted ', '<break ti', {}],
    ['a turn prefix', 'We have with us the ', 'Ho', { turnPrefix: 'Host:', turnPrefix2: 'Guest:' }],
    ['a title', 'I went to see ', 'Dr.', {}],
  ])('is held for three seconds where it is clearly unfinished: %s', async (_, said, kept, fields) => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    live.send({ type: 'append', turn: 'a', text: said + kept, ...fields });
    await live.run(1050);
    expect(texts(live).map((text) => text.replace(/^Host: /, '').trim())).toEqual([said.trim()]);
    await live.run(1900);
    expect(texts(live)).toHaveLength(1);
    await live.run(100);
    expect(texts(live)).toHaveLength(2);
    expect(bare(texts(live)[1]!.replace(/^Host: /, ''))).toBe(bare(kept));
    await live.run(20_000);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
  });

  it('that goes on in time is not parted', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    for (const text of ['Let us meet at ', '14.30', ' Uhr', ' then']) {
      live.send({ type: 'append', turn: 'a', text });
      await live.run(900);
    }
    expect(texts(live)).toEqual([]);
    live.send({ type: 'end', turn: 'a' });
    await live.run(100);
    expect(texts(live)).toEqual(['Let us meet at 14.30 Uhr then']);
  });

  // What the listener still has to hear makes a stall harmless: nothing is asked for, and the rest joins what waits.
  it('whose writer stalls in a word is not parted while there is much to hear', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(20_000)) });
    live.send({ type: 'append', turn: 'a', text: 'Here is a long story for you. It is unbeliev' });
    await live.run(5000);
    live.send({ type: 'append', turn: 'a', text: 'able.' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(30_000);
    expect(texts(live)).toEqual(['Here is a long story for you. ', 'It is unbelievable.']);
  });

  it('keeps its turn alive by text, not by other messages', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    await live.run(19_000);
    live.send({ type: 'append', turn: 'a', text: 'Five. ' });
    await live.run(19_000);
    expect(live.said('ended')).toEqual([]);
    live.send({ type: 'flush', turn: 'a' });
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    await live.run(2000);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
  });

  it('does not count an empty piece as text', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. And then there were five' });
    for (let n = 0; n < 21; n += 1) {
      await live.run(500);
      live.send({ type: 'append', turn: 'a', text: '' });
    }
    expect(texts(live)).toHaveLength(2);
    await live.run(11_000);
    expect(live.said('ended')).toHaveLength(1);
  });

  it('of a turn that is named and never gets text ends after twenty seconds, with a short silence', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: '' });
    await live.run(21_000);
    expect(live.said('ended')[0]).toMatchObject({ outcome: 'complete', requests: 0, audioMs: 100 });
    expect(live.upstream.requests).toEqual([]);
  });

  it('is flushed in mid-word, and flushed is told behind its audio, once each', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(500)) });
    live.send({ type: 'append', turn: 'a', text: 'Good mor' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    expect(texts(live)).toEqual(['Good mor']);
    await live.run(200);
    expect(live.said('flushed')).toEqual([]);
    await live.run(200);
    expect(live.said('flushed')).toHaveLength(1);
    // 500 ms, and the frame that the flush fills up: nothing of the speech is held back behind `flushed`.
    expect(live.frames('a').length * 20).toBe(520);
    live.send({ type: 'flush', turn: 'a' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(20);
    expect(live.said('flushed')).toHaveLength(3);
    live.send({ type: 'append', turn: 'a', text: 'ning' });
    live.send({ type: 'end', turn: 'a' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(2000);
    expect(live.said('flushed')).toHaveLength(4);
    const last = live.log.findLastIndex((entry) => 'event' in entry && entry.event.type === 'flushed');
    expect(live.log.slice(last).filter((entry) => 'audio' in entry).length).toBe(0);
    expect(live.order().slice(-2)).toEqual(['ended a', 'heard a']);
  });

  it('answers a flush of nothing at once', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: '' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(20);
    expect(live.order()).toEqual(['flushed a']);
  });

  it('past the limit is refused whole, and taken again when some has been spoken', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(5000)), limits: { pendingTextChars: 1500 } });
    const text = 'This is a sentence of some length. '.repeat(20);
    live.send({ type: 'append', turn: 'a', text });
    await live.run(0);
    live.send({ type: 'append', turn: 'a', text });
    live.send({ type: 'append', turn: 'a', text });
    expect(live.said('error').map(({ code, turn, retryable }) => [code, turn, retryable])).toEqual([
      ['text_full', 'a', true],
    ]);
    await live.run(2000);
    live.send({ type: 'append', turn: 'a', text });
    expect(live.said('error')).toHaveLength(1);
    live.send({ type: 'end', turn: 'a' });
    await live.run(30_000);
    expect(bare(texts(live).join(''))).toBe(bare(text.repeat(3)));
  });

  // A client that tries again every second used to count as silent, and lost its turn after 20 s.
  it('may be tried again for as long as it takes', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(60_000)), limits: { pendingTextChars: 1500 } });
    const text = 'This is a sentence of some length. '.repeat(40);
    live.send({ type: 'append', turn: 'a', text: 'Hello there, my dear listener. ' });
    await live.run(0);
    live.send({ type: 'append', turn: 'a', text });
    for (let second = 0; second < 30; second += 1) {
      await live.run(1000);
      live.send({ type: 'append', turn: 'a', text });
    }
    expect(new Set(live.said('error').map(({ code }) => code))).toEqual(new Set(['text_full']));
    await live.run(40_000);
    live.send({ type: 'append', turn: 'a', text: 'And this is the end. ' });
    expect(live.said('ended')).toEqual([]);
  });

  it('behind the end of its text is told once, and no more when the turn has ended', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(500)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'end', turn: 'a' });
    for (let more = 0; more < 5; more += 1) live.send({ type: 'append', turn: 'a', text: 'Five. ' });
    await live.run(2000);
    live.send({ type: 'append', turn: 'a', text: 'Six. ' });
    expect(live.said('error').map(({ code }) => code)).toEqual(['turn_ended']);
  });

  it('that is refused as its first message opens no turn', () => {
    const live = startSession({ limits: { pendingTextChars: 1000 } });
    live.send({ type: 'append', turn: 'a', text: 'x'.repeat(1001) });
    expect(live.said('error').map(({ code }) => code)).toEqual(['text_full']);
    expect(live.session.turnsUnheard()).toBe(0);
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    expect(live.said('error')).toHaveLength(1);
  });

  it('counts text that was made into requests and still waits for its own', async () => {
    const live = startSession({ limits: { pendingTextChars: 60_000 } });
    const append = (characters: number) =>
      live.send({ type: 'append', turn: 'a', text: `${'word '.repeat(15)}end. `.repeat(characters / 80) });
    live.send({ type: 'append', turn: 'a', text: 'word word word. ' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    append(48_000);
    live.upstream.requests[0]!.send(speechMp3(100));
    live.upstream.requests[0]!.end();
    await live.run(0); // three requests are made of it, one goes
    expect(live.upstream.requests).toHaveLength(2);
    append(32_000);
    append(16_000);
    expect(live.said('error').map(({ code }) => code)).toEqual(['text_full']);
  });
});

describe('a whole text', () => {
  it('is one request up to what the upstream takes, then split into little ones by the text alone', async () => {
    const sentence = 'Here is one more sentence of the book. ';
    const text = sentence.repeat(1100);
    const run = async (auto: Parameters<typeof startSession>[0]) => {
      const live = startSession({ ...auto, preset: { pace: 'burst' } });
      live.send({ type: 'speak', turn: 'a', text: sentence.repeat(500), seed: 7 });
      await live.run(0); // it is cut a piece at a time
      live.send({ type: 'speak', turn: 'b', text, seed: 7 });
      await live.run(3000);
      return texts(live);
    };
    const requests = await run({ auto: atOnce(() => speechMp3(100)) });
    expect(requests[0]).toBe(sentence.repeat(500));
    expect(requests[1]).toBe(sentence.repeat(7));
    expect(requests).toHaveLength(2 + Math.ceil((1100 - 7) / 38));
    expect(requests.every((each) => each.endsWith('book. '))).toBe(true);
    expect(Math.max(...requests.slice(1).map(({ length }) => length))).toBeLessThanOrEqual(
      CHAPTER_REQUEST_UNITS,
    );
    expect(bare(requests.slice(1).join(''))).toBe(bare(text));
    expect(await run({ auto: atOnce(() => speechMp3(700)) })).toEqual(requests);
  });

  it('that holds nothing to say is a short silence without a request, in every kind', async () => {
    const live = startSession();
    for (const [turn, fields] of Object.entries({
      a: { text: '' },
      b: { text: ' \n…!? 😀👍🏽' },
      c: { dialogue: [{ speaker: 2, text: '—' }] },
    })) {
      live.send({ type: 'speak', turn, ...fields });
    }
    await live.run(1000);
    expect(
      live
        .said('ended')
        .map(({ outcome, audioMs, sentMs, requests }) => [outcome, audioMs, sentMs, requests]),
    ).toEqual(new Array(3).fill(['complete', 100, 100, 0]));
    expect(live.said('heard').map(({ spokenText, remainingText }) => [spokenText, remainingText])).toEqual([
      ['', ''],
      [' \n…!? 😀👍🏽', ''],
      ['—', ''],
    ]);
    expect(live.upstream.requests).toEqual([]);
  });
});
