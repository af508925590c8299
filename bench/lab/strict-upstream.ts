// A speech service that counts as strictly as a real one, in a process of its own: `voxgate engine` with prebuilt
// sound, a limit for each key, and its own report of what really arrived, whatever its clients believe.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type StrictUpstreamPlan = {
  readonly keys: readonly string[];
  /** As `voxgate engine --fault limit=…` has it. */
  readonly limit: string;
};

/** The part of the engine's report that is read here (docs/testing-kit.md). */
export type StrictReport = {
  readonly keys: readonly {
    readonly key: string;
    readonly accepted: number;
    readonly refused: number;
    readonly mostAcceptedIn60s: number;
    /** By the minute of the wall clock, at its beginning. */
    readonly minutes: readonly { readonly unixMs: number; readonly accepted: number }[];
  }[];
  /** In order of arrival, the last 10,000. */
  readonly requests: readonly { readonly key: string; readonly atMs: number; readonly status: number }[];
};

export type StrictUpstream = {
  readonly url: string;
  /** One that it knows: a request must name one. */
  readonly voice: string;
  report(): Promise<StrictReport>;
  close(): Promise<void>;
};

const START_DEADLINE_MS = 20_000;
const LISTENING = /is listening at (\S+)$/;
/** The whole sound at once, soon: a request should cost next to nothing but its place in the quota. */
const FLAGS = ['--port', '0', '--log-level', 'warn', '--report', '--canned', '--canned-speed', '0'];
const FIRST_BYTE_MS = '50';
const USER = 'bench';

async function readUrl(child: ChildProcess): Promise<string> {
  const tooLate = setTimeout(() => child.kill('SIGKILL'), START_DEADLINE_MS);
  try {
    for await (const line of createInterface({ input: child.stdout! })) {
      const url = LISTENING.exec(line)?.[1];
      if (url !== undefined) return url;
    }
  } finally {
    clearTimeout(tooLate);
  }
  throw new Error('the strict speech service of the bench did not start');
}

export async function startStrictUpstream({ keys, limit }: StrictUpstreamPlan): Promise<StrictUpstream> {
  const folder = mkdtempSync(join(tmpdir(), 'voxgate-bench-keys-'));
  const keysFile = join(folder, 'keys');
  writeFileSync(keysFile, keys.map((key) => `${USER}:${key}`).join('\n'));
  const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  const flags = [...FLAGS, '--canned-first-byte', FIRST_BYTE_MS, '--keys-file', keysFile];
  const child = spawn(process.execPath, [program, 'engine', ...flags, '--fault', `limit=${limit}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const url = await readUrl(child);
    child.stdout.resume();
    const read = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> => {
      const response = await fetch(`${url}${path}`, { headers });
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
      return response.json();
    };
    const credentials = { authorization: `Bearer ${keys[0]}`, 'x-user-id': USER };
    const voices = (await read('/api/v1/voices', credentials)) as readonly { readonly id: string }[];
    return {
      url,
      voice: voices[0]!.id,
      report: async () => (await read('/report')) as StrictReport,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
