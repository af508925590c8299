// Turns and quota: the longest wait is for first words; a turn that has begun goes on when there is quota again.
// A real pool and a real count in front of a service that counts strictly, on a clock that stands still.
import { describe, expect, it } from 'vitest';
import type { Preset } from '../../src/dialects/native-messages.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from '../support/live-session.ts';
import {
  type StrictService,
  type StrictServiceOptions,
  startStrictService,
} from '../support/strict-service.ts';
import { trialSize } from '../support/trial-size.ts';

type Given = Omit<StrictServiceOptions, 'clock'> & {
  readonly preset?: Preset;
  readonly limits?: LiveSessionOptions['limits'];
};

function start({ preset, limits, ...given }: Given): { live: LiveSession; service: StrictService } {
  let service: StrictService | undefined;
  const live = startSession({
    ...(preset === undefined ? {} : { preset }),
    limits: { upstreamMaxWaitMs: given.maxWaitMs ?? 30_000, pendingTextChars: 1_000_000, ...limits },
    upstreamOf(_, clock) {
      service = startStrictService({ ...given, clock });
      return service.pool;
    },
  });
  return { live, service: service! };
}

const SENTENCE = 'The ferry leaves the old harbour at noon and comes back by night. ';
const textOf = (characters: number) =>
  SENTENCE.repeat(Math.ceil(characters / SENTENCE.length)).slice(0, characters);
/** Short beside its text, so that an hour of it costs little to make; 5 ms for each character. */
const QUICK = (text: string) => 5 * text.length;

async function untilEnded(live: LiveSession, stepMs: number, mostMs: number, turn?: string): Promise<void> {
  for (let ms = 0; ms < mostMs && live.said('ended', turn).length === 0; ms += stepMs) await live.run(stepMs);
}
const timesOf = (live: LiveSession, type: string) =>
  live.log.flatMap((entry) => ('event' in entry && entry.event.type === type ? [entry.atMs] : []));
const outcomes = (live: LiveSession) => live.said('ended').map(({ outcome }) => outcome);

/** One request each. */
const sayPieces = (live: LiveSession, count: number, fields: Record<string, unknown> = {}) => {
  for (let n = 0; n < count; n += 1) {
    live.send({ type: 'append', turn: 'a', text: `Piece ${n} is said. `, ...(n === 0 ? fields : {}) });
    live.send({ type: 'flush', turn: 'a' });
  }
  live.send({ type: 'end', turn: 'a' });
};
/** Three go at once; the fourth is left to first words. */
const THREE = { name: 'a', perMinute: 4, takes: 4 };
const FREE_MS = 60_500;
/** Somebody else speaks at that key, too. */
async function takeFourth(live: LiveSession, service: StrictService): Promise<void> {
  await live.run(0);
  const { signal } = new AbortController();
  const body = await service.pool.open({ model: 'VoxDialog', text: 'Hello.', voice: 'v' }, { signal });
  for await (const _ of body.chunks);
}

describe('a key with ten requests a minute', () => {
  const TEN = { name: 'a', perMinute: 10, takes: 10 };

  it('speaks 60,000 characters in a burst, without one refusal', async () => {
    const { live, service } = start({
      keys: [TEN],
      speechMs: QUICK,
      preset: { pace: 'burst', format: 'mp3' },
    });
    live.send({ type: 'speak', turn: 'a', text: textOf(60_000) });
    await untilEnded(live, 1_000, 3_600_000);
    expect([outcomes(live), service.refusals()]).toEqual([['complete'], 0]);
    expect(service.requests.length).toBeGreaterThan(20);
    const queued = live.said('queued');
    expect(queued.every(({ reason, atMs }) => reason === 'quota' && atMs !== undefined)).toBe(true);
    expect(queued.at(-1)!.atMs).toBeGreaterThan(queued[0]!.atMs!);
  });

  it('speaks as well in real time, of text that comes by and by', async () => {
    const text = textOf(trialSize(60_000, 20_000));
    const { live, service } = start({
      keys: [TEN],
      speechMs: (text) => 20 * text.length,
      preset: { pace: 'realtime', format: 'raw', sampleRate: 8000, frameMs: 100 },
    });
    // As a model writes it, eight times as fast as it is spoken.
    for (let at = 0; at < text.length; at += 40) {
      live.send({ type: 'append', turn: 'a', text: text.slice(at, at + 40) });
      await live.run(100);
    }
    live.send({ type: 'end', turn: 'a' });
    await untilEnded(live, 1_000, 3_600_000);
    expect([outcomes(live), service.refusals()]).toEqual([['complete'], 0]);
  });

  it('speaks turn after turn of two requests each, however short they are', async () => {
    const { live, service } = start({ keys: [TEN], preset: { pace: 'realtime' }, speechMs: () => 3_000 });
    for (let turn = 0; turn < 12; turn += 1) {
      for (const text of ['This is what I say first. ', 'And this comes then. ']) {
        live.send({ type: 'append', turn: `t${turn}`, text });
        live.send({ type: 'flush', turn: `t${turn}` });
      }
      live.send({ type: 'end', turn: `t${turn}` });
      await untilEnded(live, 500, 200_000, `t${turn}`);
      // As a caller would answer: with first words no sooner than there is quota for them.
      await live.run(9_000);
    }
    expect([outcomes(live), service.refusals()]).toEqual([Array(12).fill('complete'), 0]);
  });
});

describe('a service that refuses nothing', () => {
  it('is not held back by what is left to first words while its limit is unknown', async () => {
    const { live, service } = start({
      keys: [{ name: 'a' }],
      speechMs: QUICK,
      answerMs: 100,
      preset: { pace: 'burst', format: 'mp3' },
    });
    live.send({ type: 'speak', turn: 'a', text: textOf(60_000) });
    const fromMs = live.clock.now();
    await untilEnded(live, 100, 600_000);
    expect(outcomes(live)).toEqual(['complete']);
    expect(service.requests.length).toBeGreaterThan(20);
    expect(live.clock.now() - fromMs).toBeLessThan(200 * service.requests.length);
  });

  it('takes as many short turns, one after another, as are said', async () => {
    const { live } = start({ keys: [{ name: 'a' }], speechMs: () => 200, answerMs: 50 });
    for (let turn = 0; turn < 140; turn += 1) {
      for (const text of ['This is what I say first. ', 'And this comes then. ']) {
        live.send({ type: 'append', turn: `t${turn}`, text });
        live.send({ type: 'flush', turn: `t${turn}` });
      }
      live.send({ type: 'end', turn: `t${turn}` });
      await untilEnded(live, 50, 60_000, `t${turn}`);
    }
    expect(outcomes(live)).toEqual(Array(140).fill('complete'));
    expect(live.said('underrun')).toEqual([]);
  });
});

describe('a turn in real time that has begun', () => {
  it('waits while there is something to hear, tells an underrun, and then waits as long as for first words', async () => {
    const { live, service } = start({ keys: [THREE], speechMs: () => 8_000 });
    const fromMs = live.clock.now();
    sayPieces(live, 5);
    await takeFourth(live, service);
    await untilEnded(live, 100, 200_000);
    const heardMs = live.said('ended')[0]!.sentMs;
    expect(Math.abs(heardMs - 24_000)).toBeLessThan(500);
    expect(outcomes(live)).toEqual(['truncated']);
    expect(live.said('error')).toMatchObject([{ code: 'busy', turn: 'a', scope: 'turn', retryable: true }]);
    const endedAfterMs = timesOf(live, 'ended')[0]! - fromMs;
    expect(endedAfterMs).toBeGreaterThanOrEqual(heardMs + 30_000);
    expect(endedAfterMs).toBeLessThan(heardMs + 30_200);
    // At once, and not when it is over.
    expect(live.said('underrun')).toMatchObject([{ turn: 'a' }]);
    expect(Math.abs(live.said('underrun')[0]!.atMs - heardMs)).toBeLessThanOrEqual(1);
    expect(Math.abs(timesOf(live, 'underrun')[0]! - fromMs - heardMs)).toBeLessThan(50);
    await live.run(100);
    const { spokenText, remainingText } = live.said('heard')[0]!;
    expect(spokenText.trim().endsWith('Piece 2 is said.')).toBe(true);
    expect(remainingText.trim()).toBe('Piece 3 is said. Piece 4 is said.');
  });

  it('is told at once and every two seconds that it waits, where it is in the line and what is there', async () => {
    const { live, service } = start({ keys: [THREE], speechMs: () => 8_000 });
    const fromMs = live.clock.now();
    sayPieces(live, 5);
    await takeFourth(live, service);
    await live.run(40_000);
    const queued = live.said('queued');
    const timesMs = timesOf(live, 'queued').map((atMs) => atMs - fromMs);
    expect(timesMs[0]).toBeLessThan(200);
    for (const [n, atMs] of timesMs.entries())
      if (n > 0) expect(atMs - timesMs[n - 1]!).toBeLessThanOrEqual(2_000);
    expect(timesMs.at(-1)).toBeGreaterThan(38_000);
    for (const [n, { reason, position, etaMs, atMs }] of queued.entries()) {
      expect([reason, position]).toEqual(['quota', 1]);
      expect(Math.abs(etaMs + timesMs[n]! - FREE_MS)).toBeLessThan(300);
      expect(Math.abs(atMs! - 24_000)).toBeLessThan(500);
    }
    expect(live.said('started')).toHaveLength(1);
  });

  it('goes on where it was when there is quota again, and tells the whole gap', async () => {
    const { live, service } = start({ keys: [THREE], speechMs: () => 15_000 });
    sayPieces(live, 4);
    await takeFourth(live, service);
    await untilEnded(live, 100, 200_000);
    expect([outcomes(live), service.refusals()]).toEqual([['complete'], 0]);
    const gaps = live.said('underrun');
    const gapMs = gaps.reduce((sum, gap) => sum + gap.gapMs, 0);
    expect(Math.abs(gapMs - (FREE_MS - 45_000))).toBeLessThan(1_000);
    expect(new Set(gaps.map(({ atMs }) => atMs)).size).toBe(1);
  });

  it('takes what is left to first words before it is given up', async () => {
    const { live, service } = start({ keys: [THREE], speechMs: () => 8_000 });
    const fromMs = live.clock.now();
    sayPieces(live, 4);
    await untilEnded(live, 100, 200_000);
    expect([outcomes(live), service.refusals()]).toEqual([['complete'], 0]);
    expect(Math.abs(service.requests[3]!.atMs - fromMs - 54_000)).toBeLessThan(500);
  });

  it('ends when it is silent where nobody is to wait at all, and not before', async () => {
    const { live, service } = start({ keys: [THREE], speechMs: () => 8_000, maxWaitMs: 0 });
    const fromMs = live.clock.now();
    sayPieces(live, 5);
    await takeFourth(live, service);
    await untilEnded(live, 100, 200_000);
    const { outcome, sentMs } = live.said('ended')[0]!;
    const endedAfterMs = timesOf(live, 'ended')[0]! - fromMs;
    expect(outcome).toBe('truncated');
    expect(Math.abs(endedAfterMs - sentMs)).toBeLessThan(200);
    expect(Math.abs(sentMs - 24_000)).toBeLessThan(500);
    // First words are refused at once then.
    live.send({ type: 'speak', turn: 'b', text: 'Hello.' });
    await live.run(0);
    expect(live.said('ended', 'b')).toMatchObject([{ outcome: 'failed' }]);
  });

  it('waits for a key as long when its speech broke and is asked for again', async () => {
    const { live, service } = start({
      keys: [{ name: 'a', perMinute: 3, takes: 3 }],
      speechMs: () => 40_000,
      breaks: { 1: 0.5, 2: 0.75 },
    });
    sayPieces(live, 2);
    await untilEnded(live, 100, 200_000);
    expect([outcomes(live), service.refusals()]).toEqual([['complete'], 0]);
    expect(service.requests.map(({ atMs }) => atMs - live.log[0]!.atMs)).toEqual([0, 0, 0, FREE_MS]);
    expect(live.said('queued').length).toBeGreaterThan(10);
    expect(live.said('underrun')).toEqual([]);
  });

  it('is not given up while its listener has paused it', async () => {
    const { live } = start({ keys: [{ name: 'a', takes: 3 }], speechMs: () => 8_000, retryAfterMs: 300_000 });
    sayPieces(live, 5);
    await live.run(20_000);
    live.send({ type: 'pause', turn: 'a' });
    await live.run(120_000);
    expect(live.said('ended')).toEqual([]);
    live.send({ type: 'resume', turn: 'a' });
    await untilEnded(live, 1_000, 600_000);
    expect(outcomes(live)).toEqual(['complete']);
  });

  it('waits with credit until its listener has reported all, and then as long again', async () => {
    const { live } = start({
      keys: [{ name: 'a', takes: 3 }],
      speechMs: () => 4_000,
      retryAfterMs: 300_000,
      preset: { flow: 'credit', leadMs: 1_000 },
    });
    const fromMs = live.clock.now();
    sayPieces(live, 5);
    // At a third of the speed of the clock.
    for (let ms = 0; ms < 13_000 && live.said('ended').length === 0; ms += 100) {
      await live.run(300);
      live.send({ type: 'played', turn: 'a', ms });
    }
    expect(live.said('ended')).toEqual([]);
    await untilEnded(live, 1_000, 200_000);
    expect(outcomes(live)).toEqual(['truncated']);
    const endedAfterMs = timesOf(live, 'ended')[0]! - fromMs;
    // All twelve seconds had been reported after 36; in the last of them the sound had been sent.
    expect(endedAfterMs).toBeGreaterThan(36_000 + 29_000);
    expect(endedAfterMs).toBeLessThan(36_000 + 32_000);
  });

  it('does not wait longer because its listener repeats a report that tells nothing new', async () => {
    const { live } = start({ keys: [{ name: 'a', takes: 3 }], speechMs: () => 8_000, retryAfterMs: 300_000 });
    const fromMs = live.clock.now();
    sayPieces(live, 5);
    for (let second = 1; second <= 200 && live.said('ended').length === 0; second += 1) {
      await live.run(1_000);
      // The last second is never heard.
      live.send({ type: 'played', turn: 'a', ms: Math.min(1_000 * second, 23_000) });
    }
    expect(outcomes(live)).toEqual(['truncated']);
    const endedAfterMs = timesOf(live, 'ended')[0]! - fromMs;
    // 24 s of audio, what a listener's reports may be late by, and the longest wait.
    expect(endedAfterMs).toBeGreaterThanOrEqual(24_000 + 30_000);
    expect(endedAfterMs).toBeLessThan(24_000 + 2_000 + 30_000 + 1_000);
  });
});

describe('first words', () => {
  it('of a turn that is made behind others wait as long as those play, and then their own time', async () => {
    const { live } = start({ keys: [THREE], speechMs: () => 40_000, maxWaitMs: 15_000 });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    live.send({ type: 'speak', turn: 'b', text: 'Two.' });
    live.send({ type: 'speak', turn: 'c', text: 'Three.' });
    live.send({ type: 'speak', turn: 'd', text: 'Four.' });
    await untilEnded(live, 1_000, 400_000, 'd');
    expect(outcomes(live)).toEqual(Array(4).fill('complete'));
  });

  it('are refused when their wait is foreseen to be too long, at once', async () => {
    const { live } = start({ keys: [{ name: 'a', perMinute: 1, takes: 1 }], speechMs: () => 500 });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(2_000);
    live.send({ type: 'speak', turn: 'b', text: 'Two.' });
    await live.run(0);
    expect(live.said('ended', 'b')).toMatchObject([{ outcome: 'failed' }]);
    expect(live.said('error', 'b')).toMatchObject([{ code: 'busy', retryAfterMs: 28_500 }]);
  });
});

describe('what nobody hears in real time', () => {
  it('is given up after ten minutes in which the service took nothing of anybody, and not before', async () => {
    const { live, service } = start({
      keys: [{ name: 'a', takes: 3 }],
      speechMs: () => 1_000,
      retryAfterMs: 3_600_000,
      preset: { pace: 'burst' },
    });
    const fromMs = live.clock.now();
    sayPieces(live, 5);
    await untilEnded(live, 1_000, 3_600_000);
    expect(outcomes(live)).toEqual(['truncated']);
    expect(Math.round((timesOf(live, 'ended')[0]! - fromMs) / 1_000)).toBe(600);
    // Held after its one refusal.
    expect(service.refusals()).toBe(1);
  });
});
