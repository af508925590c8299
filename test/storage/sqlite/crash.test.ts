// What is left when the program is killed in the middle of writing: everything that it had acknowledged.

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { openSqliteDatabase } from '../../../src/storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from '../../../src/storage/sqlite-delivery-store.ts';
import { createSqliteWorkStore } from '../../../src/storage/sqlite-work-store.ts';
import { sqliteDrivers } from '../../support/record-stores.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const HOOKS = pathToFileURL(join(import.meta.dirname, '../../support/typescript-hooks.mjs')).href;
const REGISTER = `data:text/javascript,import{register}from"node:module";register(${JSON.stringify(HOOKS)})`;
const PROGRAM = join(import.meta.dirname, '../../support/records-child.ts');
const KILLS = 3;

/** Lines of a program that is killed when it has printed so many. */
const killedAfter = (lines: number, args: readonly string[]): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', REGISTER, PROGRAM, ...args], { stdio: 'pipe' });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (part: Buffer) => {
      stdout += part.toString();
      if (stdout.split('\n').length > lines) child.kill('SIGKILL');
    });
    child.stderr.on('data', (part: Buffer) => {
      stderr += part.toString();
    });
    child.on('close', (_code, signal) => {
      if (signal === 'SIGKILL') resolve(stdout.split('\n').slice(0, -1));
      else reject(new Error(stderr));
    });
  });

test.each(sqliteDrivers)(
  'what was acknowledged outlives a kill (%s)',
  async (driver) => {
    const dataDir = scratchFolder('crash');
    try {
      const lines: string[] = [];
      for (let i = 0; i < KILLS; i++) {
        // The next one opens over what the killed one has left.
        lines.push(...(await killedAfter(40 + Math.floor(Math.random() * 120), [dataDir, driver])));
        const database = await openSqliteDatabase({ dataDir, driver, clock: systemClock, log: silentLog });
        const works = createSqliteWorkStore(database);
        const deliveries = createSqliteDeliveryStore(database);
        expect(database.read.one('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
        for (const line of lines) {
          const [what, id] = line.split(' ') as [string, string];
          const work = await works.find('ann', 'tts', id);
          expect(work, line).toBeDefined();
          if (what === 'claimed') expect(work!.attempts, line).toBeGreaterThan(0);
          if (what === 'finished') expect(work, line).toMatchObject({ status: 'completed', progress: 1 });
          if (what !== 'claimed') expect(await deliveries.find('ann', line), line).toBeDefined();
        }
        // Never one without the other, acknowledged or not.
        const torn = database.read.all(
          `SELECT id FROM works WHERE (status = 'completed') <>
             EXISTS (SELECT 1 FROM deliveries WHERE deliveries.id = 'finished ' || works.id)`,
        );
        expect(torn).toEqual([]);
        const running = database.read.one("SELECT count(*) AS n FROM works WHERE status = 'running'");
        expect(await works.releaseAll()).toBe(running?.n);
        expect((await works.list('ann', 'tts', { limit: 1e6, cursor: undefined })).works).not.toContainEqual(
          expect.objectContaining({ status: 'running' }),
        );
        await database.close();
      }
      expect(lines.filter((line) => line.startsWith('finished')).length).toBeGreaterThan(KILLS);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  },
  60_000,
);
