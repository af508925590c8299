// The blocks of shell that can be run as they stand: README.md, docs/deploy.md, docs/narration.md. All of a page together;
// only ports are others, and what would build, play or start something for ever has a stand-in.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksBy, PAGES, ROOT } from '../support/page-blocks.ts';
import { buildProgram } from '../support/program.ts';
import { createReaderFolder, type ReaderFolder } from '../support/reader-folder.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { accepted } from '../support/settings.ts';

const REPORT = [
  'The harbour of the town was deepened in the spring of last year. Larger ships come in at every tide.',
  'The town has built a second crane beside the old one. The railway reaches the northern quay next year.',
  'The council has paid for both with a loan of ten years. Merchants expect twice as much trade by then.',
  'Fishermen have moved to the southern basin. The market hall keeps its place at the old bridge.',
];

/** What stands in for programs that a test has no use for, or that a reader brings. */
const STAND_INS: Readonly<Record<string, string>> = {
  // The gateway is there already.
  npm: '[ "$1" = start ]',
  voxgate: `exec ${process.execPath} ${join(ROOT, 'dist/main.js')} "$@"`,
  'my-language-model': 'for word in Hello from a model.; do printf "%s " "$word"; sleep 0.05; done',
  docker: 'echo "$@" >> docker.log',
};
let gateway: RunningGateway;
const folders: ReaderFolder[] = [];
const children: ChildProcess[] = [];
beforeAll(async () => {
  buildProgram();
  gateway = await startRunningGateway({ script: speaking });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await gateway?.close();
  for (const folder of folders) folder.remove();
});

function folderFor(page: string): ReaderFolder {
  const folder = createReaderFolder(page.replace(/\W/g, '-'), { linkClone: true });
  folders.push(folder);
  for (const [program, script] of Object.entries(STAND_INS)) folder.standIn(program, script);
  folder.write('chapter.txt', 'It was a dark and stormy night.\n\nThe rain fell in torrents.\n');
  // A source is told by its content, and plain text is read in a moment.
  folder.write('report.pdf', `The harbour\n\n${REPORT.join('\n\n')}\n`);
  return folder;
}

type Printed = { readonly stdout: string; readonly stderr: string; readonly code: number | null };

const run = (folder: ReaderFolder, script: string, env: Record<string, string> = {}): Promise<Printed> =>
  new Promise((resolve, reject) => {
    const text = script.replaceAll('8080', String(gateway.port));
    const child = spawn('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: folder.path,
      env: { ...folder.env, VOXGATE_BUSY_AT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const [out, complaints]: [string[], string[]] = [[], []];
    child.stdout.on('data', (part: Buffer) => void out.push(part.toString()));
    child.stderr.on('data', (part: Buffer) => void complaints.push(part.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ stdout: out.join(''), stderr: complaints.join(''), code }));
  });

const textOf = (page: string) => blocksBy(page, 'run').map(({ text }) => text);

describe.concurrent('the shell of the pages', { timeout: 240_000 }, () => {
  it('is of the pages that are run here', () => {
    const pages = PAGES.filter((page) => textOf(page).length > 0);
    expect(pages).toEqual(['README.md', 'docs/deploy.md', 'docs/narration.md']);
  });

  it('README.md: speaks, calls, and makes a podcast and an audio book', async () => {
    const folder = folderFor('README.md');
    // Several engines at once would take a small machine a minute.
    const { code, stdout, stderr } = await run(folder, textOf('README.md').join('\n'), {
      VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
      VOXGATE_UPSTREAM_KEYS: 'user:key',
      VOXGATE_VOICE: 'anna',
      VOXGATE_VOICE2: 'ben',
      VOXGATE_WORD_TIMES: 'never',
    });
    expect(code, stderr).toBe(0);
    const bytes = (name: string) => readFileSync(join(folder.path, name));
    expect(bytes('hello.wav').toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes('hello.srt').toString()).toMatch(/^1\n00:00:00,\d{3} --> [\s\S]*Hello from Voxgate\./);
    expect(stdout).toMatch(/"leg":"twilio".*"outcome":"cancelled"/);
    expect(bytes('call.wav').length).toBeGreaterThan(5000);
    expect(bytes('report.mp3').length).toBeGreaterThan(50_000);
    expect(bytes('chapter.mp3').length).toBeGreaterThan(10_000);
  });

  it('docs/narration.md: a chapter becomes audio with captions', async () => {
    const folder = folderFor('docs/narration.md');
    const { code, stderr } = await run(folder, textOf('docs/narration.md').join('\n'));
    expect(code, stderr).toBe(0);
    expect(statSync(join(folder.path, 'chapter.mp3')).size).toBeGreaterThan(10_000);
    expect(readFileSync(join(folder.path, 'chapter.vtt'), 'utf8')).toMatch(/^WEBVTT\n[\s\S]*dark and stormy/);
  });

  it('docs/deploy.md: makes keys that the gateway takes, and starts the containers', async () => {
    const folder = folderFor('docs/deploy.md');
    const { code, stderr } = await run(folder, textOf('docs/deploy.md').join('\n'));
    expect(code, stderr).toBe(0);
    const keys = readFileSync(join(folder.path, 'secrets/api-keys'), 'utf8');
    const { config } = accepted({ flags: ['--api-keys-file', 'keys'], files: { keys } });
    expect(config.apiKeys).toMatchObject([{ user: 'me', key: expect.stringMatching(/^[\da-f]{48}$/) }]);
    expect(readFileSync(join(folder.path, 'docker.log'), 'utf8')).toBe(
      'compose up --build --detach --wait\n',
    );
  });
});
