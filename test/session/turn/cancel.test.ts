import { describe, expect, it } from 'vitest';
import { speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

/** Media ms sent so far, all turns together. */
const sentMs = (live: ReturnType<typeof startSession>) =>
  live.log.reduce((sum, entry) => sum + ('audio' in entry ? entry.audio.bytes.length / 8 : 0), 0);

describe('cancel', () => {
  it('stops the upstream, sends nothing more, and tells at once what was heard', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One two three. Four five six.' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(3000));
    await live.run(1000);
    live.send({ type: 'cancel', turn: 'a' });
    expect(live.upstream.requests[0]!.state).toBe('aborted');
    expect(live.order().slice(-3)).toEqual(['audio a', 'ended a', 'heard a']);
    expect(live.said('ended')[0]).toMatchObject({ outcome: 'cancelled', sentMs: 1200 });
    expect(live.said('heard')[0]).toMatchObject({ playedMs: 1000, playedBy: 'clock' });
    const before = live.log.length;
    await live.run(5000);
    expect(live.log.length).toBe(before);
    expect(live.clock.timers).toBe(0);
  });

  it('in the middle of the upstream wait ends without heard', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    live.send({ type: 'cancel', turn: 'a' });
    live.send({ type: 'speak', turn: 'b', text: 'Two.' });
    await live.run(0);
    live.send({ type: 'cancel', turn: 'b' });
    await live.run(100);
    expect(live.order()).toEqual(['ended a', 'ended b']);
    expect(live.upstream.live).toEqual([]);
  });

  it('of a turn that was sent ahead leaves the audio before it alone', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1000)) });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    live.send({ type: 'speak', turn: 'b', text: 'Four five six.' });
    live.send({ type: 'speak', turn: 'c', text: 'Seven eight nine.' });
    // b begins to be sent when a has less than its lead to go: cut it there.
    for (let ms = 0; live.said('started', 'b').length === 0 && ms < 3000; ms += 10) await live.run(10);
    await live.run(50);
    const heardMs = live.clock.now() - 1000;
    const aMs = live.said('ended', 'a')[0]!.sentMs;
    expect(heardMs).toBeLessThan(aMs);
    live.send({ type: 'cancel', turn: 'b' });
    await live.run(20);
    // What the listener holds is the rest of a, then c: never more than the lead and a frame.
    const holds = aMs + live.frames('c').length * 20 - (live.clock.now() - 1000);
    expect(holds).toBeLessThanOrEqual(220);
  });

  it('of a draining turn lets the next one be heard at once', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1000)), preset: { leadMs: 600 } });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    live.send({ type: 'speak', turn: 'b', text: 'Four five six.' });
    for (let ms = 0; live.said('started', 'b').length === 0 && ms < 3000; ms += 10) await live.run(10);
    const before = live.frames('b').length;
    live.send({ type: 'cancel', turn: 'a' });
    expect(live.said('heard', 'a')).toHaveLength(1);
    await live.run(10);
    // a's rest is dropped, so b may be sent a whole lead ahead from now.
    expect(live.frames('b').length * 20).toBe(600);
    expect(before * 20).toBeLessThan(600);
    await live.run(2000);
    expect(live.figures.underrunGapsMs).toEqual([]);
  });

  it('of all cuts all, heard in no doubt: playedMs speaks of the turn that was being heard', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(500)), preset: { leadMs: 2000 } });
    for (const turn of ['a', 'b', 'c']) live.send({ type: 'speak', turn, text: 'One two three.' });
    await live.run(100);
    live.send({ type: 'cancel', playedMs: 80 });
    const heard = live.said('heard').map(({ turn, playedMs, playedBy }) => `${turn} ${playedMs} ${playedBy}`);
    expect(heard.sort()).toEqual(['a 80 client', 'b 0 clock', 'c 0 clock']);
    const before = sentMs(live);
    await live.run(1000);
    expect(sentMs(live)).toBe(before);
    expect(live.session.turnsUnheard()).toBe(0);
  });

  it('credits playedMs to the turn in the ear, not to one before it whose last report is still awaited', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1000)) });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    live.send({ type: 'speak', turn: 'b', text: 'Four five six.' });
    await live.run(500);
    live.send({ type: 'played', turn: 'a', ms: 400 });
    await live.run(1100);
    expect([live.said('heard').length, live.session.turnsUnheard()]).toEqual([0, 2]);
    live.send({ type: 'cancel', playedMs: 300 });
    const heard = live.said('heard').map(({ turn, playedMs, playedBy }) => `${turn} ${playedMs} ${playedBy}`);
    expect(heard.sort()).toEqual(['a 400 client', 'b 300 client']);
  });

  it('credits playedMs to the last turn when all that was sent has been heard', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(500)) });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    live.send({ type: 'speak', turn: 'b', text: 'Four five six.' });
    await live.run(300);
    live.send({ type: 'played', turn: 'a', ms: 100 });
    await live.run(400);
    live.send({ type: 'played', turn: 'b', ms: 10 });
    await live.run(700);
    expect(live.session.turnsUnheard()).toBe(2);
    live.send({ type: 'cancel', playedMs: 200 });
    const heard = live.said('heard').map(({ turn, playedMs }) => `${turn} ${playedMs}`);
    expect(heard.sort()).toEqual(['a 100', 'b 200']);
  });

  it('frees the time of what was dropped: the next turn is heard from now on', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(5000)), preset: { leadMs: 3000 } });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(1000);
    live.send({ type: 'cancel' });
    live.send({ type: 'speak', turn: 'b', text: 'Four five six.' });
    await live.run(2500);
    live.send({ type: 'cancel' });
    expect(live.said('heard', 'b')).toMatchObject([{ playedMs: 2500 }]);
  });

  it('of an ended turn is silent, of one that never was is not', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(100)) });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(1000);
    const before = live.log.length;
    live.send({ type: 'cancel', turn: 'a' });
    live.send({ type: 'cancel' });
    expect(live.log.length).toBe(before);
    live.send({ type: 'cancel', turn: 'z' });
    expect(live.said('error').map((error) => error.code)).toEqual(['unknown_turn']);
  });
});
