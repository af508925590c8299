// A speech service of the project's own interface that speaks by the embedded engine's program, knows when each of its words is heard, and
// breaks as it is told, over real sockets: what a listener was given can be held against what was said.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { toSpeechJob } from '../../src/engine/speech-job.ts';
import { createSpeechSource } from '../../src/engine/speech-source.ts';
import { espeakCommand } from '../../src/speech-program/speech-command.ts';
import { decodedMp3 } from './decoded-mp3.ts';

/** What the service does with a request; times are ms of its own sound. */
export type Manner =
  | { readonly does: 'speaks' }
  | { readonly does: 'answers'; readonly status: number; readonly body?: string; readonly afterMs?: number }
  /** No answer; the head of one and nothing more; a success without a byte; a page. */
  | { readonly does: 'hangs' | 'sends-head' | 'sends-nothing' | 'sends-page' }
  /** No answer: the connection is closed. */
  | { readonly does: 'resets' | 'leaves' }
  | {
      readonly does: 'breaks';
      readonly fromMs: number;
      readonly by: 'reset' | 'leave' | 'stall' | 'end' | 'drip' | 'garbage';
    }
  /** No speech from there on; 0 Hz is silence. */
  | { readonly does: 'turns'; readonly fromMs: number; readonly toneHz: number };

/** A word of a request, where it is heard in the speech of that request. */
export type TrueWord = {
  readonly startMs: number;
  readonly endMs: number;
  /** Where it begins, code points before the end of the text. */
  readonly beforeEnd: number;
};

export type SpokenTruth = { readonly words: readonly TrueWord[]; readonly lengthMs: number };
const NOTHING_SAID: SpokenTruth = { words: [], lengthMs: 0 };

/** A request, and what would be heard of it if it were said whole; `at` of performance.now(). */
export type SaidRequest = {
  readonly text: string;
  readonly voice: string;
  readonly voice2: string | undefined;
  readonly atMs: number;
  readonly manner: Manner;
  /** Found when they are asked for. */
  readonly truth: () => SpokenTruth;
  /** Said whole. */
  readonly mp3: Buffer;
  firstByteAtMs: number | undefined;
  endedAtMs: number | undefined;
};

export type BreakingServiceOptions = {
  /** For the n-th request, from 0. */
  readonly manner: (request: number, text: string) => Manner;
  /** From the request to the first byte, ms. */
  readonly firstByteMs?: number;
  /** How many times faster than it is heard it sends; the first 400 ms come at once. Default: all at once. */
  readonly times?: number;
};

export type BreakingService = {
  readonly url: URL;
  readonly requests: readonly SaidRequest[];
  manner: BreakingServiceOptions['manner'];
  firstByteMs: number;
  close(): Promise<void>;
};

const HZ = 24_000;
/** MP3 at 64 kbit/s. */
const BYTES_A_MS = 8;
const AT_ONCE_MS = 400;
const STEP_MS = 100;
/** Peaks, about 25 dB below the active level of what the engine says: only the fading of a sound is quieter. */
const QUIET = 0.01;
const isQuiet = (pcm: Float32Array, at: number) => Math.abs(pcm[at]!) < QUIET;
/** A voice rests for longer at a mark; what is heard behind its rest is the next word, which may begin so much before it is told. */
const REST = { leastMs: 60, nextMs: 120 } as const;
const samplesIn = (ms: number) => Math.round((ms * HZ) / 1000);
/** A word ends where nothing of it is heard any more; `mark`: one follows it. */
function endOf(pcm: Float32Array, startMs: number, nextMs: number, mark: boolean): number {
  const from = samplesIn(startMs);
  const last = Math.min(pcm.length, samplesIn(nextMs)) - 1;
  const loudBefore = (at: number) => {
    while (at > from && isQuiet(pcm, at)) at -= 1;
    return at;
  };
  const end = loudBefore(last);
  if (!mark) return (end * 1000) / HZ;
  for (let at = end; at > Math.max(from, last - samplesIn(REST.nextMs)); at -= 1) {
    if (!isQuiet(pcm, at)) continue;
    const before = loudBefore(at);
    if (at - before >= samplesIn(REST.leastMs)) return (before * 1000) / HZ;
    at = before;
  }
  return (end * 1000) / HZ;
}

/** The speech programs of all services of a test or trial. */
export async function openVoices() {
  const source = await createSpeechSource({
    command: espeakCommand(),
    clock: systemClock,
    log: silentLog,
    readerStallMs: 60_000,
  });
  await source.ready;
  const known = new Map<string, Promise<{ mp3: Buffer; truth: () => SpokenTruth }>>();
  const say = async (body: { readonly text: string }, replaced?: { fromMs: number; toneHz: number }) => {
    const { job } = toSpeechJob({ ...body, outputFormat: 'mp3', sampleRate: HZ }, {
      below: () => 1,
    } as never);
    const told: { readonly startMs: number; readonly charStart: number }[] = [];
    const stream = source.open({ ...job, ...(replaced && { replaced }) }, (word) => told.push(word));
    const chunks: Buffer[] = [];
    for await (const chunk of stream.body) chunks.push(chunk as Buffer);
    const mp3 = Buffer.concat(chunks);
    let found: SpokenTruth | undefined;
    const find = (): SpokenTruth => {
      const pcm = decodedMp3(mp3);
      const lengthMs = (pcm.length * 1000) / HZ;
      const letters = [...body.text];
      const words = told.map(({ startMs, charStart }, w) => {
        const next = told[w + 1];
        const hasMark = /[.,;:!?]\s*$/.test(letters.slice(charStart, next?.charStart).join(''));
        const endMs = endOf(pcm, startMs, next?.startMs ?? lengthMs, hasMark);
        return { startMs, endMs, beforeEnd: letters.length - charStart };
      });
      return { words, lengthMs };
    };
    const truth = () => {
      found ??= find();
      return found;
    };
    return { mp3, truth };
  };
  return {
    /** Each text is spoken once. */
    say(
      body: { readonly text: string; readonly [field: string]: unknown },
      replaced?: { fromMs: number; toneHz: number },
    ) {
      const key = JSON.stringify([body, replaced]);
      const spoken = known.get(key) ?? say(body, replaced);
      known.set(key, spoken);
      return spoken;
    },
    close: () => source.close(),
  };
}
export type Voices = Awaited<ReturnType<typeof openVoices>>;

export async function startBreakingService(
  voices: Voices,
  options: BreakingServiceOptions,
): Promise<BreakingService> {
  const requests: SaidRequest[] = [];
  const own = { manner: options.manner, firstByteMs: options.firstByteMs ?? 20 };
  const sockets = new Set<Socket>();

  const send = async (response: ServerResponse, bytes: Buffer, lengthMs: number, untilMs: number) => {
    const { times = Number.POSITIVE_INFINITY } = options;
    const byteAt = (ms: number) => Math.min(bytes.length, 2 * Math.round((bytes.length * ms) / lengthMs / 2));
    const began = performance.now();
    for (let ms = 0, at = 0; at < byteAt(untilMs) && !response.destroyed; ) {
      ms =
        times === Number.POSITIVE_INFINITY ? untilMs : Math.min(untilMs, Math.max(AT_ONCE_MS, ms + STEP_MS));
      response.write(bytes.subarray(at, byteAt(ms)));
      at = byteAt(ms);
      const aheadMs = (ms - AT_ONCE_MS) / times - (performance.now() - began);
      if (aheadMs > 0) await sleep(aheadMs);
    }
    return byteAt(untilMs);
  };
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    if (incoming.method !== 'POST') return void response.writeHead(204).end();
    const atMs = performance.now();
    const {
      outputFormat: _f,
      sampleRate: _r,
      ...body
    } = JSON.parse(Buffer.concat(parts).toString()) as {
      text: string;
      voice: string;
      voice2?: string;
      outputFormat?: string;
      sampleRate?: number;
    };
    const manner = own.manner(requests.length, body.text);
    const isSpoken = ['speaks', 'breaks', 'turns'].includes(manner.does);
    // A refusal waits for no speech.
    const whole = isSpoken ? await voices.say(body) : { mp3: Buffer.alloc(0), truth: () => NOTHING_SAID };
    const said: SaidRequest = {
      text: body.text,
      voice: body.voice,
      voice2: body.voice2,
      atMs,
      manner,
      truth: whole.truth,
      mp3: whole.mp3,
      firstByteAtMs: undefined,
      endedAtMs: undefined,
    };
    requests.push(said);
    response.once('close', () => {
      said.endedAtMs ??= performance.now();
    });
    await sleep(Math.max(0, own.firstByteMs - (performance.now() - atMs)));
    const { socket } = incoming;
    switch (manner.does) {
      case 'hangs':
        return;
      case 'resets':
        return void socket.resetAndDestroy();
      case 'leaves':
        return void socket.end();
      case 'answers':
        await sleep(manner.afterMs ?? 0);
        return void response
          .writeHead(manner.status, { 'content-type': 'application/json' })
          .end(manner.body ?? '{"error":{"code":"refused","message":"It was told to refuse."}}');
      case 'sends-page':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Please sign in.</p>');
      case 'sends-nothing':
        return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end();
      case 'sends-head':
        response.writeHead(200, { 'content-type': 'audio/mpeg' }).flushHeaders();
        return;
      case 'speaks':
      case 'breaks':
      case 'turns':
        break;
    }
    const { mp3 } = manner.does === 'turns' ? await voices.say(body, manner) : whole;
    const lengthMs = mp3.length / BYTES_A_MS;
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    said.firstByteAtMs = performance.now();
    const sent = await send(response, mp3, lengthMs, manner.does === 'breaks' ? manner.fromMs : lengthMs);
    if (manner.does === 'breaks') {
      if (manner.by === 'reset') {
        // What was written is on its way before the reset is.
        await sleep(20);
        socket.resetAndDestroy();
      } else if (manner.by === 'leave') socket.end();
      else if (manner.by === 'garbage') response.end(Buffer.alloc(60_000, 0x55));
      else if (manner.by === 'end') response.end();
      else if (manner.by === 'drip')
        for (let at = sent; at < mp3.length && !response.destroyed; at += 1) {
          response.write(mp3.subarray(at, at + 1));
          await sleep(100);
        }
      said.endedAtMs = performance.now();
      return;
    }
    response.end();
    said.endedAtMs = performance.now();
  };
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    requests,
    get manner() {
      return own.manner;
    },
    set manner(manner) {
      own.manner = manner;
    },
    get firstByteMs() {
      return own.firstByteMs;
    },
    set firstByteMs(ms) {
      own.firstByteMs = ms;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A part of a turn that one service has said: so much is heard of it. */
export type HeardPart = { readonly request: SaidRequest; readonly heardMs: number };

/** How near to its end a word is whole. */
const WHOLE_WITHIN_MS = 30;

/**
 * Words of a turn that nobody has said whole, and words that were said whole more than once; by what was heard of the requests in which it
 * was said, in order. The first holds all of the text, and each goes on to its end.
 */
export function wordsOf(parts: readonly HeardPart[]): { readonly lost: number; readonly twice: number } {
  let [lost, twice] = [0, 0];
  for (const { beforeEnd } of parts[0]?.request.truth().words ?? []) {
    const times = parts.filter(({ request, heardMs }) => {
      const word = request.truth().words.findLast((each) => each.beforeEnd >= beforeEnd);
      const { manner } = request;
      // From there on something else was heard than what would have been said.
      const saidMs = manner.does === 'turns' ? Math.min(heardMs, manner.fromMs) : heardMs;
      return word !== undefined && word.endMs <= saidMs + WHOLE_WITHIN_MS;
    }).length;
    if (times === 0) lost += 1;
    if (times > 1) twice += 1;
  }
  return { lost, twice };
}
