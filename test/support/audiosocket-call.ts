// A session and a call over AudioSocket in simulated time: the real server of such calls without its sockets, a registry, a
// session core with an upstream in memory, and a simulated Asterisk that may say its first word late.

import { silentLog } from '../../src/base/log.ts';
import { createAudioSocketServer } from '../../src/gateway/calls/audiosocket-server.ts';
import type { CallListenerOptions } from '../../src/gateway/calls/call-listener.ts';
import { createLocalLegRegistry, type LocalLegRegistry } from '../../src/gateway/calls/local-leg-registry.ts';
import { createAudioSocketSide } from '../../testkit/carriers/audiosocket-side.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import {
  type CallLateness,
  type SimulatedCall,
  startSimulatedCall,
} from '../../testkit/carriers/simulated-call.ts';
import { fixedRandom } from './fixed-random.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from './live-session.ts';
import { OPEN_ADMISSION } from './open-admission.ts';

const CALL_UUID = '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405162';
const FRAMES_PER_SECOND = 50;

export type AudioSocketCall = {
  readonly live: LiveSession;
  readonly carrier: SimulatedCall;
  /** The kinds of the messages that the gateway has sent, with their times. */
  readonly sent: readonly { readonly atMs: number; readonly kind: number }[];
  /** The `index`th 20 ms that the caller says. */
  says(index: number): Uint8Array;
};

/** The session has asked for the call before it comes, unless told otherwise. */
export async function startAudioSocketCall(
  sampleRate: number,
  lateness: CallLateness,
  options: LiveSessionOptions & { readonly inbound?: 'drop' | 'forward' } = {},
): Promise<AudioSocketCall> {
  let registry: LocalLegRegistry | undefined;
  const live = startSession({
    ...options,
    legs: { tokenFor: () => 'token', attach: (...asked) => registry!.attach(...asked) },
  });
  const { clock, playout } = live;
  registry = createLocalLegRegistry(clock, { tokenFor: () => 'token', userOf: () => undefined });
  let calls: CallListenerOptions | undefined;
  createAudioSocketServer({
    arrivals: registry,
    openCalls(given) {
      calls = given;
      return { listen: () => Promise.resolve(0), drain() {}, close() {} };
    },
    callers: { are: 'strangers' },
    maxLegs: 1,
    limits: { connectionTimeMs: 100 },
    intake: {
      intakeSpent() {},
      intakeSlowed() {},
      intakeRefused() {},
      legStarted() {},
      legOver() {},
      legEvicted() {},
    },
    admission: OPEN_ADMISSION,
    clock,
    playout,
    random: fixedRandom(1),
    log: silentLog,
  });
  live.send({ type: 'attach', leg: { token: CALL_UUID }, inbound: options.inbound ?? 'forward' });

  const frameBytes = (sampleRate * 2) / FRAMES_PER_SECOND;
  const says = (index: number) => new Uint8Array(frameBytes).map((_, at) => (index * 31 + at) % 251);
  const sent: { atMs: number; kind: number }[] = [];
  const startedAtMs = clock.now();
  const carrier = await startSimulatedCall({
    side: createAudioSocketSide(sampleRate),
    rules: { ...CARRIERS.audiosocket!.rules, bytesPerMs: (sampleRate * 2) / 1000 },
    call: { callId: CALL_UUID, token: CALL_UUID },
    url: '',
    clock,
    says,
    lateness,
    async transport(_url, events) {
      const gateway = calls!.onCall({
        address: '127.0.0.1',
        wire: {
          send(frame) {
            const bytes = frame as Uint8Array;
            sent.push({ atMs: clock.now() - startedAtMs, kind: bytes[0]! });
            clock.soon(() => events.onFrame(bytes));
          },
          bufferedBytes: () => 0,
          close: () => clock.soon(() => events.onClosed(1000)),
          terminate: () => clock.soon(() => events.onClosed(1006)),
        },
      })!;
      return {
        send: (frame) => clock.soon(() => gateway.onBytes(Buffer.from(frame as Uint8Array))),
        close: () => clock.soon(() => gateway.onGone()),
      };
    },
  });
  return { live, carrier, sent, says };
}
