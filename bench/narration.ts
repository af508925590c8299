// A chapter as one turn: what 200,000 characters with captions cost in memory, how soon they are heard beside one
// sentence, how the speech of two requests meets, and, on request, how far a narration in real time drifts.

import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../src/client/voxgate-client.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { medianOf } from './lab/spread.ts';

const MIB = 1024 * 1024;
const LOOK_EVERY_MS = 100;
const IDLE_MS = 3000;
const STARTS = 15;
const RATE = 24_000;
/** Fast enough for a file to be held up by the gateway, not by its service. */
const FAST = 200;
const SENTENCE = 'One two three four five six seven eight nine ten.';
const PARAGRAPH = Array.from({ length: 8 }, () => SENTENCE).join(' ');
/** Quieter than this is no speech, of 32,768. */
const SILENT = 33;
const WINDOW = RATE / 100;

const bookOf = (characters: number): string => {
  const paragraphs = Math.ceil(characters / (PARAGRAPH.length + 2));
  return Array.from({ length: paragraphs }, () => PARAGRAPH)
    .join('\n\n')
    .slice(0, characters);
};

type Narrated = {
  readonly firstAudioMs: number;
  readonly audioMs: number;
  readonly tookMs: number;
  readonly requests: number;
  readonly words: number;
  readonly pcm: Buffer;
};

async function narrate(
  { sessionUrl }: Lab,
  text: string,
  query: string,
  kept: 'kept' | 'dropped' = 'dropped',
): Promise<Narrated> {
  const pieces: Uint8Array[] = [];
  let firstAtMs = Number.NaN;
  let words = 0;
  const client = await connectSession({
    url: `${sessionUrl}?${query}`,
    onAudio(bytes) {
      if (Number.isNaN(firstAtMs)) firstAtMs = monotonicMs();
      if (kept === 'kept') pieces.push(bytes);
    },
    onEvent(event) {
      if (event.type === 'caption') words += event.words.length;
    },
  });
  const ended = client.next('ended');
  const beganAtMs = monotonicMs();
  client.send({ type: 'speak', turn: 'book', text });
  const { audioMs, requests, outcome } = await ended;
  const tookMs = monotonicMs() - beganAtMs;
  client.close();
  if (outcome !== 'complete') throw new Error(`the narration ended as ${outcome}`);
  return {
    firstAudioMs: firstAtMs - beganAtMs,
    audioMs,
    tookMs,
    requests,
    words,
    pcm: Buffer.concat(pieces),
  };
}

/** How soon a text is heard; it is cut then. */
async function firstAudio({ sessionUrl }: Lab, text: string): Promise<number> {
  let heard = (_atMs: number) => {};
  const client = await connectSession({
    url: `${sessionUrl}?format=mulaw&captions=words`,
    onAudio: () => heard(monotonicMs()),
  });
  const arrived = new Promise<number>((resolve) => {
    heard = resolve;
  });
  const beganAtMs = monotonicMs();
  client.send({ type: 'speak', turn: 'start', text });
  const firstAtMs = await arrived;
  client.close();
  return firstAtMs - beganAtMs;
}

async function measureStarts(lab: Lab, book: string): Promise<{ sentenceMs: number; bookMs: number }> {
  const times = { sentence: [] as number[], book: [] as number[] };
  for (let n = 0; n < STARTS; n += 1) {
    times.sentence.push(await firstAudio(lab, SENTENCE));
    times.book.push(await firstAudio(lab, book));
  }
  return { sentenceMs: medianOf(times.sentence), bookMs: medianOf(times.book) };
}

async function measureBurst(lab: Lab, book: string, { signal, progress }: BenchRun) {
  let mostBytes = 0;
  let state: 'narrating' | 'over' = 'narrating';
  const done = narrate(lab, book, 'format=mulaw&pace=burst&captions=words').finally(() => {
    state = 'over';
  });
  while (state === 'narrating') {
    const residentBytes = await lab.residentBytes();
    mostBytes = Math.max(mostBytes, residentBytes);
    progress(`narration: ${(residentBytes / MIB).toFixed(0)} MiB`);
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
  return { ...(await done), mostBytes };
}

/** Runs of silence of at least 30 ms, and the largest step from sample to sample at their edges and anywhere. */
function joinsOf(pcm: Buffer) {
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length >> 1);
  const gaps: { readonly from: number; readonly to: number }[] = [];
  let quietFrom: number | undefined;
  let mostStep = 0;
  for (let at = 1; at < samples.length; at += 1) {
    mostStep = Math.max(mostStep, Math.abs(samples[at]! - samples[at - 1]!));
    const isQuiet = Math.abs(samples[at]!) < SILENT;
    if (isQuiet) quietFrom ??= at;
    else {
      if (quietFrom !== undefined && at - quietFrom >= 3 * WINDOW) gaps.push({ from: quietFrom, to: at });
      quietFrom = undefined;
    }
  }
  let joinStep = 0;
  for (const { from, to } of gaps)
    for (const edge of [from, to])
      for (let at = Math.max(1, edge - WINDOW); at < Math.min(samples.length, edge + WINDOW); at += 1)
        joinStep = Math.max(joinStep, Math.abs(samples[at]! - samples[at - 1]!));
  return { gapsMs: gaps.map(({ from, to }) => ((to - from) * 1000) / RATE), joinStep, mostStep };
}

/** A book heard in real time: how far the last frame is from where the clock says it should be. */
async function measureDrift(lab: Lab, minutes: number, { progress }: BenchRun): Promise<number> {
  const characters = Math.round(minutes * 60 * 14);
  progress(`narration: ${minutes} minutes in real time`);
  const told: { atMs: number; soundMs: number }[] = [];
  let soundMs = 0;
  const client = await connectSession({
    url: `${lab.sessionUrl}?format=mulaw&captions=words`,
    onAudio(bytes) {
      soundMs += bytes.length / 8;
      told.push({ atMs: monotonicMs(), soundMs });
      if (told.length > 4000) told.splice(1, 1000);
    },
  });
  const ended = client.next('ended');
  client.send({ type: 'speak', turn: 'book', text: bookOf(characters) });
  await ended;
  client.close();
  // The lead is sent at once, so it is counted from the tenth second on.
  const first = told.find((each) => each.soundMs > 10_000) ?? told[0]!;
  const last = told.at(-1)!;
  return last.atMs - first.atMs - (last.soundMs - first.soundMs);
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { characters, seed, minutes } = bench.numbers;
  const lab = await openLab({ seed, upstream: { speed: FAST, ttfbMs: [30, 30] } });
  try {
    const book = bookOf(characters);
    await pause(IDLE_MS, undefined, { signal: bench.signal });
    const idleBytes = await lab.residentBytes();
    // What is compiled and loaded once is not the book's; it is told apart.
    await narrate(lab, bookOf(5000), 'format=mulaw&pace=burst&captions=words');
    const warmBytes = await lab.residentBytes();
    const starts = await measureStarts(lab, book);
    const burst = await measureBurst(lab, book, bench);
    const joined = await narrate(lab, bookOf(22_000), `format=raw&sampleRate=${RATE}&pace=burst`, 'kept');
    const { gapsMs, joinStep, mostStep } = joinsOf(joined.pcm);
    const restsMs = gapsMs.filter((ms) => ms > 100);
    const driftMs = minutes === 0 ? Number.NaN : await measureDrift(lab, minutes, bench);
    const figures = {
      idleMiB: idleBytes / MIB,
      warmMiB: warmBytes / MIB,
      peakOverIdleMiB: (burst.mostBytes - idleBytes) / MIB,
      peakOverWarmMiB: (burst.mostBytes - warmBytes) / MIB,
      sentenceFirstAudioMs: starts.sentenceMs,
      bookFirstAudioMs: starts.bookMs,
      firstAudioRatio: starts.bookMs / starts.sentenceMs,
      timesRealTime: burst.audioMs / burst.tookMs,
      words: burst.words,
      requests: burst.requests,
      joins: joined.requests - 1,
      joinRests: restsMs.length,
      joinRestP50Ms: medianOf(restsMs),
      joinRestMostMs: Math.max(0, ...restsMs),
      joinStep,
      speechStep: mostStep,
      ...(minutes === 0 ? {} : { driftMs }),
    };
    const row = (name: string, figure: number, digits: number) => [name, figure.toFixed(digits)];
    return {
      title: `narration: ${characters} characters as one turn, captions told, sent as they are made`,
      columns: ['', ''],
      rows: [
        row('memory when idle, MiB', figures.idleMiB, 0),
        row('most above that, MiB', figures.peakOverIdleMiB, 1),
        row('most above what a short narration leaves, MiB', figures.peakOverWarmMiB, 1),
        row('times real time', figures.timesRealTime, 0),
        row('words told', figures.words, 0),
        row('upstream requests', figures.requests, 0),
        row('first audio of one sentence, ms', figures.sentenceFirstAudioMs, 1),
        row('first audio of the book, ms', figures.bookFirstAudioMs, 1),
        row('  as a ratio', figures.firstAudioRatio, 2),
        row('joins of requests', figures.joins, 0),
        row('  rests heard there', figures.joinRests, 0),
        row('  p50, ms', figures.joinRestP50Ms, 0),
        row('  longest, ms', figures.joinRestMostMs, 0),
        row('largest step of a sample within 10 ms of a rest', joinStep, 0),
        row('largest step anywhere', mostStep, 0),
        ...(minutes === 0 ? [] : [row(`drift after ${minutes} min, ms`, driftMs, 1)]),
      ],
      notes: [
        "Memory is the resident set of the gateway's process, looked at ten times a second.",
        'The upstream speaks 200 times faster than real time, in sounds of one loudness: whatever is silent is a join.',
        'Aims: 60 MiB over idle, a ratio near 1, as many rests as joins and none longer than a pause, no larger step there.',
      ],
      figures,
      faults: [
        ...(restsMs.length === joined.requests - 1
          ? []
          : [`${joined.requests - 1} joins and ${restsMs.length} rests`]),
        ...(joinStep > mostStep ? ['a step at a join'] : []),
      ],
    };
  } finally {
    await lab.close();
  }
}

export const narration: Bench = {
  summary: 'a chapter as one turn: memory, first audio, joins; with --minutes its drift in real time',
  defaults: { characters: 200_000, minutes: 0, seed: 1 },
  run,
};
