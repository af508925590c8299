// When audio leaves a session: never sooner than the lead allows, never later than the listener needs it.
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { mp3Facts, speechMp3 } from '../../support/codecs.ts';
import { type LiveSession, startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import { noise } from '../../support/tone.ts';

const START_MS = 1000;
const FRAME_MS = 20;
/** The lead unless it is set, and what rounding may add. */
const LEAD_MS = 200 + 0.01;
const second = speechMp3(1000);
const minute = Buffer.concat(new Array<Uint8Array>(60).fill(second));
const minuteMs = mp3Facts(minute).ms;

/** Ticks late by up to `mostMs`, as when the event loop is busy. */
const lateTicks =
  (mostMs: number) =>
  (clock: Clock): Clock => {
    const shares = noise(4096, 7);
    let tick = 0;
    return {
      ...clock,
      after: (delayMs, task) => clock.after(delayMs + mostMs * Math.abs(shares[tick++ % 4096]!), task),
    };
  };

/** The most that was ever sent beyond what the listener could have heard, all turns one after another. */
function largestLeadMs(live: LiveSession): number {
  let sentMs = 0;
  let most = 0;
  for (const entry of live.log) {
    if (!('audio' in entry)) continue;
    sentMs += FRAME_MS;
    most = Math.max(most, sentMs - (entry.atMs - START_MS));
  }
  return most;
}
const speakMinute = (options: Parameters<typeof startSession>[0]) => {
  const live = startSession({ auto: atOnce(() => minute), ...options });
  live.send({ type: 'speak', turn: 'a', text: 'One minute.' });
  return live;
};

describe('a turn of one minute', () => {
  it('keeps to its lead and does not drift', async () => {
    const live = speakMinute({});
    await live.run(minuteMs + 500);
    expect(largestLeadMs(live)).toBeLessThanOrEqual(LEAD_MS);
    const { sentMs, audioMs } = live.said('ended')[0]!;
    expect(sentMs).toBe(audioMs);
    expect(Math.abs(sentMs - minuteMs)).toBeLessThanOrEqual(FRAME_MS);
    const heardAtMs = live.log.at(-1)!.atMs - START_MS;
    expect(heardAtMs - sentMs).toBeGreaterThanOrEqual(0);
    expect(heardAtMs - sentMs).toBeLessThanOrEqual(FRAME_MS);
    const lastSentAtMs = live.frames('a').at(-1)!.atMs - START_MS;
    expect(Math.abs(lastSentAtMs + 200 - sentMs)).toBeLessThanOrEqual(FRAME_MS);
    expect(live.said('underrun')).toEqual([]);
  });

  it('rides out an event loop that is late by up to 25 ms at every tick', async () => {
    const live = speakMinute({ tickClock: lateTicks(25) });
    await live.run(minuteMs + 500);
    expect(live.said('underrun')).toEqual([]);
    expect(largestLeadMs(live)).toBeLessThanOrEqual(LEAD_MS);
    // The listener always has something: no frame leaves after it should have been heard.
    const slackMs = live.frames('a').map(({ atMs }, index) => index * FRAME_MS - (atMs - START_MS));
    expect(Math.min(...slackMs)).toBeGreaterThanOrEqual(0);
    expect(live.said('heard')[0]!.playedMs).toBe(live.said('ended')[0]!.sentMs);
  });

  it('tells the truth when even the smallest lead is not enough', async () => {
    const live = speakMinute({ tickClock: lateTicks(100), preset: { leadMs: 40 } });
    await live.run(3000);
    const gaps = live.said('underrun');
    expect(gaps.length).toBeGreaterThan(0);
    // The schedule moved by the gaps, and by nothing else.
    const lost = live.figures.underrunGapsMs.reduce((sum, gap) => sum + gap, 0);
    const last = live.frames('a').at(-1)!;
    const leadMs = live.frames('a').length * FRAME_MS - (last.atMs - START_MS) + lost;
    expect(leadMs).toBeGreaterThan(0);
    expect(leadMs).toBeLessThanOrEqual(40.01);
  });
});

describe('an underrun', () => {
  it('is told once, with its place and length, when the upstream pauses longer than the lead', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(0);
    const request = live.upstream.requests[0]!;
    request.send(speechMp3(1000));
    await live.run(2000);
    const sentMs = live.frames('a').length * FRAME_MS;
    request.send(speechMp3(1000));
    request.end();
    await live.run(10_000);
    expect(live.said('underrun')).toEqual([
      { type: 'underrun', turn: 'a', atMs: sentMs, gapMs: 2000 - sentMs },
    ]);
    expect(live.order().slice(-2)).toEqual(['ended a', 'heard a']);
  });

  it('is not told for a pause that the lead covers', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(0);
    const request = live.upstream.requests[0]!;
    for (let n = 0; n < 5; n += 1) {
      request.send(speechMp3(400));
      await live.run(n === 0 ? 200 : 400);
    }
    expect(live.said('underrun')).toEqual([]);
  });

  it('is not told when the caller pauses his text', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(500)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    await live.run(5000);
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(2000);
    expect(live.upstream.requests).toHaveLength(2);
    expect(live.said('underrun')).toEqual([]);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
  });

  it('is told when the upstream ended its body late, and not for the caller who paused after that', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(500));
    await live.run(600);
    live.upstream.requests[0]!.end();
    await live.run(3000);
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(0);
    live.upstream.requests[1]!.send(speechMp3(500));
    live.upstream.requests[1]!.end();
    await live.run(1000);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
    // The last samples of the body could only be made when it had ended.
    expect(live.said('underrun')).toEqual([{ type: 'underrun', turn: 'a', atMs: 500, gapMs: 100 }]);
  });

  it('is told when text came in time and the upstream did not', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(500));
    live.upstream.requests[0]!.end();
    await live.run(400); // everything has been sent, 100 ms are left to hear
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(1000);
    live.upstream.requests[1]!.send(speechMp3(500));
    live.upstream.requests[1]!.end();
    await live.run(1000);
    expect(live.said('underrun')).toEqual([{ type: 'underrun', turn: 'a', atMs: 520, gapMs: 880 }]);
  });

  it('is not told while the socket is congested or the client gives no credit', async () => {
    const live = startSession({ auto: atOnce(() => minute) });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(1000);
    live.congest('congested');
    await live.run(3000);
    expect(live.frames('a')).toHaveLength(60);
    live.congest('clear');
    await live.run(1000);
    expect(live.said('underrun')).toEqual([]);
    // No more than a lead is made up.
    expect(live.frames('a').filter(({ atMs }) => atMs === START_MS + 4010).length).toBeLessThanOrEqual(11);
    expect(live.frames('a').length).toBeLessThanOrEqual(60 + (1000 + 200) / FRAME_MS);
  });
});

describe('a lead that is shorter than a frame', () => {
  it('does not starve the listener at every frame', async () => {
    for (const [frameMs, leadMs] of [
      [100, 40],
      [40, 40],
      [30, 40],
    ] as const) {
      const live = speakMinute({ preset: { frameMs, leadMs }, tickClock: lateTicks(5) });
      await live.run(20_000);
      expect([frameMs, live.said('underrun').length]).toEqual([frameMs, 0]);
      for (const [index, { atMs }] of live.frames('a').entries())
        expect((index + 1) * frameMs - (atMs - START_MS)).toBeLessThanOrEqual(leadMs + frameMs);
    }
  });
});

describe('credit', () => {
  for (const pace of ['realtime', 'burst'] as const) {
    it(`is never overdrawn in ${pace}`, async () => {
      const live = startSession({
        auto: atOnce(() => minute),
        preset: { flow: 'credit', pace, leadMs: 400 },
      });
      live.send({ type: 'speak', turn: 'a', text: 'One.' });
      let played = 0;
      for (let n = 0; n < 40; n += 1) {
        await live.run(100);
        const sent = live.frames('a').length * FRAME_MS;
        expect(sent).toBeLessThanOrEqual(played + 400);
        if (n > 10) expect(sent).toBeGreaterThan(played + 400 - FRAME_MS);
        played += n < 10 ? 50 : 90;
        live.send({ type: 'played', turn: 'a', ms: played });
      }
      expect(live.said('underrun')).toEqual([]);
    });
  }

  it('that does not come for a minute ends the turn as truncated', async () => {
    const live = speakMinute({ preset: { flow: 'credit' } });
    live.send({ type: 'mark', turn: 'a', name: 'end' });
    await live.run(1000);
    live.send({ type: 'played', turn: 'a', ms: 100 });
    await live.run(59_900);
    expect(live.said('ended')).toEqual([]);
    await live.run(200);
    expect(live.order()).toEqual(['started a', 'audio a', 'error a', 'ended a', 'mark a', 'heard a']);
    expect(live.said('error')[0]).toMatchObject({ code: 'credit_timeout', scope: 'turn' });
    expect(live.said('ended')[0]).toMatchObject({ outcome: 'truncated', sentMs: 300 });
    expect(live.said('heard')[0]).toMatchObject({ playedMs: 100, playedBy: 'client' });
    expect(live.said('mark')[0]!.outcome).toBe('cleared');
  });

  it('that ends a turn leaves its flush unanswered, for that audio was never sent', async () => {
    const live = startSession({ auto: atOnce(() => second), preset: { flow: 'credit' } });
    live.send({ type: 'append', turn: 'a', text: 'One two three four.' });
    live.send({ type: 'flush', turn: 'a' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(61_000);
    expect(live.order()).toEqual(['started a', 'audio a', 'error a', 'ended a', 'heard a']);
  });

  it('counts only what was sent', async () => {
    const live = speakMinute({ preset: { flow: 'credit' } });
    await live.run(100);
    live.send({ type: 'played', turn: 'a', ms: 1_000_000 });
    await live.run(5000);
    expect(live.frames('a').length * FRAME_MS).toBe(400);
    live.send({ type: 'cancel' });
    expect(live.said('heard')[0]!.playedMs).toBe(200);
  });

  it('lets a frame longer than the credit go alone', async () => {
    const live = startSession({
      auto: atOnce(() => speechMp3(1000, 8000)),
      preset: { flow: 'credit', format: 'mp3', leadMs: 40 },
    });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(500);
    expect(live.frames('a')).toHaveLength(1); // 72 ms
    live.send({ type: 'played', turn: 'a', ms: 72 });
    await live.run(500);
    expect(live.frames('a')).toHaveLength(2);
  });
});

describe('burst', () => {
  it('sends all at once and is heard in real time', async () => {
    const live = startSession({ auto: atOnce(() => second.subarray(0)), preset: { pace: 'burst' } });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(100);
    expect(live.said('ended')).toHaveLength(1);
    expect(live.said('heard')).toEqual([]);
    await live.run(300);
    live.send({ type: 'cancel', turn: 'a' });
    expect(live.said('heard')[0]).toMatchObject({ playedMs: 400, playedBy: 'clock' });
  });

  it('does not decode minutes in one turn of the event loop', async () => {
    const live = startSession({ auto: atOnce(() => minute) });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    live.send({ type: 'configure', pace: 'burst' });
    live.send({ type: 'speak', turn: 'b', text: 'Two.' });
    await live.run(1000);
    live.send({ type: 'cancel', turn: 'a' });
    await live.run(2500);
    expect(live.frames('b').length * FRAME_MS).toBeGreaterThan(minuteMs - FRAME_MS);
    const perTick = new Map<number, number>();
    for (const { atMs } of live.frames('b')) perTick.set(atMs, (perTick.get(atMs) ?? 0) + FRAME_MS);
    expect(Math.max(...perTick.values())).toBeLessThanOrEqual(1000);
  });
});

describe('turns back to back', () => {
  it('join without a gap and share one lead', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(700)) });
    for (const turn of ['a', 'b', 'c']) live.send({ type: 'speak', turn, text: 'One two three.' });
    expect(live.said('queued').map(({ turn, position }) => `${turn} ${position}`)).toEqual(['b 1', 'c 2']);
    await live.run(4000);
    expect(live.order()).toEqual([
      'queued b',
      'queued c',
      'started a',
      'audio a',
      'ended a',
      'started b',
      'audio b',
      'heard a',
      'audio b',
      'ended b',
      'started c',
      'audio c',
      'heard b',
      'audio c',
      'ended c',
      'heard c',
    ]);
    expect(largestLeadMs(live)).toBeLessThanOrEqual(LEAD_MS);
    const sent = live.said('ended').reduce((sum, { sentMs }) => sum + sentMs, 0);
    const heardAtMs = live.log.at(-1)!.atMs - START_MS;
    expect(heardAtMs - sent).toBeGreaterThanOrEqual(0);
    expect(heardAtMs - sent).toBeLessThanOrEqual(FRAME_MS);
    expect(live.said('underrun')).toEqual([]);
  });

  it('with fractional frames and small leads stay within them', async () => {
    const live = startSession({
      auto: atOnce(() => speechMp3(700)),
      preset: { format: 'alaw', sampleRate: 11_025, frameMs: 12.5, leadMs: 40 },
      tickClock: lateTicks(5),
    });
    for (const turn of ['a', 'b', 'c']) live.send({ type: 'speak', turn, text: 'One two three.' });
    await live.run(4000);
    let sentMs = 0;
    for (const entry of live.log) {
      if (!('audio' in entry)) continue;
      sentMs += entry.audio.bytes.length / 11.025;
      expect(sentMs - (entry.atMs - START_MS)).toBeLessThanOrEqual(40.02 + live.said('underrun').length);
    }
    expect(live.said('heard')).toHaveLength(3);
  });
});
