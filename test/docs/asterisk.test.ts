// The recipes for Asterisk (docs/legs/asterisk.md, asterisk-incoming.md, audiosocket.md) with a far side that is as strict as its
// documents: what the page sends to ARI makes the channel, the channel reaches the gateway, and a session speaks to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { CARRIERS, type SimulatedCarrier } from '../../testkit/carriers/carriers.ts';
import { createChanWebSocketSide } from '../../testkit/carriers/chan-websocket-side.ts';
import { dialCarrier } from '../../testkit/carriers/dial-carrier.ts';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { type MediaServer, startMediaServer } from '../../testkit/carriers/media-server.ts';
import type { SimulatedCall } from '../../testkit/carriers/simulated-call.ts';
import { blocksBy } from '../support/page-blocks.ts';
import { buildProgram } from '../support/program.ts';
import { createReaderFolder, type ReaderFolder } from '../support/reader-folder.ts';
import { speaking } from '../support/running-gateway.ts';
import {
  credentialsOf,
  keyOf,
  type RunningService,
  startRunningService,
} from '../support/running-service.ts';
import type { SessionProbe } from '../support/session-probe.ts';

/** Of POST /channels/externalMedia. */
const PARAMETERS = [
  ...['app', 'external_host', 'encapsulation', 'transport', 'connection_type', 'format', 'direction', 'data'],
  'transport_data',
];

type Wish = { readonly query: URLSearchParams; readonly variables: Readonly<Record<string, string>> };

let asterisk: MediaServer;
let audiosocketPort: number;
let service: RunningService;
let ari: Server;
/** What the next channel that ARI is asked for does. */
let makeChannel: (wish: Wish) => Promise<SimulatedCall>;
let calls: Promise<SimulatedCall>[] = [];

beforeAll(async () => {
  asterisk = await startMediaServer(0);
  audiosocketPort = await freePort();
  service = await startRunningService({
    script: speaking,
    env: { VOXGATE_ASTERISK_URL: asterisk.url, VOXGATE_AUDIOSOCKET_PORT: String(audiosocketPort) },
  });
  ari = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => {
      const { pathname, searchParams: query } = new URL(request.url!, 'http://x');
      const isWhole =
        request.method === 'POST' &&
        pathname === '/ari/channels/externalMedia' &&
        request.headers.authorization === `Basic ${Buffer.from('user:secret').toString('base64')}` &&
        [...query.keys()].every((name) => PARAMETERS.includes(name)) &&
        ['app', 'external_host', 'format'].every((name) => query.get(name) !== null) &&
        (body === '' || request.headers['content-type'] === 'application/json');
      if (!isWhole) return response.writeHead(400).end();
      const { variables = {} } = (body === '' ? {} : JSON.parse(body)) as {
        variables?: Record<string, string>;
      };
      calls.push(makeChannel({ query, variables }));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id":"pbx-1"}');
    });
  });
  await new Promise<void>((resolve) => ari.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  ari.close();
  await service.close();
  asterisk.close();
});

/** The page's commands, with the addresses and keys that are there. */
function runPage(page: string, token: string): Promise<number | null> {
  const text = blocksBy(`docs/legs/${page}`, 'test/docs/asterisk.test.ts')
    .filter((block) => block.text.startsWith('curl '))
    .map((block) => block.text)
    .join('\n')
    .replaceAll('127.0.0.1:8088', `127.0.0.1:${(ari.address() as AddressInfo).port}`)
    .replaceAll('127.0.0.1:9092', `127.0.0.1:${audiosocketPort}`)
    .replaceAll('https://voice.example.com', service.url)
    .replaceAll('ATTACH_TOKEN', token)
    .replace('Bearer KEY', `Bearer ${keyOf('ann')}`)
    .replace('X-USER-ID: USER', 'X-USER-ID: ann')
    .replaceAll('curl ', 'curl -sS --fail-with-body ');
  calls = [];
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-euc', text], { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('close', resolve);
  });
}

const channel = (connectionId?: string): SimulatedCarrier => ({
  ...CARRIERS['chan-websocket']!,
  side: () => createChanWebSocketSide({ syntax: 'json', format: 'ulaw', frameBytes: 160, connectionId }),
  ...(connectionId !== undefined && { transport: asterisk.channel(connectionId) }),
});

const openSession = async (): Promise<{ session: SessionProbe; token: string }> => {
  const session = await service.session(undefined, { headers: credentialsOf('ann') });
  return { session, token: (await session.event('ready')).attachToken };
};

async function isSpokenTo(session: SessionProbe, call: SimulatedCall): Promise<void> {
  expect(await session.event('heard')).toMatchObject({ turn: 'hello', remainingText: '' });
  session.send({ type: 'hangup' });
  await call.closed;
  expect(call.faults).toEqual([]);
  expect(call.playout.heard.length).toBeGreaterThan(10);
}

const HELLO = { type: 'speak', turn: 'hello', text: 'Good morning, how can I help?' };

describe('the recipes for Asterisk', () => {
  it('asterisk.md: a channel dials the gateway, with the token among its variables', async () => {
    const { session, token } = await openSession();
    makeChannel = ({ query, variables }) => {
      expect(Object.fromEntries(query)).toMatchObject({ external_host: 'voxgate', transport: 'websocket' });
      const url = `ws://127.0.0.1:${service.port}/v1/legs/chan-websocket`;
      return dialCarrier(channel(), url, { callId: 'pbx-1', token: variables.VOXGATE_TOKEN });
    };
    expect(await runPage('asterisk.md', token)).toBe(0);
    session.send({ type: 'attach', leg: { token } }, HELLO);
    await isSpokenTo(session, await calls[0]!);
  });

  it('asterisk-incoming.md: a channel waits, and the gateway dials it', async () => {
    const { session, token } = await openSession();
    makeChannel = ({ query }) => {
      expect(Object.fromEntries(query)).toMatchObject({
        external_host: 'INCOMING',
        connection_type: 'server',
      });
      return dialCarrier(channel('6f1c8a52-0d4e-4b7e-9a3f-2f8f6f0a9d11'), '', { callId: 'pbx-1', token });
    };
    expect(await runPage('asterisk-incoming.md', token)).toBe(0);
    session.send({ type: 'attach', leg: { callSid: 'pbx-1' } }, HELLO);
    await isSpokenTo(session, await calls[0]!);
  });

  it('audiosocket.md: a channel brings the UUID that the session has named', async () => {
    const { session } = await openSession();
    const messages = blocksBy('docs/legs/audiosocket.md', 'messages')[0]!.text.split('\n');
    session.send(...messages.map((line) => JSON.parse(line) as object));
    makeChannel = ({ query }) =>
      dialCarrier(CARRIERS.audiosocket!, `tcp://${query.get('external_host')}`, {
        callId: 'pbx-1',
        token: query.get('data')!,
      });
    expect(await runPage('audiosocket.md', '')).toBe(0);
    const call = await calls[0]!;
    expect(await session.event('heard')).toMatchObject({ turn: 'hello', remainingText: '' });
    session.send({ type: 'hangup' });
    await call.closed;
    expect(call.faults).toEqual([]);
  });
});

describe('the bot and the app of asterisk.md', () => {
  const programs = blocksBy('docs/legs/asterisk.md', 'test/docs/asterisk.test.ts').filter(
    ({ text }) => !text.startsWith('curl '),
  );
  const [ofBot, ofCall, ofApp] = programs.map(({ text }) => text);
  const env = { VOXGATE_KEY: keyOf('ann'), VOXGATE_USER: 'ann' };
  let folder: ReaderFolder;
  let botPort: number;
  let bot: Started;
  const children: ChildProcess[] = [];
  const ported = (text: string) =>
    text.replaceAll('8080', String(service.port)).replaceAll('3000', String(botPort));

  type Started = { readonly printed: () => string; until(words: RegExp): Promise<void> };
  function start(command: string, args: readonly string[]): Started & { ended: Promise<number | null> } {
    const child = spawn(command, args, { cwd: folder.path, env: { ...folder.env, ...env } });
    children.push(child);
    let printed = '';
    let look = () => {};
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        printed += part.toString();
        look();
      });
    return {
      printed: () => printed,
      until: (words) =>
        new Promise((resolve) => {
          look = () => words.test(printed) && resolve();
          look();
        }),
      ended: new Promise((resolve) => child.once('close', resolve)),
    };
  }

  beforeAll(async () => {
    buildProgram();
    folder = createReaderFolder('asterisk-bot', { linkClone: true });
    botPort = await freePort();
    folder.write('asterisk-bot.mjs', ported(ofBot!));
    bot = start(process.execPath, ['asterisk-bot.mjs']);
    await bot.until(/the bot waits for calls/);
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    folder.remove();
  });

  const talks =
    /^heard: Good[\s\S]* \| not heard: [\s\S]*until you do\.\nheard: I have heard you\. Goodbye for now\. \| not heard: $/m;

  it('a caller is greeted, interrupts and is said goodbye to: in µ-law', async () => {
    const { printed, ended } = start('bash', ['-euc', ported(ofCall!)]);
    expect(await ended, printed()).toBe(0);
    expect(JSON.parse(printed().trim().split('\n').at(-1)!)).toMatchObject({ clears: 1, faults: [] });
    await bot.until(talks);
  });

  it('of a caller who hangs up it tells how far the greeting was heard', async () => {
    const before = bot.printed().length;
    const hasty = ported(ofCall!).replace('--talk-after-ms 2000 --out call.wav', '--seconds 3');
    const { printed, ended } = start('bash', ['-euc', hasty]);
    expect(await ended, printed()).toBe(0);
    await bot.until(/\nleg_gone: [^\n]*\nheard: Good[\s\S]* \| not heard: [\s\S]*until you do\.\n$/);
    expect(bot.printed().slice(before)).toMatch(/^leg_gone: /);
  });

  it('and in 16-bit samples, over AudioSocket', async () => {
    const uuid = '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405163';
    const before = bot.printed().length;
    expect(await (await fetch(`http://127.0.0.1:${botPort}/call?uuid=${uuid}`)).text()).toBe(uuid);
    const legUrl = `tcp://127.0.0.1:${audiosocketPort}`;
    const args = ['--token', uuid, '--leg-url', legUrl, '--url', service.url, '--talk-after-ms', '2000'];
    const call = start(process.execPath, ['dist/main.js', 'simulate', 'audiosocket', ...args]);
    expect(await call.ended, call.printed()).toBe(0);
    expect(bot.printed().slice(before)).toMatch(talks);
  });

  it('the app makes a channel for a call that comes, and a bridge for both', async () => {
    const asked: string[] = [];
    let media: Promise<SimulatedCall> | undefined;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => {
        body += part.toString();
      });
      request.on('end', () => {
        const { pathname, searchParams } = new URL(request.url!, 'http://x');
        asked.push(`${request.method} ${pathname}`);
        if (pathname === '/ari/channels/externalMedia') {
          expect([...searchParams.keys()].every((name) => PARAMETERS.includes(name))).toBe(true);
          const { variables } = JSON.parse(body) as { variables: { VOXGATE_TOKEN: string } };
          media = dialCarrier(channel(), `ws://127.0.0.1:${service.port}/v1/legs/chan-websocket`, {
            callId: 'media-1',
            token: variables.VOXGATE_TOKEN,
          });
        }
        if (pathname.endsWith('/addChannel')) expect(searchParams.get('channel')).toBe('caller-1,media-1');
        const id = pathname.startsWith('/ari/bridges') ? 'bridge-1' : 'media-1';
        if (/answer$|addChannel$/.test(pathname) || request.method === 'DELETE')
          response.writeHead(204).end();
        else response.end(JSON.stringify({ id }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const events = new WebSocketServer({ server });
    const connected = new Promise<WebSocket>((resolve) => events.once('connection', resolve));
    const ariPort = (server.address() as AddressInfo).port;
    folder.write('asterisk-ari.mjs', ported(ofApp!).replace('8088', String(ariPort)));
    const app = start(process.execPath, ['asterisk-ari.mjs']);
    const socket = await connected;
    const tell = (type: string, id: string, name: string) =>
      socket.send(JSON.stringify({ type, channel: { id, name } }));
    const until = async (request: string) => {
      while (!asked.includes(request)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    tell('StasisStart', 'caller-1', 'PJSIP/phone-1');
    await until('POST /ari/bridges/bridge-1/addChannel');
    tell('StasisStart', 'media-1', 'WebSocket/voxgate/1');
    const call = await media!;
    while (call.playout.heard.length < 20) await new Promise((resolve) => setTimeout(resolve, 20));
    call.hangUp();
    tell('StasisEnd', 'media-1', 'WebSocket/voxgate/1');
    await until('DELETE /ari/bridges/bridge-1');
    expect(asked).toEqual([
      'POST /ari/channels/caller-1/answer',
      'POST /ari/channels/externalMedia',
      'POST /ari/bridges',
      'POST /ari/bridges/bridge-1/addChannel',
      'DELETE /ari/channels/caller-1',
      'DELETE /ari/bridges/bridge-1',
    ]);
    expect(app.printed()).toBe('the app waits for calls\n');
    events.close();
    server.closeAllConnections();
    server.close();
  });
});
