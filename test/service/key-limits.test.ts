import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';
import { createKeyLimits, STATED_RULES } from '../../src/service/key-limits.ts';

const RULES = { ...STATED_RULES, make: 2, ask: 0 };

describe('the limits of a key', () => {
  it('are those of the interface', () => {
    expect(STATED_RULES).toEqual({
      'agents-create': 20,
      'agents-patch': 20,
      'agents-read': 60,
      'agent-stats': 60,
    });
  });

  it('are counted by key and by rule', async () => {
    const limits = createKeyLimits(RULES);
    const take = async (rule: 'make' | 'agents-create', key: string) => (await limits.take(rule, key))!;
    expect(await take('make', 'k1')).toMatchObject({ allowed: true, perMinute: 2, remaining: 1 });
    expect(await take('make', 'k1')).toMatchObject({ allowed: true, remaining: 0 });
    const refused = await take('make', 'k1');
    expect(refused).toMatchObject({ allowed: false, perMinute: 2, remaining: 0 });
    expect(refused.resetMs).toBeGreaterThan(0);
    expect(refused.resetMs).toBeLessThanOrEqual(60_000);
    expect(await take('make', 'k2')).toMatchObject({ allowed: true });
    expect(await take('agents-create', 'k1')).toMatchObject({ allowed: true, remaining: 19 });
  });

  it('are none where the rule is 0', async () => {
    expect(await createKeyLimits(RULES).take('ask', 'k1')).toBeUndefined();
  });

  it('pass on what is no refusal, and never tell a time that is over', async () => {
    let answer: unknown = new Error('the store is gone');
    const open = () => ({ consume: () => Promise.reject(answer as Error) }) as unknown as RateLimiterAbstract;
    const limits = createKeyLimits(RULES, open);
    await expect(limits.take('make', 'k')).rejects.toThrow('the store is gone');
    answer = new RateLimiterRes(-1, 0, 5);
    expect(await limits.take('make', 'k')).toMatchObject({ allowed: false, remaining: 0, resetMs: 1 });
  });
});
