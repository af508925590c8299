// The codec before the real session core, on a fake clock.

import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { speechMp3 } from '../../support/codecs.ts';
import {
  end,
  isKeepAlive,
  msOf,
  orderOf,
  say,
  soundOf,
  speaks,
  startLiveClient,
  terminalsOf,
} from '../cartesia-fixture.ts';

describe('cartesia before a session', () => {
  it('speaks a streamed text: word times before their sound, then done, once', async () => {
    const client = startLiveClient(speaks(1500));
    const words = { add_timestamps: true };
    client.send(say('c', 'One two three. ', words), say('c', 'Four five.', words), end('c', words));
    await client.run(8000);
    const order = orderOf(client.messages);
    expect(order[0]).toBe('timestamps c');
    expect(order.at(-1)).toBe('done c');
    expect(terminalsOf(client, 'c')).toHaveLength(1);
    expect(msOf(client, 'c')).toBeGreaterThan(1400);
    const told = client.messages.flatMap((message) =>
      message.type === 'timestamps' ? message.word_timestamps.words : [],
    );
    expect(told.join(' ')).toBe('One two three. Four five.');
    const starts = client.messages.flatMap((message) =>
      message.type === 'timestamps' ? message.word_timestamps.start : [],
    );
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(starts.at(-1)).toBeLessThan(msOf(client, 'c') / 1000);
    expect(client.live.faults).toEqual([]);
  });

  it('keeps a message under 200 ms of whole samples, in every encoding', async () => {
    for (const [encoding, bytes] of [
      ['pcm_s16le', 2],
      ['pcm_f32le', 4],
      ['pcm_mulaw', 1],
      ['pcm_alaw', 1],
    ] as const) {
      const client = startLiveClient(speaks(900));
      const output_format = { container: 'raw', encoding, sample_rate: 22_050 };
      client.send(say('c', 'One two three.', { continue: false, output_format }));
      await client.run(3000);
      const chunks = client.messages.flatMap((message) =>
        message.type === 'chunk' ? [Buffer.from(message.data, 'base64')] : [],
      );
      for (const chunk of chunks) {
        expect(chunk.length % bytes).toBe(0);
        expect(chunk.length / bytes / 22_050).toBeLessThan(0.2);
      }
      const seconds = Buffer.concat(chunks).length / bytes / 22_050;
      expect([encoding, seconds > 0.85 && seconds < 1.1]).toEqual([encoding, true]);
    }
  });

  it('has the first sentence spoken at once for a client that gathers sentences itself', async () => {
    const client = startLiveClient(speaks(400));
    client.send(say('c', 'The parcel is here.', { max_buffer_delay_ms: 0 }));
    await client.run(100);
    expect(client.live.upstream.requests.map(({ body }) => body.text)).toEqual(['The parcel is here.']);
    client.send(say('c', 'Fetch it soon.'), end('c'));
    await client.run(3000);
    expect(orderOf(client.messages)).toEqual(['chunk c', 'done c']);
  });

  it('stays a second ahead, or sends all at once when the query says so', async () => {
    const paced = startLiveClient(speaks(6000));
    const burst = startLiveClient(speaks(6000), 'voxgate_pace=burst');
    for (const client of [paced, burst]) {
      client.send(say('c', 'One two three.', { continue: false }));
      await client.run(500);
    }
    expect(msOf(paced, 'c')).toBeGreaterThan(1300);
    expect(msOf(paced, 'c')).toBeLessThan(1600);
    expect(msOf(burst, 'c')).toBeGreaterThan(5900);
  });

  it('plays contexts side by side, each in real time and whole', async () => {
    const ids = ['a', 'b', 'c'];
    const client = startLiveClient(speaks(3000));
    for (const id of ids) client.send(say(id, `Text ${id}.`, { continue: false }));
    await client.run(300);
    for (const id of ids) {
      expect(msOf(client, id)).toBeGreaterThan(900);
      expect(msOf(client, id)).toBeLessThan(1400);
    }
    await client.run(3000);
    for (const id of ids) {
      expect(terminalsOf(client, id)).toMatchObject([{ type: 'done' }]);
      expect(msOf(client, id)).toBeGreaterThan(2950);
    }
  });

  it('begins a context at once, though its client has merely left the one before it', async () => {
    const client = startLiveClient(speaks(20_000));
    client.send(say('old', 'A long answer.'));
    await client.run(1000);
    client.send(say('new', 'Yes?', { continue: false }));
    const askedAtMs = client.live.clock.now();
    await client.run(1000);
    const first = client.messages.findIndex(
      (message) => message.type === 'chunk' && message.context_id === 'new',
    );
    expect(client.times[first]! - askedAtMs).toBeLessThanOrEqual(100);
  });

  it('refuses a context beyond the session’s limit, as overload, and speaks the others', async () => {
    const client = startLiveClient({ ...speaks(300), limits: { turnsInFlight: 2 } });
    for (const id of ['a', 'b', 'c']) client.send(say(id, 'Text.', { continue: false }));
    await client.run(4000);
    expect(terminalsOf(client, 'c')).toMatchObject([
      { type: 'error', error_code: 'concurrency_limited', status_code: 503 },
    ]);
    for (const id of ['a', 'b']) expect(terminalsOf(client, id)).toMatchObject([{ type: 'done' }]);
    client.send(say('d', 'Text.', { continue: false }));
    await client.run(2000);
    expect(terminalsOf(client, 'd')).toMatchObject([{ type: 'done' }]);
  });

  it('answers text that cannot be spoken with silence, then done', async () => {
    const client = startLiveClient(speaks(300));
    client.send(say('dots', '…', { continue: false }), say('smile', '🙂', { continue: false }));
    await client.run(2000);
    for (const id of ['dots', 'smile']) expect(terminalsOf(client, id)).toMatchObject([{ type: 'done' }]);
    expect(soundOf(client.messages, 'dots').every((byte) => byte === 0)).toBe(true);
    expect(client.live.upstream.requests).toEqual([]);
  });

  it('answers flushes behind their sound, two in a row and flush with end, none twice', async () => {
    const client = startLiveClient(speaks(400));
    client.send(
      say('c', 'One two'),
      say('c', '', { flush: true }),
      say('c', '', { flush: true }),
      say('c', ' three four', { flush: true, continue: false }),
    );
    await client.run(4000);
    const flushes = client.messages.flatMap((message) =>
      message.type === 'flush_done' && message.flush_done ? [message.flush_id] : [],
    );
    expect(flushes).toEqual([1, 2, 3]);
    expect(orderOf(client.messages).at(-1)).toBe('done c');
  });

  it('ends a context that is never ended, after as long as a turn waits for text', async () => {
    const client = startLiveClient(speaks(300));
    client.send(say('c', 'One two three. '));
    await client.run(18_000);
    expect(terminalsOf(client, 'c')).toEqual([]);
    await client.run(5000);
    expect(orderOf(client.messages)).toEqual(['chunk c', 'done c']);
  });

  it('speaks on when text comes that was waited for too long, which is refused once', async () => {
    const client = startLiveClient(speaks(30_000));
    client.send(say('c', 'One two three. '));
    await client.run(22_000);
    client.send(say('c', 'Four. '), say('c', 'Five. '), end('c'));
    await client.run(12_000);
    expect(terminalsOf(client, 'c')).toMatchObject([{ type: 'done' }]);
    expect(client.messages.filter(({ type }) => type === 'error')).toMatchObject([
      { done: false, error_code: 'turn_ended', status_code: 409 },
    ]);
    expect(msOf(client, 'c')).toBeGreaterThan(29_900);
  });

  it('keeps a client’s timers alive while the first byte is slow, and speaks all of it', async () => {
    const client = startLiveClient();
    client.send(say('c', 'One two three.', { continue: false }));
    await client.run(4000);
    const alive = client.messages.length;
    expect(alive).toBeGreaterThan(0);
    expect(client.messages.every(isKeepAlive)).toBe(true);
    client.live.upstream.requests[0]!.send(speechMp3(1000));
    client.live.upstream.requests[0]!.end();
    await client.run(3000);
    expect(orderOf(client.messages)).toEqual(['chunk c', 'done c']);
    expect(msOf(client, 'c')).toBeGreaterThan(950);
    const gaps = client.times.map((atMs, at) => atMs - (client.times[at - 1] ?? 1000));
    expect(Math.max(...gaps)).toBeLessThan(3500);
  });

  it('tells a failure of the speech service in both shapes, and speaks the next context', async () => {
    const client = startLiveClient();
    client.send(say('a', 'One two three.', { continue: false }), say('b', 'Four five.', { continue: false }));
    await client.run(0);
    await client.run(10);
    client.live.upstream.requests[0]!.fail(new AppError('upstream_rate_limited', 'Busy.'));
    await client.run(10);
    client.live.upstream.requests[1]!.send(speechMp3(500));
    client.live.upstream.requests[1]!.end();
    await client.run(3000);
    expect(orderOf(client.messages)).toEqual(['error a', 'chunk b', 'done b']);
    expect(terminalsOf(client, 'a')).toMatchObject([{ status_code: 503, retryable: true }]);
  });
});
