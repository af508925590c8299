// The compressed audio that the turns of one client keep together: room that one gives up is the next one's.
import { describe, expect, it } from 'vitest';
import type { BodyType } from '../../../src/audio/bodies/body-type.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import type { MemoryRequest } from '../../support/memory-upstream.ts';

const PCM: BodyType = { kind: 'plain', sound: { layout: 's16', sampleRate: 24_000, channels: 1 } };

/** Thirty seconds, 240 kB, in chunks as a socket brings them. */
const inChunks = (request: MemoryRequest) => {
  const body = speechMp3(30_000);
  for (let at = 0; at < body.length; at += 4000) request.send(body.subarray(at, at + 4000));
  request.end();
};

const start = () => {
  const live = startSession({ limits: { spoolBytes: 200_000 }, auto: inChunks });
  live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
  live.send({ type: 'speak', turn: 'b', text: 'Four five six.' });
  const unread = (index: number) => live.upstream.requests[index]!.unreadBytes;
  return { live, unread };
};

describe('the room of a client', () => {
  it('goes to the turn that waits, as the one before it is played', async () => {
    const { live, unread } = start();
    await live.run(1000);
    const before = unread(1);
    expect(before).toBeGreaterThan(100_000);
    await live.run(25_000);
    expect(unread(0)).toBe(0);
    expect(unread(1)).toBeLessThan(80_000);
    expect(live.session.bufferedBytes()).toBeGreaterThan(150_000);
    expect(live.session.bufferedBytes()).toBeLessThan(215_000);
  });

  it('goes to the turn that waits when the one before it is cut', async () => {
    const { live, unread } = start();
    await live.run(1000);
    live.send({ type: 'cancel', turn: 'a' });
    await live.run(20);
    expect(unread(1)).toBeLessThan(50_000);
  });

  it('is taken by PCM as by MP3 of its length: the next turn frees its connection as soon', async () => {
    const live = startSession({
      limits: { spoolBytes: 200_000 },
      upstreamOf: (upstream) => ({
        ...upstream,
        open: async (...asked) => ({ ...(await upstream.open(...asked)), type: PCM }),
      }),
      // Ten seconds, of which MP3 would be 80 kB.
      auto(request) {
        for (let at = 0; at < 120; at += 1) request.send(new Uint8Array(4000));
        request.end();
      },
    });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    live.send({ type: 'speak', turn: 'b', text: 'Four five six.' });
    await live.run(1000);
    expect(live.upstream.requests.map(({ unreadBytes }) => unreadBytes)).toEqual([0, 0]);
    expect(live.session.bufferedBytes()).toBeGreaterThan(600_000);
  });
});
