// A client whose messages take more of the gateway's time than it may have: slowed first, so that a cancel still gets through,
// and closed when it goes on all the same. Nothing here is timed: what is looked at is how it is answered.
import { afterEach, expect, it } from 'vitest';
import { type RunningGateway, spoken, startRunningGateway } from '../support/running-gateway.ts';
import { audio } from '../support/scripted-upstream.ts';

/** A quarter of a second. */
const SHORT_BYTES = 10 * 192;
const PATIENT = { timeout: 60_000 };
const ANN = { headers: { Authorization: 'Bearer key-of-ann' } };
const BOB = { headers: { Authorization: 'Bearer key-of-bob' } };
/** Answered with forty times as much: a message that is small and costs something. */
const DEAR = { type: 'configure', prompt: 'p'.repeat(15_000), prompt2: 'q'.repeat(15_000) };

let gateway: RunningGateway;
const start = async (env: Readonly<Record<string, string>>) => {
  gateway = await startRunningGateway({
    script: audio(spoken().subarray(0, SHORT_BYTES)),
    env: { VOXGATE_API_KEYS: 'ann:key-of-ann,bob:key-of-bob', ...env },
    processes: 1,
  });
};
afterEach(() => gateway.close());

it(
  'slows a client that takes too much time, and closes it with 4429; a witness speaks on',
  PATIENT,
  async () => {
    await start({ VOXGATE_CONNECTION_TIME_MS: '10' });
    const witness = await gateway.session('pace=burst', BOB);
    const hostile = await gateway.session('pace=burst', ANN);
    // Within the limits on messages and bytes: 100 messages of 30 kB in two seconds.
    const flood = setInterval(() => hostile.send(...Array.from({ length: 20 }, () => DEAR)), 350);
    const { code, reason } = await hostile.closed;
    clearInterval(flood);
    expect([code, reason]).toEqual([4429, 'rate_limited']);
    expect(hostile.events('error').at(-1)).toMatchObject({ code: 'rate_limited', scope: 'session' });
    expect(await witness.speaks('a')).toMatchObject({ outcome: 'complete' });
    expect(await gateway.metric('voxgate_intake_slowed_total')).toBeGreaterThan(0);
    expect(await gateway.metric('voxgate_intake_refusals_total')).toBe(1);
  },
);

it('lets a cancel through to a client that is slowed, and handles the rest in order', PATIENT, async () => {
  await start({ VOXGATE_CONNECTION_TIME_MS: '10' });
  const client = await gateway.session('', ANN);
  client.send({ type: 'speak', turn: 'a', text: 'Still here.' });
  await client.event('started');
  client.send(...Array.from({ length: 25 }, () => DEAR));
  client.send({ type: 'cancel', turn: 'a' }, { type: 'ping', id: 'last' });
  expect(await client.ended('a')).toMatchObject({ turn: 'a' });
  await client.event('pong', ({ id }) => id === 'last');
  expect(client.events('configured')).toHaveLength(25);
  expect(client.events('error')).toEqual([]);
});

it('has nobody wait who has no limit', PATIENT, async () => {
  await start({ VOXGATE_CONNECTION_TIME_MS: '0', VOXGATE_USER_TIME_MS: '0' });
  const client = await gateway.session('', ANN);
  client.send(...Array.from({ length: 100 }, () => DEAR), { type: 'ping', id: 'last' });
  await client.event('pong');
  expect(client.events('configured')).toHaveLength(100);
  expect(client.events('error')).toEqual([]);
});
