// Upgrades and requests that are wrong, forged or half. Each gets its HTTP status and an error body, never a session;
// afterwards a witness that was connected all the time still speaks.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TABLE, type ErrorCode } from '../../src/base/app-error.ts';
import { exchange, openRawSession, type UpgradeParts, upgradeRequest } from '../support/raw-session.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';
import type { SessionProbe } from '../support/session-probe.ts';

let open: RunningGateway;
let keyed: RunningGateway;
let witness: SessionProbe;

beforeAll(async () => {
  open = await startRunningGateway();
  keyed = await startRunningGateway({ env: { VOXGATE_API_KEYS: 'ann:key-of-ann,bob:key-of-bob' } });
  witness = await open.session('pace=burst');
});
afterAll(async () => {
  await open.close();
  await keyed.close();
});

const refusal = async (port: number, parts: UpgradeParts) => {
  const answer = await exchange(port, upgradeRequest(port, parts));
  return { ...answer, errorId: (JSON.parse(answer.body) as { errorId: string }).errorId };
};
const expectRefused = async (port: number, code: ErrorCode, parts: UpgradeParts) => {
  const answer = await refusal(port, parts);
  expect([answer.status, answer.errorId]).toEqual([ERROR_TABLE[code].http, code.toUpperCase()]);
  expect(answer.headers).toMatchObject({
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(answer.body, 'latin1')),
  });
};
const preset = (query: string): UpgradeParts => ({ target: `/v1/session?${query}` });
const header = (...headers: string[]): UpgradeParts => ({ headers });

const WRONG_PRESETS = [
  'format=opus',
  'format=',
  'format=MULAW',
  'sampleRate=7999',
  'sampleRate=48001',
  'sampleRate=8000.5',
  'sampleRate=NaN',
  'sampleRate=',
  'sampleRate=%20',
  'format=mp3&sampleRate=9000',
  'frameMs=9',
  'frameMs=101',
  'pace=fast',
  'leadMs=39',
  'leadMs=Infinity',
  'flow=',
  'audio=text',
  'captions=on',
  'markup=yes',
  'speed=0',
  'speed=6',
  'seed=-1',
  'seed=20000000000000000',
  'seed=1e99',
  'temperature=3',
  'language=xx',
  'voice=',
  `voice=${'v'.repeat(2049)}`,
  'colour=red',
  '__proto__=1',
  'constructor=1',
  'format=mulaw&format=alaw',
  'format%00=mulaw',
];

describe('upgrades', () => {
  it.each(WRONG_PRESETS)('wrong preset %s is a 400', (query) =>
    expectRefused(open.port, 'invalid_request', preset(query)),
  );

  it('tells which parameter, and what is allowed', async () => {
    expect((await refusal(open.port, preset('sampleRate=abc'))).body).toMatch(/sampleRate.*number/i);
    expect((await refusal(open.port, preset('pace=fast'))).body).toMatch(/pace.*realtime.*burst/);
    expect((await refusal(open.port, preset('colour=red'))).body).toMatch(/colour.*format.*sampleRate/);
    expect((await refusal(open.port, preset('agent=1'))).body).toMatch(/there is no agent of this id/);
  });

  const TARGETS: [string, ErrorCode][] = [
    ['/', 'not_found'],
    ['/v1/session/', 'not_found'],
    ['/V1/SESSION', 'not_found'],
    ['/v1/legs/', 'not_found'],
    ['/v1/legs/nobody', 'not_found'],
    ['/v1/legs/twilio/token', 'unauthorized'],
    ['/v1/legs/twilio/a/b', 'not_found'],
    ['/v1/../v1/session', 'not_found'],
    ['/v1/%73ession', 'not_found'],
    ['//', 'not_found'],
    ['//elsewhere/v1/session', 'not_found'],
    ['///', 'not_found'],
    ['/\\evil/v1/session', 'not_found'],
    ['http://elsewhere.example/v1/session', 'not_found'],
    ['http://[', 'not_found'],
    ['*', 'not_found'],
    [`/${'x'.repeat(4000)}`, 'not_found'],
    ['/v1/session?agent=1', 'not_found'],
  ];
  it.each(TARGETS)('target %s is %s', (target, code) => expectRefused(open.port, code, { target }));

  const FORGED: [string, UpgradeParts][] = [
    ['Forwarded', header('Forwarded: for=1.2.3.4')],
    ['X-Forwarded-For', header('X-Forwarded-For: 127.0.0.1')],
    ['X-Forwarded-Host', header('X-Forwarded-Host: a')],
    ['Via', header('Via: 1.1 proxy')],
    ['CF-Connecting-IP', header('CF-Connecting-IP: 1.2.3.4')],
    ['a foreign Host', header('Host: voxgate.example')],
    ['a Host that begins well', header('Host: localhost.evil.example')],
    ['a Host with a user', header('Host: localhost@evil.example')],
    ['an empty Host', header('Host: ,')],
    ['two Hosts', header('Host: 127.0.0.1', 'Host: evil.example')],
    ['a foreign Origin', header('Origin: https://evil.example')],
    ['an opaque Origin', header('Origin: null')],
    ['our Origin by another scheme', header('Host: localhost', 'Origin: https://localhost')],
    ['our Origin on another port', header('Host: localhost:1', 'Origin: http://localhost:2')],
    ['two Origins', header('Host: localhost', 'Origin: http://localhost', 'Origin: http://evil.example')],
  ];
  it.each(FORGED)('without API keys, %s is a 403', (_name, parts) =>
    expectRefused(open.port, 'forbidden', parts),
  );

  it.each([
    ['localhost', header('Host: localhost')],
    ['IPv6', header('Host: [::1]:8080')],
    ['our own Origin', header('Host: localhost:8080', 'Origin: http://localhost:8080')],
    ['a header too many', header('X-Anything: 1')],
    ['a user id', header('X-USER-ID: ann')],
  ])('without API keys, %s comes in', async (_name, parts) => {
    const session = await openRawSession(open.port, parts);
    session.socket.destroy();
  });

  const ANN = 'Authorization: Bearer key-of-ann';
  const STRANGERS: [string, UpgradeParts][] = [
    ['no credentials', {}],
    ['an unknown key', header('Authorization: Bearer nobody')],
    ['an empty key', header('Authorization: Bearer ')],
    ['another scheme', header('Authorization: Basic a2V5LW9mLWFubg==')],
    ['the bare key', header('Authorization: key-of-ann')],
    ['a key and more', header(`${ANN} more`)],
    ["another user's id", header(ANN, 'X-USER-ID: bob')],
    ['two user ids', header(ANN, 'X-USER-ID: ann', 'X-USER-ID: bob')],
    ['two credentials', header(ANN, 'Authorization: Bearer key-of-bob')],
    ['the key twice', header(ANN, ANN)],
    ['the key in the query', preset('authorization=Bearer+key-of-ann')],
    ['a token, which this version has not', header('Sec-WebSocket-Protocol: voxgate.v1, token.abc')],
  ];
  it.each(STRANGERS)('with API keys, %s is a 401', async (_name, parts) => {
    const answer = await refusal(keyed.port, parts);
    expect([answer.status, answer.errorId]).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body).not.toContain('key-of');
  });

  it.each([
    ['the key alone', header(ANN)],
    ['the key with its user', header(ANN, 'X-USER-ID: ann')],
    [
      'a proxy before us and a foreign Origin',
      header(ANN, 'X-Forwarded-For: 1.2.3.4', 'Origin: https://shop.example'),
    ],
    ['a foreign Host', header(ANN, 'Host: voxgate.example')],
  ])('with API keys, %s comes in', async (_name, parts) => {
    const session = await openRawSession(keyed.port, parts);
    session.socket.destroy();
  });

  it.each([
    ['no key', header('Sec-WebSocket-Key:')],
    ['a short key', header('Sec-WebSocket-Key: abc')],
    ['no version', header('Sec-WebSocket-Version:')],
    ['version 12', header('Sec-WebSocket-Version: 12')],
    ['another protocol', header('Upgrade: h2c')],
    ['a subprotocol that is none', header('Sec-WebSocket-Protocol: a b')],
    ['a body', header('Content-Length: 5')],
    ['a chunked body', header('Transfer-Encoding: chunked')],
    ['both lengths', header('Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['two lengths', header('Content-Length: 5', 'Content-Length: 6')],
    ['POST', { method: 'POST' }],
  ])('a handshake with %s is refused', async (_name, parts) => {
    const body = parts.headers?.some((line) => /^(Content|Transfer)/.test(line))
      ? '5\r\nhello\r\n0\r\n\r\n'
      : '';
    const answer = await exchange(open.port, upgradeRequest(open.port, parts), body);
    expect(answer.status).toBe(parts.method === 'POST' ? 405 : 400);
  });

  it('only voxgate.v1 is echoed of the offered subprotocols, and no extension', async () => {
    const parts = header(
      'Sec-WebSocket-Protocol: other, voxgate.v1',
      'Sec-WebSocket-Extensions: permessage-deflate',
    );
    const socket = connect(open.port, '127.0.0.1');
    const answer = await new Promise<string>((resolve) => {
      socket.once('data', (bytes) => resolve(bytes.toString('latin1')));
      socket.write(upgradeRequest(open.port, parts));
    });
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1.1 101 /);
    expect(answer).toMatch(/sec-websocket-protocol: voxgate\.v1\r\n/i);
    expect(answer).not.toMatch(/extensions/i);
  });

  it('what follows a refused upgrade is never carried out, and the refusal still arrives', async () => {
    const wrong = upgradeRequest(open.port, { target: '/nowhere' });
    const answer = await exchange(open.port, wrong + upgradeRequest(open.port), Buffer.alloc(300_000, 0x41));
    expect([answer.status, answer.body.includes('HTTP/1.1')]).toEqual([404, false]);
  });

  it('a peer that sends for ever after its refusal is cut off', async () => {
    const socket = connect(open.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(upgradeRequest(open.port, { target: '/nowhere' }));
    const timer = setInterval(() => socket.write(Buffer.alloc(1000)), 20);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(timer);
  });
});

describe('plain requests', () => {
  const get = (path: string, ...headers: string[]) =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;

  const BAD: [string, string, number][] = [
    ['a request that is none', 'hello\r\n\r\n', 400],
    [
      'Transfer-Encoding and Content-Length',
      `POST /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'a chunk size that is none',
      `POST /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
      400,
    ],
    ['a folded header', get('/livez', 'A: b', ' c'), 400],
    ['a header with a bare CR', get('/livez', 'A: b\rX: c'), 400],
    ['a header of 9 KiB', get('/livez', `A: ${'a'.repeat(9000)}`), 431],
    ['two thousand headers', get('/livez', ...Array.from({ length: 2000 }, (_, n) => `A${n}: b`)), 431],
    [
      'a proxy header behind three thousand others',
      get('/livez', ...Array(3000).fill('A:'), 'Via: 1.1 proxy'),
      403,
    ],
    ['an unknown path', get('/admin'), 404],
    ['a path out of the house', get('/../../etc/passwd'), 404],
    ['a proxy header', get('/asyncapi.json', 'X-Forwarded-For: 1.2.3.4'), 403],
    ['a proxy header at the health check', get('/livez', 'Via: 1.1 proxy'), 403],
    [
      'a foreign Host at the health check',
      'GET /readyz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      403,
    ],
    ['two Hosts', get('/asyncapi.json', 'Host: evil.example'), 403],
  ];
  it.each(BAD)('%s', async (_name, request, status) => {
    const answer = await exchange(open.port, request);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({
      errorMessage: expect.any(String),
      errorId: expect.any(String),
    });
  });

  it('no Host', async () => {
    expect((await exchange(open.port, 'GET /livez HTTP/1.1\r\n\r\n')).status).toBe(400);
  });

  it('another method than the path has', async () => {
    const answer = await exchange(open.port, get('/livez').replace('GET', 'DELETE'));
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('what is hidden behind a request with two lengths is never answered', async () => {
    const hidden = get('/asyncapi.json');
    const answer = await exchange(
      open.port,
      `POST /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    );
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain('asyncapi');
  });
});

describe('afterwards', () => {
  it('the witness still speaks, and nothing was logged as a fault', async () => {
    expect(await witness.speaks('after')).toMatchObject({ outcome: 'complete' });
    expect([...open.logLines, ...keyed.logLines].filter((line) => line.includes('"error"'))).toEqual([]);
  });
});
