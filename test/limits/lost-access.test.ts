import { describe, expect, it } from 'vitest';
import { saysAccessIsLost } from '../../src/limits/lost-access.ts';

describe('the body of a 429', () => {
  it.each([
    { errorId: 'INSUFFICIENT_CREDITS', errorMessage: 'Top up.' },
    { errorId: 'ACCOUNT_DISABLED' },
    { errorId: 'UNAUTHORIZED' },
    {
      error: {
        message: 'You exceeded your current quota.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
    { error: { type: 'billing_hard_limit_reached' } },
    { error: { code: 'account_deactivated' } },
    { error: 'payment_required' },
    { error: 'access_terminated' },
    { detail: { status: 'subscription_expired', message: 'Renew it.' } },
    { detail: { code: 'api-key-revoked' } },
    { err_code: 'OUT_OF_CREDITS', err_msg: 'x' },
    { code: 'InsufficientBalance' },
    { errors: [{ code: 'account.suspended' }] },
    { error: 'Invalid API key' },
    { error: 'insufficient_funds' },
    { error: 'insufficient_user_quota' },
    { code: 'billing_limit_exceeded' },
    { code: 'credit_limit_reached' },
    { code: 'spending_limit_reached' },
  ])('says in %j that money or access is out', (body) => {
    expect(saysAccessIsLost(JSON.stringify(body))).toBe(true);
  });

  it.each([
    { errorId: 'RATE_LIMIT_EXCEEDED', errorMessage: 'Your account has insufficient credits for nothing.' },
    { errorId: 'TOO_MANY_REQUESTS' },
    { errorId: 'QUOTA_EXCEEDED' },
    { error: { type: 'requests', code: 'rate_limit_exceeded' } },
    { error: { type: 'tokens', code: 'rate_limit_exceeded' } },
    { error: { status: 'RESOURCE_EXHAUSTED', code: 429 } },
    { error: 'The account is over its rate. Billing is at /billing.' },
    { detail: { status: 'too_many_concurrent_requests' } },
    { detail: { status: 'system_busy' } },
    { error: 'user_rate_limit_denied' },
    { message: 'insufficient_quota' },
    { code: 'insufficient_capacity' },
    { code: 'InsufficientCapacity' },
    { code: 'insufficient_throughput' },
    { code: 'insufficient_resources' },
    { code: 'insufficient_permits' },
    { code: 'user_over_limit' },
    { code: 'account_over_cap' },
    { code: 'project_usage_over_cap' },
    { code: 'account_limit_closed' },
    { code: 'access_denied_no_capacity' },
    { code: 'plan_throughput_ended' },
    { code: 'user_temporarily_blocked' },
    { code: 'key_blocked_until_reset' },
    { code: 'access_denied_quota' },
    { code: 'credits_limit_for_this_window' },
    { error: 'API key over limit' },
    { error: 'Plan limit reached, key blocked until reset' },
    { error: 'Access denied due to quota limits' },
    { error: 'Access denied' },
    { error: 'Your account is blocked' },
    { error: 'insufficient credits' },
    [],
    {},
    null,
    'insufficient_quota',
  ])('speaks in %j of a rate, or of nothing', (body) => {
    expect(saysAccessIsLost(JSON.stringify(body))).toBe(false);
  });

  it('is nothing when it is no JSON, cut off, or deep', () => {
    for (const body of ['', 'insufficient_quota', '{"errorId":"INSUFFICIENT_CREDITS"', '<html>'])
      expect(saysAccessIsLost(body)).toBe(false);
    let deep: unknown = { code: 'insufficient_quota' };
    for (let n = 0; n < 50; n += 1) deep = { error: deep };
    expect(saysAccessIsLost(JSON.stringify(deep))).toBe(false);
  });
});
