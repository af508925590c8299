// A whole gateway on a free port, as `voxgate serve` builds it, before a scripted speech service. Its log is kept as
// lines, so that a test can look for what must not stand there.

import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Gateway } from '../../src/app/gateway.ts';
import { startGateway } from '../../src/app/start.ts';
import type { Log } from '../../src/base/log.ts';
import { PROCESSES, startGatewayProcesses } from './gateway-processes.ts';
import { audio, type Script, type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import { openProbe, type ProbeOptions, type SessionProbe } from './session-probe.ts';
import { accepted } from './settings.ts';

const SPEECH = readFileSync(new URL('../../fixtures/audio/ffmpeg-live-24k.mp3', import.meta.url));

/** Length of `spoken(1)`, ms: 97 frames of 576 samples at 24 kHz. */
export const SPEECH_MS = 2328;
/** 24 kHz speech as MP3 without tags, 64 kbit/s: `times` × 2.3 s. */
export const spoken = (times = 1): Buffer => Buffer.concat(Array.from({ length: times }, () => SPEECH));

const FRAME_BYTES = 192;
const FRAME_MS = 24;
/** As a brisk voice reads; what is much shorter or longer than that is not believed to be the text. */
const CHARACTERS_PER_SECOND = 20;

/** Answers with speech that is as long as the text of the request would take. */
export const speaking: Script = (reply) => {
  const { text, speed = 1 } = reply.request.body as { text: string; speed?: number };
  const frames = Math.ceil((text.length * 1000) / (CHARACTERS_PER_SECOND * speed) / FRAME_MS);
  const sound = spoken(Math.ceil((frames * FRAME_MS) / SPEECH_MS));
  return audio(sound.subarray(0, frames * FRAME_BYTES))(reply);
};

export type RunningGateway = Gateway & {
  readonly port: number;
  readonly upstream: ScriptedUpstream;
  /** The first of several processes. */
  readonly child?: ChildProcess;
  readonly logLines: readonly string[];
  /** A session; `query` as in `format=raw&pace=burst`. Closed with the gateway. */
  session(query?: string, options?: ProbeOptions): Promise<SessionProbe>;
  /** /metrics, with the admin key where there is one. */
  scrape(): Promise<string>;
  /** One figure of it, all label sets added up. */
  metric(name: string): Promise<number>;
  close(): Promise<void>;
};

export type RunningGatewayOptions = {
  /** Answers of the speech service; by default every request gets 2.3 s of speech. */
  readonly script?: Script | readonly Script[];
  readonly env?: Readonly<Record<string, string>>;
  /** As the environment of the tests says unless given. */
  readonly processes?: number;
};

/** All samples of `name` in a scrape, added up; NaN when there is none. */
export function readMetric(scrape: string, name: string): number {
  const samples = scrape
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return samples.length === 0
    ? Number.NaN
    : samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

export async function startRunningGateway(options: RunningGatewayOptions = {}): Promise<RunningGateway> {
  const upstream = await startScriptedUpstream(options.script ?? audio(spoken()));
  const logLines: string[] = [];
  const keep =
    (level: string): Log['info'] =>
    (event, fields) =>
      void logLines.push(JSON.stringify({ level, event, ...fields }));
  const log: Log = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
  const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-data-'));
  const processes = options.processes ?? PROCESSES;
  const env = {
    VOXGATE_PORT: '0',
    VOXGATE_DATA_DIR: dataDir,
    VOXGATE_UPSTREAM_URL: upstream.url.origin,
    VOXGATE_UPSTREAM_KEYS: 'upstream-user:upstream-key',
    // What timing the words of all costs is no part of these tests; it has tests of its own.
    VOXGATE_WORD_TIMES: 'never',
    // To look for it takes two processes at each start.
    VOXGATE_FFMPEG: 'off',
    // The test shares the gateway's thread, and what a test costs says nothing about who may speak.
    VOXGATE_BUSY_AT: '0',
    // What a log must not hold is looked for at every level.
    VOXGATE_LOG_LEVEL: 'trace',
    ...(processes === 1 ? {} : { VOXGATE_PROCESSES: String(processes) }),
    // Of a gateway for others the figures take it; an empty one is none.
    ...(options.env?.VOXGATE_API_KEYS === undefined ? {} : { VOXGATE_ADMIN_KEY: 'admin' }),
    ...options.env,
  };
  const adminKey: string | undefined = (env as Record<string, string>).VOXGATE_ADMIN_KEY;
  const gateway =
    processes === 1
      ? await startGateway({ config: accepted({ env }).config, log, version: '0.0.0-test' })
      : await startGatewayProcesses(env, (line) => void logLines.push(line));
  const probes: SessionProbe[] = [];
  const scrape = async () => {
    const headers: Record<string, string> = adminKey ? { authorization: `Bearer ${adminKey}` } : {};
    return (await fetch(`${gateway.url}/metrics`, { headers })).text();
  };
  return {
    ...gateway,
    port: Number(new URL(gateway.url).port),
    upstream,
    logLines,
    async session(query, probeOptions) {
      const probe = await openProbe(
        `${gateway.sessionUrl}${query === undefined ? '' : `?${query}`}`,
        probeOptions,
      );
      probes.push(probe);
      return probe;
    },
    scrape,
    async metric(name) {
      return readMetric(await scrape(), name);
    },
    async close() {
      for (const probe of probes) probe.terminate();
      await gateway.stop(0);
      await upstream.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
