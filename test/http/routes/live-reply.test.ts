// A reply that goes on: whoever does not take what he is sent is let go, and nobody waits for him.
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLiveReply } from '../../../src/http/routes/live-reply.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function stand({ heartbeat }: { heartbeat?: string } = {}) {
  const clock = createFakeClock();
  const taken: string[] = [];
  let reading: 'reads' | 'stuck' = 'reads';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString());
      if (reading === 'reads') done();
    },
  });
  const heads: unknown[] = [];
  const raw = Object.assign(stream, {
    writeHead: (...head: unknown[]) => heads.push(head),
    flushHeaders() {},
  }) as unknown as ServerResponse;
  const closed: string[] = [];
  const reply = createLiveReply(raw, {
    headers: { 'Content-Type': 'text/plain' },
    opening: 'hello ',
    clock,
    mostBytes: 1000,
    heartbeat,
    onClosed: (why) => closed.push(why),
  });
  const stick = () => {
    reading = 'stuck';
  };
  return { clock, taken, raw, heads, closed, reply, stick };
}

describe('a live reply', () => {
  it('sends nothing before its first word, then head, opening and words', () => {
    const { reply, heads, taken } = stand();
    expect(heads).toEqual([]);
    reply.write('a');
    expect(heads).toEqual([[200, { 'Content-Type': 'text/plain' }]]);
    reply.open();
    reply.write('b');
    expect(taken.join('')).toBe('hello ab');
  });

  it('lets whoever is slow go beyond the bound, what he got at once not counted', async () => {
    const { reply, closed, raw, stick, clock } = stand();
    stick();
    reply.write('x'.repeat(5000));
    reply.open();
    for (let piece = 0; piece < 11; piece += 1) reply.write('y'.repeat(100));
    expect(closed).toEqual([]);
    reply.write('y');
    reply.write('z');
    expect(closed).toEqual(['slow']);
    expect(raw.destroyed).toBe(true);
    reply.end();
    await clock.run(10_000);
    expect(closed).toEqual(['slow']);
    expect(clock.timers).toBe(0);
  });

  it('shows that it lives every 15 s without a word', async () => {
    const { reply, taken, clock } = stand({ heartbeat: ':' });
    reply.open();
    clock.advance(14_000);
    reply.write('word');
    clock.advance(14_999);
    expect(taken.join('')).toBe('hello word');
    clock.advance(15_001);
    expect(taken.join('')).toBe('hello word::');
    reply.end();
    await clock.run(20_000);
    expect(clock.timers).toBe(0);
  });

  it('ends in order, and by force for one who takes nothing', async () => {
    const reading = stand();
    reading.reply.write('last');
    reading.reply.end();
    await reading.clock.run(1);
    expect([reading.closed, reading.raw.writableFinished]).toEqual([['over'], true]);
    const stuck = stand();
    stuck.stick();
    stuck.reply.write('last');
    stuck.reply.end();
    await stuck.clock.run(3001);
    expect([stuck.closed, stuck.raw.destroyed]).toEqual([['over'], true]);
  });
});
