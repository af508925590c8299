// Long turns that are paused, resumed and sought: what is heard is held against the whole.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mp3Facts } from '../../support/codecs.ts';
import type { LiveSession } from '../../support/live-session.ts';
import { bookOf, soundOf, startNarration, wholeOf } from '../../support/narrator.ts';
import { trialSize } from '../../support/trial-size.ts';
import { watchTurns } from '../../support/turn-life.ts';

const BOOK = bookOf(6);
const TEXT = BOOK.join('\n\n');
const from = (paragraph: number) => BOOK.slice(paragraph).join('\n\n');
const speak = (live: LiveSession, fields: Record<string, unknown> = {}) =>
  live.send({ type: 'speak', turn: 'a', text: TEXT, seed: 1, ...fields });
const pause = (live: LiveSession, fields = {}) => live.send({ type: 'pause', turn: 'a', ...fields });
const resume = (live: LiveSession) => live.send({ type: 'resume', turn: 'a' });
const seek = (live: LiveSession, paragraph: number, fields = {}) =>
  live.send({ type: 'seek', turn: 'a', paragraph, ...fields });
const codes = (live: LiveSession) => live.said('error').map(({ code }) => code);
const bytesAt = (ms: number) => Math.round(ms * 8);

async function toEnd(live: LiveSession): Promise<Uint8Array> {
  for (let n = 0; n < 600 && live.said('heard').length === 0; n += 1) await live.run(100);
  return live.audioOf('a');
}

describe('a pause', () => {
  it('sends nothing more, and goes on without a sample lost or said again', async () => {
    const live = startNarration();
    speak(live);
    await live.run(1000);
    pause(live);
    const sent = live.audioOf('a').length;
    expect(live.said('paused')).toEqual([{ type: 'paused', turn: 'a', atMs: sent / 8 }]);
    await live.run(60_000);
    expect(live.audioOf('a').length).toBe(sent);
    resume(live);
    expect(live.said('resumed')).toEqual([{ type: 'resumed', turn: 'a', atMs: sent / 8 }]);
    expect(Buffer.compare(await toEnd(live), await wholeOf(TEXT))).toBe(0);
    expect(live.said('underrun')).toEqual([]);
    expect(live.said('ended')).toMatchObject([{ outcome: 'complete' }]);
    expect(live.said('heard')).toMatchObject([{ spokenText: TEXT, remainingText: '' }]);
  });

  it('stands still in the listener’s time, where he says or where he has heard all', async () => {
    for (const [fields, expected] of [
      [{}, 1200],
      [{ playedMs: 900 }, 900],
    ] as const) {
      const live = startNarration();
      speak(live);
      await live.run(1000);
      pause(live, fields);
      await live.run(5000);
      live.send({ type: 'cancel', turn: 'a' });
      expect(live.said('heard')[0]!.playedMs).toBe(expected);
    }
  });

  it('keeps the lead when the listener says where he stopped, however often', async () => {
    const live = startNarration();
    speak(live);
    await live.run(500);
    for (let n = 0; n < 4; n += 1) {
      pause(live, { playedMs: live.audioOf('a').length / 8 - 200 });
      await live.run(700);
      const before = live.audioOf('a').length;
      resume(live);
      await live.run(20);
      expect(live.audioOf('a').length - before).toBeLessThanOrEqual(320);
    }
  });

  it('before the first audio holds the turn and those behind it', async () => {
    const live = startNarration();
    speak(live);
    pause(live);
    live.send({ type: 'speak', turn: 'b', text: 'Paragraph 9 says sentence 9.' });
    await live.run(3000);
    expect(live.order()).toEqual(['paused a', 'queued b']);
    pause(live);
    expect(live.said('paused').map(({ atMs }) => atMs)).toEqual([0, 0]);
    resume(live);
    resume(live);
    expect(live.said('resumed')).toHaveLength(2);
    await toEnd(live);
    expect(live.said('started').map(({ turn }) => turn)).toEqual(['a', 'b']);
  });

  it('ends after its deadline, truncated, or failed when nothing was heard', async () => {
    const live = startNarration({ limits: { pauseTimeoutMs: 5000 } });
    speak(live);
    await live.run(500);
    pause(live);
    await live.run(4900);
    expect(live.said('ended')).toEqual([]);
    await live.run(200);
    expect(live.said('ended')).toMatchObject([{ outcome: 'truncated' }]);
    expect(live.said('heard')).toHaveLength(1);
    live.send({ type: 'speak', turn: 'b', text: TEXT });
    live.send({ type: 'pause', turn: 'b' });
    await live.run(5100);
    expect(live.said('ended', 'b')).toMatchObject([{ outcome: 'failed' }]);
    expect(codes(live)).toEqual(['pause_timeout', 'pause_timeout']);
  });

  it('can be cancelled, and keeps text open that is still coming', async () => {
    const live = startNarration();
    live.send({ type: 'append', turn: 'a', text: `${BOOK[0]}\n\n` });
    await live.run(500);
    pause(live);
    await live.run(60_000);
    live.send({ type: 'append', turn: 'a', text: BOOK[1] });
    resume(live);
    live.send({ type: 'end', turn: 'a' });
    await toEnd(live);
    expect(codes(live)).toEqual([]);
    expect(live.said('heard')[0]!.spokenText).toBe(`${BOOK[0]}\n\n${BOOK[1]}`);
    live.send({ type: 'speak', turn: 'b', text: TEXT });
    await live.run(500);
    live.send({ type: 'pause', turn: 'b' });
    live.send({ type: 'cancel', turn: 'b' });
    expect(live.said('ended', 'b')).toMatchObject([{ outcome: 'cancelled' }]);
    expect(live.said('heard', 'b')).toHaveLength(1);
  });

  it('lets no credit run out', async () => {
    const live = startNarration({ preset: { flow: 'credit' } });
    speak(live);
    await live.run(100);
    pause(live);
    await live.run(120_000);
    resume(live);
    await live.run(1000);
    expect(codes(live)).toEqual([]);
    live.send({ type: 'played', turn: 'a', ms: 200 });
    await live.run(100);
    expect(live.audioOf('a').length / 8).toBe(400);
  });

  it('of a turn that has ended, or never was, is refused each time', async () => {
    const live = startNarration({ preset: { pace: 'burst' } });
    speak(live);
    await live.run(100);
    pause(live);
    resume(live);
    seek(live, 0);
    live.send({ type: 'pause', turn: 'x' });
    expect(codes(live)).toEqual(['turn_ended', 'turn_ended', 'turn_ended', 'unknown_turn']);
  });
});

describe('a seek', () => {
  it('goes on with the paragraph from where it says, forwards and backwards', async () => {
    const live = startNarration({ preset: { captions: 'words' } });
    speak(live);
    await live.run(700);
    seek(live, 4);
    await live.run(900);
    seek(live, 2);
    const audio = await toEnd(live);
    const [first, second] = live.said('sought');
    expect([first!.paragraph, second!.paragraph]).toEqual([4, 2]);
    const [one, two] = [bytesAt(first!.atMs), bytesAt(second!.atMs)];
    const whole = await wholeOf(TEXT);
    expect(Buffer.compare(audio.subarray(0, one), whole.subarray(0, one))).toBe(0);
    const middle = (await wholeOf(from(4))).subarray(0, two - one);
    expect(Buffer.compare(audio.subarray(one, two), middle)).toBe(0);
    expect(Buffer.compare(audio.subarray(two), await wholeOf(from(2)))).toBe(0);
    expect(live.said('heard')[0]).toMatchObject({ spokenText: from(2), remainingText: '' });
    for (const { words } of live.said('caption'))
      for (const word of words) {
        const said = TEXT.slice(word.charStart, word.charEnd);
        expect(said).toBe(word.text);
      }
    expect(live.upstream.live).toEqual([]);
  });

  it('tells what was heard from the paragraph on, and nothing when that was not reached', async () => {
    const live = startNarration();
    speak(live);
    await live.run(1500);
    seek(live, 3);
    live.send({ type: 'cancel', turn: 'a' });
    expect(live.said('heard')[0]).toMatchObject({ spokenText: '', remainingText: from(3) });
  });

  it('drops what the listener has dropped, and he hears the place at once', async () => {
    const live = startNarration({ preset: { leadMs: 2000 } });
    speak(live);
    await live.run(500);
    const sent = live.audioOf('a').length / 8;
    seek(live, 5, { playedMs: 500 });
    await live.run(300);
    live.send({ type: 'cancel', turn: 'a' });
    expect(live.said('sought')[0]!.atMs).toBe(sent);
    expect(live.said('heard')[0]!.playedMs).toBeGreaterThan(sent + 200);
    expect(live.said('heard')[0]!.spokenText).toMatch(/^Paragraph 5/);
  });

  it('stays paused when paused, and holds before the first audio', async () => {
    const live = startNarration();
    speak(live);
    pause(live);
    seek(live, 3);
    expect(live.said('sought')).toEqual([{ type: 'sought', turn: 'a', paragraph: 3, atMs: 0 }]);
    await live.run(1000);
    expect(live.said('started')).toEqual([]);
    resume(live);
    await live.run(500);
    pause(live);
    seek(live, 5);
    await live.run(1000);
    const at = bytesAt(live.said('sought')[1]!.atMs);
    expect(live.audioOf('a').length).toBe(at);
    resume(live);
    expect(Buffer.compare((await toEnd(live)).subarray(at), await wholeOf(from(5)))).toBe(0);
  });

  it('takes up a turn whose last sound has been made', async () => {
    const live = startNarration();
    speak(live, { text: from(5) });
    const length = (await wholeOf(from(5))).length / 8;
    await live.run(length - 300);
    seek(live, 0);
    const audio = await toEnd(live);
    const at = bytesAt(live.said('sought')[0]!.atMs);
    expect(codes(live)).toEqual([]);
    expect(Buffer.compare(audio.subarray(at), await wholeOf(from(5)))).toBe(0);
  });

  it('names how many paragraphs there are', async () => {
    const live = startNarration();
    speak(live);
    seek(live, 6);
    live.send({ type: 'append', turn: 'b', text: 'One.\n \nTwo.' });
    live.send({ type: 'seek', turn: 'b', paragraph: 2 });
    expect(live.said('error').map(({ code, turn, message }) => [code, turn, message])).toEqual([
      [
        'invalid_request',
        'a',
        'seek: paragraph: must be one that the text has, which has 6 paragraphs, 0 to 5 (got 6)',
      ],
      [
        'invalid_request',
        'b',
        'seek: paragraph: must be one that the text has, which has 2 paragraphs, 0 to 1 so far (got 2)',
      ],
    ]);
  });

  it('moves in appended text that has come, which may go on', async () => {
    const live = startNarration();
    live.send({ type: 'append', turn: 'a', text: `${BOOK[0]}\n\n${BOOK[1]}\n\n` });
    await live.run(400);
    live.send({ type: 'mark', turn: 'a', name: 'early' });
    live.send({ type: 'append', turn: 'a', text: BOOK[2] });
    seek(live, 2);
    live.send({ type: 'append', turn: 'a', text: ` ${BOOK[3]}` });
    live.send({ type: 'end', turn: 'a' });
    await toEnd(live);
    expect(live.said('mark')).toMatchObject([{ name: 'early', outcome: 'cleared' }]);
    expect(live.said('heard')[0]!.spokenText).toBe(`${BOOK[2]} ${BOOK[3]}`);
  });

  it('moves by lines in a dialogue', async () => {
    const live = startNarration({ preset: { captions: 'words' } });
    const dialogue = BOOK.map((text, line) => ({ speaker: 1 + (line % 2), text }));
    live.send({ type: 'speak', turn: 'a', dialogue, seed: 1 });
    await live.run(300);
    seek(live, 4);
    await toEnd(live);
    expect(live.said('heard')[0]!.spokenText).toBe(BOOK.slice(4).join('\n'));
    expect(live.said('caption').at(-1)).toMatchObject({ line: 5 });
    expect(live.said('progress').map(({ paragraph }) => paragraph)).toEqual([0, 4, 5, 5]);
  });

  it('goes on in each format as one stream, or says why not', async () => {
    for (const format of ['wav', 'mp3', 'ogg', 'flac'] as const) {
      const live = startNarration({ preset: { format } });
      speak(live);
      await live.run(700);
      seek(live, 4);
      const audio = await toEnd(live);
      expect([format, codes(live), live.said('ended')[0]!.outcome]).toEqual([format, [], 'complete']);
      const { sentMs } = live.said('ended')[0]!;
      if (format === 'mp3') expect(Math.abs(mp3Facts(audio).ms - sentMs)).toBeLessThan(80);
      const heads = { wav: 'RIFF', ogg: 'OggS', flac: 'fLaC', mp3: '' };
      expect(Buffer.from(audio).toString('latin1', 0, heads[format].length)).toBe(heads[format]);
      if (format === 'wav') expect(Math.abs(audio.length - 44 - sentMs * 48)).toBeLessThan(48);
    }
    const live = startNarration({ preset: { format: 'ogg' } });
    speak(live, { text: BOOK[0] });
    // Half a second before its end all of it has been made; what was not sent yet cannot be taken out of the stream.
    while (live.upstream.requests[0]?.state !== 'ended' || live.said('started').length === 0)
      await live.run(5);
    await live.run(mp3Facts(soundOf(BOOK[0]!)).ms - 350);
    seek(live, 0);
    expect(codes(live)).toEqual(['cannot_seek']);
    await toEnd(live);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
  });
});

describe('pauses, seeks and cancels in any order', () => {
  const act = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, 15, 90, 400, 1300).map((ms) => ({ do: 'run' as const, ms })) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('pause' as const, 'resume' as const).map((kind) => ({ do: kind })),
    },
    { weight: 2, arbitrary: fc.nat(7).map((paragraph) => ({ do: 'seek' as const, paragraph })) },
  );
  const LONG = bookOf(40, 2, 35);
  const longFrom = (paragraph: number) => LONG.slice(paragraph).join('\n\n');

  it('never lose, repeat or reorder a sample, and end and are heard once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 14 }),
        fc.boolean(),
        fc.boolean(),
        async (acts, cut, isLong) => {
          const book = isLong ? longFrom : from;
          const life = watchTurns(8);
          const live = startNarration({ preset: { captions: 'words' } });
          let seen = 0;
          const watch = () => {
            for (; seen < live.log.length; seen += 1) {
              const entry = live.log[seen]!;
              // Words begin anew where they were sought; the rest of their rules stands.
              if ('event' in entry && ['caption', 'heard'].includes(entry.event.type)) continue;
              life.see(entry);
            }
          };
          life.name('a', [book(0)]);
          speak(live, { text: book(0) });
          for (const each of acts) {
            if (each.do === 'run') await live.run(each.ms);
            else if (each.do === 'seek') seek(live, each.paragraph);
            else live.send({ type: each.do, turn: 'a' });
            watch();
          }
          live.send({ type: 'resume', turn: 'a' });
          await live.run(2500);
          if (cut || isLong) live.send({ type: 'cancel', turn: 'a' });
          const audio = await toEnd(live);
          watch();
          expect(live.said('ended')).toHaveLength(1);
          expect(live.said('heard')).toHaveLength(live.said('started').length);
          expect(live.faults).toEqual([]);
          expect(live.upstream.live).toEqual([]);
          const stretches = [
            { paragraph: 0, at: 0 },
            ...live.said('sought').map(({ paragraph, atMs }) => ({ paragraph, at: bytesAt(atMs) })),
          ];
          for (const [n, { paragraph, at }] of stretches.entries()) {
            const end = stretches[n + 1]?.at ?? audio.length;
            const whole = await wholeOf(book(paragraph));
            expect(Buffer.compare(audio.subarray(at, end), whole.subarray(0, end - at))).toBe(0);
            if (n === stretches.length - 1 && live.said('ended')[0]!.outcome === 'complete')
              expect(end - at).toBe(whole.length);
          }
          // A caption is of the stretch that its audio is of.
          let since = 0;
          let start = 0;
          for (const entry of live.log) {
            if (!('event' in entry)) continue;
            if (entry.event.type === 'sought') {
              since = entry.event.atMs;
              start = book(0).indexOf(book(entry.event.paragraph));
            } else if (entry.event.type === 'caption')
              for (const word of entry.event.words) {
                expect(word.startMs).toBeGreaterThanOrEqual(since);
                expect(word.charStart).toBeGreaterThanOrEqual(start);
              }
          }
        },
      ),
      { numRuns: trialSize(60, 12) },
    );
  });
});

describe('progress', () => {
  it('is told when a paragraph begins to be heard, and at the end', async () => {
    const live = startNarration();
    speak(live);
    await toEnd(live);
    const told = live.said('progress');
    expect(told.map(({ paragraph }) => paragraph)).toEqual([0, 1, 2, 3, 4, 5, 5]);
    expect(told.at(-1)).toMatchObject({
      paragraphs: 6,
      spokenCharacters: TEXT.length,
      characters: TEXT.length,
    });
    expect(live.order().slice(-2)).toEqual(['progress a', 'heard a']);
  });

  it('is told of nothing that has one paragraph, or comes bit by bit', async () => {
    const live = startNarration();
    speak(live, { text: BOOK[0] });
    live.send({ type: 'append', turn: 'b', text: TEXT });
    live.send({ type: 'end', turn: 'b' });
    await live.run(20_000);
    expect(live.said('ended')).toHaveLength(2);
    expect(live.said('progress')).toEqual([]);
  });

  it('comes every few seconds in a long paragraph, and in a burst a few times a second at most', async () => {
    const live = startNarration();
    speak(live, { text: bookOf(2, 40).join('\n\n') });
    await toEnd(live);
    const first = live.said('progress').filter(({ paragraph }) => paragraph === 0);
    expect(first.length).toBeGreaterThan(2);
    const burst = startNarration({ preset: { pace: 'burst' } });
    speak(burst, { text: bookOf(60).join('\n\n') });
    await burst.run(1000);
    expect(burst.said('progress').length).toBeLessThan(8);
    expect(burst.said('progress').at(-1)!.paragraph).toBe(59);
  });
});

describe('a chapter', () => {
  it('asks for no more than is soon to be heard', async () => {
    const live = startNarration();
    speak(live, { text: bookOf(200, 4, 20).join('\n\n') });
    await live.run(100);
    // What is heard of a request is short here, so several are asked for; never the book.
    expect(live.upstream.requests.length).toBeLessThan(60);
    const heardMs = live.upstream.requests.length;
    await live.run(5000);
    expect(live.upstream.requests.length).toBeGreaterThan(heardMs);
  });

  it('rests at the end of a paragraph where two requests meet', async () => {
    const book = bookOf(40, 2, 35);
    const text = book.join('\n\n');
    const live = startNarration({ preset: { pace: 'burst' } });
    speak(live, { text });
    await live.run(3000);
    const made = live.upstream.requests.length;
    expect(made).toBeGreaterThan(10);
    expect(live.upstream.requests.every(({ body }) => body.text.length <= 1500)).toBe(true);
    // The sound of each request by itself, and what is between.
    const alone = live.upstream.requests.reduce(
      (sum, { body }) => sum + mp3Facts(soundOf(body.text)).samples / 24,
      0,
    );
    // The first request is some sentences of the first paragraph; all others end with one.
    const restsMs = live.said('ended')[0]!.sentMs - alone;
    expect(Math.abs(restsMs - 200 - 400 * (made - 2))).toBeLessThan(30);
  });

  it('does not drift', { timeout: 300_000 }, async () => {
    const minutes = trialSize(30, 2);
    const live = startNarration();
    // Half an hour is to be no longer than a text may be.
    speak(live, { text: bookOf(minutes * 25, 8, trialSize(1, 12)).join('\n\n') });
    await live.run(minutes * 60_000);
    const frames = live.frames('a');
    const [first, last] = [frames.find(({ audio }) => audio.atMs >= 1000)!, frames.at(-1)!];
    const driftMs = last.atMs - first.atMs - (last.audio.atMs - first.audio.atMs);
    expect(last.audio.atMs).toBeGreaterThan(minutes * 60_000 * 0.9);
    expect(Math.abs(driftMs)).toBeLessThanOrEqual(100);
    expect(live.said('underrun')).toEqual([]);
  });
});
