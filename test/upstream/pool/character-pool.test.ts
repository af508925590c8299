// What a pool makes of characters that are used up: a wait for a minute, another key, or the refusal of a key without money.
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { quotaIdOf } from '../../../src/upstream/key-digest.ts';
import {
  CHARACTER_SPAN_MS,
  type CharacterLimits,
  createMemoryCharacterCount,
  withCharacterLimits,
} from '../../../src/upstream/quota/character-limits.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { key, poolBench, TEXT } from '../../support/pool-bench.ts';

function bench(limits: Readonly<Record<string, CharacterLimits>>) {
  const clock = createFakeClock();
  const keys = Object.keys(limits).map((name) => key(name));
  const quotas = keys.map(({ apiKey }, at) => ({
    quota: quotaIdOf(apiKey),
    perMinute: 'unlimited' as const,
    ...Object.values(limits)[at],
  }));
  const store = withCharacterLimits({
    store: createMemoryQuotaStore({ quotas, clock, log: silentLog }),
    quotas,
    count: createMemoryCharacterCount({ quotas, clock, unixMs: () => Date.UTC(2026, 10, 2) + clock.now() }),
    clock,
  });
  return poolBench(keys, { clock, store });
}
const texts = (count: number) => count * TEXT.length;

describe('a pool of keys that are limited in characters', () => {
  it('waits until the minute has room, and sends then', async () => {
    const { open, calls, clock, pool } = bench({ a: { charactersPerMinute: texts(2) } });
    const made = [open(), open(), open()];
    await settle();
    expect(calls.length).toBe(2);
    expect(pool.state()).toMatchObject({ waiting: 1, keys: [{ characters: { inMinute: texts(2) } }] });
    for (const call of calls) {
      call.answer();
      call.end();
    }
    for (let ms = 0; ms < CHARACTER_SPAN_MS; ms += 1_000) {
      clock.advance(1_000);
      await settle();
    }
    expect(calls.length).toBe(3);
    calls[2]!.answer();
    await settle();
    expect(made[2]!.outcome).toMatchObject({ attempts: 1 });
  });

  it('sends with the keys that have characters left in the month, and refuses as without money when none has', async () => {
    const month = { charactersPerMonth: texts(2) };
    const { open, calls, clock } = bench({ a: month, b: month });
    const made = Array.from({ length: 5 }, () => open());
    await settle();
    expect(calls.map((call) => call.key).sort()).toEqual(['a', 'a', 'b', 'b']);
    expect(made[4]!.outcome).toBe('upstream_unauthorized');
    // What was not sent is there for the next one.
    calls[0]!.fail('upstream_unreachable', { when: 'unsent' });
    await settle();
    clock.advance(1_000);
    await settle();
    expect(calls.length).toBe(5);
  });

  it('counts for a month what the service says that a text has cost', async () => {
    const { open, calls, pool } = bench({ a: { charactersPerMonth: texts(2) } });
    open();
    await settle();
    calls[0]!.answer({ characterCost: 3 });
    await settle();
    expect(pool.state()).toMatchObject({ keys: [{ characters: { inMonth: 3 } }] });
  });
});
