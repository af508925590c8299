// The codec before the real session core, on a fake clock.

import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { speechMp3 } from '../support/codecs.ts';
import { atOnce } from '../support/memory-upstream.ts';
import {
  end,
  isKeepAlive,
  isTerminal,
  type LiveClient,
  orderOf,
  say,
  soundOf,
  startLiveClient,
} from './cartesia-fixture.ts';

const speaks = (ms: number) => ({ auto: atOnce(() => speechMp3(ms)) });
/** 16 kHz, two bytes a sample. */
const msOf = (client: LiveClient, contextId: string) => soundOf(client.messages, contextId).length / 32;
const terminalsOf = (client: LiveClient, contextId: string) =>
  client.messages.filter((message) => message.context_id === contextId && isTerminal(message));
const cancel = (contextId: string) => ({ context_id: contextId, cancel: true });

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

  it('plays contexts one after another, in the order in which they were named, each whole', async () => {
    const client = startLiveClient(speaks(700));
    for (const id of ['a', 'b', 'c']) client.send(say(id, `Text ${id}.`, { continue: false }));
    await client.run(6000);
    expect(orderOf(client.messages)).toEqual(['chunk a', 'done a', 'chunk b', 'done b', 'chunk c', 'done c']);
    for (const id of ['a', 'b', 'c']) expect(msOf(client, id)).toBeGreaterThan(650);
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
    expect(orderOf(client.messages)).toEqual(['chunk dots', 'done dots', 'chunk smile', 'done smile']);
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

  describe('a cancel', () => {
    const WHEN: readonly [string, (client: LiveClient) => Promise<void>][] = [
      ['before the request', async () => {}],
      ['while it waits for an answer', (client) => client.run(500)],
      [
        'when the answer has begun',
        async (client) => {
          await client.run(10);
          client.live.upstream.requests[0]!.send(speechMp3(1000).subarray(0, 50));
          await client.run(10);
        },
      ],
      [
        'within a frame of MP3',
        async (client) => {
          await client.run(10);
          client.live.upstream.requests[0]!.send(speechMp3(2000).subarray(0, 5001));
          await client.run(300);
        },
      ],
      [
        'after the last byte',
        async (client) => {
          await client.run(10);
          client.live.upstream.requests[0]!.send(speechMp3(3000));
          client.live.upstream.requests[0]!.end();
          await client.run(500);
        },
      ],
    ];
    for (const [when, arrive] of WHEN) {
      it(`${when} is answered once, hangs up, and lets the next context be whole`, async () => {
        const client = startLiveClient();
        client.send(say('a', 'One two three. Four five six.', { continue: false }));
        await arrive(client);
        client.send(cancel('a'));
        expect(terminalsOf(client, 'a')).toMatchObject([{ type: 'done', cancelled: true }]);
        expect(client.live.upstream.live).toEqual([]);
        const last = client.messages.length;
        client.send(cancel('a'), say('b', 'Seven eight.', { continue: false }));
        await client.run(10);
        client.live.upstream.requests.at(-1)!.send(speechMp3(800));
        client.live.upstream.requests.at(-1)!.end();
        await client.run(4000);
        expect(client.messages.slice(last).filter(({ context_id }) => context_id === 'a')).toEqual([]);
        expect(terminalsOf(client, 'b')).toMatchObject([{ type: 'done' }]);
        expect(msOf(client, 'b')).toBeGreaterThan(750);
        expect(client.live.clock.timers).toBe(0);
      });
    }

    it('makes room at once: contexts that come and go in a hurry never meet the limit', async () => {
      const client = startLiveClient({ ...speaks(800), limits: { turnsInFlight: 2 } });
      for (let at = 0; at < 100; at += 1) {
        client.send(say(`c${at}`, 'One two three. '), cancel(`c${at}`));
        if (at % 10 === 0) await client.run(10);
      }
      client.send(say('last', 'Four five.', { continue: false }));
      await client.run(3000);
      expect(client.messages.filter(({ type }) => type === 'error')).toEqual([]);
      expect(client.messages.filter(isTerminal)).toHaveLength(101);
      expect(msOf(client, 'last')).toBeGreaterThan(750);
      expect(client.live.clock.timers).toBe(0);
    });

    it('tells the words that were heard and those that were not', async () => {
      const client = startLiveClient(speaks(4000));
      client.send(
        say('c', 'One two three four five six seven eight.', { continue: false, add_timestamps: true }),
      );
      await client.run(2000);
      client.send(cancel('c'));
      const [done] = terminalsOf(client, 'c');
      expect(done!.audio_played_ms).toBe(2000);
      expect(String(done!.text_spoken)).toMatch(/^One two/);
      expect(String(done!.text_remaining)).toMatch(/eight\.$/);
      expect(`${String(done!.text_spoken)}${String(done!.text_remaining)}`.replace(/\s/g, '')).toBe(
        'Onetwothreefourfivesixseveneight.',
      );
    });

    it('of a context that waits behind another leaves that one alone', async () => {
      const client = startLiveClient(speaks(1500));
      client.send(say('a', 'One two.', { continue: false }), say('b', 'Three four.', { continue: false }));
      await client.run(200);
      client.send(cancel('b'));
      await client.run(4000);
      expect(orderOf(client.messages)).toEqual(['chunk a', 'done b', 'chunk a', 'done a']);
      expect(msOf(client, 'a')).toBeGreaterThan(1450);
    });

    it('of what is done and not heard lets the next context be heard at once', async () => {
      const client = startLiveClient(speaks(900));
      client.send(say('a', 'One two.', { continue: false }));
      await client.run(100);
      expect(orderOf(client.messages)).toEqual(['chunk a', 'done a']);
      client.send(cancel('a'), say('b', 'Three four.', { continue: false }));
      await client.run(100);
      expect(orderOf(client.messages)).toEqual(['chunk a', 'done a', 'chunk b', 'done b']);
    });
  });
});
