// A gateway that stops, on its telephony side: calls that are there are spoken to their end, and no new ones are taken.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { dialCarrier } from '../../testkit/carriers/dial-carrier.ts';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';

const DRAIN_MS = 10_000;

let gateway: RunningGateway;
afterEach(() => gateway.close());

/** How a connection to the port ends: not taken, or let go. */
const knock = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    socket.once('close', () => resolve('closed'));
    socket.resume();
  });

describe('a gateway that stops', () => {
  it('takes no more AudioSocket calls, and speaks to its end in those that are there', async () => {
    const port = await freePort();
    gateway = await startRunningGateway({ env: { VOXGATE_AUDIOSOCKET_PORT: String(port) } });
    const [session, uuid] = [await gateway.session(), randomUUID()];
    const call = await dialCarrier(CARRIERS.audiosocket!, `tcp://127.0.0.1:${port}`, {
      callId: uuid,
      token: undefined,
    });
    session.send({ type: 'attach', leg: { token: uuid } });
    await session.event('attached');
    session.send({ type: 'speak', turn: 'a', text: 'Let me finish.' });
    await session.event('started');
    const stopped = gateway.stop(DRAIN_MS);
    await session.event('goaway');
    const whileSpeaking = session.ended('a').then(() => 'still open');
    expect(['ECONNREFUSED', 'ECONNRESET', 'closed']).toContain(
      await Promise.race([knock(port), whileSpeaking]),
    );
    expect(await session.ended('a')).toMatchObject({ outcome: 'complete' });
    expect(await session.event('heard')).toMatchObject({ remainingText: '' });
    await Promise.all([stopped, call.closed]);
  });
});
