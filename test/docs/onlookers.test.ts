// docs/onlookers.md: its examples as they stand but for addresses, beside a session that speaks.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventSource } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { blocksBy } from '../support/page-blocks.ts';
import { createReaderFolder, type ReaderFolder } from '../support/reader-folder.ts';
import { runSnippet } from '../support/run-snippet.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import type { SessionProbe } from '../support/session-probe.ts';

const KEY = 'key-of-ann';
let gateway: RunningGateway;
let folder: ReaderFolder;
let session: SessionProbe;
let id: string;
beforeAll(async () => {
  gateway = await startRunningGateway({ script: speaking, env: { VOXGATE_API_KEYS: `ann:${KEY}` } });
  folder = createReaderFolder('onlookers');
  folder.standIn('ffplay', 'exec cat > heard.mp3');
  session = await gateway.session('captions=words', { headers: { authorization: `Bearer ${KEY}` } });
  ({ session: id } = await session.event('ready'));
});
afterAll(async () => {
  await gateway.close();
  folder.remove();
});

const [ofWalk, ofToken, ofSession, ofEvents, ofVideo, ofSound] = blocksBy(
  'docs/onlookers.md',
  'test/docs/onlookers.test.ts',
).map(({ text }) =>
  text
    .replace('"media": ["captions"]', '"media": ["captions", "audio"]')
    .replace('wss:', 'ws:')
    .replace('https:', 'http:'),
);
const placed = (text: string) =>
  text.replaceAll(/localhost:8080|voice\.example\.com/g, `127.0.0.1:${gateway.port}`);

const bash = (text: string, env: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', placed(text)], {
      cwd: folder.path,
      env: { ...folder.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`ended with ${code}`))));
  });
describe('docs/onlookers.md', () => {
  it('a token lets others read, watch and listen until the session ends', async () => {
    const { token } = JSON.parse(await bash(ofToken!, { KEY, SESSION: id })) as { token: string };

    const shown: string[] = [];
    const document = { body: { append: (word: string) => void shown.push(word) } };
    const { events } = await runSnippet<{ events: EventSource }>(
      placed(ofEvents!),
      { EventSource, document, session: id, token },
      '{ events }',
    );
    await new Promise((resolve) => events.addEventListener('open', resolve));
    const listening = bash(ofSound!, { SESSION: id, TOKEN: token });
    const [, track] = /<track[^>]* src="([^"]+)"/.exec(ofVideo!)!;
    const captions = await fetch(placed(track!).replace('ID', id).replace('TOKEN', token));
    expect([captions.status, captions.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/vtt/),
    ]);

    session.send({ type: 'speak', turn: 'a', text: 'Hello to everybody who reads along.' });
    await session.event('heard');
    session.socket.close();
    await listening;
    expect(await captions.text()).toMatch(/^WEBVTT[\s\S]*reads along\./);
    expect(readFileSync(join(folder.path, 'heard.mp3')).length).toBeGreaterThan(5000);
    expect(shown.join('')).toBe('Hello to everybody who reads along. ');
    await expect.poll(() => events.readyState).toBe(EventSource.CLOSED);
  });

  it('a second terminal finds the session and reads its captions', async () => {
    const open = await startRunningGateway({ script: speaking });
    folder.standIn('sleep', 'touch waited; exec /bin/sleep 0.1');
    const read = bash(ofWalk!.replaceAll('127.0.0.1:8080', `127.0.0.1:${open.port}`), {});
    // A second too early: no session is there.
    await expect.poll(() => existsSync(join(folder.path, 'waited'))).toBe(true);
    const speaker = await open.session();
    await speaker.event('ready');
    await expect
      .poll(async () => (await fetch(`${open.url}/v1/sessions`).then((reply) => reply.json())) as unknown)
      .toMatchObject({ sessions: [{ onlookers: 1 }] });
    speaker.send({ type: 'speak', turn: 'a', text: 'Hello to everybody who reads along.' });
    await speaker.event('heard');
    speaker.socket.close();
    expect(await read).toMatch(/^WEBVTT[\s\S]*reads along\./);
    await open.close();
  });

  it('a token of scope speak opens a session from a browser', async () => {
    const reply = await fetch(`${gateway.url}/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scope: 'speak' }),
    });
    const { token } = (await reply.json()) as { token: string };
    const { socket } = await runSnippet<{ socket: WebSocket }>(
      placed(ofSession!),
      { WebSocket, token },
      '{ socket }',
    );
    const first = await new Promise<Buffer>((resolve) => socket.once('message', resolve));
    expect([JSON.parse(first.toString()).type, socket.protocol]).toEqual(['ready', 'voxgate.v1']);
    socket.close();
  });
});
