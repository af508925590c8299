// `npm start` ends with the gateway that it has started, and the gateway with it: a supervisor tells npm alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { buildProgram } from '../support/program.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const folder = scratchFolder('npm-start');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('npm start hands SIGTERM on', async () => {
  buildProgram();
  const { PATH, HOME } = process.env;
  const npm = spawn('npm', ['start'], {
    cwd: resolve(import.meta.dirname, '../..'),
    env: { PATH, HOME, VOXGATE_PORT: '0', VOXGATE_DATA_DIR: folder, VOXGATE_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let shown = '';
  npm.stdout.on('data', (part: Buffer) => {
    shown += part.toString();
  });
  let complained = '';
  npm.stderr.on('data', (part: Buffer) => {
    complained += part.toString();
  });
  // Before there is anything to hear from the gateway.
  await expect
    .poll(() => complained, { timeout: 50_000 })
    .toMatch(/^Voxgate is (being built, then )?start(ed|ing) …$/m);
  await expect.poll(() => shown, { timeout: 50_000 }).toMatch(/try +/);
  const url = /listening at (\S+)/.exec(shown)![1]!;
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  const closed = once(npm, 'close');
  npm.kill('SIGTERM');
  await closed; // its output, which the gateway holds too
  await expect(fetch(`${url}/livez`)).rejects.toThrow();
});
