// What is kept and what goes: retention, questions about works, and the secret behind addresses.

import { execFile } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { openServiceSecret } from '../../src/service/file-service-secret.ts';
import { createRetention } from '../../src/service/retention.ts';
import { createWorkQuestions } from '../../src/service/work-questions.ts';
import type { WorkFiles } from '../../src/storage/works/work-files.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryDeliveryStore } from '../support/memory-delivery-store.ts';
import { createMemoryWorkStore } from '../support/memory-work-store.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const HOUR_MS = 60 * 60_000;

function openRecords() {
  const deliveries = createMemoryDeliveryStore();
  const works = createMemoryWorkStore(deliveries);
  const clock = createFakeClock(0);
  const owned = new Set<string>();
  const files = {
    owned: async () => [...owned],
    remove: async (id: string) => void owned.delete(id),
  } as unknown as WorkFiles;
  const add = async (id: string, endedAtMs?: number) => {
    const work = { id, kind: 'tts', owner: 'ann', urgency: 0, input: {}, requestedAtMs: 0 } as const;
    await works.create({ ...work, mostUnfinished: 1000 });
    owned.add(id);
    if (endedAtMs !== undefined) await works.cancel('ann', 'tts', id, endedAtMs, () => undefined);
  };
  const logged: unknown[] = [];
  const log = { ...silentLog, warn: (...line: unknown[]) => void logged.push(line) };
  const retention = (keepMs: number | undefined) =>
    createRetention({
      works,
      deliveries,
      files,
      sharing: 'alone',
      keepMs,
      clock,
      unixMs: () => clock.now(),
      log,
    });
  return { works, deliveries, clock, owned, files, add, retention, logged };
}

describe('retention', () => {
  it('forgets what is old with its files, all of a backlog, and nothing else', async () => {
    const { add, owned, works, clock, retention } = openRecords();
    for (let i = 0; i < 250; i += 1) await add(`old-${i}`, 10);
    await add('new', 2 * HOUR_MS);
    await add('unfinished');
    await clock.run(2 * HOUR_MS);
    const kept = retention(HOUR_MS);
    kept.start();
    await clock.run(0);
    expect([...owned]).toEqual(['new', 'unfinished']);
    await clock.run(2 * HOUR_MS);
    expect([...owned]).toEqual(['unfinished']);
    expect(await works.exists('new')).toBe(false);
    await kept.stop();
    expect(clock.timers).toBe(0);
  });

  it('forgets nothing when it is told so', async () => {
    const { add, owned, clock, retention } = openRecords();
    await add('old', 1);
    retention(undefined).start();
    await clock.run(1000 * HOUR_MS);
    expect([...owned]).toEqual(['old']);
    expect(clock.timers).toBe(0);
  });

  it('waits, when it is stopped, for what it is forgetting', async () => {
    const { add, owned, clock, retention, files } = openRecords();
    await add('one', 1);
    await add('two', 1);
    await clock.run(2 * HOUR_MS);
    let letRemove = () => {};
    const remove = (id: string) => void owned.delete(id);
    Object.assign(files, {
      async remove(id: string) {
        await new Promise<void>((resolve) => {
          letRemove = resolve;
        });
        remove(id);
      },
    });
    const kept = retention(HOUR_MS);
    kept.start();
    await clock.run(0);
    let isStopped = false;
    const stopped = kept.stop().then(() => {
      isStopped = true;
    });
    await clock.run(0);
    expect([isStopped, [...owned]]).toEqual([false, ['one', 'two']]);
    letRemove();
    await clock.run(0);
    expect([isStopped, [...owned]]).toEqual([false, ['two']]);
    letRemove();
    await stopped;
    expect([...owned]).toEqual([]);
  });

  it('finishes what a program that died had begun to delete, and leaves what no record has ever known', async () => {
    const { add, owned, works, retention, logged } = openRecords();
    await add('forgotten', 10);
    await add('removed', 20);
    await add('kept', 100);
    await works.remove('ann', 'tts', 'removed');
    expect(await works.forget(50, 9)).toEqual(['forgotten']);
    await works.expect('upload');
    for (const id of ['upload', 'nobodys', 'nor this one']) owned.add(id);
    await retention(undefined).sweep();
    expect([...owned]).toEqual(['kept', 'nobodys', 'nor this one']);
    expect(logged).toEqual([['unknown_files_left', { works: 2 }]]);
    expect(await works.disposable()).toEqual([]);
  });
});

describe('questions about works', () => {
  const open = () => {
    const records = openRecords();
    const happened: string[] = [];
    const ended: string[] = [];
    const questions = createWorkQuestions({
      onEnded: ({ id, status }) => void ended.push(`${id} ${status}`),
      kind: 'tts',
      called: 'job',
      store: records.works,
      files: { ...records.files, remove: async (id) => void happened.push(`files of ${id}`) },
      runner: { interrupt: async (id) => void happened.push(`stop ${id}`) },
      onTakenAway: async (owner, id) => void happened.push(`slot of ${owner} for ${id}`),
      unixMs: () => 7,
      toDelivery: () => undefined,
      onDelivery() {},
    });
    return { ...records, questions, happened, ended };
  };

  it('are answered to the owner alone', async () => {
    const { add, questions, happened } = open();
    await add('one');
    const asked = [
      questions.find('bob', 'one'),
      questions.cancel('bob', 'one'),
      questions.remove('bob', 'one'),
      questions.find('ann', 'two'),
    ];
    for (const one of await Promise.allSettled(asked))
      expect(one).toMatchObject({
        reason: {
          code: 'not_found',
          message: 'There is no job of this id; check the address and the ids in it.',
        },
      });
    expect(happened).toEqual([]);
    expect((await questions.list('bob', { limit: 5, cursor: undefined })).works).toEqual([]);
  });

  it.each(['cancel', 'remove'] as const)('%s stops the work before its files go', async (what) => {
    const { add, questions, happened } = open();
    await add('one');
    await questions[what]('ann', 'one');
    expect(happened).toEqual(['stop one', 'slot of ann for one', 'files of one']);
  });

  it.each([
    ['cancels', ['cancel', 'cancel', 'cancel']],
    ['deletions', ['remove', 'remove', 'remove']],
    ['a cancel and a deletion', ['cancel', 'remove']],
    ['a deletion and a cancel', ['remove', 'cancel']],
    ['cancels between which a deletion stands', ['cancel', 'remove', 'cancel']],
  ] as const)('are told of one end, whatever %s come at once', async (_what, asked) => {
    const { add, questions, ended } = open();
    await add('one');
    await Promise.allSettled(asked.map((ask) => questions[ask]('ann', 'one')));
    expect(ended).toEqual(['one cancelled']);
    await Promise.allSettled([questions.cancel('ann', 'one'), questions.remove('ann', 'one')]);
    expect(ended).toEqual(['one cancelled']);
  });

  it('leave alone what has ended', async () => {
    const { add, questions, happened, works } = open();
    await add('one');
    const claim = await works.claim({ nowMs: 0, leaseMs: 9, mostAttempts: 3, toDelivery: () => undefined });
    await works.finish(claim!, { status: 'completed', output: {} }, 5);
    expect(await questions.cancel('ann', 'one')).toMatchObject({ status: 'completed', completedAtMs: 5 });
    expect(happened).toEqual([]);
  });
});

describe('the secret of the service', () => {
  let folder = '';
  beforeEach(() => {
    folder = scratchFolder('secret');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const path = () => join(folder, 'service-secret');

  it('is made once and kept, for nobody else to read', () => {
    const secret = openServiceSecret(folder);
    expect(secret).toHaveLength(32);
    expect(openServiceSecret(folder).equals(secret)).toBe(true);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
  });

  it('is never replaced when it is damaged', () => {
    openServiceSecret(folder);
    writeFileSync(path(), 'half');
    expect(() => openServiceSecret(folder)).toThrow(/is damaged/);
    expect(readFileSync(path(), 'utf8')).toBe('half');
  });

  it('is one and the same for programs that start at once', async () => {
    const hooks = new URL('../support/typescript-hooks.mjs', import.meta.url).href;
    const register = `data:text/javascript,import{register}from"node:module";register(${JSON.stringify(hooks)})`;
    const source = new URL('../../src/service/file-service-secret.ts', import.meta.url).href;
    const script = `const { openServiceSecret } = await import(${JSON.stringify(source)});
      process.stdout.write(openServiceSecret(${JSON.stringify(folder)}).toString('hex'));`;
    const args = ['--import', register, '--input-type=module', '-e', script];
    const told = await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, args)));
    expect(new Set(told.map(({ stdout }) => stdout)).size).toBe(1);
  }, 30_000);
});
