// docs/service.md: its examples as they stand but for the port, its links and its settings.
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/app/gateway.ts';
import { startGateway } from '../../src/app/start.ts';
import { silentLog } from '../../src/base/log.ts';
import { SETTINGS, toEnv } from '../../src/settings/settings.ts';
import { blocksBy } from '../support/page-blocks.ts';
import { buildProgram } from '../support/program.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { accepted } from '../support/settings.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/service.md'), 'utf8');
const blocks = (language: string) =>
  blocksBy('docs/service.md', 'test/docs/service.test.ts')
    .filter((block) => block.language === language)
    .map(({ text }) => text);
const hasCurl = (() => {
  try {
    return execFileSync('curl', ['--version'], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
})();

const REPORT = [
  'The harbour was deepened in the spring of last year.',
  'Larger ships have come in at every tide since then.',
  'The town has built a second crane beside the old one.',
  'Next year the railway will reach the northern quay.',
];

/** One page of one paragraph, as small as a PDF can be. */
function smallPdf(lines: readonly string[]): string {
  const text = `BT /F1 12 Tf 14 TL 72 720 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, '0');
  });
  const start = file.length;
  const entries = offsets.map((offset) => `${offset} 00000 n \n`).join('');
  return `${file}xref\n0 6\n0000000000 65535 f \n${entries}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
}

let gateway: Gateway;
let folder: string;
beforeAll(async () => {
  folder = scratchFolder('service-page');
  const { config } = accepted({
    flags: ['--port', '0', '--data-dir', join(folder, 'data'), '--word-times', 'never', '--busy-at', '0'],
  });
  gateway = await startGateway({ config, log: silentLog, version: 'test' });
  writeFileSync(join(folder, 'report.pdf'), smallPdf(REPORT));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  symlinkSync(ROOT, join(modules, 'voxgate'));
});
afterAll(async () => {
  await gateway.stop(0);
  rmSync(folder, { recursive: true, force: true });
});

async function run(program: string, file: string, code: string): Promise<string> {
  writeFileSync(join(folder, file), code.replaceAll('127.0.0.1:8080', new URL(gateway.url).host));
  return (await promisify(execFile)(program, [file], { cwd: folder })).stdout;
}

describe('the examples', () => {
  it.skipIf(!hasCurl)(
    'the first walk makes what it says',
    async () => {
      const printed = await run('bash', 'walk.sh', `set -eu\n${blocks('sh').join('\n')}`);
      const bytes = (name: string) => readFileSync(join(folder, name));
      expect(bytes('hello.mp3').length).toBeGreaterThan(4000);
      expect(bytes('chapter.wav').toString('latin1', 0, 4)).toBe('RIFF');
      expect(bytes('report.mp3').length).toBeGreaterThan(50_000);
      expect(printed).toMatch(/dark and stormy night/);
      expect(printed.match(/WEBVTT/g)).toHaveLength(2);
      expect(printed).toMatch(/"speed":1\.1/);
      expect(printed).toMatch(/"secondsSpoken":0/);
    },
    180_000,
  );

  it('the client’s makes a job', async () => {
    buildProgram();
    const [code] = blocks('js');
    expect(await run(process.execPath, 'client.mjs', code!)).toMatch(/^completed http:\/\/\S+\/audio\.mp3$/m);
  }, 90_000);

  it('the client’s types are published: a program that imports them is checked', async () => {
    buildProgram();
    writeFileSync(
      join(folder, 'typed.mts'),
      [
        "import { createVoxgateClient, VoxgateError } from 'voxgate/client';",
        "const client = createVoxgateClient({ baseUrl: 'http://localhost', apiKey: 'k', userId: 'u' });",
        "export const job = await client.jobs.create({ text: 'x', voice: 'v', outputFormat: 'ogg' });",
        "export const over: boolean = job.status === 'completed' || job.error instanceof VoxgateError;",
        '// @ts-expect-error: there is no such format',
        "await client.jobs.create({ text: 'x', voice: 'v', outputFormat: 'aiff' });",
      ].join('\n'),
    );
    const flags = '--noEmit --strict --module nodenext --target es2022 --types node typed.mts'.split(' ');
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, ...flags], { cwd: folder });
  }, 90_000);

  it('the receiver’s takes a signed message and no other', async () => {
    const path = join(folder, 'receiver.mjs');
    writeFileSync(path, blocks('mjs')[0]!);
    const { readMessage } = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as {
      readMessage: (secret: string, body: string, headers: Record<string, string>) => unknown;
    };
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
    const body = JSON.stringify({ type: 'tts.completed', data: { id: 'x' } });
    const now = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
    };
    expect(readMessage(secret, body, headers)).toEqual(JSON.parse(body));
    expect(() => readMessage(secret, `${body} `, headers)).toThrow();
  });
});

describe('the page', () => {
  it('names every path of the service that /openapi.json has', async () => {
    const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const watching = readFileSync(join(ROOT, 'docs/onlookers.md'), 'utf8');
    for (const path of Object.keys(document.paths)) {
      const short = path
        .replace(/\{[a-zA-Z]+\}/g, '{}')
        .replace(/.*\/webhooks\/deliveries\/.*/, '/{}/replay');
      const told = path.startsWith('/api/') || path.startsWith('/v1/legs/') ? page : watching;
      expect(told.replaceAll(/\{[a-zA-Z]+\}/g, '{}'), path).toContain(short);
    }
  });

  it('names only settings and pages that there are', () => {
    const ofCallers = ['VOXGATE_URL', 'VOXGATE_KEY', 'VOXGATE_KEY_FILE', 'VOXGATE_USER'];
    const names = new Set([...Object.keys(SETTINGS).map(toEnv), ...ofCallers]);
    for (const [name] of page.matchAll(/VOXGATE_[A-Z_]+/g)) expect(names).toContain(name);
    for (const [, file] of page.matchAll(/\]\(([a-z-]+\.md)/g))
      expect(existsSync(join(ROOT, 'docs', file!))).toBe(true);
  });
});
