// Every command with a marked secret in the address that it is given, where nothing listens and where a server refuses, repeating what
// it was asked: the mark comes out nowhere.
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { buildProgram, startInside, startProgram } from '../support/program.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const MARK = 'Mark5ecretOfTheAddress';
const folder = scratchFolder('address-secrets');
vi.setConfig({ testTimeout: 120_000 });

/** Refuses everything in the words of a page, and repeats the address and the headers of what it was asked. */
let refusing: Server;
let deadPort: number;

beforeAll(async () => {
  buildProgram();
  writeFileSync(TIDES, '# Tides\n\nThe sea rises twice a day.\n');
  refusing = createServer((request, response) => {
    response.writeHead(404, { 'content-type': 'text/html', 'x-asked': String(request.url) });
    response.end(`<p>Cannot ${request.method} ${request.url} ${request.rawHeaders.join(' ')}</p>`);
  });
  refusing.on('upgrade', (request, socket) => {
    const page = `no ${request.url} ${request.rawHeaders.join(' ')}`;
    socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${Buffer.byteLength(page)}\r\n\r\n${page}`);
  });
  await new Promise<void>((resolve) => {
    refusing.listen(0, '127.0.0.1', resolve);
  });
  deadPort = await freePort();
});
afterAll(async () => {
  refusing.closeAllConnections();
  await new Promise((resolve) => {
    refusing.close(resolve);
  });
  rmSync(folder, { recursive: true, force: true });
});

const VOICE = ['--voice', 'vox:anna'];
const TIDES = join(folder, 'tides.md');
const out = (name: string) => join(folder, name);
/** What is run with `URL` in its place. */
const COMMANDS: readonly (readonly string[])[] = [
  ['say', 'Hello.', '--url', 'URL'],
  ['say', 'Hello.', '--out', '-', '--json', '--url', 'URL'],
  ['narrate', TIDES, '--out', out('n.mp3'), '--url', 'URL'],
  ['job', 'Hello.', '--out', out('j.mp3'), '--json', '--url', 'URL', ...VOICE],
  ['playnote', TIDES, '--out', out('p.mp3'), '--url', 'URL'],
  ['keys', '--url', 'URL'],
  ['keys', '--json', '--url', 'URL'],
  ['simulate', 'twilio', '--say', 'Hello.', '--url', 'URL'],
  ['simulate', 'twilio', '--seconds', '1', '--url', 'URL'],
  ['simulate', 'twilio', '--webhook', 'URL', '--url', 'URL'],
  ['simulate', 'audiosocket', '--say', 'Hello.', '--url', 'URL', '--leg-url', 'URL'],
];
const addressOf = (at: string) => `ws://ann:${MARK}@${at}/v1/session?token=${MARK}&key=${MARK}#${MARK}`;
/** Those that are refused before anything is called. */
const WRONG: readonly (readonly string[])[] = [
  ...['wss://ann:MARK@host:99999', 'MARK'].flatMap((address) => [
    ['say', 'x', '--url', address],
    ['keys', '--url', address],
    ['chaos', '--target', address],
    ['serve', '--upstream-url', address, '--upstream-keys', 'u:k'],
    ['serve', '--public-url', address, '--api-keys', 'u:k'],
  ]),
  ['chaos', '--target', 'http://ann:MARK@127.0.0.1:1/MARK'],
  ['serve', '--upstream-url', 'https://host?token=MARK', '--upstream-keys', 'u:k'],
  ['serve', '--upstream', 'https://host?token=MARK', '--upstream-keys', 'u:k'],
  ['serve', '--public-url', 'https://host/MARK', '--api-keys', 'u:k'],
  ['serve', '--redis-url', 'http://ann:MARK@host'],
  ['wss://ann:MARK@host'],
  ['help', 'wss://ann:MARK@host'],
  ['keys', 'wss://ann:MARK@host'],
  ['job', 'a', 'https://host?key=MARK', '--out', out('x.mp3')],
  ['simulate', 'twilio', '--webhook', 'ftp://ann:MARK@host', '--url', 'ws://host'],
  ['simulate', 'audiosocket', '--say', 'x', '--leg-url', 'http://ann:MARK@host'],
];

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await startInside(args, { env }).ended;
  return { code, said: stdout + stderr };
}
const expectSilence = (said: string) => {
  for (const form of [MARK, MARK.toLowerCase(), Buffer.from(`ann:${MARK}`).toString('base64')])
    expect(said).not.toContain(form);
};

describe.concurrent.each(['dead', 'refusing'] as const)('a port that is %s', (kind) => {
  const at = () => `127.0.0.1:${kind === 'dead' ? deadPort : (refusing.address() as AddressInfo).port}`;

  it.each(COMMANDS)('%s %s %s %s', async (...args) => {
    // Where no session is opened, the address is one of HTTP.
    const isWeb = args[0] === 'keys' || args.includes('--webhook');
    const url = isWeb ? addressOf(at()).replace('ws:', 'http:') : addressOf(at());
    const { code, said } = await run(args.map((each) => (each === 'URL' ? url : each)));
    expectSilence(said);
    expect([1, 2]).toContain(code);
    expect(said).not.toBe('');
  });

  it('by a variable', async () => {
    const url = addressOf(at());
    const { code, said } = await run(['say', 'x'], { VOXGATE_URL: url });
    expectSilence(said);
    expect([code, said]).toEqual([1, expect.stringContaining(kind === 'dead' ? at() : '403 Forbidden')]);
  });
});

describe.concurrent('an address that is none', () => {
  it.each(WRONG)('%s %s %s %s', async (...args) => {
    const { code, said } = await run(args.map((each) => each.replace('MARK', MARK).replace('MARK', MARK)));
    expectSilence(said);
    expect([code, said]).toEqual([2, expect.not.stringContaining('    at ')]);
  });
});

it('of a target is shown without it, also as JSON', async () => {
  // It hands bytes on, so that a user in its address stands for nothing; what is printed names the host.
  for (const more of [[], ['--json']]) {
    const program = startProgram(['chaos', '--target', `http://ann:${MARK}@127.0.0.1:9`, ...more]);
    await program.printed(/127\.0\.0\.1:9/);
    program.child.kill('SIGTERM');
    const { stdout, stderr } = await program.ended;
    expectSilence(stdout + stderr);
  }
});

it('of a speech service, Redis, a source and a webhook is told to nobody: output, log, refusals, operator', async () => {
  const at = `127.0.0.1:${deadPort}`;
  const program = startProgram(['serve', '--port', '0', '--json', '--log-level', 'trace'], {
    cwd: folder,
    env: {
      VOXGATE_UPSTREAM_URL: `http://${at}/${MARK}`,
      VOXGATE_UPSTREAM_KEYS: 'ann:key',
      VOXGATE_REDIS_URL: `redis://ann:${MARK}@${at}/0`,
      VOXGATE_DATA_DIR: out('data'),
      VOXGATE_WORD_TIMES: 'never',
    },
  });
  const [, url] = await program.printed(/"url":"([^"]+)/);
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: 'Bearer local', 'x-user-id': 'local' };
    return (await fetch(`${url}${path}`, { ...init, headers })).text();
  };
  const form = new FormData();
  form.append('sourceFileUrl', `https://ann:${MARK}@127.0.0.1/${MARK}?key=${MARK}`);
  form.append('synthesisStyle', 'executive-briefing');
  form.append('voice1', 'x');
  form.append('voice1Name', 'Anna');
  form.append('webHookUrl', `https://127.0.0.1/${MARK}`);
  const said = await Promise.all([
    ask('/api/v1/voices'),
    ask('/api/v1/playnotes', { method: 'POST', body: form }),
    ask('/v1/operator'),
    ask('/metrics'),
    ask('/readyz'),
  ]);
  program.child.kill('SIGTERM');
  const { stdout, stderr } = await program.ended;
  expect(stdout).toContain(at);
  expect(said[2]).toContain('services');
  expectSilence([...said, stdout, stderr].join());
});
