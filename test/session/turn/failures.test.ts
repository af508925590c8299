// What a client is told when the upstream, or something of our own, fails a turn.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { mp3Facts, speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { atOnce, type MemoryRequest } from '../../support/memory-upstream.ts';

const codes = (live: ReturnType<typeof startSession>) =>
  live.said('error').map(({ code, turn }) => `${code} ${turn}`);

/** The connection breaks, and what is asked for again is not to be had. */
async function breakForGood(live: ReturnType<typeof startSession>, request: MemoryRequest): Promise<void> {
  const asked = live.upstream.requests.length;
  request.fail(new AppError('upstream_broken', 'The connection broke.'));
  await live.run(0);
  live.upstream.requests[asked]!.fail(new AppError('upstream_rejected', 'No more.'));
}

describe('failures', () => {
  it('before any audio fail the turn; the next one plays', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    live.send({ type: 'speak', turn: 'b', text: 'Two.' });
    await live.run(0);
    live.upstream.requests[0]!.fail(
      new AppError('upstream_rate_limited', 'Later.', { retryAfterMs: 1500.2 }),
    );
    live.upstream.requests[1]!.send(speechMp3(100));
    live.upstream.requests[1]!.end();
    await live.run(1000);
    expect(live.order()).toEqual([
      'queued b',
      'error a',
      'ended a',
      'started b',
      'audio b',
      'ended b',
      'heard b',
    ]);
    expect(live.said('error')[0]).toMatchObject({
      code: 'upstream_rate_limited',
      scope: 'turn',
      retryAfterMs: 1501,
    });
    expect(live.said('ended', 'a')[0]!.outcome).toBe('failed');
  });

  it('in the middle play what is there, and truncate the turn', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One two three four five six seven eight nine ten.' });
    live.send({ type: 'mark', turn: 'a', name: 'end' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(1000));
    await live.run(100);
    await breakForGood(live, live.upstream.requests[0]!);
    await live.run(3000);
    expect(live.order()).toEqual(['started a', 'audio a', 'error a', 'ended a', 'mark a', 'heard a']);
    const { outcome, sentMs, audioMs } = live.said('ended')[0]!;
    expect([outcome, sentMs >= mp3Facts(speechMp3(1000)).ms, sentMs]).toEqual(['truncated', true, audioMs]);
    expect(live.said('heard')[0]!.remainingText).not.toBe('');
  });

  it('are not taken for the end of the speech when the next turn is busy at that very moment', async () => {
    const body = speechMp3(1500);
    for (let pause = 0; pause < 24; pause += 1) {
      const live = startSession();
      for (const turn of ['a', 'b']) live.send({ type: 'speak', turn, text: 'One two three.' });
      await live.run(0);
      const [a, b] = live.upstream.requests;
      a!.send(speechMp3(500));
      await live.run(1000);
      for (let at = 0; at < body.length; at += 100) b!.send(body.subarray(at, at + 100));
      b!.end();
      for (let turn = 0; turn < pause; turn += 1) await Promise.resolve();
      await breakForGood(live, a!);
      await live.run(3000);
      const ended = live.said('ended').map(({ turn, outcome }) => `${turn} ${outcome}`);
      expect([pause, ...ended]).toEqual([pause, 'a truncated', 'b complete']);
    }
  });

  it('of a turn that waits behind another are told in its own time', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    live.send({ type: 'speak', turn: 'b', text: 'Two.' });
    await live.run(0);
    live.upstream.requests[1]!.send(speechMp3(300));
    await live.run(0);
    await breakForGood(live, live.upstream.requests[1]!);
    await live.run(100);
    expect(live.order()).toEqual(['queued b']);
    live.upstream.requests[0]!.send(speechMp3(300));
    live.upstream.requests[0]!.end();
    await live.run(1000);
    expect(live.said('ended').map(({ turn, outcome }) => `${turn} ${outcome}`)).toEqual([
      'a complete',
      'b truncated',
    ]);
  });

  it('are told for an answer that is no audio, or holds no sound', async () => {
    const live = startSession();
    for (const turn of ['a', 'b', 'c']) live.send({ type: 'speak', turn, text: 'One.' });
    await live.run(0);
    const [junk, empty, tiny] = live.upstream.requests;
    junk!.send(new TextEncoder().encode('{"errorMessage":"no"}'));
    junk!.end();
    empty!.end();
    // One frame and a bit: all of it is the encoder's delay.
    tiny!.send(mp3Facts(speechMp3(100)).frames[0]!.bytes);
    tiny!.end();
    await live.run(0);
    // What is no audio is asked for once more.
    const again = live.upstream.requests.slice(3);
    expect(again.map(({ body }) => body)).toEqual([junk!.body, empty!.body]);
    for (const request of again) {
      request.send(new TextEncoder().encode('<html>'));
      request.end();
    }
    await live.run(1000);
    expect(codes(live).sort()).toEqual(['upstream_bad_audio a', 'upstream_bad_audio b']);
    const ended = live.said('ended').map(({ turn, outcome }) => `${turn} ${outcome}`);
    expect(ended.sort()).toEqual(['a failed', 'b failed', 'c complete']);
  });

  it('of something unforeseen are told without what it was', async () => {
    const live = startSession();
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(0);
    live.upstream.requests[0]!.fail(new Error('Text of a customer'));
    await live.run(10);
    expect(live.order()).toEqual(['error a', 'ended a']);
    expect(live.said('error')[0]!.code).toBe('internal');
    expect(JSON.stringify(live.said('error'))).not.toContain('customer');
    expect(live.faults).toHaveLength(1);
  });
});

describe('a fault of our own', () => {
  it('while sending ends its turn, and the session goes on', async () => {
    const live = startSession({
      auto: atOnce(() => speechMp3(500)),
      onEntry(entry) {
        if ('audio' in entry && entry.audio.turn === 'a' && entry.audio.seq === 12) throw new Error('broken');
      },
    });
    for (const turn of ['a', 'b']) live.send({ type: 'speak', turn, text: 'One two three.' });
    await live.run(3000);
    expect(live.said('ended').map(({ turn, outcome }) => `${turn} ${outcome}`)).toEqual([
      'a truncated',
      'b complete',
    ]);
    expect(codes(live)).toEqual(['internal a']);
    expect(live.faults).toEqual(['a turn failed inside: Error: broken']);
    expect(live.session.turnsUnheard()).toBe(0);
  });
});

describe('each turn is counted once', () => {
  const speak = (turn: string) => ({ type: 'speak', turn, text: 'One two three.' }) as const;

  it('also when its session ends first, or it never began', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(500)), limits: { turnsInFlight: 3 } });
    live.send(speak('heard'));
    await live.run(3000);
    for (const turn of ['cut', 'left', 'waits']) live.send(speak(turn));
    live.send(speak('refused'));
    await live.run(100);
    live.send({ type: 'cancel', turn: 'cut' });
    await live.run(100);
    live.session.close();
    live.session.close();
    await live.run(3000);
    expect(live.figures.outcomes).toEqual(['complete', 'failed', 'cancelled', 'left', 'left']);
  });

  it('also when it breaks inside while it is heard, and its client is told of its end', async () => {
    const live = startSession({
      auto: atOnce(() => speechMp3(2000)),
      onEntry(entry) {
        if ('event' in entry && entry.event.type === 'mark') throw new Error('broken');
      },
    });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    live.send({ type: 'mark', turn: 'a', name: 'middle' });
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight.' });
    live.send({ type: 'end', turn: 'a' });
    live.send(speak('b'));
    await live.run(8000);
    expect(codes(live)).toEqual(['internal a']);
    expect(live.said('ended').map(({ turn, outcome }) => `${turn} ${outcome}`)).toEqual([
      'a failed',
      'b complete',
    ]);
    expect(live.figures.outcomes).toEqual(['failed', 'complete']);
  });
});

describe('waiting for quota', () => {
  it('is passed on, and says how much is there when the turn has started', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    live.upstream.requests[0]!.queued({ reason: 'quota', position: 2, etaMs: 1499.6 });
    expect(live.said('queued')).toEqual([
      { type: 'queued', turn: 'a', reason: 'quota', position: 2, etaMs: 1500 },
    ]);
    live.upstream.requests[0]!.send(speechMp3(500));
    live.upstream.requests[0]!.end();
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(100);
    live.upstream.requests[1]!.queued({ reason: 'busy', position: 1, etaMs: 100 });
    expect(live.said('queued')).toHaveLength(1);
    live.upstream.requests[1]!.queued({ reason: 'quota', position: 1, etaMs: 100 });
    const { atMs, ...told } = live.said('queued')[1]!;
    expect(told).toEqual({ type: 'queued', turn: 'a', reason: 'quota', position: 1, etaMs: 100 });
    expect(Math.abs(atMs! - 500)).toBeLessThan(60);
  });
});
