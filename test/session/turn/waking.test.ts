// What wakes a line of turns that sleeps until its next frame: each of these would come late, or never, without.
import { describe, expect, it } from 'vitest';
import { speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const START_MS = 1000;

describe('a sleeping line of turns', () => {
  it('answers a mark in the middle of a turn when it is heard, whenever it was set', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1500)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    await live.run(300);
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(4000);
    const told = live.log.find((entry) => 'event' in entry && entry.event.type === 'mark')!;
    expect(told.atMs - START_MS).toBeGreaterThan(1200);
    expect(told.atMs - START_MS).toBeLessThan(1600);
  });

  it('answers a mark although nothing else happens any more', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1500)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(1250); // the text has been idle for long
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    await live.run(500);
    expect(live.said('mark')).toHaveLength(1);
  });

  it('asks for more when enough has been heard, though the text came during the request before', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    const first = live.upstream.requests[0]!;
    first.send(speechMp3(8000));
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    await live.run(1500);
    first.end();
    await live.run(2300);
    expect(live.upstream.requests).toHaveLength(1);
    await live.run(400); // 4 s are left to hear
    expect(live.upstream.requests).toHaveLength(2);
  });

  it('sends a listener who has run dry what comes, without waiting for a tick', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(0);
    const request = live.upstream.requests[0]!;
    request.send(speechMp3(500));
    await live.run(2000);
    request.send(speechMp3(100));
    await live.run(503);
    const before = live.frames('a').length;
    request.send(speechMp3(100));
    await live.run(0);
    expect(live.frames('a')[before]?.atMs).toBe(START_MS + 2503);
  });

  it('lets what comes for one who has enough to hear wait for the tick, all of it together', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(0);
    const request = live.upstream.requests[0]!;
    request.send(speechMp3(300));
    await live.run(172); // about a tenth of a second is left
    const before = live.frames('a').length;
    request.send(speechMp3(100));
    await live.run(0);
    expect(live.frames('a')).toHaveLength(before);
    await live.run(3);
    expect(live.frames('a').length).toBeGreaterThan(before + 1);
  });

  it('begins with the most of its lead, and has the rest a tick later', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(2000)) });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(0);
    expect(live.frames('a').length * 20).toBe(160);
    await live.run(10);
    expect(live.frames('a').length * 20).toBe(200);
  });

  it('is not asked at all while it waits for an answer from the speech service', async () => {
    let asked = 0;
    const live = startSession({
      playoutOf: (playout) => ({
        ...playout,
        join(player) {
          const sendDue = player.sendDue.bind(player);
          player.sendDue = (nowMs) => {
            asked += 1;
            sendDue(nowMs);
          };
          playout.join(player);
        },
      }),
    });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(20);
    const before = asked;
    await live.run(5000);
    expect(asked).toBe(before);
    live.upstream.requests[0]!.send(speechMp3(1000));
    live.upstream.requests[0]!.end();
    await live.run(2000);
    expect(live.said('heard')).toHaveLength(1);
    // A frame of 20 ms each, and a little for its beginning and end.
    expect(asked - before).toBeLessThan(live.frames('a').length + 20);
  });
});
