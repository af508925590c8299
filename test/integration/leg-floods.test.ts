// Strangers on the paths of legs: sockets that say nothing and are renewed all the time, and sockets that say far too much.
// Legs that are somebody's come in and hear meanwhile.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { createRawSide } from '../../testkit/carriers/raw-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { frame, OPCODE, upgradeRequest } from '../support/raw-session.ts';
import { type RunningGateway, spoken, startRunningGateway } from '../support/running-gateway.ts';
import { audio } from '../support/scripted-upstream.ts';
import type { SessionProbe } from '../support/session-probe.ts';

const PLACES = 40;
/** Ten times the sockets that may stay without having proved anything. */
const STRANGERS = 640;
/** A quarter of a second. */
const SHORT_BYTES = 10 * 192;
const PATIENT = { timeout: 90_000 };
const BOT = { headers: { Authorization: 'Bearer key-of-ann' } };

let gateway: RunningGateway;
let stop = () => {};
const start = async (env: Readonly<Record<string, string>> = {}) => {
  gateway = await startRunningGateway({
    script: audio(spoken().subarray(0, SHORT_BYTES)),
    env: { VOXGATE_API_KEYS: 'ann:key-of-ann', VOXGATE_MAX_CONNECTIONS: String(PLACES), ...env },
    processes: 1,
  });
};
afterEach(async () => {
  stop();
  await gateway.close();
});

/**
 * Sockets that say `hello` alone and come again when they are closed. Of those that are in, one in ten is renewed as soon as
 * all are, so that the load is what the machine bears. Answers with how often one came in.
 */
function besiege(port: number, localAddress: string, hello: string): () => number {
  const outside = new Set<Socket>();
  const inside = new Set<Socket>();
  let phase: 'on' | 'over' = 'on';
  let entered = 0;
  const come = () => {
    if (phase === 'over') return;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    outside.add(socket);
    socket.once(hello === '' ? 'connect' : 'data', () => {
      entered += 1;
      outside.delete(socket);
      inside.add(socket);
      if (outside.size > 0) return;
      for (const old of [...inside].slice(0, STRANGERS / 10)) old.destroy();
    });
    socket.write(hello);
    socket.resume();
    socket.on('error', () => {});
    socket.on('close', () => {
      outside.delete(socket);
      inside.delete(socket);
      setImmediate(come);
    });
  };
  for (let n = 0; n < STRANGERS; n += 1) come();
  stop = () => {
    phase = 'over';
    for (const socket of [...outside, ...inside]) socket.destroy();
  };
  return () => entered;
}

async function openBots(): Promise<SessionProbe[]> {
  const bots: SessionProbe[] = [];
  for (let n = 0; n < PLACES; n += 1) bots.push(await gateway.session('', BOT));
  return bots;
}

/** The leg tells whose it is in its first message. */
async function hearsOn(bot: SessionProbe, n: number): Promise<string> {
  const { attachToken } = await bot.event('ready');
  bot.send({ type: 'attach', leg: { callSid: `call-${n}` } });
  const call = await dial(
    `ws://127.0.0.1:${gateway.port}/v1/legs/raw`,
    createRawSide({ format: 'mulaw', sampleRate: 8000 }),
    {
      callId: `call-${n}`,
      token: attachToken,
    },
  );
  await bot.event('attached');
  bot.send({ type: 'speak', turn: 'a', text: 'Still here.' });
  const { outcome } = await bot.ended('a');
  call.close();
  return outcome;
}

// A machine that is busy with other things may let the loop stand still for seconds; a room that is too small fails each time.
describe.each([
  ['from another address', '127.0.0.2'],
  ['from the address of the legs, as behind a proxy', '127.0.0.1'],
])('sockets of strangers %s', (_from, address) => {
  it(`do not keep one leg out of ${PLACES} places`, PATIENT, async () => {
    await start();
    const bots = await openBots();
    const entered = besiege(gateway.port, address, upgradeRequest(gateway.port, { target: '/v1/legs/raw' }));
    await expect.poll(entered, PATIENT).toBeGreaterThan(STRANGERS);
    const outcomes = await Promise.all(bots.map(hearsOn));
    expect(outcomes).toEqual(bots.map(() => 'complete'));
    await expect.poll(() => gateway.metric('voxgate_leg_evictions_total'), PATIENT).toBeGreaterThan(0);
  });
});

it('strangers over AudioSocket do not keep a call out', PATIENT, async () => {
  const port = await freePort();
  await start({ VOXGATE_AUDIOSOCKET_PORT: String(port) });
  const bot = await gateway.session('', BOT);
  const entered = besiege(port, '127.0.0.1', '');
  await expect.poll(entered, PATIENT).toBeGreaterThan(STRANGERS);
  const uuid = '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405162';
  bot.send({ type: 'attach', leg: { token: uuid } });
  const call = connect({ port, host: '127.0.0.1' });
  await once(call, 'connect');
  call.write(Buffer.concat([Buffer.from([1, 0, 16]), Buffer.from(uuid.replaceAll('-', ''), 'hex')]));
  // As from Asterisk, the first audio comes some time later.
  setTimeout(() => call.write(Buffer.concat([Buffer.from([0x10, 1, 64]), Buffer.alloc(320)])), 600);
  expect(await bot.event('attached')).toMatchObject({ kind: 'audiosocket' });
  call.destroy();
});

describe('a stranger who floods the path of a leg', () => {
  const FLOODS: [string, Uint8Array][] = [
    ['text', frame(OPCODE.text, 'x'.repeat(100_000))],
    ['audio', frame(OPCODE.binary, Buffer.alloc(100_000))],
    ['small messages', Buffer.concat(Array.from({ length: 1000 }, () => frame(OPCODE.text, '[]')))],
    ['pongs', Buffer.concat(Array.from({ length: 1000 }, () => frame(OPCODE.pong, 'x')))],
  ];

  it.each(FLOODS)('with %s is closed with 4429, and a witness speaks on', PATIENT, async (_what, piece) => {
    await start();
    const witness = await gateway.session('pace=burst', BOT);
    const socket = connect({ port: gateway.port, host: '127.0.0.1' });
    const said: Buffer[] = [];
    let sentBytes = 0;
    socket.on('data', (part) => said.push(part));
    socket.on('error', () => {});
    socket.write(upgradeRequest(gateway.port, { target: '/v1/legs/raw' }));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const pour = () => {
      while (!socket.destroyed && sentBytes < 200_000_000) {
        sentBytes += piece.length;
        if (!socket.write(piece)) return;
      }
    };
    socket.on('drain', pour);
    pour();
    await closed;
    const text = Buffer.concat(said);
    const at = text.indexOf(Buffer.from([0x88]), text.indexOf('\r\n\r\n'));
    expect(text.readUInt16BE(text.indexOf('rate_limited', at) - 2)).toBe(4429);
    // What the system itself takes on a socket that is not read is a few megabytes.
    expect(sentBytes).toBeLessThan(30_000_000);
    expect(await witness.speaks('a')).toMatchObject({ outcome: 'complete' });
    expect(await gateway.metric('voxgate_intake_refusals_total')).toBe(1);
  });

  it('with pings and reads nothing is cut off', PATIENT, async () => {
    await start();
    const socket = connect({ port: gateway.port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.pause();
    socket.write(upgradeRequest(gateway.port, { target: '/v1/legs/raw' }));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const piece = Buffer.concat(Array.from({ length: 1000 }, () => frame(OPCODE.ping, 'x')));
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', pour);
    pour();
    await closed;
  });

  it('over AudioSocket is cut off', PATIENT, async () => {
    const port = await freePort();
    await start({ VOXGATE_AUDIOSOCKET_PORT: String(port) });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const piece = Buffer.alloc(64_000);
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', pour);
    pour();
    await closed;
    expect(await gateway.metric('voxgate_intake_refusals_total')).toBe(1);
  });
});

it('a refused upgrade is not read for long', PATIENT, async () => {
  await start();
  const socket = connect({ port: gateway.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.resume();
  socket.write(upgradeRequest(gateway.port, { target: '/v1/nothing' }));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let sentBytes = 0;
  const piece = Buffer.alloc(64_000);
  const pour = () => {
    while (!socket.destroyed && sentBytes < 500_000_000) {
      sentBytes += piece.length;
      if (!socket.write(piece)) return;
    }
  };
  socket.on('drain', pour);
  pour();
  await closed;
  expect(sentBytes).toBeLessThan(30_000_000);
});
