// Questions and news between two processes, over a line that a test holds.
import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import type { LogFields } from '../../src/base/log.ts';
import { createPeer } from '../../src/cluster/peer.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createPeerLines, type PeerLines } from '../support/peer-lines.ts';

type Asks = {
  readonly double: (n: number) => number;
  readonly slow: (nothing: null) => string;
  readonly refused: (nothing: null) => null;
  readonly broken: (nothing: null) => null;
};
type News = { readonly told: string };
type None = Record<never, never>;

let clock: FakeClock;
let lines: PeerLines;
let told: string[];
let logged: string[];
let finish: (answer: string) => void;
let aborted: boolean;

const log = (event: string, _fields?: LogFields) => void logged.push(event);
const LOG = { debug: log, info: log, warn: log, error: log };

function open() {
  clock = createFakeClock();
  lines = createPeerLines(clock);
  [told, logged, aborted] = [[], [], false];
  const stuck: string[] = [];
  const asker = createPeer<Asks, News, None, None>({
    line: lines.a,
    answers: {},
    listeners: {},
    clock,
    log: LOG,
    onStuck: () => stuck.push('a'),
  });
  const answerer = createPeer<None, None, Asks, News>({
    line: lines.b,
    answers: {
      double: (n) => n * 2,
      slow: (_nothing, signal) =>
        new Promise((resolve) => {
          finish = resolve;
          signal.addEventListener('abort', () => {
            aborted = true;
          });
        }),
      refused() {
        throw new AppError('connection_limit', 'No room.', { retryAfterMs: 7 });
      },
      broken() {
        throw new Error('a secret of the inside');
      },
    },
    listeners: {
      told: (text) => {
        if (text === 'bad') throw new Error('a listener fails');
        told.push(text);
      },
    },
    clock,
    log: LOG,
    onStuck: () => {},
  });
  return { asker, answerer, stuck };
}

let asker: ReturnType<typeof open>['asker'];
let answerer: ReturnType<typeof open>['answerer'];
let stuck: string[];
beforeEach(() => {
  ({ asker, answerer, stuck } = open());
});

const soon = { deadlineMs: 100 };

describe('a peer', () => {
  it('answers what it is asked, in any order, and hears what it is told', async () => {
    const slow = asker.ask('slow', null, soon);
    const answers = Promise.all([asker.ask('double', 2, soon), asker.ask('double', 5, soon)]);
    asker.tell('told', 'news');
    await clock.run(1);
    expect(await answers).toEqual([4, 10]);
    finish('at last');
    await clock.run(1);
    expect(await slow).toBe('at last');
    expect(told).toEqual(['news']);
    expect(clock.timers).toBe(0);
  });

  it('passes a refusal on with its code, and nothing of what failed inside', async () => {
    const refused = expect(asker.ask('refused', null, soon)).rejects.toMatchObject({
      code: 'connection_limit',
      message: expect.stringMatching(/^No room/),
      retryAfterMs: 7,
    });
    const broken = expect(asker.ask('broken', null, soon)).rejects.toMatchObject({ code: 'internal' });
    await clock.run(1);
    await Promise.all([refused, broken]);
    expect(logged).toEqual(['a question failed inside']);
  });

  it('waits no longer than it said, tells the other side, and hands over what comes late', async () => {
    const late: string[] = [];
    const asked = expect(
      asker.ask('slow', null, { deadlineMs: 50, onLate: (answer) => late.push(answer) }),
    ).rejects.toMatchObject({ code: 'busy' });
    await clock.run(49);
    expect(aborted).toBe(false);
    await clock.run(2);
    await asked;
    expect(aborted).toBe(true);
    finish('too late');
    await clock.run(1);
    expect(late).toEqual(['too late']);
    expect(clock.timers).toBe(0);
  });

  it('gives up when the asker does, with his reason', async () => {
    const controller = new AbortController();
    const asked = expect(
      asker.ask('slow', null, { deadlineMs: 1000, signal: controller.signal }),
    ).rejects.toThrow('enough');
    await clock.run(1);
    controller.abort(new Error('enough'));
    await clock.run(1);
    await asked;
    expect(aborted).toBe(true);
  });

  it('ends: what is open fails, what comes is not heard, what is asked fails at once', async () => {
    const open = expect(asker.ask('slow', null, soon)).rejects.toMatchObject({ code: 'busy' });
    await clock.run(1);
    asker.close();
    await open;
    await expect(asker.ask('double', 1, soon)).rejects.toMatchObject({ code: 'busy' });
    answerer.close();
    expect(aborted).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('is not moved by what is no message, by names that nobody knows, or by a listener that fails', async () => {
    for (const message of [
      null,
      'text',
      {},
      { is: 'ask', id: 'x', name: 'double' },
      { is: 'answer' },
      { is: 'news' },
    ])
      lines.a.send(message as object, () => {});
    lines.a.send({ is: 'ask', id: 1, name: 'constructor', body: null }, () => {});
    lines.a.send({ is: 'news', name: '__proto__', body: null }, () => {});
    lines.a.send({ is: 'answer', id: 77, body: null }, () => {});
    asker.tell('told', 'bad');
    asker.tell('told', 'good');
    await clock.run(1);
    expect(told).toEqual(['good']);
    expect(logged.length).toBe(9);
  });

  it('ends when the other side reads nothing, instead of keeping all there is to say', () => {
    lines.flow = 'stands';
    for (let n = 0; n < 60_000; n += 1) asker.tell('told', 'x');
    expect(stuck).toEqual(['a']);
  });
});
