// `voxgate serve` on a data folder, as a process of its own, and what its callers ask of it.

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningProgram, startProgram } from './program.ts';

export type Answered = {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly json: Record<string, unknown>;
};

export type RecordsService = {
  readonly program: RunningProgram;
  readonly url: string;
  ask(method: string, path: string, body?: unknown): Promise<Answered>;
  /** The id of a job that was acknowledged. */
  createJob(text?: string): Promise<string>;
  until(id: string, status: string): Promise<Record<string, unknown>>;
  kill(signal: NodeJS.Signals): Promise<void>;
};

const HEADERS = { authorization: 'Bearer any', 'x-user-id': 'ann' };
const WAIT_MS = 60_000;

export const jobOf = (text: string) => ({
  model: 'VoxDialog',
  text,
  voice: 'voice://a',
  outputFormat: 'mp3',
});

export const serveEnv = (dataDir: string, upstream: URL, env: Readonly<Record<string, string>> = {}) => ({
  VOXGATE_UPSTREAM_URL: upstream.origin,
  VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
  VOXGATE_DATA_DIR: dataDir,
  VOXGATE_FFMPEG: 'off',
  VOXGATE_ENDINGS: 'sound',
  VOXGATE_MAKE_PER_MINUTE: '0',
  VOXGATE_ASK_PER_MINUTE: '0',
  ...env,
});

/** Asks until `isSo` answers something; throws when that takes too long. */
export async function eventually<T>(what: string, isSo: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + WAIT_MS;
  for (;;) {
    let problem: unknown;
    const found = await isSo().catch((error: unknown) => {
      problem = error;
      return undefined;
    });
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`still waiting: ${what}`, { cause: problem });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function askAt(url: string, method: string, path: string, body?: unknown): Promise<Answered> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...HEADERS, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    json: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>,
  };
}

export async function serveRecords(
  dataDir: string,
  upstream: URL,
  env: Readonly<Record<string, string>> = {},
): Promise<RecordsService> {
  const program = startProgram(['serve', '--port', '0'], { env: serveEnv(dataDir, upstream, env) });
  const [, port] = await program.printed(/ws:\/\/127\.0\.0\.1:(\d+)\/v1\/session/);
  const url = `http://127.0.0.1:${port}`;
  const ask = (method: string, path: string, body?: unknown) => askAt(url, method, path, body);
  return {
    program,
    url,
    ask,
    async createJob(text = 'Good morning.') {
      const { status, json } = await ask('POST', '/api/v1/tts', jobOf(text));
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`);
      return String(json.id);
    },
    until: (id, status) =>
      eventually(`${id} ${status}`, async () => {
        const { json } = await ask('GET', `/api/v1/tts/${id}`);
        return json.status === status ? json : undefined;
      }),
    async kill(signal) {
      program.child.kill(signal);
      await program.ended;
    },
  };
}

/** Every file under the works of a data folder with its size. */
export const filesOfWorks = (dataDir: string): Readonly<Record<string, number>> => {
  const works = join(dataDir, 'works');
  const found = readdirSync(works, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f-]{36}\/files\//.test(name))
    .map((name) => [name, statSync(join(works, name)).size] as const);
  return Object.fromEntries(found);
};

/** Runs a program to its end. */
export const run = (command: string, args: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const child: ChildProcess = spawn(command, args, { stdio: 'ignore' });
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
