// A speech service that costs next to nothing: it sends MP3 that was made beforehand, the beginning at once and the
// rest paced, as a service does that speaks faster than real time. It stamps when it sent what, for the bench to
// compare with when a listener had it.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadMp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import type { Actor } from './actor.ts';
import { monotonicMs } from './monotonic.ts';
import { createSeededRandom } from './seeded-random.ts';
import { framesOf, linesOf, type SpokenLine } from './spoken-lines.ts';
import { makeVoiceLikeMp3, type SourceRate } from './voice-like-mp3.ts';

export type FakeUpstreamPlan = {
  /** All that it can say, each in its own words; without them any text is said in sounds that mean nothing. */
  readonly lines?: readonly SpokenLine[];
  readonly source: SourceRate;
  /** From the request to the first audio, at random between the two. */
  readonly ttfbMs: readonly [number, number];
  /** Audio in the first write. */
  readonly headMs: number;
  /** How much faster than real time the rest is sent. */
  readonly speed: number;
  readonly seed: number;
};

export type FakeUpstreamReady = { readonly url: string };

/** Times by `monotonicMs`, each with the seed of its request: a bench numbers its turns by their seeds. */
export type FakeUpstreamReport = {
  /** Right before the first audio was given to the socket. */
  readonly heads: readonly (readonly [seed: number, atMs: number])[];
  /** How many words each of them was asked for. */
  readonly words: readonly number[];
  /** When an answer that was not complete lost its reader. */
  readonly cuts: readonly (readonly [seed: number, atMs: number])[];
};

/** Its voice takes so long for a word, so a bench asks for seconds by counting words. */
const WORD_MS = 400;
const SENTENCE_WORDS = 10;
const MADE_SECONDS = 20;
const CHUNK_MS = 100;
const BODY_BYTES = 1024 * 1024;

/** A text that the fake upstream speaks for `seconds`. */
export const textOf = (seconds: number): string => {
  const words = Math.max(1, Math.round((seconds * 1000) / WORD_MS));
  return Array.from({ length: words }, (_, i) =>
    i % SENTENCE_WORDS === SENTENCE_WORDS - 1 ? 'word.' : 'word',
  ).join(' ');
};
const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const spokenMs = (text: string): number => wordsOf(text) * WORD_MS;

type Asked = { readonly text: string; readonly seed: number; readonly sound: Sound };
type Sound = 'mp3' | 'mulaw';

async function readBody(request: IncomingMessage): Promise<Asked> {
  let body = '';
  for await (const chunk of request as AsyncIterable<Buffer>) {
    body += chunk.toString('latin1');
    if (body.length > BODY_BYTES) throw new Error('the request is too long');
  }
  const { text, seed, outputFormat } = JSON.parse(body) as Record<string, unknown>;
  return { text: String(text), seed: Number(seed ?? -1), sound: outputFormat === 'mulaw' ? 'mulaw' : 'mp3' };
}

/** What is said for a text, over and over if there are more frames than `frames`. */
type Saying = {
  readonly frames: readonly Uint8Array[];
  readonly frameMs: number;
  readonly total: number;
};
/** Undefined: it cannot say that. */
type Say = (text: string, sound: Sound) => Saying | undefined;

async function sayNothing({ source, seed }: FakeUpstreamPlan): Promise<Say> {
  const { frames, frameMs } = makeVoiceLikeMp3(await loadMp3Encoders(), source, MADE_SECONDS, seed);
  // What means nothing is MP3 alone.
  return (text, sound) =>
    sound === 'mp3' ? { frames, frameMs, total: Math.ceil(spokenMs(text) / frameMs) } : undefined;
}

/** µ-law at 8000 Hz in pieces as long as an MP3 frame. */
function piecesOf(mulaw: Uint8Array): Pick<Saying, 'frames' | 'frameMs'> {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < mulaw.length; at += PIECE_BYTES) frames.push(mulaw.subarray(at, at + PIECE_BYTES));
  return { frames, frameMs: PIECE_BYTES / 8 };
}
const PIECE_BYTES = 192;
const MEDIA_TYPES: Readonly<Record<Sound, string>> = { mp3: 'audio/mpeg', mulaw: 'audio/basic' };

function sayLines(spoken: readonly SpokenLine[]): Say {
  const lines = {
    mp3: spoken.map(({ text, mp3 }) => ({ text, ...framesOf(Buffer.from(mp3, 'base64')) })),
    mulaw: spoken.map(({ text, mulaw }) => ({ text, ...piecesOf(Buffer.from(mulaw, 'base64')) })),
  };
  return (text, sound) => {
    const said = linesOf(text, lines[sound]);
    if (said === undefined || said.length === 0) return undefined;
    // Each line was encoded by itself, so they can be joined.
    const frames = said.flatMap((line) => line.frames);
    return { frames, frameMs: said[0]!.frameMs, total: frames.length };
  };
}

export async function startFakeUpstream(plan: FakeUpstreamPlan): Promise<Actor> {
  const say = plan.lines === undefined ? await sayNothing(plan) : sayLines(plan.lines);
  const random = createSeededRandom(plan.seed);
  let heads: [number, number][] = [];
  let words: number[] = [];
  let cuts: [number, number][] = [];

  const piece = ({ frames }: Saying, from: number, until: number): Buffer =>
    Buffer.concat(Array.from({ length: until - from }, (_, i) => frames[(from + i) % frames.length]!));

  const speak = (response: ServerResponse, { text, seed, sound }: Asked) => {
    const saying = say(text, sound);
    if (saying === undefined) {
      response.writeHead(400).end();
      return;
    }
    const { total, frameMs } = saying;
    let sent = 0;
    let headAtMs = 0;
    let timer: NodeJS.Timeout | undefined;
    const send = () => {
      if (response.destroyed) return;
      if (sent === 0) {
        response.writeHead(200, { 'content-type': MEDIA_TYPES[sound] });
        headAtMs = monotonicMs();
        heads.push([seed, headAtMs]);
        words.push(wordsOf(text));
      }
      const dueMs = plan.headMs + (monotonicMs() - headAtMs) * plan.speed;
      const until = Math.min(total, Math.ceil(dueMs / frameMs));
      // A reader that holds back is not forced: what it lacks is sent once it takes again.
      if (until > sent && !response.writableNeedDrain) {
        response.write(piece(saying, sent, until));
        sent = until;
      }
      if (sent === total) response.end();
      else timer = setTimeout(send, CHUNK_MS);
    };
    timer = setTimeout(send, random.between(...plan.ttfbMs));
    response.once('close', () => {
      clearTimeout(timer);
      if (!response.writableFinished) cuts.push([seed, monotonicMs()]);
    });
  };

  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      request.resume();
      response.end();
      return;
    }
    readBody(request).then(
      (asked) => speak(response, asked),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ready: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } satisfies FakeUpstreamReady,
    report() {
      const told: FakeUpstreamReport = { heads, words, cuts };
      heads = [];
      words = [];
      cuts = [];
      return told;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
