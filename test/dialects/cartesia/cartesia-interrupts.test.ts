// Interruptions at any moment of a context's life, before the real session core.

import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { speechMp3 } from '../../support/codecs.ts';
import type { MemoryRequest } from '../../support/memory-upstream.ts';
import { trialSize } from '../../support/trial-size.ts';
import { type CartesiaMessage, end, isTerminal, say, soundOf, startLiveClient } from '../cartesia-fixture.ts';

const INTERRUPTS = trialSize(1000, 200);
const PER_CONNECTION = 50;
const SEED = 20_261_122;
const SPEECH_MS = 800;

/** What a context that nobody interrupts sounds like. */
async function wholeSound(): Promise<Buffer> {
  const client = startLiveClient({
    auto(request) {
      request.send(speechMp3(SPEECH_MS));
      request.end();
    },
  });
  client.send(say('c', 'One two three.', { continue: false }));
  await client.run(3000);
  return soundOf(client.messages, 'c');
}

/** One connection; answers with what it was sent and which contexts were cancelled, and which left to play. */
async function interrupted(connection: number) {
  const random = seededNumbers(SEED, connection);
  const below = (limit: number) => Math.floor(random() * limit * 0.999_999);
  const client = startLiveClient({
    limits: { turnsInFlight: 64 },
    // The answer comes in two parts, each at some moment, cut anywhere.
    auto(request: MemoryRequest) {
      const speech = speechMp3(SPEECH_MS);
      const cut = 1 + below(speech.length - 2);
      client.live.clock.after(below(400), () => request.send(speech.subarray(0, cut)));
      client.live.clock.after(400 + below(300), () => {
        request.send(speech.subarray(cut));
        request.end();
      });
    },
  });
  const cancelled = new Set<string>();
  const kept: string[] = [];
  for (let at = 0; cancelled.size < PER_CONNECTION; at += 1) {
    const id = `c${at}`;
    const isStream = below(2) === 0;
    if (isStream) client.send(say(id, 'One two '), say(id, 'three.'));
    else client.send(say(id, 'One two three.', { continue: false }));
    if (below(4) === 0) {
      if (isStream) client.send(end(id));
      kept.push(id);
      if (below(2) === 0) await client.run(below(2500));
      continue;
    }
    await client.run(below(3) === 0 ? 0 : below(1600));
    const isOver = client.messages.some((message) => message.context_id === id && isTerminal(message));
    client.send({ context_id: id, cancel: true }, { context_id: id, cancel: true });
    if (!isOver) cancelled.add(id);
    // What a client still had on the way; behind `done` or the end of its text the same would be a context of its own.
    if (isStream && !isOver && below(3) > 0) client.send(say(id, ' four'), end(id));
  }
  await client.run(60_000);
  return {
    messages: client.messages,
    faults: client.live.faults,
    timers: client.live.clock.timers,
    cancelled,
    kept,
  };
}

const staleOf = (messages: readonly CartesiaMessage[]): string[] => {
  const over = new Set<string>();
  return messages.flatMap((message) => {
    const isStale = over.has(message.context_id);
    if (isTerminal(message)) over.add(message.context_id);
    return isStale ? [`${message.type} ${message.context_id}`] : [];
  });
};

describe('cartesia, interrupted at random', () => {
  it('let no message of a context behind its end, and every context that was left alone be heard whole', async () => {
    const whole = await wholeSound();
    expect(whole.length / 32).toBeGreaterThan(SPEECH_MS * 0.95);
    const count = { cancelled: 0, kept: 0, heardInPart: 0 };
    for (let connection = 0; connection < INTERRUPTS / PER_CONNECTION; connection += 1) {
      const { messages, faults, timers, cancelled, kept } = await interrupted(connection);
      expect(staleOf(messages)).toEqual([]);
      const terminals = messages.filter(isTerminal);
      for (const id of cancelled) {
        const own = terminals.filter(({ context_id }) => context_id === id);
        expect(own).toMatchObject([{ type: 'done', cancelled: true }]);
        if (soundOf(messages, id).length > 0) count.heardInPart += 1;
      }
      for (const id of kept) {
        expect(terminals.filter(({ context_id }) => context_id === id)).toMatchObject([{ type: 'done' }]);
        expect(soundOf(messages, id).equals(whole)).toBe(true);
      }
      expect([faults, timers]).toEqual([[], 0]);
      count.cancelled += cancelled.size;
      count.kept += kept.length;
    }
    // The moments were not all of one kind.
    expect(count.cancelled).toBe(INTERRUPTS);
    expect(count.kept).toBeGreaterThan(INTERRUPTS / 5);
    expect(count.heardInPart).toBeGreaterThan(INTERRUPTS / 10);
  });
});
