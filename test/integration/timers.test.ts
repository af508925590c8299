// One clock for everybody: what has a timer of its own is the process, never a session.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROCESSES } from '../support/gateway-processes.ts';
import { type RunningGateway, spoken, startRunningGateway } from '../support/running-gateway.ts';
import { audio } from '../support/scripted-upstream.ts';

const SESSIONS = 50;
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startRunningGateway({
    script: audio(spoken()),
    env: { VOXGATE_MAX_CONNECTIONS_PER_USER: '0' },
  });
});
afterAll(() => gateway.close());

/** Timers that keep the process alive; those of sockets and connections that are only watched do not. */
const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

// Timers of this process are looked at, so the gateway has to be in it.
it.skipIf(PROCESSES > 1)('has no timer that comes with a session', async () => {
  const first = await gateway.session();
  first.send({ type: 'speak', turn: 'a', text: 'One.' });
  await first.nextAudio();
  const withOne = timers();
  expect(withOne).toBeGreaterThan(0); // the clock and the sweeper

  const others = await Promise.all(Array.from({ length: SESSIONS }, () => gateway.session()));
  for (const probe of others) probe.send({ type: 'speak', turn: 'a', text: 'One.' });
  await Promise.all(others.map((probe) => probe.nextAudio()));
  expect(timers()).toBeLessThanOrEqual(withOne + 1);
});
