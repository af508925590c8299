// A gateway with keys as the clients of other vendors see it: raw requests, and what the speech service was asked.

import type { SpeechRequest } from '../../../src/speech/speech-request.ts';
import { spoken } from '../../support/running-gateway.ts';
import { type RunningService, spokenBody, startRunningService } from '../../support/running-service.ts';
import { audio, type Script, silence, status } from '../../support/scripted-upstream.ts';

export type VendorRig = {
  readonly service: RunningService;
  /** What the next requests to the speech service get. */
  script: Script;
  post(path: string, body: unknown, more?: PostOptions): Promise<Response>;
  /** The last request that reached the speech service. */
  readonly asked: SpeechRequest;
  close(): Promise<void>;
};

export type PostOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export async function startVendorRig(
  keyHeaders: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<VendorRig> {
  const service = await startRunningService({ script: (reply) => rig.script(reply), env });
  const rig: VendorRig = {
    service,
    script: audio(spoken()),
    post: (path, body, { headers, signal } = {}) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...keyHeaders, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
    close: () => service.close(),
    get asked() {
      return spokenBody(service.upstream.requests.at(-1)!.body);
    },
  };
  return rig;
}

/** Leaves before the first byte and in the middle; resolves when the speech service has been left both times. */
export async function leaveEarlyAndLate(
  rig: VendorRig,
  speak: (signal: AbortSignal) => Promise<Response>,
): Promise<void> {
  for (const script of [silence, begun]) {
    rig.script = script;
    const asked = rig.service.upstream.request(rig.service.upstream.requests.length + 1);
    const leaving = new AbortController();
    const speaking = speak(leaving.signal).catch(() => undefined);
    const { hungUp } = await asked;
    if (script === begun) await speaking;
    leaving.abort();
    await hungUp;
    await speaking;
  }
  rig.script = audio(spoken());
}

const SLOW_MS = 4000;

/** Four seconds to the first byte: longer than most callers like, shorter than any client's own limit. */
export const slowly: Script = async (reply) => {
  await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  return audio(spoken())(reply);
};

/** Sends so much that a client has something to read, and then nothing more. */
const begun: Script = (reply) => {
  reply.start();
  reply.write(spoken().subarray(0, 9000));
};

/** What an interruption may take to reach the speech service. */
export const A_MOMENT_MS = 1500;

/** Begins, leaves by `leave` once it has begun, and tells how long it took until the speech service was left. */
export async function msUntilLeft(rig: VendorRig, begin: () => Promise<() => unknown>): Promise<number> {
  rig.script = begun;
  const asked = rig.service.upstream.request(rig.service.upstream.requests.length + 1);
  const leave = await begin();
  const { hungUp } = await asked;
  const fromMs = performance.now();
  leave();
  await Promise.race([hungUp, new Promise((resolve) => setTimeout(resolve, A_MOMENT_MS * 2))]);
  rig.script = audio(spoken());
  return performance.now() - fromMs;
}

const LIMITED = status(429, { 'retry-after': '1' });
/** Less than that: it is the caller who waits and comes again. */
const IMPATIENT = { VOXGATE_UPSTREAM_MAX_WAIT_MS: '500' };

/**
 * Two gateways without a past, so that neither has learned a quota: one before a speech service that refuses every
 * request with 429, one before a service that refuses the first.
 */
export async function startLimitedRigs(): Promise<{ readonly always: VendorRig; readonly once: VendorRig }> {
  const [always, once] = await Promise.all([startVendorRig({}, IMPATIENT), startVendorRig({}, IMPATIENT)]);
  always.script = LIMITED;
  once.script = (reply) => (once.service.upstream.requests.length <= 1 ? LIMITED : audio(spoken()))(reply);
  return { always, once };
}
