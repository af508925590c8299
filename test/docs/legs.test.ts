// docs/legs: a page for each leg, and the bridge of raw.md on a real gateway.

import { EventEmitter } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { LEGS } from '../../src/legs/legs.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { dialCarrier } from '../../testkit/carriers/dial-carrier.ts';
import { blocksBy, blocksOf } from '../support/page-blocks.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';

const FOLDER = new URL('../../docs/legs/', import.meta.url);
const read = (page: string) => readFileSync(new URL(page, FOLDER), 'utf8');
const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');

describe('docs/legs', () => {
  it('lists every leg, and each page that it names is there', () => {
    const listed = [...read('README.md').matchAll(/^\| (?:\[)?`([a-z-]+)`(?:\]\(([a-z-]+\.md)\))?/gm)];
    const kinds = listed.map(([, kind]) => kind);
    for (const { kind } of LEGS) expect(kinds).toContain(kind);
    for (const [, , page] of listed)
      if (page !== undefined) expect(existsSync(new URL(page, FOLDER))).toBe(true);
  });

  it.each(pages)('%s has few lines beside its programs', (page) => {
    const programs = blocksOf(`docs/legs/${page}`).filter(({ language }) => language === 'js');
    const programLines = programs.flatMap(({ text }) => text.split('\n')).length;
    const allowed = page === 'twilio.md' || page === 'asterisk.md' ? 80 : 45;
    expect(read(page).split('\n').length - 1 - programLines).toBeLessThanOrEqual(allowed);
  });
});

describe.concurrent('the recipes for carriers', () => {
  const kinds = pages.map((page) => page.replace('.md', '')).filter((kind) => CARRIERS[kind] !== undefined);
  const spoken = kinds.filter((kind) => kind !== 'audiosocket' && kind !== 'raw');

  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
  });
  afterAll(() => gateway.close());

  it.each(spoken)('%s.md: its messages, in its order, are heard by a strict far side', async (kind) => {
    const session = await gateway.session();
    const { attachToken } = await session.event('ready');
    const block = blocksBy(`docs/legs/${kind}.md`, 'messages')[0]!.text.replaceAll(
      'ATTACH_TOKEN',
      attachToken,
    );
    session.send(...block.split('\n').map((line) => JSON.parse(line) as object));
    const url = `ws://127.0.0.1:${gateway.port}/v1/legs/${kind}`;
    const call = await dialCarrier(CARRIERS[kind]!, url, { callId: `call-of-${kind}`, token: attachToken });
    expect(await session.event('heard')).toMatchObject({ turn: 'hello', remainingText: '' });
    await session.event('inbound');
    session.send({ type: 'hangup' });
    await call.closed;
    expect(call.faults).toEqual([]);
  });
});

describe('the bridge of raw.md', () => {
  type FakeCall = EventEmitter & {
    id: string;
    played: number;
    play(bytes: Uint8Array, done?: (fate: string) => void): void;
    drop(): void;
    hangUp(): void;
  };
  type Bridges = (socket: typeof WebSocket) => (call: FakeCall, token?: string) => void;
  /** It plays a thousand times as fast as it should. */
  const fakeCall = (): { call: FakeCall; hungUp: Promise<void> } => {
    let hangUp = () => {};
    const hungUp = new Promise<void>((resolve) => {
      hangUp = resolve;
    });
    const call: FakeCall = Object.assign(new EventEmitter(), {
      id: '42',
      played: 0,
      play(bytes: Uint8Array, done?: (fate: string) => void) {
        call.played += bytes.length;
        done?.('played');
      },
      drop() {},
      hangUp,
    });
    return { call, hungUp };
  };

  it('brings a call to a session, its audio both ways, and hangs up', async () => {
    const gateway = await startRunningGateway();
    const code = blocksBy('docs/legs/raw.md', 'test/docs/legs.test.ts')[0]!
      .text.replace(/^import .*$/m, '')
      .replace('export function', 'return function')
      .replace('wss://voice.example.com', `ws://127.0.0.1:${gateway.port}`);
    const bridge = (runInThisContext(`(function (WebSocket) {${code}})`) as Bridges)(WebSocket);
    const session = await gateway.session();
    const { call, hungUp } = fakeCall();
    bridge(call);
    session.send({ type: 'attach', leg: { callSid: '42' }, inbound: 'forward' });
    await session.event('attached', ({ kind }) => kind === 'raw');
    call.emit('audio', new Uint8Array(160).fill(0x55));
    expect(Buffer.from((await session.event('inbound')).data, 'base64')).toEqual(Buffer.alloc(160, 0x55));
    session.send({ type: 'speak', turn: 'a', text: 'Hello there.' });
    const heard = await session.event('heard');
    expect(heard.playedBy).toBe('mark');
    expect(call.played).toBeGreaterThanOrEqual(heard.playedMs * 8);
    session.send({ type: 'hangup' });
    await hungUp;
    await gateway.close();
  });
});
