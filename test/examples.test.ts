// The README's examples, run as they stand but for the port: what a newcomer copies has to work.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../src/app/gateway.ts';
import { startGateway } from '../src/app/start.ts';
import { silentLog } from '../src/base/log.ts';
import { parseConfig } from '../src/settings/config.ts';
import { isMissing } from './support/missing-programs.ts';
import { blocksBy } from './support/page-blocks.ts';

const ROOT = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

const example = (language: string): string =>
  blocksBy('README.md', 'test/examples.test.ts').find((block) => block.language === language)!.text;

let gateway: Gateway;
let folder: string;

beforeAll(async () => {
  const parsed = parseConfig({
    env: {},
    flags: ['--port', '0', '--word-times', 'never', '--busy-at', '0'],
    file: () => '',
  });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  gateway = await startGateway({ config: parsed.config, log: silentLog, version: 'test' });
  folder = mkdtempSync(join(tmpdir(), 'voxgate-examples-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

afterAll(async () => {
  await gateway.stop(0);
  rmSync(folder, { recursive: true, force: true });
});

async function run(program: string, file: string, code: string): Promise<number | null> {
  writeFileSync(join(folder, file), code.replaceAll('127.0.0.1:8080', new URL(gateway.url).host));
  const child = spawn(program, [file], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

/** µ-law 8000 of one short sentence: between half a second and five, and not silence. */
function expectSpeech(): void {
  const mulaw = readFileSync(join(folder, 'hello.ulaw'));
  expect(mulaw.length % 160).toBe(0);
  expect(mulaw.length).toBeGreaterThan(4000);
  expect(mulaw.length).toBeLessThan(40_000);
  expect(new Set(mulaw).size).toBeGreaterThan(50);
  rmSync(join(folder, 'hello.ulaw'));
}

describe('README', () => {
  it('the JavaScript example writes speech', async () => {
    expect(await run(process.execPath, 'example.mjs', example('js'))).toBe(0);
    expectSpeech();
  });

  it.skipIf(isMissing('python3-websockets'))('the Python example writes speech', async () => {
    expect(await run('/usr/bin/python3', 'example.py', example('python'))).toBe(0);
    expectSpeech();
  });

  it('gives the two commands that a newcomer types', () => {
    expect(readme).toContain('npm ci && npm run demo');
    expect(readme).toContain('npm ci && npm test');
  });
});
