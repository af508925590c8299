// A real PostgreSQL of one's own: nothing it holds outlives a test, it listens on a Unix socket and a free port of the
// loopback, and it can be killed and started again. It does not run as root, so root starts it as the user of Debian's package.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { isMissing } from './missing-programs.ts';
import { freePort } from './redis-server.ts';

/** Tests that need it skip themselves where it could not be installed. */
export const hasPostgres = !isMissing('postgresql');

export type PostgresServer = {
  /** Of an empty database that is nobody else's; a name for each. */
  database(name: string): Promise<string>;
  /** SIGKILL to the whole server. */
  kill(): Promise<void>;
  /** Starts it anew with what it held, at the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
};

const READY_MS = 20_000;
const DEBIAN = '/usr/lib/postgresql';

/** Debian keeps its programs out of PATH, by version. */
function programsOf(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined) throw new Error('initdb of PostgreSQL is nowhere');
  return found;
}

/** Root runs it as `postgres`, whom Debian's package makes. */
function runAs(): { readonly uid: number; readonly gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const idOf = (which: '-u' | '-g') => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

export async function startPostgres(): Promise<PostgresServer> {
  const programs = programsOf();
  const user = runAs();
  const folder = mkdtempSync(join(tmpdir(), 'voxgate-postgres-'));
  chmodSync(folder, 0o777);
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'voxgate',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { stdio: 'ignore', cwd: folder, ...user },
  );
  const port = await freePort();
  const flags = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'fsync=off',
  ]
    // What is acknowledged has left the process, so it outlives the process; only the machine must not fail.
    .concat('full_page_writes=off', 'max_connections=120', 'shared_buffers=32MB')
    .flatMap((flag) => ['-c', flag]);
  let child: ChildProcess | undefined;
  const urlOf = (name: string) => `postgres://voxgate@127.0.0.1:${port}/${name}`;

  const ask = async (statement: string) => {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const start = async () => {
    child = spawn(join(programs, 'postgres'), ['-D', data, ...flags], {
      stdio: 'ignore',
      cwd: folder,
      ...user,
    });
    const endMs = performance.now() + READY_MS;
    for (;;) {
      if (child.exitCode !== null) throw new Error('postgres did not start');
      try {
        return await ask('SELECT 1');
      } catch (error) {
        if (performance.now() > endMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  await start();
  return {
    async database(name) {
      await ask(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    kill: () => end('SIGQUIT'),
    start,
    async close() {
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
