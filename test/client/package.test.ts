// The package @voxgate/client as others have it: small, with types that compile where they are used, and of the gateway's version.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClient } from '../../scripts/build-client.mjs';
import { blocksBy } from '../support/page-blocks.ts';
import { buildProgram } from '../support/program.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'packages/client');
/** Of its main entry, minified and compressed. */
const MAX_BYTES = 15 * 1024;

let folder: string;
beforeAll(() => {
  buildProgram();
  folder = scratchFolder('client-package');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifest = (path: string) =>
  JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    version: string;
    engines: object;
    license: string;
    dependencies?: object;
  };

describe('the package of the client', () => {
  it('is small, and needs nothing', async () => {
    const dist = join(folder, 'minified');
    await buildClient(dist, { minify: true });
    const main = readFileSync(join(dist, 'voxgate-client.js'));
    expect(main.toString()).not.toMatch(/\bimport\b[^.(]/);
    expect(gzipSync(main).length).toBeLessThanOrEqual(MAX_BYTES);
    expect(readFileSync(join(dist, 'player.js'), 'utf8')).toContain('playout-worklet.js');
  });

  it('is of the version, the licence and the Node of the gateway', () => {
    const [own, root] = [manifest(PACKAGE), manifest(ROOT)];
    expect([own.version, own.engines, own.license]).toEqual([root.version, root.engines, root.license]);
    expect(own.dependencies).toBeUndefined();
    expect(readFileSync(join(PACKAGE, 'LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  });

  it('holds what its entries name', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: PACKAGE,
      encoding: 'utf8',
    });
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    for (const name of [
      'voxgate-client.js',
      'voxgate-client.d.ts',
      'player.js',
      'player.d.ts',
      'playout-worklet.js',
    ])
      expect(paths).toContain(`dist/${name}`);
    for (const name of ['LICENSE', 'README.md', 'package.json']) expect(paths).toContain(name);
    expect(paths.filter((path) => path.startsWith('src/'))).toEqual([]);
  });

  it.each([
    ['NodeNext', 'NodeNext'],
    ['Bundler', 'ESNext'],
  ])('has types that compile with moduleResolution %s', (moduleResolution, module) => {
    const project = join(folder, moduleResolution);
    mkdirSync(join(project, 'node_modules/@voxgate'), { recursive: true });
    symlinkSync(PACKAGE, join(project, 'node_modules/@voxgate/client'));
    symlinkSync(ROOT, join(project, 'node_modules/voxgate'));
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2022',
          lib: ['ES2022', 'DOM'],
          module,
          moduleResolution,
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          types: [],
        },
        include: ['*.ts'],
      }),
    );
    writeFileSync(
      join(project, 'program.ts'),
      `import { createVoxgateClient, SessionError, type EventOf, type ServerEvent } from '@voxgate/client';
import { openPlayer } from '@voxgate/client/player';
import { createVoxgateClient as inNode } from 'voxgate/client';

const voxgate = createVoxgateClient({ baseUrl: 'http://127.0.0.1:8080', token: async () => 't' });
const player = await openPlayer({ sampleRate: 16_000 });
const onEvent = (event: ServerEvent) => {
  if (event.type === 'caption') for (const { text, startMs } of event.words) console.log(text.length, startMs + 1);
};
const session = await voxgate.session({ ...player.query, captions: 'words' }, player.listeners({ onEvent }));
player.follow(session);
session.send({ type: 'speak', turn: 'a', text: 'x', speed: 1.1 });
const heard: EventOf<'heard'> = await session.next('heard', ({ turn }) => turn === 'a');
console.log(heard.spokenText, (await session.closed).error instanceof SessionError);
const { id, status } = await voxgate.jobs.create({ text: 'x', voice: 'v', outputFormat: 'wav' });
console.log(id, status === 'waiting', await inNode({ baseUrl: 'x' }).voices());
// @ts-expect-error: a field that there is not
session.send({ type: 'speak', turn: 'a', texts: 'x' });
// @ts-expect-error: a message that there is not
await session.next('hurd');
`,
    );
    const [page] = blocksBy('docs/client.md', 'test/client/package.test.ts');
    writeFileSync(join(project, 'page.ts'), page!.text);
    const tsc = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], {
      encoding: 'utf8',
    });
    expect(tsc.stdout).toBe('');
    expect(tsc.status).toBe(0);
  });
});
