// docs/testing-kit.md: its programs as they stand but for ports; the client under test speaks, the report is held to its promise.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { type ChaosProxy, startChaosProxy } from '../../testkit/chaos/chaos-proxy.ts';
import { createToxic, readToxic } from '../../testkit/chaos/toxic-table.ts';
import { blocksBy, ROOT } from '../support/page-blocks.ts';
import { buildProgram, startProgram } from '../support/program.ts';
import { createReaderFolder, type ReaderFolder } from '../support/reader-folder.ts';
import { runSnippet } from '../support/run-snippet.ts';
import { commandsOf } from '../support/shell-words.ts';

const [services, client, promise, inTests] = blocksBy(
  'docs/testing-kit.md',
  'test/docs/testing-kit.test.ts',
).map(({ text }) => text);

let folder: ReaderFolder;
beforeAll(() => {
  buildProgram();
  folder = createReaderFolder('testing-kit');
  folder.standIn('voxgate', `exec ${process.execPath} ${join(ROOT, 'dist/main.js')} "$@"`);
});
afterAll(() => folder.remove());

const bash = (text: string): Promise<{ code: number | null; out: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-euc', text], { cwd: folder.path, env: folder.env });
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        out += part.toString();
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out }));
  });

describe('docs/testing-kit.md', { timeout: 240_000 }, () => {
  it('a client speaks through the proxy with the strict service, which reports what it asked', async () => {
    const [engine, chaos] = [String(await freePort()), String(await freePort())];
    const ported = (text: string) => text.replaceAll('8090', engine).replaceAll('8091', chaos);
    // The terminal of the two services: what `&` does in a shell, with an end.
    const programs = commandsOf(ported(services!)).map((words) => startProgram(words.slice(1)));
    expect(programs).toHaveLength(2);
    await Promise.all(programs.map((program) => program.printed(/http:\/\/\S+/)));
    const spoken = await bash(ported(client!));
    expect(spoken.code, spoken.out).toBe(0);
    expect(readFileSync(join(folder.path, 'hello.wav')).length).toBeGreaterThan(10_000);
    expect(spoken.out).toMatch(/"accepted":[1-9]/);
    const held = await bash(ported(promise!));
    expect(held.code, held.out).toBe(0);
    for (const { child } of programs) child.kill();
    await Promise.all(programs.map((program) => program.ended));
  });

  it('a proxy in a test of one’s own', async () => {
    const engine = { url: `http://127.0.0.1:${await freePort()}` };
    const given = { startChaosProxy, readToxic, createToxic, engine };
    const { proxy } = await runSnippet<{ proxy: ChaosProxy }>(inTests!, given, '{ proxy }');
    expect(Object.keys(proxy.stats())).toEqual([
      'connections',
      'openConnections',
      'requests',
      'bytes',
      'met',
    ]);
  });
});
