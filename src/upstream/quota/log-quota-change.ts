// The log lines for an operator when something was learned of a quota: a refusal, a limit, the kind of windows.

import type { Log } from '../../base/log.ts';
import { type QuotaKnowledge, ruleOf } from '../../limits/quota-knowledge.ts';
import type { QuotaId } from './quota-store.ts';

/** Nothing when the change is of no interest. `nowMs` is of the store's clock. */
export function logQuotaChange(
  log: Log,
  quota: QuotaId,
  before: QuotaKnowledge,
  after: QuotaKnowledge,
  nowMs: number,
): void {
  const { limit, windowMs, source, found, spreadMs } = after;
  const rule = ruleOf(after, nowMs).kind;
  if (after.refusedAtMs !== before.refusedAtMs)
    log.warn('quota_refused', { quota, limit, rule, heldMs: after.heldUntilMs - nowMs, spreadMs });
  if (after.found !== before.found) log.info('quota_windows_found', { quota, windows: found, windowMs });
  if (rule !== ruleOf(before, nowMs).kind) log.info('quota_rule', { quota, rule, limit });
  if (after.stage !== before.stage || (after.stage === 'settled' && limit !== before.limit))
    log.info('quota_limit', { quota, limit, windowMs, source, stage: after.stage });
}
