// A turn that one service begins and another one ends, in simulated time: captions, word lists, marks, `heard`, `switched` and `servedBy` tell
// what was heard, on both sides of the join.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import type { EventOf } from '../../../src/dialects/native-events.ts';
import type { ServingService } from '../../../src/pipeline/speech-services.ts';
import { startSession } from '../../support/live-session.ts';
import { createMemoryUpstream, type MemoryRequest } from '../../support/memory-upstream.ts';
import { trustingRecovery } from '../../support/trusting-recovery.ts';

/** Frames without a tag, 2.3 s. */
const SPEECH = readFileSync(new URL('../../../fixtures/audio/ffmpeg-live-24k.mp3', import.meta.url));
const [FRAME_BYTES, FRAME_MS] = [192, 24];
/** A frame of the output that is not full yet is not counted when the second service begins. */
const JOIN_WITHIN_MS = 25;
const spokenMs = (text: string) => Math.ceil((70 * text.length) / FRAME_MS) * FRAME_MS;
const speechOf = (text: string): Uint8Array => {
  const bytes = (spokenMs(text) / FRAME_MS) * FRAME_BYTES;
  const times = Math.ceil(bytes / SPEECH.length);
  return new Uint8Array(Buffer.concat(Array.from({ length: times }, () => SPEECH)).subarray(0, bytes));
};
const whole = (request: MemoryRequest) => {
  request.send(speechOf(request.body.text));
  request.end();
};

/** The first service breaks at `share` of its first request and is then away. */
function begin(share: number, preset = {}) {
  let asked = 0;
  const first = createMemoryUpstream((request) => {
    asked += 1;
    if (asked > 1) return request.fail(new AppError('upstream_unreachable', 'It is away.'));
    const all = speechOf(request.body.text);
    request.send(all.subarray(0, Math.floor((share * all.length) / FRAME_BYTES) * FRAME_BYTES));
    setImmediate(() => setImmediate(() => request.fail(new AppError('upstream_broken', 'It broke.'))));
  });
  const second = createMemoryUpstream(whole);
  const serving = (name: string, upstream: typeof first, voice: string, voice2: string): ServingService => ({
    name,
    upstream,
    recovery: trustingRecovery(),
    identity: name,
    ignored: [],
    voice,
    voice2,
    defaultVoice: undefined,
    defaultVoice2: undefined,
    watch: undefined,
    isLastResort: false,
  });
  const chain = [serving('first', first, 'anna', 'adam'), serving('second', second, 'dora', 'carl')] as const;
  const live = startSession({
    services: { chain: () => chain },
    preset: { captions: 'words', wordList: 'final', voice: 'her', voice2: 'him', ...preset },
  });
  const untilSaid = async (type: 'heard' | 'switched') => {
    for (let n = 0; n < 400 && live.said(type).length === 0; n += 1) await live.run(100);
  };
  return { live, first, second, untilSaid };
}

const wordsIn = (events: readonly (EventOf<'caption'> | EventOf<'words'>)[]) =>
  events.flatMap(({ words, line }) => words.map((word) => ({ ...word, line })));
type Told = ReturnType<typeof wordsIn>;
/** Each word of `lines` once, in its place, in the order in which they are heard. */
function expectAll(told: Told, lines: readonly string[]): void {
  expect(told.map(({ text }) => text)).toEqual(lines.flatMap((line) => line.split(' ')));
  for (const { text, line, charStart, charEnd } of told)
    expect(lines[line]!.slice(charStart, charEnd)).toBe(text);
  for (const [w, { startMs, endMs }] of told.entries()) {
    expect(endMs).toBeGreaterThanOrEqual(startMs);
    expect(startMs).toBeGreaterThanOrEqual(told[w - 1]?.startMs ?? 0);
  }
}
const own = (text: string) =>
  text
    .replace(/Speaker \d:/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** What is told of a whole turn, and where it was joined. */
async function toldOf({ live, second, untilSaid }: ReturnType<typeof begin>, lines: readonly string[]) {
  await untilSaid('heard');
  await live.run(500);
  const [ended, switched, heard] = [live.said('ended')[0]!, live.said('switched'), live.said('heard')[0]!];
  const { text } = second.requests[0]!.body;
  const joinMs = switched[0]!.atMs;
  expect([ended.outcome, second.requests.length, switched.length]).toEqual(['complete', 1, 1]);
  expect(switched[0]).toMatchObject({ from: 'first', to: 'second', reason: expect.any(String) as string });
  expect(ended.servedBy).toEqual([
    { upstream: 'first', voice: 'anna', fromMs: 0, toMs: joinMs },
    { upstream: 'second', voice: 'dora', fromMs: joinMs, toMs: ended.sentMs },
  ]);
  expect(Math.abs(ended.sentMs - joinMs - spokenMs(text))).toBeLessThan(2 * JOIN_WITHIN_MS);
  const [told, listed] = [wordsIn(live.said('caption')), wordsIn(live.said('words'))];
  expectAll(told, lines);
  expectAll(listed, lines);
  // In the end no word reaches into the next, and those of the second service lie in its sound.
  for (const [w, { startMs }] of listed.entries())
    expect(listed[w - 1]?.endMs ?? 0).toBeLessThanOrEqual(startMs + 1);
  const rest = own(text).split(' ');
  const [front, word] = [listed.at(-rest.length - 1)!, listed.at(-rest.length)!];
  expect(lines.join(' ').endsWith(own(text))).toBe(true);
  expect(front.endMs).toBeLessThanOrEqual(joinMs + JOIN_WITHIN_MS);
  expect(Math.abs(word.startMs - joinMs)).toBeLessThanOrEqual(JOIN_WITHIN_MS);
  // Nothing is told long after it is heard.
  for (const [w, { startMs }] of told.entries()) expect(startMs - listed[w]!.startMs).toBeLessThan(500);
  return { ended, heard, told };
}

describe('a turn that another service goes on with', () => {
  const TEXT = 'Good evening and welcome back, my friends. The last train to the harbour leaves very soon.';
  it.each([0.3, 0.45, 0.6, 0.75, 0.9])('is told as it was heard: a break at %s of a text', async (share) => {
    for (const preset of [{}, { pace: 'burst' }]) {
      const turn = begin(share, preset);
      turn.live.send({ type: 'speak', turn: 't', text: TEXT });
      turn.live.send({ type: 'mark', turn: 't', name: 'end' });
      const { heard, ended } = await toldOf(turn, [TEXT]);
      expect(heard).toMatchObject({ spokenText: TEXT, remainingText: '', playedMs: ended.sentMs });
      expect(turn.live.said('mark')).toMatchObject([{ name: 'end', outcome: 'played' }]);
    }
  });

  const LINES = ['Good morning, is this the harbour office?', 'It certainly is, and how large is your boat?'];
  it.each([
    ['first', 0.3],
    ['second', 0.75],
  ] as const)('has both voices of a dialogue: a break in the line of the %s', async (who, share) => {
    const turn = begin(share);
    const dialogue = LINES.map((text, at) => ({ speaker: at + 1, text }));
    turn.live.send({ type: 'speak', turn: 't', dialogue });
    const { told, heard } = await toldOf(turn, LINES);
    expect(told.map(({ speaker, line }) => speaker === line + 1)).not.toContain(false);
    const { body } = turn.second.requests[0]!;
    expect([body.voice, body.voice2]).toEqual(['dora', 'carl']);
    expect(body.text.startsWith(who === 'first' ? 'Speaker 1: ' : 'Speaker 2: ')).toBe(true);
    expect(heard).toMatchObject({ remainingText: '', speaker: 2 });
  });

  it('up to where its listener interrupts the second', async () => {
    const { live, second, untilSaid } = begin(0.5);
    live.send({ type: 'speak', turn: 't', text: TEXT });
    await untilSaid('switched');
    const joinMs = live.said('switched')[0]!.atMs;
    const beganAtMs = live.frames('t')[0]!.atMs;
    await live.run(beganAtMs + joinMs + 1_500 - live.clock.now());
    live.send({ type: 'cancel', turn: 't' });
    await untilSaid('heard');
    const [ended, heard] = [live.said('ended')[0]!, live.said('heard')[0]!];
    expect(ended.servedBy!.map(({ upstream, toMs }) => [upstream, toMs])).toEqual([
      ['first', joinMs],
      ['second', ended.sentMs],
    ]);
    const { spokenText, remainingText, playedMs } = heard;
    expect(`${spokenText} ${remainingText}`.replace(/\s+/g, ' ').trim()).toBe(TEXT);
    // Some of the rest was heard, and no more is claimed than that.
    const rest = second.requests[0]!.body.text;
    expect(remainingText.length).toBeLessThan(rest.length);
    const heardPart = (playedMs - joinMs) / spokenMs(rest);
    expect(remainingText.length).toBeGreaterThan((1 - heardPart) * rest.length - 12);
  });

  it('has its marks behind their words', async () => {
    const parts = ['The garden behind the house was quiet. ', 'Nobody came, and the gate stayed shut.'];
    const { live, untilSaid } = begin(0.5);
    for (const [n, text] of parts.entries()) {
      live.send({ type: 'append', turn: 't', text });
      live.send({ type: 'mark', turn: 't', name: `${n}` });
    }
    live.send({ type: 'end', turn: 't' });
    await untilSaid('heard');
    expect(live.said('mark').map(({ name, outcome }) => [name, outcome])).toEqual([
      ['0', 'played'],
      ['1', 'played'],
    ]);
    expect(live.said('heard')).toMatchObject([{ spokenText: parts.join(''), remainingText: '' }]);
    expectAll(wordsIn(live.said('caption')), [parts.join('')]);
  });
});
