// Whether phones hear a gateway without a gap while it is busy: one simulated call of each kind of leg for a minute, beside
// live turns of other clients, with the gateway's event loop held now and then. The far sides keep the time by clocks of
// their own and judge what they get.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connectSession, type SessionClient } from '../src/client/voxgate-client.ts';
import { LEGS } from '../src/legs/legs.ts';
import { freePort } from '../testkit/carriers/free-port.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { type ActorProcess, startActor } from './lab/actor.ts';
import { textOf } from './lab/fake-upstream.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';
import type { PhonePlan, PhoneReport } from './lab/phone-process.ts';

const WARM_UP_MS = 4000;
/** Rounding of the last frame, and of the marks. */
const DRIFT_MS = 20;
/** The far side has played by then what was told as heard by the clock. */
const PLAYED_OUT_MS = 500;
/** Plays what comes when it comes. */
const SENDER = 'audiosocket';
const KINDS = [...LEGS.map(({ kind }) => kind), SENDER];

type Outcome = {
  readonly kind: string;
  readonly audioMs: number;
  readonly playedMs: number;
  readonly playedBy: string;
};
type Call = PhonePlan['calls'][number] & { readonly session: SessionClient };
type Attached = { readonly calls: readonly Call[]; readonly phones: ActorProcess<unknown, PhoneReport> };

/** A session that waits for its call, and what is to be dialled for it. */
async function openCall(kind: string, lab: Lab, port: number, signal: AbortSignal): Promise<Call> {
  const session = await connectSession({ url: lab.sessionUrl });
  signal.addEventListener('abort', () => session.close(), { once: true });
  if (kind === 'audiosocket') {
    const uuid = randomUUID();
    session.send({ type: 'attach', leg: { token: uuid } });
    return { kind, session, url: `tcp://127.0.0.1:${port}`, callId: uuid, token: uuid };
  }
  const token = session.ready.attachToken;
  session.send({ type: 'attach', leg: { token } });
  const url = `${lab.url.replace(/^http/, 'ws')}/v1/legs/${kind}/${token}`;
  return { kind, session, url, callId: `bench-${kind}`, token };
}

/** A call of each kind, joined with its session. */
async function openCalls(lab: Lab, port: number, signal: AbortSignal): Promise<Attached> {
  const calls = await Promise.all(KINDS.map((kind) => openCall(kind, lab, port, signal)));
  const attached = calls.map(({ session }) => session.next('attached'));
  for (const told of attached) told.catch(() => {}); // looked at when the far sides are there
  const plan: PhonePlan = {
    calls: calls.map(({ kind, url, callId, token }) => ({ kind, url, callId, token })),
  };
  const phones = await startActor<unknown, PhoneReport>('phone-process', plan);
  await Promise.all(attached);
  return { calls, phones };
}

/** Resolves when the turn has been heard. */
async function speakFor({ kind, session }: Call, seconds: number): Promise<Outcome> {
  const [ended, heard] = [session.next('ended'), session.next('heard')];
  for (const told of [ended, heard]) told.catch(() => {}); // a turn that fails is not heard
  session.send({ type: 'speak', turn: 'minute', text: textOf(seconds) });
  const { audioMs, outcome } = await ended;
  if (outcome !== 'complete') throw new Error(`the turn of the call over ${kind} ended ${outcome}`);
  const { playedMs, playedBy } = await heard;
  return { kind, audioMs, playedMs, playedBy };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, signal, progress } = bench;
  const { streams, seconds, blockMs, seed } = numbers;
  const port = await freePort();
  const lab = await openLab({
    seed,
    blockMs: [blockMs / 5, blockMs],
    flags: ['--audiosocket-port', String(port)],
  });
  try {
    const listeners = await startListeners({ sessionUrl: lab.sessionUrl, count: streams, seed, signal });
    progress(`legs: ${streams} other turns, then a call of each of ${KINDS.join(', ')} for ${seconds} s`);
    await pause(WARM_UP_MS, undefined, { signal });
    const { calls, phones } = await openCalls(lab, port, signal);
    const outcomes = await Promise.all(calls.map((call) => speakFor(call, seconds)));
    await pause(PLAYED_OUT_MS);
    const reports = await phones.report();
    for (const { session } of calls) session.close();
    await phones.close();
    await listeners.stop();
    const results = outcomes.map((outcome, index) => ({ ...outcome, report: reports[index]! }));
    const rows = results.map(({ kind, audioMs, playedMs, playedBy, report }) => [
      kind,
      (report.heardMs / 1000).toFixed(1),
      `${report.underruns.count} / ${report.underruns.ms}`,
      `${report.leadMs?.median ?? 0} / ${report.leadMs?.most ?? 0}`,
      `${report.jitterMs?.median ?? 0} / ${report.jitterMs?.p99 ?? 0}`,
      String(Math.round(report.heardMs - audioMs)),
      `${Math.round(playedMs - report.heardMs)} (${playedBy})`,
      String(report.faults.length),
      ...(kind === SENDER ? [String(report.silentFrames), String(Math.round(report.driftMs))] : ['–', '–']),
    ]);
    const sender = results.find(({ kind }) => kind === SENDER)!;
    const total = (of: (result: (typeof results)[number]) => number) =>
      results.reduce((sum, result) => sum + of(result), 0);
    return {
      title: `legs: a call of each kind for ${seconds} s beside ${streams} live turns, event loop held for ${blockMs / 5} to ${blockMs} ms twice a second`,
      columns: [
        'leg',
        'heard, s',
        'gaps / ms',
        'lead, median / most, ms',
        'jitter, median / p99, ms',
        'heard beyond the audio, ms',
        'told less heard, ms',
        'faults',
        'silent frames',
        'drift, ms',
      ],
      rows,
      notes: [
        'The far sides are simulated from the documents of the platforms; they were not tried against live ones.',
        'Aims: no gap on legs whose platform keeps the time; told and heard at most 40 ms apart with marks, 120 by the clock.',
        'AudioSocket, with 60 ms of lead: silent frames inside the speech, at most one a minute, and how late its last frame was, at most 20 ms.',
      ],
      figures: {
        gaps: total(({ kind, report }) => (kind === SENDER ? 0 : report.underruns.count)),
        gapMs: total(({ kind, report }) => (kind === SENDER ? 0 : report.underruns.ms)),
        faults: total(({ report }) => report.faults.length),
        senderSilentFrames: sender.report.silentFrames,
        senderDriftMs: sender.report.driftMs,
        mostTooMuchToldMs: Math.max(...results.map(({ playedMs, report }) => playedMs - report.heardMs)),
      },
      faults: results.flatMap(({ kind, audioMs, report }) => [
        ...report.faults.map((fault) => `${kind}: ${fault}`),
        ...(report.heardMs < audioMs - DRIFT_MS
          ? [`${kind}: ${audioMs - report.heardMs} ms were not heard`]
          : []),
      ]),
    };
  } finally {
    await lab.close();
  }
}

export const legs: Bench = {
  summary:
    'a phone call of each kind beside live turns, the event loop held now and then: gaps, lead, jitter',
  defaults: { streams: 100, seconds: 60, blockMs: 50, seed: 1 },
  run,
};
