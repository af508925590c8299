// Barge-in on a socket with contexts, as ElevenLabs' clients do it: a second into a long answer the old context is closed or
// merely left, and a new one is given the reply. How long after the reply's own first byte from the speech service its first
// audio is at the client, and when the speech of the old answer is let go.

import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { isJsonObject, parseJson } from '../src/base/json.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { textOf } from './lab/fake-upstream.ts';
import { openLab } from './lab/lab.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { SPREAD_COLUMNS, type Spread, spreadOf, spreadRow } from './lab/spread.ts';

/** As a LiveKit client cut in its text, a LiveKit client cut later, and one that never closes what it leaves. */
const LEAVINGS = ['closed in its audio', 'closed with its text', 'left open'] as const;
type Leaving = (typeof LEAVINGS)[number];

const SPEEDS = [1.2, 3, 10] as const;
const ANSWER_SECONDS = 20;
const REPLY_WORDS = 3;
const REPLY = `${'word '.repeat(REPLY_WORDS - 1)}word. `;
const TTFB_MS = [60, 100] as const;
/** From the first audio of the answer to the interruption. */
const HEARD_MS = 1000;
/** A reply that has not come by then never does. */
const MAX_WAIT_MS = 60_000;
/** Between two processes of a busy machine. */
const SLACK_MS = 50;
const FIRST_SEED = 1_000_000;

type Message = {
  readonly context: string;
  readonly kind: 'audio' | 'final' | 'error' | 'other';
};

function readMessage(frame: string): Message {
  const value = parseJson(frame)?.value;
  const fields = isJsonObject(value) ? value : {};
  const kind =
    fields.error !== undefined
      ? 'error'
      : fields.isFinal === true
        ? 'final'
        : typeof fields.audio === 'string'
          ? 'audio'
          : 'other';
  return { context: typeof fields.contextId === 'string' ? fields.contextId : '', kind };
}

type Interruption = {
  readonly leaving: Leaving;
  readonly seed: number;
  readonly askedAtMs: number;
  readonly heardAtMs: number;
  readonly faults: readonly string[];
};

type ContextSocket = {
  send(...messages: readonly object[]): void;
  /** When the first message of this kind came for the context; rejects when the socket closes before, or after a minute. */
  first(context: string, kind: Message['kind']): Promise<number>;
  readonly faults: readonly string[];
  close(): void;
};

/** `seed`: of all that is asked for on this socket. */
async function openSocket(url: string, seed: number, signal: AbortSignal): Promise<ContextSocket> {
  const target = `${url.replace(/^http/, 'ws')}/v1/text-to-speech/bench/multi-stream-input`;
  const socket = new WebSocket(`${target}?output_format=pcm_16000&seed=${seed}`);
  const firsts = new Map<string, number>();
  const faults: string[] = [];
  const waiters: (() => void)[] = [];
  socket.on('message', (data) => {
    const { context, kind } = readMessage((data as Buffer).toString());
    const key = `${kind} ${context}`;
    if (kind === 'error') faults.push(`context ${context} failed`);
    if (kind === 'audio' && firsts.has(`final ${context}`))
      faults.push('audio of a context came behind its final');
    if (firsts.has(key)) return;
    firsts.set(key, monotonicMs());
    for (const wake of waiters.splice(0)) wake();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  return {
    faults,
    send(...messages) {
      for (const message of messages) socket.send(JSON.stringify(message));
    },
    async first(context, kind) {
      for (;;) {
        const atMs = firsts.get(`${kind} ${context}`);
        if (atMs !== undefined) return atMs;
        deadline.throwIfAborted();
        await new Promise<void>((resolve, reject) => {
          waiters.push(resolve);
          socket.once('close', () => reject(new Error('the gateway closed the socket')));
          deadline.addEventListener('abort', () => reject(deadline.reason as Error), { once: true });
        });
      }
    },
    close: () => socket.terminate(),
  };
}

async function interrupt(
  url: string,
  leaving: Leaving,
  seed: number,
  signal: AbortSignal,
): Promise<Interruption> {
  const socket = await openSocket(url, seed, signal);
  const close = (context: string) => ({ context_id: context, close_context: true });
  const say = (context: string, text: string) => ({ context_id: context, text, flush: true });
  const end = (context: string) => [say(context, ''), close(context)];
  try {
    socket.send({ context_id: 'old', text: ' ' }, say('old', textOf(ANSWER_SECONDS)));
    if (leaving === 'closed with its text') socket.send(...end('old'));
    await socket.first('old', 'audio');
    await pause(HEARD_MS, undefined, { signal });
    if (leaving === 'closed in its audio') socket.send(close('old'));
    const askedAtMs = monotonicMs();
    socket.send({ context_id: 'new', text: ' ' }, say('new', REPLY), ...end('new'));
    const heardAtMs = await socket.first('new', 'audio');
    await socket.first('new', 'final');
    return { leaving, seed, askedAtMs, heardAtMs, faults: socket.faults };
  } finally {
    socket.close();
  }
}

type Measured = {
  readonly speed: number;
  readonly leaving: Leaving;
  /** From the reply's first byte at the speech service to its first audio at the client. */
  readonly own: Spread;
  /** From the reply's text to its first audio. */
  readonly asked: Spread;
  /** From the reply's text to the end of the old answer's request; of a context that was closed in its audio. */
  readonly letGo: Spread;
};

async function measure(speed: number, { numbers, signal, progress }: BenchRun) {
  const lab = await openLab({ seed: numbers.seed, upstream: { speed, ttfbMs: TTFB_MS } });
  try {
    progress(`barge-in-contexts: ${numbers.samples} of each kind at ${speed} × real time`);
    const runs: Interruption[] = [];
    for (let round = 0; round < numbers.samples; round += 1) {
      const seedOf = (kind: number) => FIRST_SEED + round * LEAVINGS.length + kind;
      runs.push(
        ...(await Promise.all(
          LEAVINGS.map((leaving, kind) => interrupt(lab.url, leaving, seedOf(kind), signal)),
        )),
      );
    }
    const { heads, words, cuts } = await lab.upstreamReport();
    const replyHeads = new Map(heads.filter((_, index) => words[index] === REPLY_WORDS));
    const cutOf = new Map(cuts);
    const faults = runs.flatMap((run) => run.faults);
    const measured = LEAVINGS.map((leaving): Measured => {
      const own = runs.filter((run) => run.leaving === leaving);
      return {
        speed,
        leaving,
        own: spreadOf(own.map(({ seed, heardAtMs }) => heardAtMs - replyHeads.get(seed)!)),
        asked: spreadOf(own.map(({ askedAtMs, heardAtMs }) => heardAtMs - askedAtMs)),
        letGo: spreadOf(
          own.flatMap(({ seed, askedAtMs }) => (cutOf.has(seed) ? [cutOf.get(seed)! - askedAtMs] : [])),
        ),
      };
    });
    if (runs.some(({ seed }) => !replyHeads.has(seed))) faults.push('a reply was never asked for');
    const letGoAt = new Map(
      runs.filter(({ leaving }) => leaving === 'closed in its audio').map((run) => [run.seed, run.askedAtMs]),
    );
    const spokenOn = heads.filter(
      ([seed, atMs], index) =>
        words[index] !== REPLY_WORDS && atMs > (letGoAt.get(seed) ?? Number.POSITIVE_INFINITY) + SLACK_MS,
    );
    if (spokenOn.length > 0)
      faults.push('the speech service went on with an answer that was closed in its audio');
    return { measured, faults };
  } finally {
    await lab.close();
  }
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const measured: Measured[] = [];
  const faults: string[] = [];
  for (const speed of SPEEDS) {
    const at = await measure(speed, bench);
    measured.push(...at.measured);
    faults.push(...at.faults);
  }
  const cut = measured.filter(({ leaving }) => leaving === 'closed in its audio');
  return {
    title: `barge-in-contexts: ${bench.numbers.samples} answers of ${ANSWER_SECONDS} s, each interrupted after ${HEARD_MS / 1000} s in three ways`,
    columns: SPREAD_COLUMNS,
    rows: [
      ...measured.map(({ speed, leaving, own }) =>
        spreadRow(`${leaving}, ${speed} ×: own first byte → audio`, own),
      ),
      ...measured.map(({ speed, leaving, asked }) =>
        spreadRow(`${leaving}, ${speed} ×: reply → audio`, asked),
      ),
      ...cut.map(({ speed, leaving, letGo }) =>
        spreadRow(`${leaving}, ${speed} ×: reply → old request let go`, letGo),
      ),
    ],
    notes: [
      `The speech service takes ${TTFB_MS.join('–')} ms to its first byte. Old contexts of the other two kinds are spoken to their end unless the socket closes.`,
      'What was between two of its requests when the reply came had none to let go.',
    ],
    figures: Object.fromEntries(
      measured.flatMap(({ speed, leaving, own, asked, letGo }) => {
        const name = `${leaving.replaceAll(' ', '_')}_${String(speed).replace('.', '_')}x`;
        return [
          [`${name}_ownP50Ms`, own.p50],
          [`${name}_ownMaxMs`, own.max],
          [`${name}_replyP50Ms`, asked.p50],
          ...(leaving === 'closed in its audio' ? [[`${name}_letGoP50Ms`, letGo.p50]] : []),
        ] as [string, number][];
      }),
    ),
    faults: [...new Set(faults)],
  };
}

export const bargeInContexts: Bench = {
  summary: 'barge-in on a socket with contexts: first audio of the reply, and when the old answer is let go',
  defaults: { samples: 20, seed: 1 },
  run,
};
