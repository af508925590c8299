// Whether phones hear a gateway without a gap while it is busy: one simulated call of each kind of leg for a minute, beside
// live turns of other clients, with the gateway's event loop held now and then. The far sides keep the time by clocks of
// their own and judge what they get.

import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../client/session-client.ts';
import { LEGS } from '../legs/legs.ts';
import { CARRIERS } from '../simulate/carriers.ts';
import { dialCarrier } from '../simulate/dial-carrier.ts';
import type { SimulatedCall } from '../simulate/simulated-call.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { textOf } from './fake-upstream.ts';
import { type Lab, openLab } from './lab.ts';
import { startListeners } from './listeners.ts';

const WARM_UP_MS = 4000;
/** Rounding of the last frame, and of the marks. */
const DRIFT_MS = 20;

type Call = { readonly kind: string; readonly call: SimulatedCall; readonly over: Promise<Outcome> };
type Outcome = { readonly audioMs: number; readonly playedMs: number; readonly playedBy: string };

async function startCall(lab: Lab, kind: string, { numbers, signal }: BenchRun): Promise<Call> {
  const session = await connectSession({ url: lab.sessionUrl });
  const token = session.ready.attachToken;
  session.send({ type: 'attach', leg: { token } });
  const attached = session.next('attached');
  const url = `${lab.url.replace(/^http/, 'ws')}/v1/legs/${kind}/${token}`;
  const call = await dialCarrier(CARRIERS[kind]!, url, { callId: `bench-${kind}`, token });
  await attached;
  const ended = session.next('ended');
  const heard = session.next('heard');
  heard.catch(() => {});
  const text = textOf(numbers.seconds);
  session.send({ type: 'speak', turn: 'minute', text });
  const over = (async () => {
    const { audioMs } = await ended;
    const { playedMs, playedBy } = await heard;
    signal.throwIfAborted();
    while (call.playout.bufferedMs > 0) await pause(20);
    session.close();
    call.close();
    return { audioMs, playedMs, playedBy };
  })();
  over.catch(() => {});
  return { kind, call, over };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, signal, progress } = bench;
  const { streams, seconds, blockMs, seed } = numbers;
  const kinds = LEGS.map(({ kind }) => kind).filter((kind) => CARRIERS[kind]?.transport === undefined);
  const lab = await openLab({ seed, blockMs });
  try {
    const listeners = await startListeners({ sessionUrl: lab.sessionUrl, count: streams, seed, signal });
    progress(`legs: ${streams} other turns, then a call of each of ${kinds.join(', ')} for ${seconds} s`);
    await pause(WARM_UP_MS, undefined, { signal });
    const calls = await Promise.all(kinds.map((kind) => startCall(lab, kind, bench)));
    const results = await Promise.all(
      calls.map(async ({ kind, call, over }) => ({ kind, ...(await over), report: call.report() })),
    );
    await listeners.stop();
    const rows = results.map(({ kind, audioMs, playedMs, playedBy, report }) => [
      kind,
      (report.heardMs / 1000).toFixed(1),
      `${report.underruns.count} / ${report.underruns.ms}`,
      `${report.leadMs?.median ?? 0} / ${report.leadMs?.most ?? 0}`,
      `${report.jitterMs?.median ?? 0} / ${report.jitterMs?.p99 ?? 0}`,
      String(Math.round(report.heardMs - audioMs)),
      `${Math.round(playedMs - report.heardMs)} (${playedBy})`,
      String(report.faults.length),
    ]);
    const total = (of: (result: (typeof results)[number]) => number) =>
      results.reduce((sum, result) => sum + of(result), 0);
    return {
      title: `legs: a call of each kind for ${seconds} s beside ${streams} live turns, event loop held for up to ${blockMs} ms twice a second`,
      columns: [
        'leg',
        'heard, s',
        'gaps / ms',
        'lead, median / most, ms',
        'jitter, median / p99, ms',
        'heard beyond the audio, ms',
        'told less heard, ms',
        'faults',
      ],
      rows,
      notes: [
        'The far sides are simulated from the documents of the platforms; they were not tried against live ones.',
        'Aims: no gap on legs whose platform keeps the time; told and heard at most 40 ms apart with marks, 120 by the clock.',
      ],
      figures: {
        gaps: total(({ report }) => report.underruns.count),
        gapMs: total(({ report }) => report.underruns.ms),
        faults: total(({ report }) => report.faults.length),
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
