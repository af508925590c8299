// The recipes for Asterisk (docs/legs/asterisk.md, asterisk-incoming.md, audiosocket.md) with a far side that is as strict as its
// documents: what the page sends to ARI makes the channel, the channel reaches the gateway, and a session speaks to it.
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARRIERS, type SimulatedCarrier } from '../../testkit/carriers/carriers.ts';
import { createChanWebSocketSide } from '../../testkit/carriers/chan-websocket-side.ts';
import { dialCarrier } from '../../testkit/carriers/dial-carrier.ts';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { type MediaServer, startMediaServer } from '../../testkit/carriers/media-server.ts';
import type { SimulatedCall } from '../../testkit/carriers/simulated-call.ts';
import { blocksBy } from '../support/page-blocks.ts';
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
