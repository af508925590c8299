// What a session that outlives its connection may hold, and that nothing of it is left when it is over.
import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/base/app-error.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import { openResumableRig, type ResumableRig } from '../../support/resumable-rig.ts';

const MAX_BYTES = 64 * 1024;
const TEXT = 'A text that is spoken for a while.';

/** Runs for `ms`, and answers with the most that was kept at the end of any step. */
async function watch(rig: ResumableRig, ms: number, stepMs = 20): Promise<number> {
  let most = 0;
  for (let at = 0; at < ms; at += stepMs) {
    await rig.clock.run(stepMs);
    most = Math.max(most, rig.resumption.bytes());
  }
  return most;
}

describe('what is not proven received', () => {
  it('is 32 KB at most of telephone audio to a client that answers pings', async () => {
    const rig = openResumableRig({ preset: { captions: 'words' }, auto: atOnce(() => speechMp3(15_000)) });
    rig.client.send({ type: 'speak', turn: 'a', text: TEXT });
    const most = await watch(rig, 12_000);
    expect(most).toBeGreaterThan(16_000);
    expect(most).toBeLessThanOrEqual(32 * 1024);
    rig.stop();
  });

  it.each([
    ['raw in a burst', { format: 'raw', sampleRate: 48_000, pace: 'burst' }],
    ['base64 in a burst', { format: 'mulaw', audio: 'base64', pace: 'burst' }],
    ['raw in real time', { format: 'raw', sampleRate: 48_000 }],
  ] as const)(
    'stays within its bound where no ping is answered, %s: the turn waits, and no underrun is told',
    async (_name, preset) => {
      const rig = openResumableRig({ preset, auto: atOnce(() => speechMp3(20_000)), maxBytes: MAX_BYTES });
      const { client, clock } = rig;
      client.socket!.pongs = 'not-sent';
      client.send({ type: 'speak', turn: 'a', text: TEXT });
      expect(await watch(rig, 9000)).toBeLessThanOrEqual(MAX_BYTES);
      expect(rig.resumption.bytes()).toBeGreaterThan(MAX_BYTES / 2);
      const sentBytes = client.bytesOf('a');
      expect(sentBytes).toBeLessThan(MAX_BYTES);
      await clock.run(5000);
      expect(client.bytesOf('a')).toBe(sentBytes);
      // It is given up as any client is, and the session waits; on a connection that answers it goes on.
      await watch(rig, 60_000, 1000);
      expect(client.socket!.closed).toEqual({ code: 1006, by: 'server' });
      expect(rig.connection.state()).toBe('waiting');
      expect(rig.comeBack()).toBeUndefined();
      expect(await watch(rig, 40_000, 100)).toBeLessThanOrEqual(MAX_BYTES);
      expect(client.messages.filter(({ type }) => type === 'ended')).toMatchObject([{ outcome: 'complete' }]);
      expect(client.bytesOf('a')).toBe(Buffer.concat(rig.made.get('a')!).length);
      expect(client.faults).toEqual([]);
      expect(rig.underruns).toEqual([]);
      rig.stop();
    },
  );
});

it('ten thousand returns leave nothing behind', async () => {
  const rig = openResumableRig({ preset: {}, auto: atOnce(() => speechMp3(1000)) });
  const { client, clock } = rig;
  const returns = (times: number) => {
    for (let n = 0; n < times; n += 1) {
      // Each second connection is fenced off by the next, the others are lost before.
      if (n % 2 === 0) client.socket!.lose();
      expect(rig.comeBack()).toBeUndefined();
      if (n % 7 === 0) client.send({ type: 'ping', id: String(n) });
      clock.flush();
    }
  };
  returns(10);
  await clock.run(10_000);
  const [timers, bytes] = [clock.timers, rig.resumption.bytes()];
  returns(10_000);
  await clock.run(10_000);
  expect(clock.timers).toBe(timers);
  expect(rig.resumption.bytes()).toBe(bytes);
  expect(rig.told).toEqual(client.sent);
  expect(client.faults).toEqual([]);
  expect(client.token!.token.length).toBeLessThan(300);
  client.send({ type: 'speak', turn: 'a', text: TEXT });
  await clock.run(3000);
  expect(client.bytesOf('a')).toBeGreaterThan(8000);
  rig.stop();
});

it('a connection that does not read is cut when a newer one has the session, and others are told why', () => {
  const rig = openResumableRig({ preset: {}, auto: atOnce(() => speechMp3(1000)) });
  const reading = rig.client.socket!;
  expect(rig.comeBack()).toBeUndefined();
  expect(reading.closed).toEqual({ code: 4409, by: 'server' });
  const stuck = rig.client.socket!;
  stuck.bufferedAmount = 200_000;
  expect(rig.comeBack()).toBeUndefined();
  expect(stuck.closed).toEqual({ code: 1006, by: 'server' });
  rig.stop();
});

it('a session that nobody comes back to lets go of all that it held', async () => {
  const rig = openResumableRig({
    preset: { captions: 'words' },
    auto: (request) => request.send(speechMp3(5000)),
  });
  const { client, clock, connection, upstream } = rig;
  const closed: (AppError | undefined)[] = [];
  connection.session.audience.listen(
    { format: 'mulaw', sampleRate: 8000 },
    { send() {}, close: (error) => void closed.push(error) },
  );
  client.send({ type: 'speak', turn: 'a', text: TEXT });
  client.send({ type: 'append', turn: 'b', text: 'And another that has not ended. ' });
  await clock.run(1000);
  expect(upstream.live.length).toBeGreaterThan(0);
  client.socket!.lose();
  await clock.run(122_000);
  expect(rig.closes).toEqual([1006]);
  expect(closed).toEqual([undefined]);
  expect(upstream.live).toEqual([]);
  expect(rig.playout.players()).toBe(0);
  expect(rig.resumption.bytes()).toBe(0);
  expect(connection.bufferedBytes()).toBe(0);
  expect(rig.comeBack()).toBe('session_gone');
  rig.stop();
  await clock.run(10_000);
  expect(clock.timers).toBe(0);
});

describe('a gateway that stops', () => {
  const speaking = async () => {
    const rig = openResumableRig({ preset: {}, auto: atOnce(() => speechMp3(2000)) });
    rig.client.send({ type: 'speak', turn: 'a', text: TEXT });
    await rig.clock.run(500);
    return rig;
  };

  it('says that the session cannot go on elsewhere, has the turn heard out, and closes with 1012', async () => {
    const rig = await speaking();
    const { client, clock, connection } = rig;
    connection.drain(60_000);
    await clock.run(100);
    expect(client.messages.find(({ type }) => type === 'goaway')).toMatchObject({
      deadlineMs: 60_000,
      resume: false,
    });
    await clock.run(5000);
    expect(client.messages.map(({ type }) => type)).toContain('heard');
    expect(client.socket!.closed).toEqual({ code: 1012, by: 'server' });
    expect(rig.comeBack()).toBe('session_gone');
    rig.stop();
  });

  it('ends a session whose client is away, and one whose connection is lost then', async () => {
    const away = await speaking();
    away.client.socket!.lose();
    away.connection.drain(60_000);
    expect(away.closes).toEqual([1012]);
    expect(away.comeBack()).toBe('session_gone');
    away.stop();

    const lost = await speaking();
    lost.connection.drain(60_000);
    lost.client.socket!.lose();
    expect(lost.closes).toEqual([1006]);
    expect(lost.comeBack()).toBe('session_gone');
    lost.stop();
  });
});
