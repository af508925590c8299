// A session with contexts: turns of one queue are heard one after another, queues side by side.

import { describe, expect, it } from 'vitest';
import { MAX_SPEAKING_QUEUES } from '../../src/session/playout-queues.ts';
import { speechMp3 } from '../support/codecs.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from '../support/live-session.ts';
import { atOnce } from '../support/memory-upstream.ts';
import { scriptedAdmission } from '../support/open-admission.ts';

const TURN_MS = 1000;
const MULAW_BYTES_PER_MS = 8;

const start = (options: LiveSessionOptions = {}) =>
  startSession({ auto: atOnce(() => speechMp3(TURN_MS)), playoutOrder: 'side-by-side', ...options });
const speak = (live: LiveSession, turn: string, queue: string) =>
  live.session.handle({ type: 'speak', turn, text: 'One.' }, queue);
const startedOf = (live: LiveSession) => live.said('started').map(({ turn }) => turn);

describe('the playout queues of a session', () => {
  it('are heard side by side, each in real time, and turns of one queue one behind the other', async () => {
    const live = start();
    speak(live, 'a1', 'a');
    speak(live, 'a2', 'a');
    speak(live, 'b1', 'b');
    expect(live.said('queued')).toMatchObject([{ turn: 'a2', reason: 'previous-turn', position: 1 }]);
    await live.run(500);
    expect(startedOf(live).sort()).toEqual(['a1', 'b1']);
    for (const turn of ['a1', 'b1'])
      expect(live.audioOf(turn).length / MULAW_BYTES_PER_MS).toBeLessThanOrEqual(720);
    await live.run(3000);
    expect(startedOf(live).at(-1)).toBe('a2');
    expect(live.said('ended').map(({ outcome }) => outcome)).toEqual(['complete', 'complete', 'complete']);
    expect(live.said('heard').map(({ playedMs }) => Math.round(playedMs / 100))).toEqual([10, 10, 10]);
    expect([live.session.turnsUnheard(), live.session.bufferedBytes(), live.playout.players()]).toEqual([
      0, 0, 0,
    ]);
    expect(live.faults).toEqual([]);
  });

  it('are one queue where nobody said that they are several', async () => {
    const live = start({ playoutOrder: 'as-named' });
    speak(live, 'a', 'a');
    speak(live, 'b', 'b');
    await live.run(500);
    expect(startedOf(live)).toEqual(['a']);
    await live.run(2000);
    expect(live.order().filter((name) => /^(started|ended)/.test(name))).toEqual([
      'started a',
      'ended a',
      'started b',
      'ended b',
    ]);
  });

  it('are no more than so many: a turn for another waits behind those of the queue named last', async () => {
    const live = start();
    for (let n = 0; n < MAX_SPEAKING_QUEUES; n += 1) speak(live, `t${n}`, `q${n}`);
    speak(live, 'one-more', 'q-more');
    const last = `t${MAX_SPEAKING_QUEUES - 1}`;
    expect(live.said('queued')).toMatchObject([{ turn: 'one-more', position: 1 }]);
    await live.run(500);
    expect(startedOf(live)).toHaveLength(MAX_SPEAKING_QUEUES);
    live.send({ type: 'cancel', turn: last });
    await live.run(100);
    expect(startedOf(live).at(-1)).toBe('one-more');
    await live.run(3000);
    expect(live.said('ended')).toHaveLength(MAX_SPEAKING_QUEUES + 1);
    expect(live.playout.players()).toBe(0);
  });

  it('are all cut by a cancel that names no turn', async () => {
    const live = start();
    for (const name of ['a', 'b', 'c']) speak(live, name, name);
    await live.run(300);
    live.send({ type: 'cancel' });
    expect(live.said('ended').map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ['c', 'cancelled'],
      ['b', 'cancelled'],
      ['a', 'cancelled'],
    ]);
    const before = live.log.length;
    await live.run(2000);
    expect(live.log.length).toBe(before);
    expect(live.session.turnsUnheard()).toBe(0);
  });

  it('have room at the speech service each for itself', async () => {
    const rooms: (string | undefined)[] = [];
    const live = start({
      upstreamOf: (upstream) => ({
        ...upstream,
        open(body, options) {
          rooms.push(options.work?.session);
          return upstream.open(body, options);
        },
      }),
    });
    speak(live, 'a1', 'a');
    speak(live, 'b1', 'b');
    speak(live, 'a2', 'a');
    await live.run(4000);
    expect(rooms).toEqual(['test/1', 'test/2', 'test/1']);
  });

  it('hold a place each while they speak', async () => {
    const admission = scriptedAdmission();
    const live = start({ admission });
    for (const name of ['a', 'b', 'c']) speak(live, name, name);
    // The second one may be the answer to an interruption.
    expect([admission.asked, admission.held]).toEqual([['turn', 'turn'], 3]);
    live.send({ type: 'cancel', turn: 'b' });
    expect(admission.held).toBe(2);
    await live.run(3000);
    expect(admission.held).toBe(0);
    speak(live, 'd', 'd');
    live.session.close();
    expect(admission.held).toBe(0);
  });

  it('are followed by onlookers as by the listener: from one to the one that began last', async () => {
    const live = start({ auto: atOnce(() => speechMp3(8000)), onlookers: { onlookerJoinMs: 0 } });
    let heardBytes = 0;
    live.session.audience.listen(
      { format: 'mulaw', sampleRate: 8000 },
      {
        send: (bytes) => {
          heardBytes += bytes.length;
        },
        close() {},
      },
    );
    speak(live, 'a', 'a');
    await live.run(2000);
    speak(live, 'b', 'b');
    await live.run(4000);
    // In real time, however many contexts are sent.
    expect(Math.abs(heardBytes / MULAW_BYTES_PER_MS - 6000)).toBeLessThan(100);
    expect(live.faults).toEqual([]);
  });
});
