import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { webhookSecret } from '../../../src/access/webhook-signature.ts';
import { silentLog } from '../../../src/base/log.ts';
import {
  createWebhookDispatcher,
  type WebhookDispatcher,
  type WebhookDispatcherOptions,
} from '../../../src/service/webhooks/webhook-dispatcher.ts';
import type { DeliveryStore } from '../../../src/storage/delivery-store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { createMemoryDeliveryStore } from '../../support/memory-delivery-store.ts';
import { type Answer, type Arrival, createFakeReceivers } from './fake-receivers.ts';

const HOUR = 3_600_000;
const OK: Answer = { status: 200 };
const SECRETS = [webhookSecret('new', 'ann'), webhookSecret('old', 'ann')];
/** Of the schedule: 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 hours after one another. */
const TIMES_S = [0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705, 185_705, 272_105];

function setUp(
  answer: (arrival: Arrival, count: number) => Answer,
  change: Partial<WebhookDispatcherOptions> = {},
) {
  const clock = createFakeClock(0);
  const epochMs = Date.now();
  const unixMs = () => epochMs + clock.now();
  const store = createMemoryDeliveryStore();
  const receivers = createFakeReceivers(clock, answer);
  const options: WebhookDispatcherOptions = {
    store,
    fetch: receivers,
    secretsOf: () => SECRETS,
    clock,
    unixMs,
    random: fixedRandom(),
    log: silentLog,
    ...change,
  };
  let added = 0;
  const add = (host: string, owner = 'ann', id = `msg_${added++}`) => {
    const body = JSON.stringify({ type: 'tts.completed', data: { id } });
    const url = `https://${host}/hook`;
    store.put({ id, owner, url, type: 'tts.completed', body, createdAtMs: unixMs() });
    return id;
  };
  const begin = (other: Partial<WebhookDispatcherOptions> = {}) =>
    createWebhookDispatcher({ ...options, ...other });
  /** Unix seconds since the start, by id. */
  const timesS = (id: string) =>
    receivers.arrivals.filter((arrival) => arrival.id === id).map(({ atMs }) => atMs / 1000);
  /** Lets the dispatcher look as often as it likes, without time going on. */
  const turns = async () => {
    for (let turn = 0; turn < 100; turn++) await clock.run(0);
  };
  const end = async (...dispatchers: readonly WebhookDispatcher[]) => {
    const stopped = Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(0)));
    await clock.run(2000);
    await stopped;
    expect(clock.timers).toBe(0);
    expect(receivers.underWay).toBe(0);
  };
  return { clock, unixMs, store, receivers, add, begin, turns, end, timesS };
}

/** A store whose calls of `name` fail as long as `fails` says so. */
function failing(store: DeliveryStore, name: keyof DeliveryStore, fails: () => boolean): DeliveryStore {
  const call = store[name] as (...args: unknown[]) => Promise<unknown>;
  return {
    ...store,
    [name]: async (...args: unknown[]) => {
      if (fails()) throw new Error('the store is away');
      return call(...args);
    },
  };
}

describe('a message', () => {
  it('arrives at once, signed with every secret, and is settled', async () => {
    const { clock, store, receivers, add, begin, end } = setUp(() => OK);
    const id = add('hook.example');
    const dispatcher = begin();
    await clock.run(100);
    const [{ headers, body, url }] = receivers.arrivals as [Arrival];
    expect(url).toBe('https://hook.example/hook');
    expect(headers['content-type']).toBe('application/json');
    for (const secret of SECRETS)
      expect(new Webhook(secret).verify(body, { ...headers })).toEqual({
        type: 'tts.completed',
        data: { id },
      });
    const settled = await store.find('ann', id);
    expect(settled).toMatchObject({ state: 'delivered', nextAtMs: undefined });
    expect(settled!.attempts).toEqual([
      { atMs: expect.any(Number), tookMs: 10, status: 200, problem: undefined },
    ]);
    await clock.run(HOUR);
    expect(receivers.arrivals).toHaveLength(1);
    await end(dispatcher);
  });

  it('is tried ten times within 75.6 hours, under one id, each time signed anew, then given up', async () => {
    const { clock, store, receivers, add, begin, timesS, end } = setUp(() => 'refuses');
    const id = add('down.example');
    const dispatcher = begin();
    await clock.run(100 * HOUR);
    expect(timesS(id)).toEqual(TIMES_S);
    expect(new Set(receivers.arrivals.map(({ body }) => body)).size).toBe(1);
    for (const field of ['webhook-timestamp', 'webhook-signature'])
      expect(new Set(receivers.arrivals.map(({ headers }) => headers[field])).size).toBe(10);
    expect(await store.find('ann', id)).toMatchObject({ state: 'given-up', nextAtMs: undefined, tries: 10 });
    await end(dispatcher);
  });

  it('arrives when its receiver is back after a day', async () => {
    const { clock, store, add, begin, timesS, end } = setUp(({ atMs }) => (atMs < 24 * HOUR ? 'dead' : OK));
    const id = add('back.example');
    const dispatcher = begin();
    await clock.run(40 * HOUR);
    expect(await store.find('ann', id)).toMatchObject({ state: 'delivered' });
    expect(timesS(id).at(-1)).toBeLessThan(32 * 3600);
    await end(dispatcher);
  });

  it('waits a tenth longer at most, as chance has it', async () => {
    const { clock, add, begin, timesS, end } = setUp(() => 'refuses', { random: fixedRandom(0.5) });
    const id = add('down.example');
    const dispatcher = begin();
    await clock.run(1000_000);
    expect(timesS(id)).toEqual([0, 5.25, 5.25 + 315]);
    await end(dispatcher);
  });

  it('is sent as soon as it is added, when told', async () => {
    const { clock, add, begin, timesS, end } = setUp(() => OK);
    const dispatcher = begin();
    await clock.run(1234);
    const id = add('hook.example');
    dispatcher.recheck();
    await clock.run(0);
    expect(timesS(id)).toEqual([1.234]);
    await end(dispatcher);
  });

  it('is found within a minute when nobody tells', async () => {
    const { clock, add, begin, timesS, end } = setUp(() => OK);
    const dispatcher = begin();
    await clock.run(1000);
    const id = add('hook.example');
    await clock.run(60_000);
    expect(timesS(id)).toEqual([60]);
    await end(dispatcher);
  });

  it('starts anew when it is asked for again', async () => {
    const { clock, unixMs, store, add, begin, timesS, end } = setUp(({ atMs }) =>
      atMs < 400_000 ? 'refuses' : OK,
    );
    const id = add('hook.example');
    const dispatcher = begin();
    await clock.run(400_000);
    await store.replay('ann', id, unixMs());
    dispatcher.recheck();
    await clock.run(10_000);
    expect(timesS(id)).toEqual([0, 5, 305, 400]);
    expect(await store.find('ann', id)).toMatchObject({ state: 'delivered', tries: 1 });
    await end(dispatcher);
  });
});

describe('what a receiver says', () => {
  it('429 with Retry-After is heeded', async () => {
    const { clock, add, begin, timesS, end } = setUp((_, count) =>
      count === 1 ? { status: 429, retryAfterMs: 90_000, afterMs: 0 } : OK,
    );
    const id = add('busy.example');
    const dispatcher = begin();
    await clock.run(100_000);
    expect(timesS(id)).toEqual([0, 90]);
    await end(dispatcher);
  });

  it('410 silences this address of this owner, and no other', async () => {
    const { clock, store, receivers, add, begin, end } = setUp(({ id }) =>
      id === 'msg_first' ? { status: 410 } : OK,
    );
    const dispatcher = begin();
    const first = add('gone.example', 'ann', 'msg_first');
    dispatcher.recheck();
    await clock.run(100);
    const later = add('gone.example');
    const others = [add('gone.example', 'bob'), add('other.example')];
    dispatcher.recheck();
    await clock.run(1000);
    for (const id of [first, later]) expect(await store.find('ann', id)).toMatchObject({ state: 'given-up' });
    expect(receivers.arrivals.map(({ id }) => id)).toEqual([first, ...others]);
    await end(dispatcher);
  });

  it('410 reaches those that wait in line already', async () => {
    const { clock, receivers, add, begin, end } = setUp(() => ({ status: 410, afterMs: 100 }));
    for (let i = 0; i < 20; i++) add('gone.example');
    const dispatcher = begin();
    await clock.run(10_000);
    expect(receivers.arrivals).toHaveLength(4);
    await end(dispatcher);
  });

  it.each([
    [{ status: 302, afterMs: 0 }, 'The receiver answered 302; redirects are not followed.', 302],
    [{ status: 500, afterMs: 0 }, 'The receiver answered 500.', 500],
    [
      'dead',
      'It did not answer within 15000 ms; check that it can be reached from outside, and try again.',
      undefined,
    ],
    [
      'refuses',
      'It took no connection; check that it can be reached from outside, and try again.',
      undefined,
    ],
  ] as const)('%j is a failure, in our words', async (answer, problem, status) => {
    const { clock, store, add, begin, end } = setUp(() => answer);
    const id = add('bad.example');
    const dispatcher = begin();
    await clock.run(16_000);
    const [attempt] = (await store.find('ann', id))!.attempts;
    expect(attempt).toMatchObject({ problem, status, tookMs: answer === 'dead' ? 15_000 : 0 });
    await end(dispatcher);
  });
});

describe('others', () => {
  it('are not delayed by a receiver that hangs, nor by an owner whose receivers all do', async () => {
    const { clock, receivers, add, begin, timesS, turns, end } = setUp(({ url }) =>
      url.includes('dead') ? 'dead' : OK,
    );
    for (let i = 0; i < 300; i++) add('dead.example', 'bob');
    for (let i = 0; i < 100; i++) add(`dead-${i}.example`, 'eve');
    const dispatcher = begin();
    await turns();
    await clock.run(1000);
    const id = add('hook.example');
    dispatcher.recheck();
    await turns();
    expect(timesS(id)).toEqual([1]);
    expect(receivers.most.by.get('dead.example')).toBe(4);
    expect(receivers.underWay).toBe(4 + 8 + 1);
    await end(dispatcher);
  });

  it('get through behind thousands that are due for a dead receiver', async () => {
    const { clock, receivers, add, begin, timesS, turns, end } = setUp(({ url }) =>
      url.includes('dead') ? 'dead' : OK,
    );
    for (let i = 0; i < 3000; i++) add('dead.example', 'bob');
    await clock.run(1000);
    const id = add('hook.example');
    const dispatcher = begin();
    await turns();
    expect(timesS(id)).toEqual([1]);
    expect(receivers.most.by.get('dead.example')).toBe(4);
    await end(dispatcher);
  });

  it('get through beside many owners whose receivers are all dead', async () => {
    const { clock, add, begin, timesS, turns, end } = setUp(({ url }) =>
      url.includes('dead') ? 'dead' : OK,
    );
    for (let i = 0; i < 1200; i++) add(`dead-${i % 24}.example`, `owner-${i % 6}`);
    const dispatcher = begin();
    await turns();
    await clock.run(20_000);
    const id = add('hook.example');
    dispatcher.recheck();
    await turns();
    await clock.run(60_000);
    expect(timesS(id)).toEqual([20]);
    await end(dispatcher);
  });

  it('a busy receiver gets all of its thousands, in time and within its bounds', async () => {
    const { clock, receivers, add, begin, end } = setUp(() => ({ status: 204, afterMs: 20 }));
    for (let i = 0; i < 1000; i++) add(`hook-${i % 10}.example`, `owner-${i % 10}`);
    const dispatcher = begin();
    await clock.run(10 * 60_000);
    expect(new Set(receivers.arrivals.map(({ id }) => id)).size).toBe(1000);
    expect(receivers.arrivals).toHaveLength(1000);
    // Ten owners at three each; two places stay free for an eleventh.
    expect(receivers.most.all).toBe(30);
    await end(dispatcher);
  });

  it('a full line is filled again as it empties', async () => {
    const bounds = { atOnce: 2, perHost: 2, perOwner: 2, waiting: 4, waitingEach: 4 };
    const { clock, receivers, add, begin, end } = setUp(() => ({ status: 200, afterMs: 100 }), { bounds });
    for (let i = 0; i < 40; i++) add(`hook-${i}.example`, `owner-${i}`);
    const dispatcher = begin();
    await clock.run(2500);
    expect(receivers.arrivals).toHaveLength(40);
    expect(receivers.most.all).toBe(2);
    await end(dispatcher);
  });

  it('a claim that waits too long in line is left to others', async () => {
    const { clock, receivers, add, begin, end } = setUp(() => 'dead');
    for (let i = 0; i < 50; i++) add('dead.example');
    const dispatcher = begin();
    await clock.run(115_000);
    // 4 every 15 s, none that begins later than 95 s after its claim; retries of the first come in between.
    const begun = receivers.arrivals.filter(({ atMs }) => atMs > 95_000 && atMs < 115_000);
    expect(
      begun.filter(({ id }) => receivers.arrivals.find((first) => first.id === id)!.atMs > 95_000),
    ).toEqual([]);
    expect(Math.max(...receivers.most.by.values())).toBe(4);
    await end(dispatcher);
  });
});

it('that is replayed during its last attempt gets a schedule of its own', async () => {
  const results: string[] = [];
  const givenUp: string[] = [];
  const { clock, unixMs, store, add, begin, timesS, end } = setUp(() => 'dead', {
    onAttempt: (result) => void results.push(result),
    log: { ...silentLog, warn: (event) => void givenUp.push(event) },
  });
  const id = add('dead.example');
  const dispatcher = begin();
  while (timesS(id).length < 10) await clock.run(5000);
  const lastS = timesS(id)[9]!;
  expect(await store.replay('ann', id, unixMs())).toBe(true);
  dispatcher.recheck();
  await clock.run(30_000);
  expect(await store.find('ann', id)).toMatchObject({ state: 'pending' });
  expect(timesS(id)).toHaveLength(11);
  expect(timesS(id)[10]! - lastS).toBe(16);
  // It was not given up, and nothing says so.
  expect(new Set(results)).toEqual(new Set(['again']));
  expect(givenUp).toEqual([]);
  await end(dispatcher);
});

describe('the store', () => {
  it('may be away when something is due', async () => {
    let away = 6;
    const made = setUp(() => OK);
    const id = made.add('hook.example');
    const store = failing(made.store, 'due', () => away-- > 0);
    const dispatcher = made.begin({ store });
    await made.clock.run(0.5e3 + 1e3 + 2e3 + 4e3 + 8e3);
    expect(made.timesS(id)).toEqual([]);
    // Nobody's impatience makes it try more often.
    for (let i = 0; i < 100; i++) dispatcher.recheck();
    await made.clock.run(15_000);
    expect(away).toBe(0);
    await made.clock.run(1100);
    expect(made.timesS(id)).toEqual([31.5]);
    await made.end(dispatcher);
  });

  it('may be away when an attempt is to be written: the message is not sent again', async () => {
    const made = setUp(() => OK);
    const id = made.add('hook.example');
    const store = failing(made.store, 'settle', () => made.clock.now() < 10 * 60_000);
    const dispatcher = made.begin({ store });
    await made.clock.run(20 * 60_000);
    expect(made.timesS(id)).toEqual([0]);
    expect(await made.store.find('ann', id)).toMatchObject({ state: 'delivered' });
    await made.end(dispatcher);
  });

  it.each(['silence', 'settle'] as const)(
    'may be away at %s when a receiver says 410: one attempt is written',
    async (name) => {
      const made = setUp(() => ({ status: 410 }));
      const id = made.add('gone.example');
      let away = 3;
      const dispatcher = made.begin({ store: failing(made.store, name, () => away-- > 0) });
      await made.clock.run(10_000);
      const settled = await made.store.find('ann', id);
      expect(settled).toMatchObject({ state: 'given-up', tries: 1 });
      expect(settled!.attempts).toHaveLength(1);
      expect(await made.store.isSilenced('ann', 'https://gone.example/hook')).toBe(true);
      await made.end(dispatcher);
    },
  );
});

describe('stop', () => {
  it('waits for what is on its way, and begins nothing more', async () => {
    const { clock, store, receivers, add, begin } = setUp(() => ({ status: 200, afterMs: 3000 }));
    const ids = Array.from({ length: 6 }, () => add('slow.example'));
    const dispatcher = begin();
    await clock.run(1000);
    let state = 'stopping';
    void dispatcher.stop(5000).then(() => (state = 'stopped'));
    await clock.run(1999);
    expect(state).toBe('stopping');
    await clock.run(1);
    expect(state).toBe('stopped');
    expect(receivers.arrivals).toHaveLength(4);
    expect(await store.find('ann', ids[3]!)).toMatchObject({ state: 'delivered' });
    expect(await store.find('ann', ids[4]!)).toMatchObject({ state: 'pending', tries: 0 });
    expect(clock.timers).toBe(0);
  });

  it('hangs up when its time is over; the next process sends the same message again', async () => {
    const { clock, store, receivers, add, begin, timesS, end } = setUp((_, count) =>
      count === 1 ? 'dead' : OK,
    );
    const id = add('dead.example');
    const dispatcher = begin();
    await clock.run(1000);
    let state = 'stopping';
    void dispatcher.stop(2000).then(() => (state = 'stopped'));
    await clock.run(2000);
    expect([state, receivers.underWay]).toEqual(['stopped', 0]);
    expect(await store.find('ann', id)).toMatchObject({ state: 'pending', tries: 0, attempts: [] });
    expect(clock.timers).toBe(0);
    const next = begin();
    await clock.run(200_000);
    expect(timesS(id)).toEqual([0, 120]);
    await end(next);
  });

  it('ends although the store never answers', async () => {
    const made = setUp(() => OK);
    const store = { ...made.store, due: () => new Promise<never>(() => {}) };
    const dispatcher = made.begin({ store });
    await made.clock.run(10);
    let state = 'stopping';
    void dispatcher.stop(1000).then(() => (state = 'stopped'));
    await made.clock.run(2000);
    expect(state).toBe('stopped');
    expect(made.clock.timers).toBe(0);
  });
});

describe('whatever happens', () => {
  const answer: fc.Arbitrary<Answer> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ status: fc.constant(200), afterMs: fc.nat(20_000) }) },
    fc.record({
      status: fc.constantFrom(302, 400, 410, 429, 500, 503),
      retryAfterMs: fc.nat(3_600_000),
      afterMs: fc.nat(16_000),
    }),
    fc.constantFrom<Answer>('dead', 'refuses'),
  );
  const message = fc.record({
    host: fc.constantFrom('a.example', 'b.example', 'c.example'),
    owner: fc.constantFrom('ann', 'bob'),
    afterMs: fc.nat(60_000),
  });

  it('each message ends, tried at its times, never twice at once, by however many processes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 15 }),
        fc.array(answer, { minLength: 1, maxLength: 40 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 2 }),
        async (messages, answers, faults, processes) => {
          let asked = 0;
          let call = 0;
          const made = setUp(() => answers[asked++ % answers.length]!);
          // Never a fault for ever: a store that is away for good is another matter.
          const fails = () => call < 200 && faults[call++ % faults.length]!;
          // Of two processes, the other one sends again what the first could not write while its claim lasted.
          const failsToSettle = () => processes === 1 && fails();
          const store = failing(failing(made.store, 'settle', failsToSettle), 'due', fails);
          const dispatchers = Array.from({ length: processes }, () => made.begin({ store }));
          for (const { host, owner, afterMs } of messages) {
            made.add(host, owner);
            dispatchers[0]!.recheck();
            await made.clock.run(afterMs);
          }
          await made.clock.run(90 * HOUR);

          const { arrivals, most } = made.receivers;
          for (const [name, atOnce] of most.by)
            expect(atOnce).toBeLessThanOrEqual(name.startsWith('msg_') ? 1 : 4 * processes);
          for (const owner of ['ann', 'bob']) {
            const { deliveries } = await made.store.list(owner, { limit: 100, cursor: undefined });
            for (const { id, state, attempts } of deliveries) {
              expect(state).not.toBe('pending');
              const times = arrivals.filter((arrival) => arrival.id === id).map(({ atMs }) => atMs);
              expect(times).toHaveLength(attempts.length);
              expect(times.length).toBeLessThanOrEqual(10);
              for (const [n, time] of times.entries())
                if (n > 0)
                  expect(time - times[n - 1]!).toBeGreaterThanOrEqual(1000 * (TIMES_S[n]! - TIMES_S[n - 1]!));
              const last = attempts.at(-1);
              if (state === 'delivered') expect(last?.status).toBe(200);
              else expect(last?.status).not.toBe(200);
            }
          }
          await made.end(...dispatchers);
        },
      ),
      { numRuns: 6 },
    );
  });
});
