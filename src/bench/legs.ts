// Whether phones hear a gateway without a gap while it is busy: one simulated call of each kind of leg for a minute, beside
// live turns of other clients, with the gateway's event loop held now and then. The far sides keep the time by clocks of
// their own and judge what they get.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../client/session-client.ts';
import { LEGS } from '../legs/legs.ts';
import type { CallReport } from '../simulate/call-record.ts';
import { CARRIERS } from '../simulate/carriers.ts';
import { dialCarrier } from '../simulate/dial-carrier.ts';
import { freePort } from '../simulate/free-port.ts';
import { startActor } from './actor.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { textOf } from './fake-upstream.ts';
import type { HeardInTime } from './heard-in-time.ts';
import { type Lab, openLab } from './lab.ts';
import { startListeners } from './listeners.ts';
import type { PhonePlan, PhoneReport } from './phone-process.ts';

const WARM_UP_MS = 4000;
/** Rounding of the last frame, and of the marks. */
const DRIFT_MS = 20;
/** The far side has played by then what was told as heard by the clock. */
const PLAYED_OUT_MS = 500;

type Outcome = {
  readonly kind: string;
  readonly audioMs: number;
  readonly playedMs: number;
  readonly playedBy: string;
  readonly report: CallReport & Partial<HeardInTime>;
};
/** The far side of a call. */
type FarSide = { report(): Promise<Outcome['report']>; close(): Promise<void> | void };
/** What a session attaches to, and who brings it. */
type Dialling = { readonly token: string; readonly dial: () => Promise<FarSide> };

const callOf = async (
  kind: string,
  lab: Lab,
  { numbers, signal }: BenchRun,
  dialling: (ownToken: string) => Dialling,
): Promise<() => Promise<Outcome>> => {
  const session = await connectSession({ url: lab.sessionUrl });
  const { token, dial } = dialling(session.ready.attachToken);
  session.send({ type: 'attach', leg: { token } });
  const attached = session.next('attached');
  attached.catch(() => {}); // looked at when the far side is there
  signal.addEventListener('abort', () => session.close(), { once: true });
  const farSide = await dial();
  await attached;
  return async () => {
    const [ended, heard] = [session.next('ended'), session.next('heard')];
    for (const told of [ended, heard]) told.catch(() => {}); // a turn that fails is not heard
    session.send({ type: 'speak', turn: 'minute', text: textOf(numbers.seconds) });
    try {
      const { audioMs, outcome } = await ended;
      if (outcome !== 'complete') throw new Error(`the turn of the call over ${kind} ended ${outcome}`);
      const { playedMs, playedBy } = await heard;
      await pause(PLAYED_OUT_MS);
      return { kind, audioMs, playedMs, playedBy, report: await farSide.report() };
    } finally {
      session.close();
      await farSide.close();
    }
  };
};

/** A platform that keeps the time itself, in this process. */
const carrierCall = (kind: string, lab: Lab, bench: BenchRun) =>
  callOf(kind, lab, bench, (token) => ({
    token,
    async dial() {
      const url = `${lab.url.replace(/^http/, 'ws')}/v1/legs/${kind}/${token}`;
      const call = await dialCarrier(CARRIERS[kind]!, url, { callId: `bench-${kind}`, token });
      return { report: async () => call.report(), close: () => call.close() };
    },
  }));
/** Asterisk's AudioSocket, which plays what comes when it comes. */
const audioSocketCall = (port: number, lab: Lab, bench: BenchRun) =>
  callOf('audiosocket', lab, bench, () => {
    const uuid = randomUUID();
    const plan: PhonePlan = { url: `tcp://127.0.0.1:${port}`, uuid };
    return { token: uuid, dial: () => startActor<unknown, PhoneReport>('phone-process', plan) };
  });

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, signal, progress } = bench;
  const { streams, seconds, blockMs, seed } = numbers;
  const kinds = LEGS.map(({ kind }) => kind).filter((kind) => CARRIERS[kind]?.transport === undefined);
  const port = await freePort();
  const lab = await openLab({ seed, blockMs, flags: ['--audiosocket-port', String(port)] });
  try {
    const listeners = await startListeners({ sessionUrl: lab.sessionUrl, count: streams, seed, signal });
    progress(
      `legs: ${streams} other turns, then a call of each of ${kinds.join(', ')}, audiosocket for ${seconds} s`,
    );
    await pause(WARM_UP_MS, undefined, { signal });
    const calls = await Promise.all([
      ...kinds.map((kind) => carrierCall(kind, lab, bench)),
      audioSocketCall(port, lab, bench),
    ]);
    const results = await Promise.all(calls.map((speak) => speak()));
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
      report.silentFrames === undefined ? '–' : String(report.silentFrames),
      report.driftMs === undefined ? '–' : String(Math.round(report.driftMs)),
    ]);
    const sender = results.at(-1)!;
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
        gaps: total(({ report }) => report.underruns.count),
        gapMs: total(({ report }) => report.underruns.ms),
        faults: total(({ report }) => report.faults.length),
        senderSilentFrames: sender.report.silentFrames!,
        senderDriftMs: sender.report.driftMs!,
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
