// What was acknowledged outlives what happens to the folder that it is in: a database that is missing, empty or foreign; a
// pause in which another process takes the folder; a full disk; a program that is about to stop. Real processes.

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWasmDriver } from '../../src/storage/sqlite/wasm-driver.ts';
import { buildProgram, startProgram } from '../support/program.ts';
import {
  askAt,
  eventually,
  filesOfWorks,
  jobOf,
  type RecordsService,
  run,
  serveEnv,
  serveRecords,
} from '../support/records-service.ts';
import { spoken } from '../support/running-gateway.ts';
import {
  audio,
  openGate,
  type Script,
  type ScriptedUpstream,
  stallAfter,
  startScriptedUpstream,
} from '../support/scripted-upstream.ts';
import { openProbe } from '../support/session-probe.ts';

/** Each starts several processes, on a machine that may have much else to do. */
const TEST_MS = 300_000;
/** A start that should have been refused by then was not. */
const START_MS = 60_000;

/** A folder with one finished job, as a program leaves it that was told to stop; each test has a copy. */
let finished: { readonly folder: string; readonly id: string; readonly path: string };
let root: string;
let dataDir: string;
let upstream: ScriptedUpstream;
let services: RecordsService[] = [];
let mounts: string[] = [];

beforeAll(async () => {
  buildProgram();
  finished = await finishedFolder(mkdtempSync(join(tmpdir(), 'voxgate-finished-')));
}, TEST_MS);
afterAll(() => rmSync(finished.folder, { recursive: true, force: true }));
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'voxgate-store-'));
  dataDir = join(root, 'data');
  mkdirSync(dataDir);
});
afterEach(async () => {
  for (const { program } of services) program.child.kill('SIGCONT');
  for (const service of services) await service.kill('SIGKILL');
  for (const mount of mounts) await run('umount', ['-l', mount]);
  await upstream.close();
  rmSync(root, { recursive: true, force: true });
  [services, mounts] = [[], []];
});

const speakWith = async (script: Script) => {
  upstream = await startScriptedUpstream(script);
};
const serve = async (folder = dataDir, env: Record<string, string> = {}) => {
  const service = await serveRecords(folder, upstream.url, env);
  services.push(service);
  return service;
};
const database = (folder = dataDir) => join(folder, 'records/voxgate.db');

async function finishedFolder(folder: string): Promise<typeof finished> {
  await speakWith(audio(spoken()));
  const service = await serveRecords(folder, upstream.url);
  try {
    const id = await service.createJob();
    const { output } = await service.until(id, 'completed');
    return { folder, id, path: new URL(String((output as { url: string }).url)).pathname };
  } finally {
    await service.kill('SIGTERM');
    await upstream.close();
  }
}

/** The finished job is there, with its file. */
async function expectKept(service: RecordsService): Promise<void> {
  await service.until(finished.id, 'completed');
  expect((await fetch(service.url + finished.path)).status).toBe(200);
}

async function openDatabase() {
  const driver = await openWasmDriver(database());
  driver.exec('PRAGMA locking_mode = EXCLUSIVE');
  return driver;
}

/** A start that is refused: with one line, and nothing of the folder changed. */
async function expectRefusedStart(folder: string, ...words: readonly string[]): Promise<void> {
  const before = filesOfWorks(folder);
  const program = startProgram(['serve', '--port', '0'], {
    env: serveEnv(folder, upstream.url, { VOXGATE_LOG_LEVEL: 'error' }),
  });
  const late = setTimeout(() => program.child.kill('SIGKILL'), START_MS);
  const { code, stderr } = await program.ended;
  clearTimeout(late);
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  for (const word of words) expect(stderr).toContain(word);
  expect(Object.keys(before).length).toBeGreaterThan(0);
  expect(filesOfWorks(folder)).toEqual(before);
}

describe('a database that does not fit its folder', { timeout: TEST_MS }, () => {
  beforeEach(async () => {
    await speakWith(audio(spoken()));
    cpSync(finished.folder, dataDir, { recursive: true });
  });

  it.each(['missing', 'empty'] as const)(
    'stops the start when it is %s; put back, nothing is lost',
    async (how) => {
      if (how === 'missing') rmSync(database());
      else truncateSync(database());
      for (let i = 0; i < 2; i++)
        await expectRefusedStart(dataDir, database(), 'missing or empty', 'put the database back', 'move');
      copyFileSync(database(finished.folder), database());
      await expectKept(await serve());
    },
  );

  it('stops the start when it belongs to another folder', async () => {
    const other = join(root, 'other');
    const elsewhere = await serve(other);
    await elsewhere.kill('SIGTERM');
    const theirs = readFileSync(join(other, 'works/folder-id'), 'utf8').trim();
    rmSync(join(dataDir, 'records'), { recursive: true });
    renameSync(join(other, 'records'), join(dataDir, 'records'));
    await expectRefusedStart(dataDir, 'does not belong to', theirs, 'folder-id');
    // Whoever means it may say so; works that this database does not know are left where they are.
    writeFileSync(join(dataDir, 'works/folder-id'), theirs);
    const before = filesOfWorks(dataDir);
    const accepted = await serve(dataDir, { VOXGATE_LOG_LEVEL: 'warn' });
    expect(accepted.program.stderr()).toContain('unknown_files_left');
    await accepted.kill('SIGTERM');
    expect(filesOfWorks(dataDir)).toEqual(before);
  });

  it('of a version without ids goes on as before', async () => {
    const driver = await openDatabase();
    driver.exec(
      'DROP TABLE revoked_tokens; DROP TABLE folder; DROP TABLE disposable_files; PRAGMA user_version = 1',
    );
    driver.close();
    rmSync(join(dataDir, 'works/folder-id'));
    for (let i = 0; i < 2; i++) {
      const again = await serve();
      await expectKept(again);
      await again.kill('SIGTERM');
    }
    expect(existsSync(join(dataDir, 'works/folder-id'))).toBe(true);
  });

  it('begins in an empty folder once the works have been moved away', async () => {
    rmSync(join(dataDir, 'records'), { recursive: true });
    await expectRefusedStart(dataDir, 'missing or empty');
    renameSync(join(dataDir, 'works'), join(root, 'works.old'));
    const anew = await serve();
    await anew.until(await anew.createJob(), 'completed');
  });
});

describe('a process that is stopped while another takes its folder', { timeout: TEST_MS }, () => {
  it('acknowledges nothing afterwards and ends; nothing that it had acknowledged is lost', async () => {
    const gate = openGate();
    await speakWith(async (reply) => {
      reply.start();
      await gate.opened;
      reply.write(spoken());
      reply.end();
    });
    const first = await serve(dataDir, { VOXGATE_DRAIN_MS: '2000' });
    const kept: string[] = [];
    for (let i = 0; i < 3; i++) kept.push(await first.createJob(`Job ${i}.`));
    first.program.child.kill('SIGSTOP');
    // What an operator does who believes that it is gone, and what a silent holder elsewhere comes to by itself.
    rmSync(join(dataDir, 'records/holder.json'));
    const second = await serve();
    kept.push(await second.createJob('Of the second.'));
    // They wait in the socket of the one that sleeps, and are what it sees first.
    const asked = Array.from({ length: 3 }, (_, i) =>
      askAt(first.url, 'POST', '/api/v1/tts', jobOf(`Late ${i}.`)),
    );
    const agent = askAt(first.url, 'POST', '/api/v1/agents', { name: 'Late', voice: 'voice://a' });
    await new Promise((resolve) => setTimeout(resolve, 6_500));
    first.program.child.kill('SIGCONT');
    for (const answer of await Promise.allSettled([...asked, agent])) {
      if (answer.status === 'rejected') continue; // hung up on: that promises nothing either
      expect(answer.value.status).toBe(503);
      expect(Number(answer.value.retryAfter)).toBeGreaterThan(0);
    }
    const { code, stderr } = await first.program.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('data_folder_lost');
    expect(stderr).toContain('another instance has taken the data folder');
    gate.open();
    for (const id of kept) await second.until(id, 'completed');
    await second.until(await second.createJob('And on.'), 'completed');
    await second.kill('SIGTERM');
    const driver = await openDatabase();
    expect(driver.one('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    driver.close();
    const third = await serve();
    for (const id of kept) await third.until(id, 'completed');
  });
});

describe('a disk without room', { timeout: TEST_MS }, () => {
  it('refuses with 507, says so at /readyz, and makes what was accepted when there is room', async (context) => {
    if ((await run('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', dataDir])) !== 0)
      return context.skip('no file system may be mounted here');
    mounts.push(dataDir);
    const gate = openGate();
    await speakWith(async (reply) => {
      reply.start();
      await gate.opened;
      reply.write(spoken());
      reply.end();
    });
    const service = await serve();
    const first = await service.createJob();
    await service.until(first, 'running');
    await upstream.request(1);
    const ballast = join(dataDir, 'ballast');
    const fill = () => {
      writeFileSync(ballast, '');
      for (let bytes = 1 << 20; bytes >= 512; )
        try {
          writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
        } catch {
          bytes >>= 1;
        }
    };
    fill();
    gate.open();
    const notReady = await eventually('not ready', async () => {
      const answer = await service.ask('GET', '/readyz');
      return answer.status === 503 ? answer : undefined;
    });
    expect(notReady.json).toEqual({ status: 'unavailable', reason: 'storage full' });
    const refused = await service.ask('POST', '/api/v1/tts', jobOf('No room.'));
    expect(refused).toMatchObject({ status: 507, json: { errorId: 'INSUFFICIENT_STORAGE' } });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    const form = new FormData();
    form.set('synthesisStyle', 'podcast');
    form.set('voice1', 'voice://a');
    form.set('voice1Name', 'Ann');
    form.set('sourceFile', new Blob(['A source. '.repeat(10_000)]), 'source.txt');
    const upload = await fetch(`${service.url}/api/v1/playnotes`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'x-user-id': 'ann' },
      body: form,
    });
    expect([upload.status, upload.headers.has('retry-after')]).toEqual([507, true]);
    expect((await service.ask('GET', `/api/v1/tts/${first}`)).json.status).not.toBe('failed');
    rmSync(ballast);
    await eventually('ready', async () => {
      const { status, json } = await service.ask('GET', '/readyz');
      if (status !== 200) throw new Error(JSON.stringify(json));
      return 'ready';
    });
    await service.until(first, 'completed');
    await service.until(await service.createJob('Room again.'), 'completed');
    // A second time, and a restart in between.
    const waiting = await service.createJob('Before the restart.');
    await service.kill('SIGKILL');
    const again = await serve();
    await again.until(waiting, 'completed');
    expect((await again.ask('GET', `/api/v1/tts/${first}`)).json.status).toBe('completed');
  });
});

describe('a disk that cannot be written', { timeout: TEST_MS }, () => {
  it('stops the start and deletes nothing', async (context) => {
    await speakWith(audio(spoken()));
    cpSync(finished.folder, dataDir, { recursive: true });
    const readOnly = join(root, 'read-only');
    mkdirSync(readOnly);
    if ((await run('mount', ['--bind', dataDir, readOnly])) !== 0)
      return context.skip('no folder may be mounted here');
    mounts.push(readOnly);
    if ((await run('mount', ['-o', 'remount,bind,ro', readOnly])) !== 0)
      return context.skip('no folder may be mounted read-only here');
    await expectRefusedStart(readOnly, readOnly);
  });
});

describe('a program that is about to stop', { timeout: TEST_MS }, () => {
  it('takes nothing more, with Retry-After, and leaves what it had taken to the next start', async () => {
    await speakWith(stallAfter(spoken(20)));
    const service = await serve();
    const accepted = await service.createJob('Accepted before.');
    const probe = await openProbe(`${service.url.replace('http', 'ws')}/v1/session`);
    probe.send({ type: 'speak', turn: 'a', text: 'A very long story.' });
    await probe.nextAudio();
    service.program.child.kill('SIGTERM');
    await probe.event('goaway');
    const asked: (readonly [string, string, unknown?])[] = [
      ['POST', '/api/v1/tts', jobOf('Too late.')],
      ['POST', '/api/v1/tts/turbo', { ...jobOf('Too late.'), model: 'VoxDialog-turbo' }],
      ['POST', '/api/v1/tts/stream', { model: 'VoxDialog', text: 'Too late.', voice: 'voice://a' }],
      ['POST', '/api/v1/playnotes', {}],
      ['POST', '/api/v1/agents', { name: 'Late', voice: 'voice://a' }],
      ['POST', `/api/v1/tts/${accepted}/cancel`],
      ['DELETE', `/api/v1/tts/${accepted}`],
      ['POST', '/v1/tokens', { scope: 'speak' }],
    ];
    for (const [method, path, body] of asked) {
      const { status, retryAfter, json } = await service.ask(method, path, body);
      expect([path, status, json.errorId]).toEqual([path, 503, 'SHUTTING_DOWN']);
      expect(Number(retryAfter), path).toBeGreaterThan(0);
    }
    expect((await service.ask('GET', `/api/v1/tts/${accepted}`)).status).toBe(200);
    service.program.child.kill('SIGTERM'); // at once
    await service.program.ended;
    await upstream.close();
    await speakWith(audio(spoken()));
    const again = await serve();
    await again.until(accepted, 'completed');
    const all = await fetch(`${again.url}/api/v1/tts`, {
      headers: { authorization: 'Bearer any', 'x-user-id': 'ann' },
    });
    expect(((await all.json()) as unknown[]).length).toBe(1);
  });
});
