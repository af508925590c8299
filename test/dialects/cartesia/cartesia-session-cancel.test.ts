// A cancel of a client, with the codec before the real session core, on a fake clock.

import { describe, expect, it } from 'vitest';
import { speechMp3 } from '../../support/codecs.ts';
import {
  isTerminal,
  type LiveClient,
  msOf,
  orderOf,
  say,
  speaks,
  startLiveClient,
  terminalsOf,
} from '../cartesia-fixture.ts';

const cancel = (contextId: string) => ({ context_id: contextId, cancel: true });

describe('a cancel before a session', () => {
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

  it('of a context beside another leaves that one alone', async () => {
    const client = startLiveClient(speaks(1500));
    client.send(say('a', 'One two.', { continue: false }), say('b', 'Three four.', { continue: false }));
    await client.run(200);
    client.send(cancel('b'));
    await client.run(4000);
    const cutAt = client.messages.findIndex(isTerminal);
    expect(orderOf(client.messages.slice(cutAt))).toEqual(['done b', 'chunk a', 'done a']);
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
