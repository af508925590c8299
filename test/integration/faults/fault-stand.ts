// A whole gateway behind which everything can go wrong: the canned engine with its faults, the chaos proxy before it,
// and what both of them counted.

import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { type Engine, startEngine } from '../../../src/engine/engine-server.ts';
import { VOICES } from '../../../src/engine/voices.ts';
import { type ChaosProxy, readToxic, startChaosProxy } from '../../../testkit/chaos/chaos-proxy.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { type RunningGateway, startRunningGateway } from '../../support/running-gateway.ts';
import type { SessionProbe } from '../../support/session-probe.ts';
import { typedFaults } from '../../support/typed-faults.ts';

export type FaultRig = {
  /** Faults of the engine and toxics of the proxy, as they are typed. */
  readonly faults?: readonly string[];
  readonly toxics?: readonly string[];
  /** Requests in 60 s that the engine takes of each key, 0 without a limit; as many keys as numbers. By default two. */
  readonly keyLimits?: readonly number[];
  /** What the gateway is told that each key may send in a minute; nothing by default. */
  readonly toldPerMinute?: number;
  readonly seed?: number;
  readonly env?: Readonly<Record<string, string>>;
};

export type TurnTold = {
  readonly outcome: string;
  readonly audioMs: number;
  readonly audio: Buffer;
  readonly requests: number;
  /** Of its error, if it had one. */
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly tookMs: number;
};

export type FaultStand = {
  readonly gateway: RunningGateway;
  readonly engine: Engine;
  readonly proxy: ChaosProxy;
  readonly session: SessionProbe;
  /** Speaks one turn alone, from start to end, in `session` or in another one. */
  speak(turn: string, text?: string, session?: SessionProbe): Promise<TurnTold>;
  /** Another program sends so many requests with a key of this one. */
  useUp(key: 'key-0' | 'key-1', count: number): Promise<void>;
  /** How often a fault met a request, a limit refused one, or a toxic met a connection or request. */
  met(): number;
  /** 429s that the engine gave. */
  refusals(): number;
  /** Requests that arrived at the engine. */
  requests(): number;
  /** Speaks so many turns, one after the other. */
  speakAll(count: number): Promise<TurnTold[]>;
  close(): Promise<void>;
};

export const TEXT =
  'The last ferry leaves at nine from pier three, and I can keep two seats for you until then.';

export async function startFaultStand(rig: FaultRig): Promise<FaultStand> {
  const { faults = [], toxics = [], keyLimits = [0, 0], toldPerMinute, seed = 1, env = {} } = rig;
  const keys = keyLimits.map((perMinute, index) => ({
    userId: `user-${index}`,
    apiKey: `key-${index}`,
    perMinute,
  }));
  const engine = await startEngine({
    host: '127.0.0.1',
    port: 0,
    keys,
    log: silentLog,
    clock: systemClock,
    random: fixedRandom(0.5),
    canned: { paceFactor: 40, firstByteMs: 10 },
    report: 'kept',
    faults: typedFaults(faults, { seed }),
  });
  const proxy = await startChaosProxy({ target: engine.url, seed, toxics: toxics.map(readToxic) });
  const told = toldPerMinute === undefined ? '' : `@${toldPerMinute}`;
  const gateway = await startRunningGateway({
    env: {
      VOXGATE_UPSTREAM_URL: proxy.url,
      VOXGATE_UPSTREAM_KEYS: keys.map(({ userId, apiKey }) => `${userId}:${apiKey}${told}`).join(),
      VOXGATE_VOICE: VOICES[0]!.id,
      ...env,
    },
  });
  const session = await gateway.session('pace=burst');
  const refusals = () => engine.report().keys.reduce((sum, { refused }) => sum + refused, 0);

  const speak = async (turn: string, text = TEXT, speaker = session): Promise<TurnTold> => {
    const startMs = performance.now();
    speaker.send({ type: 'speak', turn, text, seed: 7 });
    const { outcome, audioMs, requests } = await speaker.ended(turn);
    const error = speaker.events('error').find((event) => event.turn === turn);
    return {
      outcome,
      audioMs,
      audio: speaker.audioOf(turn),
      requests,
      code: error?.code,
      retryAfterMs: error?.retryAfterMs,
      tookMs: performance.now() - startMs,
    };
  };
  return {
    gateway,
    engine,
    proxy,
    session,
    speak,
    met() {
      const spoilt = engine.report().requests.filter((request) => request.faults.length > 0).length;
      return refusals() + spoilt + Object.values(proxy.stats().met).reduce((sum, count) => sum + count, 0);
    },
    async useUp(key, count) {
      for (let i = 0; i < count; i++) {
        const answer = await fetch(`${engine.url}/api/v1/tts/stream`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'x-user-id': key.replace('key', 'user'),
            'content-type': 'application/json',
          },
          body: JSON.stringify({ model: 'VoxDialog', text: 'Yes.', voice: VOICES[0]!.id }),
        });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`the engine answered ${answer.status}`);
      }
    },
    refusals,
    requests: () => engine.report().requests.length,
    async speakAll(count) {
      const told: TurnTold[] = [];
      for (let i = 0; i < count; i++) told.push(await speak(`turn-${i}`));
      return told;
    },
    async close() {
      await gateway.close();
      await proxy.close();
      await engine.close();
    },
  };
}
