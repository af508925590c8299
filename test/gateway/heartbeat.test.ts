import { describe, expect, it } from 'vitest';
import { createHeartbeat } from '../../src/gateway/heartbeat.ts';
import { accepted } from '../support/settings.ts';

const LIMITS = { heartbeatMs: 20_000, pongTimeoutMs: 10_000 };

describe('a heartbeat', () => {
  it('pings when it is time, each ping with a payload of its own', () => {
    const heartbeat = createHeartbeat(LIMITS, 0);
    expect(heartbeat.due(19_999)).toEqual({ do: 'nothing' });
    expect(heartbeat.due(20_000)).toEqual({ do: 'ping', payload: '1' });
    heartbeat.answered('1');
    expect(heartbeat.due(39_999)).toEqual({ do: 'nothing' });
    expect(heartbeat.due(40_000)).toEqual({ do: 'ping', payload: '2' });
  });

  it('gives up when the answer does not come in time', () => {
    const heartbeat = createHeartbeat(LIMITS, 0);
    heartbeat.due(20_000);
    expect(heartbeat.due(29_999)).toEqual({ do: 'nothing' });
    expect(heartbeat.due(30_000)).toEqual({ do: 'give-up' });
  });

  it.each(['', '0', '2', 'unasked'])('is not calmed by a pong with "%s"', (payload) => {
    const heartbeat = createHeartbeat(LIMITS, 0);
    heartbeat.due(20_000);
    heartbeat.answered(payload);
    expect(heartbeat.due(30_000)).toEqual({ do: 'give-up' });
  });

  it('with the settings as they come and a look a second, notices silence within 35 s', () => {
    const heartbeat = createHeartbeat(accepted({}).config, 0);
    let nowMs = 0.5; // looks never fall on the second
    while (heartbeat.due(nowMs).do !== 'give-up') nowMs += 1000;
    expect(nowMs).toBeLessThan(35_000);
  });
});
