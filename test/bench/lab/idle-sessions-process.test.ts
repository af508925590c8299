// The silent clients of `bench growth` at a real gateway.
import { afterEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../bench/lab/actor.ts';
import { type IdleSessionsReport, startIdleSessions } from '../../../bench/lab/idle-sessions-process.ts';
import { type RunningGateway, startRunningGateway } from '../../support/running-gateway.ts';

let gateway: RunningGateway | undefined;
let crowd: Actor | undefined;
const reported = () => crowd!.report() as IdleSessionsReport;

async function start(sessions: number, env: Readonly<Record<string, string>>): Promise<void> {
  gateway = await startRunningGateway({ env });
  crowd = await startIdleSessions({ sessionUrl: gateway.sessionUrl, sessions, localAddress: '127.0.0.1' });
}

describe('idle sessions', () => {
  afterEach(async () => {
    await crowd?.close();
    await gateway?.close();
  });

  it('are sessions, and stay by answering pings', async () => {
    await start(20, { VOXGATE_HEARTBEAT_MS: '1000', VOXGATE_PONG_TIMEOUT_MS: '1000' });
    await expect.poll(() => reported().connected, { timeout: 10_000 }).toBe(20);
    expect(await gateway!.metric('voxgate_sessions')).toBe(20);
    // Who has not answered the first gets no second one.
    await expect.poll(() => reported().pings, { timeout: 10_000 }).toBeGreaterThanOrEqual(40);
    expect(reported()).toEqual({ connected: 20, lost: 0, pings: reported().pings });
  });

  it('tell why there are no more of them', async () => {
    await start(20, { VOXGATE_MAX_CONNECTIONS: '5' });
    await expect.poll(() => reported().refused, { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 503 /);
    expect(reported().connected).toBeLessThanOrEqual(5);
  });
});
