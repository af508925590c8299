// Whichever way a request leaves the pool, one line of the log says how it ended, whose it was and for what.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { settle } from '../../support/fake-clock.ts';
import { key, poolBench } from '../../support/pool-bench.ts';

const WORK = { class: 'first', tenant: 'ann', session: 's', turn: 't', deadlineMs: 0 } as const;
const ENDS = new Set(['upstream_answered', 'upstream_gave_up', 'upstream_cancelled']);

type Bench = ReturnType<typeof poolBench>;
type Way = {
  readonly keys?: Parameters<typeof poolBench>[0];
  readonly overrides?: Parameters<typeof poolBench>[1];
  /** Of the request that is looked at. */
  readonly act: (bench: Bench, request: ReturnType<Bench['open']>) => Promise<void> | void;
  /** What comes before it. */
  readonly before?: (bench: Bench) => void;
  readonly line: object;
};

const fail = async (bench: Bench, ...failures: Parameters<Bench['calls'][number]['fail']>[]) => {
  for (const failure of failures) {
    await bench.clock.run(500);
    bench.calls.at(-1)!.fail(...failure);
  }
  await bench.clock.run(500);
};
const fill = ({ open }: Bench) => {
  for (let i = 0; i < 4; i++) open({ work: { ...WORK, session: `other ${i}` } });
};

const WAYS: Readonly<Record<string, Way>> = {
  'an answer': {
    act: (bench) => bench.calls[0]!.answer(),
    line: { level: 'debug', event: 'upstream_answered', attempts: 1 },
  },
  'a failure that is not tried again': {
    act: (bench) => fail(bench, ['upstream_rejected', { status: 400 }]),
    line: {
      level: 'warn',
      event: 'upstream_gave_up',
      outcome: 'failed',
      code: 'upstream_rejected',
      status: 400,
    },
  },
  'one failure too many': {
    act: (bench) =>
      fail(
        bench,
        ...Array.from(
          { length: 3 },
          () => ['upstream_unreachable', { status: 500 }] as ['upstream_unreachable', object],
        ),
      ),
    line: { event: 'upstream_gave_up', outcome: 'failed', code: 'upstream_unreachable', attempts: 3 },
  },
  'a key that is refused': {
    act: (bench) => fail(bench, ['upstream_unauthorized', { status: 401 }]),
    line: { event: 'upstream_gave_up', outcome: 'failed', code: 'upstream_unauthorized', status: 401 },
  },
  'a 429, and patience that is over': {
    overrides: { maxWaitMs: 5000 },
    async act(bench) {
      await fail(bench, ['upstream_rate_limited', { status: 429, advice: { resetMs: 60_000 } }]);
      await bench.clock.run(60_000);
    },
    line: {
      event: 'upstream_gave_up',
      outcome: 'failed',
      code: 'upstream_rate_limited',
      status: 429,
      attempts: 1,
    },
  },
  'a 429, and the pool that closes': {
    async act(bench) {
      await fail(bench, ['upstream_rate_limited', { status: 429, advice: { resetMs: 20_000 } }]);
      bench.pool.close();
    },
    line: { event: 'upstream_gave_up', outcome: 'failed', code: 'shutting_down', status: 429, attempts: 1 },
  },
  'a line in which it would wait too long': {
    keys: [key('a', 4)],
    overrides: { maxWaitMs: 2000 },
    before: fill,
    act: (bench) => bench.clock.run(5000),
    line: { level: 'warn', event: 'upstream_gave_up', outcome: 'refused', code: 'busy', attempts: 0 },
  },
  'a line that is full': {
    overrides: { maxWaiting: 0 },
    before: fill,
    act: (bench) => bench.clock.run(1000),
    line: { event: 'upstream_gave_up', outcome: 'refused', code: 'busy', attempts: 0 },
  },
  'a pool that closes while it waits': {
    before: fill,
    act: ({ pool }) => pool.close(),
    line: { event: 'upstream_gave_up', outcome: 'refused', code: 'shutting_down', attempts: 0 },
  },
  'its caller, while it waits': {
    before: fill,
    act: (_bench, { abort }) => abort.abort(new Error('left')),
    line: { level: 'debug', event: 'upstream_cancelled', attempts: 0 },
  },
  'its caller, while it is under way': {
    act: (_bench, { abort }) => abort.abort(new Error('left')),
    line: { level: 'debug', event: 'upstream_cancelled', attempts: 1 },
  },
  'its caller, while it pauses before it is tried again': {
    async act(bench, { abort }) {
      await bench.clock.run(10);
      bench.calls[0]!.fail('upstream_unreachable', { status: 500 });
      await settle();
      abort.abort(new Error('left'));
    },
    line: { event: 'upstream_cancelled', attempts: 1 },
  },
  'its reader, because no audio came': {
    act: (_bench, { abort }) => abort.abort(new AppError('upstream_timeout', 'No audio came.')),
    line: { event: 'upstream_cancelled', attempts: 1 },
  },
};

describe('a request', () => {
  it.each(Object.entries(WAYS))(
    'that ends by %s has one line',
    async (_way, { keys, overrides, before, act, line }) => {
      const bench = poolBench(keys ?? [key('a')], overrides);
      before?.(bench);
      await settle();
      const request = bench.open({ work: WORK });
      await settle();
      await act(bench, request);
      await request.done;
      const own = bench.lines
        .map((each) => JSON.parse(each) as { event: string; session: string })
        .filter(({ event, session }) => ENDS.has(event) && session === 's');
      expect(own).toEqual([expect.objectContaining({ tenant: 'ann', turn: 't', ...line })]);
    },
  );

  it('that was sent twice, because the first was late, has one line as well', async () => {
    const bench = poolBench([key('a'), key('b')]);
    for (let i = 0; i < 20; i++) {
      bench.open({ work: { ...WORK, session: 'earlier' } });
      await bench.clock.run(100);
      bench.calls.at(-1)!.answer();
      bench.calls.at(-1)!.end();
      await settle();
    }
    const before = bench.calls.length;
    const { done } = bench.open({ work: WORK });
    await bench.clock.run(3000);
    expect(bench.calls).toHaveLength(before + 2);
    bench.calls.at(-1)!.answer();
    await done;
    const own = bench.lines.filter((line) => line.includes('"session":"s"'));
    expect(own).toHaveLength(1);
    expect(JSON.parse(own[0]!)).toMatchObject({ event: 'upstream_answered', attempts: 2 });
  });
});

it.each([
  ['with requests at once that count', 1, 100],
  ['of no such limit', undefined, 0],
] as const)(
  'a place of an aborted request %s is held until the service has noticed',
  async (_of, atOnce, heldMs) => {
    const { clock, open, calls } = poolBench([{ ...key('a'), ...(atOnce === undefined ? {} : { atOnce }) }], {
      maxInFlightPerKey: 1,
    });
    const first = open();
    await clock.run(10);
    calls[0]!.sent();
    open();
    await clock.run(10);
    first.abort.abort(new Error('left'));
    await clock.run(heldMs - 1);
    expect(calls).toHaveLength(heldMs === 0 ? 2 : 1);
    await clock.run(2);
    expect(calls).toHaveLength(2);
  },
);
