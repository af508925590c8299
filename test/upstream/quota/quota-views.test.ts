// Several stores as one, and one store as several pools see it.
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import { createQuotaViews, joinQuotaStores } from '../../../src/upstream/quota/quota-views.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const clock = createFakeClock();
const storeOf = (...quotas: string[]) => ({
  quotas,
  store: createMemoryQuotaStore({
    quotas: quotas.map((quota) => ({ quota, perMinute: 1 })),
    clock,
    log: silentLog,
  }),
});
const ask = (reservation: string, ...among: string[]) => ({ reservation, among, leave: 0, forecast: 1 });

describe('joined stores', () => {
  it('are each asked for their own quotas', () => {
    const joined = joinQuotaStores([storeOf('a', 'b'), storeOf('c')]);
    expect(joined.ask(ask('1', 'a', 'b'))).toMatchObject({ granted: true, quota: 'a' });
    expect(joined.ask(ask('2', 'a', 'b'))).toMatchObject({ granted: true, quota: 'b' });
    expect(joined.ask(ask('3', 'c'))).toMatchObject({ granted: true, quota: 'c' });
    expect(joined.ask(ask('4', 'c'))).toMatchObject({ granted: false });
    expect(joined.state().map(({ quota, used }) => [quota, used])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    expect(() => joined.ask(ask('5', 'x'))).toThrow(RangeError);
  });
  it('of one are that one', () => {
    const part = storeOf('a');
    expect(joinQuotaStores([part])).toBe(part.store);
  });
});

it('a view shows its own quotas, and each is told of a change', () => {
  const viewOf = createQuotaViews(storeOf('a', 'b').store);
  const [first, second] = [viewOf(['a']), viewOf(['b'])];
  const told: string[] = [];
  first.onChange(() => told.push('first'));
  second.onChange(() => told.push('second'));
  expect(second.state().map(({ quota }) => quota)).toEqual(['b']);
  void first.ask(ask('1', 'a'));
  first.report('a', '1', { kind: 'unsent' });
  expect(told).toEqual(['first', 'second']);
  void second.close();
  void first.ask(ask('2', 'a'));
  first.report('a', '2', { kind: 'unsent' });
  expect(told).toEqual(['first', 'second', 'first']);
});
