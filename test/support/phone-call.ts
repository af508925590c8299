// A bot's session and a call beside it in simulated time: the real session core, registry, leg connection and codec, a memory
// upstream, and a simulated carrier behind a line with a delay. What the client gets is in the session's own log.

import type { AttachTokens } from '../../src/access/attach-tokens.ts';
import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createLegConnection, type LegConnection } from '../../src/gateway/calls/leg-connection.ts';
import { createLocalLegRegistry, type LocalLegRegistry } from '../../src/gateway/calls/local-leg-registry.ts';
import type { Leg } from '../../src/legs/leg.ts';
import { twilioLeg } from '../../src/legs/twilio-leg.ts';
import type { PlayoutClock } from '../../src/playout/playout-clock.ts';
import type { CarrierRules } from '../../testkit/carriers/carrier-playout.ts';
import type { CarrierSide } from '../../testkit/carriers/carrier-side.ts';
import {
  type CallLateness,
  type SimulatedCall,
  startSimulatedCall,
} from '../../testkit/carriers/simulated-call.ts';
import { createTwilioSide } from '../../testkit/carriers/twilio-side.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from './live-session.ts';

export type PhoneCall = {
  readonly live: LiveSession;
  readonly carrier: SimulatedCall;
  readonly connection: LegConnection;
  /** When the carrier got each clear, on the session's clock. */
  readonly clearedAtMs: readonly number[];
  /** What has been heard, ms. */
  heardMs(): number;
};

/** The far side of a call and the line to it. */
export type CallSide = {
  readonly leg?: Leg;
  readonly side?: CarrierSide;
  readonly rules?: CarrierRules;
  /** Of the line, each way. */
  readonly delayMs?: number;
  /** The clock that the carrier plays by. */
  readonly carrierClock?: (clock: Clock) => Clock;
  /** Bytes that the gateway's socket holds. */
  readonly bufferedBytes?: () => number;
  /** The gateway closes. */
  readonly onClose?: (code: number, reason: string) => void;
  readonly lateness?: CallLateness;
};

export type PhoneCallOptions = LiveSessionOptions &
  CallSide & {
    readonly attach?: Record<string, unknown>;
    /** The session attaches before there is a call, and says something at once; the call comes so much later. */
    readonly awaited?: { readonly say: (live: LiveSession) => void; readonly callAfterMs: number };
  };

/** Of the line, each way. */
const DELAY_MS = 2;
const MULAW_RULES: CarrierRules = { bytesPerMs: 8, mostBufferedMs: 600_000, onClear: 'echo' };
/** Of every call here. */
export const TOKEN = 'token';
export const TOKENS: AttachTokens = { tokenFor: () => TOKEN, userOf: () => 'anna' };

/** A call that the registry is told of. */
export async function connectCall(
  { clock, playout, registry }: { clock: Clock; playout: PlayoutClock; registry: LocalLegRegistry },
  options: CallSide = {},
): Promise<Pick<PhoneCall, 'carrier' | 'connection' | 'clearedAtMs'>> {
  const { leg = twilioLeg, rules = MULAW_RULES, delayMs = DELAY_MS } = options;
  const own = options.side ?? createTwilioSide();
  const clearedAtMs: number[] = [];
  const side: CarrierSide = {
    ...own,
    read(frame) {
      const order = own.read(frame);
      if (order.kind === 'clear') clearedAtMs.push(clock.now());
      return order;
    },
  };
  const later = (act: () => void) => void clock.after(delayMs, act);
  let connection: LegConnection | undefined;
  const carrier = await startSimulatedCall({
    side,
    rules,
    call: { callId: 'CA1', token: TOKEN },
    url: '',
    clock: options.carrierClock?.(clock) ?? clock,
    says: () => new Uint8Array(20 * rules.bytesPerMs).fill(0xff),
    ...(options.lateness !== undefined && { lateness: options.lateness }),
    async transport(_url, events) {
      const opened = createLegConnection({
        id: 'leg-1',
        kind: leg.kind,
        codec: leg.open(),
        arrivals: registry,
        clock,
        log: silentLog,
        token: TOKEN,
        userOf: () => 'anna',
        unowned: 'refused',
        playout,
        wire: {
          send: (frame) => later(() => events.onFrame(frame)),
          bufferedBytes() {
            return options.bufferedBytes?.() ?? 0;
          },
          close(code, reason) {
            options.onClose?.(code, reason);
            later(() => events.onClosed(code));
          },
          terminate: () => later(() => events.onClosed(1006)),
        },
      });
      connection = opened;
      return {
        send: (frame) => later(() => opened.receive(frame)),
        close: () => later(() => opened.closed()),
      };
    },
  });
  return { carrier, connection: connection!, clearedAtMs };
}

/** A call that its session attaches to. */
export async function startPhoneCall(options: PhoneCallOptions = {}): Promise<PhoneCall> {
  const { rules = MULAW_RULES, delayMs = DELAY_MS, attach = {} } = options;
  let registry: LocalLegRegistry | undefined;
  const live = startSession({
    ...options,
    legs: { tokenFor: () => TOKEN, attach: (...asked) => registry!.attach(...asked) },
  });
  const { clock, playout } = live;
  registry = createLocalLegRegistry(clock, TOKENS);
  const attachNow = () => live.send({ type: 'attach', leg: { token: TOKEN }, ...attach });
  if (options.awaited !== undefined) {
    attachNow();
    options.awaited.say(live);
    await live.run(options.awaited.callAfterMs);
  }
  const call = await connectCall({ clock, playout, registry }, options);
  if (options.awaited === undefined) attachNow();
  await live.run(2 * delayMs + 1);
  const { heard } = call.carrier.playout;
  return {
    live,
    ...call,
    heardMs: () => heard.reduce((sum, { bytes }) => sum + bytes.length, 0) / rules.bytesPerMs,
  };
}
