// What a session answers to each message in each state of a turn, and what it never does.
import { describe, expect, it } from 'vitest';
import { speechMp3 } from '../support/codecs.ts';
import { startSession } from '../support/live-session.ts';
import { atOnce } from '../support/memory-upstream.ts';

const quick = () => startSession({ auto: atOnce(() => speechMp3(100)) });
const codes = (live: ReturnType<typeof startSession>) =>
  live.said('error').map(({ code, turn }) => `${code} ${turn}`);

describe('ids of turns', () => {
  it('are retired when a turn has ended, at least the last 1,024', async () => {
    const live = quick();
    const name = async (turn: string) => {
      live.send({ type: 'speak', turn, text: '…' });
      live.send({ type: 'cancel', turn });
    };
    for (let n = 0; n < 1024; n += 1) await name(`t${n}`);
    const before = live.log.length;
    for (const turn of ['t0', 't1023']) {
      live.send({ type: 'speak', turn, text: 'One.' });
      live.send({ type: 'append', turn, text: 'One.' });
      live.send({ type: 'flush', turn });
      live.send({ type: 'end', turn });
      live.send({ type: 'cancel', turn });
      live.send({ type: 'played', turn, ms: 100 });
      live.send({ type: 'speak', turn, text: 'One.' });
    }
    expect(codes(live)).toEqual(
      ['t0', 't0', 't0', 't1023', 't1023', 't1023'].map((turn) => `turn_ended ${turn}`),
    );
    expect(live.log.length - before).toBe(6);
    await name('one more');
    live.send({ type: 'append', turn: 't0', text: 'One.' }); // forgotten, so it is free again
    expect(codes(live)).toHaveLength(6);
  });

  it('stay free when the message that names them is wrong', async () => {
    const live = quick();
    for (const message of [
      { type: 'speak', turn: 'a' },
      { type: 'speak', turn: 'a', text: 'One.', dialogue: [] },
      { type: 'speak', turn: 'a', text: 'One.', speed: 9 },
      { type: 'speak', turn: 'a', text: 'One.', outputFormat: 'mp3' },
      { type: 'speak', turn: 'a', text: 'One.', format: 'mp3', sampleRate: 11_000 },
      { type: 'append', turn: 'a', text: 'One.', colour: 'red' },
      { type: 'append', turn: 'a', text: 'x'.repeat(100_001) },
      { type: 'pause', turn: 'a' },
    ]) {
      live.send(message);
    }
    expect(live.order()).toEqual(new Array(8).fill('error a'));
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(1000);
    expect(live.order().slice(8)).toEqual(['started a', 'audio a', 'ended a', 'heard a']);
  });

  it('are opened by speak and append alone', () => {
    const live = quick();
    for (const message of [
      { type: 'flush' },
      { type: 'end' },
      { type: 'cancel' },
      { type: 'mark', name: 'm' },
      { type: 'played', ms: 1 },
    ])
      live.send({ ...message, turn: 'a' });
    expect(codes(live)).toEqual(new Array(5).fill('unknown_turn a'));
    expect(live.session.turnsUnheard()).toBe(0);
  });

  it('of an open turn take no second speak, and no fields later', async () => {
    const live = quick();
    live.send({ type: 'append', turn: 'a', text: 'One. ', speed: 2 });
    live.send({ type: 'speak', turn: 'a', text: 'Two. ' });
    live.send({ type: 'append', turn: 'a', text: 'Three. ', speed: 2 });
    live.send({ type: 'append', turn: 'a', text: 'Four. ', speaker: 1 });
    live.send({ type: 'end', turn: 'a' });
    live.send({ type: 'append', turn: 'a', text: 'Five. ' });
    await live.run(2000);
    expect(codes(live)).toEqual(['turn_open a', 'turn_open a', 'turn_ended a']);
    expect(live.said('heard')[0]!.spokenText).toBe('One. Four. ');
  });
});

describe('turns in flight', () => {
  it('beyond the limit are refused with busy and ended, and their ids are retired', async () => {
    const live = startSession({ limits: { turnsInFlight: 2 } });
    for (const turn of ['a', 'b', 'c']) live.send({ type: 'speak', turn, text: 'One.' });
    expect(live.order()).toEqual(['queued b', 'error c', 'ended c']);
    expect(live.said('error')[0]).toMatchObject({ code: 'busy', turn: 'c', scope: 'turn', retryable: true });
    expect(live.said('error')[0]!.retryAfterMs).toBeGreaterThan(0);
    expect(live.said('ended')[0]).toMatchObject({ outcome: 'failed', requests: 0 });
    live.send({ type: 'cancel', turn: 'c' });
    live.send({ type: 'mark', turn: 'c', name: 'm' });
    expect(live.said('mark')).toEqual([{ type: 'mark', turn: 'c', name: 'm', outcome: 'cleared' }]);
    live.send({ type: 'cancel', turn: 'a' });
    live.send({ type: 'speak', turn: 'd', text: 'One.' });
    expect(live.said('queued', 'd')).toHaveLength(1);
    live.session.close();
    await live.run(100);
    expect(live.upstream.live).toEqual([]);
  });

  it('are synthesised ahead, three at a time', async () => {
    const live = startSession();
    for (const turn of ['a', 'b', 'c', 'd']) live.send({ type: 'speak', turn, text: `${turn}.` });
    await live.run(0);
    expect(live.upstream.requests.map(({ body }) => body.text)).toEqual(['a.', 'b.', 'c.']);
    // The later ones are ready first, and wait.
    for (const request of [...live.upstream.requests].reverse()) {
      request.send(speechMp3(100));
      request.end();
      await live.run(50);
    }
    await live.run(100);
    expect(live.upstream.requests).toHaveLength(4);
    expect(live.said('started').map(({ turn }) => turn)).toEqual(['a', 'b', 'c']);
  });
});

describe('configure', () => {
  it('answers with all that is in force, and changes turns that are named later', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    live.send({ type: 'configure', format: 'raw', sampleRate: 16_000, audio: 'base64', voice: 'v' });
    live.send({ type: 'speak', turn: 'b', text: 'Two.' });
    live.send({ type: 'configure', frameMs: 40 });
    await live.run(2000);
    expect(live.said('configured')).toEqual([
      {
        type: 'configured',
        format: 'raw',
        sampleRate: 16_000,
        frameMs: 20,
        pace: 'realtime',
        leadMs: 200,
        flow: 'clock',
        audio: 'base64',
        captions: 'off',
        markup: 'strip',
        cache: 'off',
        synthesis: { voice: 'v' },
      },
      expect.objectContaining({ format: 'raw', frameMs: 40, synthesis: { voice: 'v' } }),
    ]);
    expect(live.said('started').map(({ format, sampleRate }) => `${format} ${sampleRate}`)).toEqual([
      'mulaw 8000',
      'raw 16000',
    ]);
    expect(live.frames('a')[0]!.audio).toMatchObject({ encoding: 'binary' });
    expect(live.frames('a')[0]!.audio.bytes).toHaveLength(160);
    expect(live.frames('b')[1]!.audio).toMatchObject({ encoding: 'base64', seq: 1, atMs: 20 });
    expect(live.frames('b')[0]!.audio.bytes).toHaveLength(640);
  });

  it('keeps everything when a field is wrong', () => {
    const live = startSession();
    live.send({ type: 'configure', frameMs: 40, format: 'mp3', sampleRate: 9000 });
    live.send({ type: 'configure', frameMs: 40, leadMs: 39 });
    live.send({ type: 'configure' });
    expect(live.said('error').map(({ code }) => code)).toEqual(['invalid_request', 'invalid_request']);
    expect(live.said('configured')[0]).toMatchObject({ format: 'mulaw', sampleRate: 8000, frameMs: 20 });
  });

  it('leaves the rate of mp3 open', () => {
    const live = startSession();
    live.send({ type: 'configure', format: 'mp3' });
    expect(live.said('configured')[0]).not.toHaveProperty('sampleRate');
  });
});

describe('a session', () => {
  it('answers ping with its id', () => {
    const live = startSession();
    live.send({ type: 'ping', id: 'x' });
    live.send({ type: 'ping' });
    expect(live.said('pong')).toEqual([{ type: 'pong', id: 'x' }, { type: 'pong' }]);
  });

  it('that drains plays what it has and takes nothing new', async () => {
    const live = quick();
    live.send({ type: 'append', turn: 'a', text: 'One. ' });
    live.session.drain();
    live.send({ type: 'append', turn: 'a', text: 'Two. ' });
    live.send({ type: 'end', turn: 'a' });
    live.send({ type: 'speak', turn: 'b', text: 'Three.' });
    expect(codes(live)).toEqual(['shutting_down b']);
    await live.run(2000);
    expect(live.said('ended').map(({ turn, outcome }) => `${turn} ${outcome}`)).toEqual([
      'b failed',
      'a complete',
    ]);
    expect(live.session.turnsUnheard()).toBe(0);
  });

  it('that is closed says nothing more and leaves nothing running', async () => {
    const live = startSession();
    for (const turn of ['a', 'b']) live.send({ type: 'speak', turn, text: 'One.' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(2000));
    await live.run(500);
    const before = live.log.length;
    live.session.close();
    live.session.close();
    await live.run(5000);
    expect(live.log.length).toBe(before);
    expect([live.upstream.live, live.session.bufferedBytes(), live.clock.timers]).toEqual([[], 0, 0]);
  });

  it('holds the upstream back when its spool is full', async () => {
    const live = startSession({ limits: { spoolBytes: 64 * 1024 } });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(0);
    const second = speechMp3(1000);
    for (let n = 0; n < 30; n += 1) live.upstream.requests[0]!.send(second);
    live.upstream.requests[0]!.end();
    await live.run(1000);
    expect(live.upstream.requests[0]!.unreadBytes).toBeGreaterThan(0);
    expect(live.session.bufferedBytes()).toBeLessThan(64 * 1024 + second.length + 8000);
    await live.run(32_000);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
    expect(live.said('underrun')).toEqual([]);
  });
});

describe('played', () => {
  it('is what heard tells, and never goes back', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1000)) });
    live.send({ type: 'speak', turn: 'a', text: 'One two three four.' });
    await live.run(500);
    live.send({ type: 'played', turn: 'a', ms: 300 });
    live.send({ type: 'played', turn: 'a', ms: 200 });
    live.send({ type: 'cancel', turn: 'a' });
    expect(live.said('heard')[0]).toMatchObject({ playedMs: 300, playedBy: 'client' });
    expect(live.said('heard')[0]!.remainingText).not.toBe('');
  });

  it('to the end makes the turn heard at once', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)), preset: { leadMs: 1000 } });
    live.send({ type: 'speak', turn: 'a', text: 'One two three four.' });
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    await live.run(100);
    live.send({ type: 'played', turn: 'a', ms: 5000 });
    expect(live.order().slice(-2)).toEqual(['mark a', 'heard a']);
    expect(live.said('heard')[0]).toMatchObject({ playedBy: 'client', remainingText: '' });
  });
});
