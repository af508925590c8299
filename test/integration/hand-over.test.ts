// A turn that one service begins and another one ends, over real sockets and in real time: every word is heard, and captions, word lists, marks,
// `heard` and `servedBy` tell what was.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/dialects/native-events.ts';
import { VOICES } from '../../src/engine/voices.ts';
import {
  type BreakingService,
  type Manner,
  openVoices,
  startBreakingService,
  type Voices,
  wordsOf,
} from '../support/breaking-service.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';
import type { SessionProbe } from '../support/session-probe.ts';

const [ANNA, DORA] = VOICES.filter(({ gender }) => gender === 'Female').map(({ id }) => id);
const [ADAM, CARL] = VOICES.filter(({ gender }) => gender === 'Male').map(({ id }) => id);
const TURNS = ['text', 'first-line', 'second-line', 'interrupted', 'streamed'] as const;
type Turn = (typeof TURNS)[number];

let voices: Voices;
let second: BreakingService;
let gateway: RunningGateway;
const firsts = new Map<Turn, BreakingService>();

/** Speech until there, and nothing more when it is asked again. */
const breakingAt =
  (fromMs: number) =>
  (request: number): Manner =>
    request === 0 ? { does: 'breaks', fromMs, by: 'reset' } : { does: 'resets' };

beforeAll(async () => {
  voices = await openVoices();
  const manners: Readonly<Record<Turn, BreakingService['manner']>> = {
    text: breakingAt(2_200),
    'first-line': breakingAt(1_100),
    'second-line': breakingAt(2_600),
    interrupted: breakingAt(1_500),
    streamed: breakingAt(900),
  };
  for (const turn of TURNS)
    firsts.set(turn, await startBreakingService(voices, { manner: manners[turn], times: 3 }));
  second = await startBreakingService(voices, { manner: () => ({ does: 'speaks' }), times: 3 });
  const entry = (name: string, { url }: BreakingService) => ({
    kind: 'speech-service',
    name,
    url: url.origin,
    keys: ['me:secret'],
  });
  // The first speech of a program takes longest.
  await voices.say({ model: 'VoxDialog', text: 'Good morning.', voice: ANNA! });
  gateway = await startRunningGateway({
    processes: 1,
    env: {
      VOXGATE_UPSTREAM_URL: '',
      VOXGATE_UPSTREAM_KEYS: '',
      VOXGATE_UPSTREAMS: JSON.stringify([
        ...[...firsts].map(([turn, service]) => entry(turn, service)),
        entry('second', second),
      ]),
      VOXGATE_VOICES: JSON.stringify({
        her: { ...Object.fromEntries(TURNS.map((turn) => [turn, ANNA])), second: DORA },
        him: { ...Object.fromEntries(TURNS.map((turn) => [turn, ADAM])), second: CARL },
      }),
    },
  });
}, 60_000);
afterAll(async () => {
  await gateway?.close();
  for (const service of [...firsts.values(), second]) await service?.close();
  await voices?.close();
});

const open = (turn: Turn) =>
  gateway.session(
    `format=raw&sampleRate=24000&captions=words&wordList=final&voice=her&voice2=him&upstream=${turn},second`,
  );

/** What was heard of each request, and where the second one began, by what the session tells. */
function partsOf(turn: Turn, ended: EventOf<'ended'>, secondHas: string) {
  const [first, rest] = ended.servedBy!;
  const asked = firsts.get(turn)!.requests[0]!;
  // It may have been asked before because the first one was late.
  const askedNext = second.requests.findLast(({ text }) => text.includes(secondHas))!;
  return {
    asked,
    askedNext,
    joinMs: first!.toMs,
    parts: [
      { request: asked, heardMs: first!.toMs - first!.fromMs },
      { request: askedNext, heardMs: rest!.toMs - rest!.fromMs },
    ],
  };
}
const wordsIn = (events: readonly (EventOf<'caption'> | EventOf<'words'>)[]) =>
  events.flatMap(({ words, line }) => words.map((word) => ({ ...word, line })));
type Told = ReturnType<typeof wordsIn>;
/** Each word of `lines` once, in its place, in the order in which they are heard, none before the one in front. */
function expectAll(told: Told, lines: readonly string[]): void {
  expect(told.map(({ text }) => text)).toEqual(lines.flatMap((line) => line.split(' ')));
  for (const { text, line, charStart, charEnd } of told)
    expect(lines[line]!.slice(charStart, charEnd)).toBe(text);
  for (const [w, { startMs, endMs }] of told.entries()) {
    expect(endMs).toBeGreaterThanOrEqual(startMs);
    expect(startMs).toBeGreaterThanOrEqual(told[w - 1]?.startMs ?? 0);
  }
}
/** A frame that is not full yet is not counted when the second begins. */
const FRAME_MS = 25;
/** In the end no word reaches into the next, and those of the second service lie in its sound. */
function expectListed(listed: Told, joinMs: number, told: number): void {
  for (const [w, { startMs }] of listed.entries())
    expect(listed[w - 1]?.endMs ?? 0).toBeLessThanOrEqual(startMs + 1);
  expect(listed[told - 1]!.endMs).toBeLessThanOrEqual(joinMs + FRAME_MS);
  expect(listed[told]!.startMs).toBeGreaterThanOrEqual(joinMs - FRAME_MS);
}
/** How many words the first one has said, by what the second was asked for. */
const saidBefore = (words: number, rest: string) =>
  words -
  rest
    .replace(/\w+ \d:\s/g, '')
    .trim()
    .split(/\s+/).length;

async function whole(turn: Turn, probe: SessionProbe, lines: readonly string[], restHas: string) {
  const ended = await probe.ended(turn);
  const heard = await probe.event('heard');
  await probe.event('words', ({ more }) => !more);
  const { parts, joinMs, askedNext } = partsOf(turn, ended, restHas);
  expect(ended.outcome).toBe('complete');
  expect(wordsOf(parts)).toMatchObject({ lost: 0 });
  expect(probe.events('switched')).toMatchObject([
    {
      from: turn,
      to: 'second',
      atMs: joinMs,
      reason: expect.stringMatching(/broken|timeout|unreachable/) as string,
    },
  ]);
  expect(ended.servedBy).toMatchObject([
    { upstream: turn, voice: ANNA, fromMs: 0 },
    { upstream: 'second', voice: DORA, fromMs: joinMs, toMs: ended.sentMs },
  ]);
  // The rest of the text is heard to its end, in the sound that was sent.
  expect(Math.abs(ended.sentMs - joinMs - askedNext.truth().lengthMs)).toBeLessThan(60);
  expect(probe.audioOf(turn).length / 48).toBeCloseTo(ended.sentMs, -2);
  const [told, listed] = [wordsIn(probe.events('caption')), wordsIn(probe.events('words'))];
  expectAll(told, lines);
  expectAll(listed, lines);
  expectListed(listed, joinMs, saidBefore(told.length, askedNext.text));
  return { ended, heard, told, listed, askedNext };
}

describe.concurrent('a turn that another service goes on with', { timeout: 60_000 }, () => {
  it('is told as it was heard: a text', async () => {
    const text = 'Good evening and welcome back, my friends. The last train to the harbour leaves very soon.';
    const probe = await open('text');
    probe.send({ type: 'speak', turn: 'text', text }, { type: 'mark', turn: 'text', name: 'end' });
    const { heard, ended } = await whole('text', probe, [text], 'harbour');
    expect(heard).toMatchObject({ spokenText: text, remainingText: '', playedMs: ended.sentMs });
    expect(await probe.event('mark')).toMatchObject({ name: 'end', outcome: 'played' });
  });

  it.each([
    [
      'first-line',
      'Good morning, is this the harbour office?',
      'It certainly is, and how large is your boat?',
    ],
    [
      'second-line',
      'Good evening, do you sell old maps here?',
      'Of course we do, and some of a lost island.',
    ],
  ] as const)('with both voices of a dialogue: a break in the %s', async (turn, ...lines) => {
    const probe = await open(turn);
    probe.send({ type: 'speak', turn, dialogue: lines.map((text, at) => ({ speaker: at + 1, text })) });
    const { told, askedNext } = await whole(turn, probe, lines, lines[1].slice(-10));
    expect(told.map(({ speaker, line }) => speaker === line + 1)).not.toContain(false);
    // Each speaker has the voice that is theirs, whoever begins.
    expect([askedNext.voice, askedNext.voice2]).toEqual([DORA, CARL]);
    expect(askedNext.text).toContain('Speaker 2: ');
  });

  it('up to where its listener interrupts the second', async () => {
    const text =
      'Please hold the line while I look for your name in the very long list of all people who are waiting.';
    const probe = await open('interrupted');
    probe.send({ type: 'speak', turn: 'interrupted', text });
    const { atMs } = await probe.event('switched');
    const sentMs = () =>
      probe.arrivals.reduce((ms, it) => ms + (it.kind === 'audio' ? it.bytes.length / 48 : 0), 0);
    while (sentMs() < atMs + 1_200) await probe.nextAudio();
    probe.send({ type: 'cancel', turn: 'interrupted' });
    const ended = await probe.ended('interrupted');
    const heard = await probe.event('heard');
    expect([ended.outcome, ended.servedBy?.length]).toEqual(['cancelled', 2]);
    expect(text.startsWith(heard.spokenText)).toBe(true);
    expect(text.endsWith(heard.remainingText)).toBe(true);
    // No more is claimed than was heard.
    const { parts, joinMs } = partsOf('interrupted', ended, 'waiting');
    const [, rest] = parts;
    const heardOfRest = heard.playedMs - joinMs;
    const begun = rest!.request.truth().words.filter(({ startMs }) => startMs <= heardOfRest + 250);
    const atMost = begun.at(-1)?.beforeEnd ?? [...rest!.request.text].length;
    expect([...heard.remainingText].length).toBeGreaterThanOrEqual(
      atMost - (rest!.request.text.slice(-atMost).split(' ')[0]!.length + 1),
    );
  });

  it('and its marks come behind their words', async () => {
    const parts = [
      'The garden behind the house was quiet. ',
      'Nobody came that summer, and the gate stayed shut.',
    ];
    const probe = await open('streamed');
    probe.send(
      { type: 'append', turn: 'streamed', text: parts[0] },
      { type: 'mark', turn: 'streamed', name: 'one' },
      { type: 'append', turn: 'streamed', text: parts[1] },
      { type: 'mark', turn: 'streamed', name: 'two' },
      { type: 'end', turn: 'streamed' },
    );
    const heard = await probe.event('heard');
    expect(probe.events('mark').map(({ name, outcome }) => [name, outcome])).toEqual([
      ['one', 'played'],
      ['two', 'played'],
    ]);
    expect(heard).toMatchObject({ spokenText: parts.join(''), remainingText: '' });
    expectAll(wordsIn(probe.events('caption')), [parts.join('')]);
  });
});
