import { describe, expect, it } from 'vitest';
import { Heartbeat } from '../../../src/gateway/sockets/heartbeat.ts';
import { accepted } from '../../support/settings.ts';

const LIMITS = { heartbeatMs: 20_000, pongTimeoutMs: 10_000 };

describe('a heartbeat', () => {
  it('pings when it is time, each ping with a payload of its own', () => {
    const heartbeat = new Heartbeat(LIMITS, 0);
    expect(heartbeat.due(19_999)).toEqual({ do: 'nothing' });
    expect(heartbeat.due(20_000)).toEqual({ do: 'ping', payload: '1' });
    heartbeat.answered('1', 20_100);
    expect(heartbeat.due(39_999)).toEqual({ do: 'nothing' });
    expect(heartbeat.due(40_000)).toEqual({ do: 'ping', payload: '2' });
  });

  it('gives up when the answer does not come in time', () => {
    const heartbeat = new Heartbeat(LIMITS, 0);
    heartbeat.due(20_000);
    expect(heartbeat.due(29_999)).toEqual({ do: 'nothing' });
    expect(heartbeat.due(30_000)).toEqual({ do: 'give-up' });
  });

  it.each(['', '0', '2', '-1', '1.0', 'unasked'])('is not calmed by a pong with "%s"', (payload) => {
    const heartbeat = new Heartbeat(LIMITS, 0);
    heartbeat.due(20_000);
    heartbeat.answered(payload, 29_000);
    expect(heartbeat.due(30_000)).toEqual({ do: 'give-up' });
  });

  it('pings a client that is behind at each look, and waits from when it last took something', () => {
    const heartbeat = new Heartbeat(LIMITS, 0);
    for (const second of [1, 2, 3]) {
      heartbeat.isBehind(second * 1000);
      expect(heartbeat.due(second * 1000)).toEqual({ do: 'ping', payload: String(second) });
    }
    expect(heartbeat.due(12_999)).toEqual({ do: 'nothing' });
    expect(heartbeat.due(13_000)).toEqual({ do: 'give-up' });
  });

  it('is kept waiting by one answer after the other, and not by the same one again', () => {
    const heartbeat = new Heartbeat(LIMITS, 0);
    for (const second of [1, 2, 3]) {
      heartbeat.isBehind(second * 1000);
      heartbeat.due(second * 1000);
    }
    heartbeat.answered('1', 12_000);
    expect(heartbeat.due(21_000)).toEqual({ do: 'nothing' });
    heartbeat.answered('1', 21_500);
    expect(heartbeat.due(22_000)).toEqual({ do: 'give-up' });
    heartbeat.answered('3', 22_000);
    expect(heartbeat.due(22_999)).toEqual({ do: 'nothing' });
    expect(heartbeat.due(23_000)).toEqual({ do: 'ping', payload: '4' });
  });

  it('gives a client no more time for what it took before the ping', () => {
    const heartbeat = new Heartbeat(LIMITS, 0);
    heartbeat.isBehind(19_000);
    expect(heartbeat.due(20_000)).toEqual({ do: 'ping', payload: '1' });
    expect(heartbeat.due(30_000)).toEqual({ do: 'give-up' });
  });

  it('with the settings as they come and a look a second, notices silence within 35 s', () => {
    const heartbeat = new Heartbeat(accepted({}).config, 0);
    let nowMs = 0.5; // looks never fall on the second
    while (heartbeat.due(nowMs).do !== 'give-up') nowMs += 1000;
    expect(nowMs).toBeLessThan(35_000);
  });

  const playing = (answerAfterMs: (sentAtMs: number) => number, forMs: number, limits = LIMITS) => {
    const heartbeat = new Heartbeat(limits, 0);
    const answers: { readonly atMs: number; readonly payload: string }[] = [];
    const seen: { readonly atMs: number; readonly lagMs: number; readonly did: string }[] = [];
    for (let nowMs = 1000; nowMs <= forMs; nowMs += 1000) {
      for (const { atMs, payload } of answers)
        if (atMs > nowMs - 1000 && atMs <= nowMs) heartbeat.answered(payload, atMs);
      heartbeat.sends(nowMs, 'sound-in-real-time');
      const lagMs = heartbeat.lagMs(nowMs);
      const due = heartbeat.due(nowMs);
      if (due.do === 'ping') answers.push({ atMs: nowMs + answerAfterMs(nowMs), payload: due.payload });
      seen.push({ atMs: nowMs, lagMs, did: due.do });
    }
    return {
      heartbeat,
      seen,
      doing: (what: string) => seen.filter(({ did }) => did === what).map(({ atMs }) => atMs),
    };
  };

  it('pings at once and every four seconds while sound is played in real time', () => {
    const { seen, doing } = playing(() => 100, 14_000);
    expect(doing('ping')).toEqual([1000, 5000, 9000, 13_000]);
    expect(seen.every(({ lagMs }) => lagMs === 0)).toBe(true);
  });

  it.each([
    [0.25, 20],
    [0.5, 30],
    [0.8, 70],
  ])(
    'tells that a client which reads at %d of real time is ten seconds behind, within %i s',
    (pace, withinS) => {
      const { seen } = playing((sentAtMs) => sentAtMs / pace - sentAtMs, withinS * 1000, {
        ...LIMITS,
        pongTimeoutMs: 20_000,
      });
      expect(Math.max(...seen.map(({ lagMs }) => lagMs))).toBeGreaterThanOrEqual(10_000);
    },
  );

  it('tells nothing of one that has never answered, and gives it as long as one that is silent', () => {
    const { seen, doing } = playing(() => 1e6, 31_000);
    expect(seen.every(({ lagMs }) => lagMs === 0)).toBe(true);
    expect(doing('give-up')[0]).toBe(30_000);
  });

  it('tells nothing of one that still reads what came in a burst before', () => {
    const limits = { ...LIMITS, pongTimeoutMs: 60_000 };
    const { seen } = playing((sentAtMs) => Math.max(1, 15_000 - sentAtMs), 40_000, limits);
    expect(seen.every(({ lagMs }) => lagMs === 0)).toBe(true);
  });

  it('knows up to when all has been read', () => {
    const { heartbeat } = playing(() => 100, 6000);
    expect(heartbeat.readUntilMs()).toBe(5000);
  });

  it('calls nobody late for what came in a burst between two sounds, or for a pause', () => {
    const heartbeat = new Heartbeat({ ...LIMITS, pongTimeoutMs: 60_000 }, 0);
    const look = (nowMs: number, what: 'sound-in-real-time' | 'other') => {
      heartbeat.sends(nowMs, what, 10_200);
      return heartbeat.due(nowMs);
    };
    expect(look(1000, 'sound-in-real-time')).toMatchObject({ do: 'ping' });
    heartbeat.answered('1', 1100);
    expect(look(5000, 'sound-in-real-time')).toMatchObject({ do: 'ping' });
    for (let nowMs = 6000; nowMs < 20_000; nowMs += 1000) look(nowMs, 'other');
    look(20_000, 'sound-in-real-time');
    expect(heartbeat.lagMs(20_000)).toBe(0);
    heartbeat.answered('2', 20_500);
    look(21_000, 'sound-in-real-time');
    expect(heartbeat.lagMs(25_000)).toBe(0);
  });

  it('gives one that reads as long as its sound allows', () => {
    const heartbeat = new Heartbeat(LIMITS, 0);
    const look = (nowMs: number) => {
      heartbeat.sends(nowMs, 'sound-in-real-time', 15_000);
      return heartbeat.due(nowMs);
    };
    look(1000);
    heartbeat.answered('1', 1100);
    expect(look(5000)).toMatchObject({ do: 'ping' });
    expect(look(19_000)).toEqual({ do: 'nothing' });
    expect(look(20_000)).toEqual({ do: 'give-up' });
  });
});
