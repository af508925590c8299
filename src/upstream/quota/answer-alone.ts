// What an instance answers when it cannot ask the others: from its own share of each quota.

import type { QuotaAccount } from './quota-account.ts';
import type { QuotaAnswer, QuotaAsk } from './quota-store.ts';

/** An instance without any share (one that has just come, or fewer sends than instances) asks again after this: the others may be back. */
const NO_SHARE_WAIT_MS = 2_000;

/** Of `accounts`, those that the ask is among. A grant is not noted yet. */
export function answerAlone(
  accounts: readonly QuotaAccount[],
  { leave, forecast }: QuotaAsk,
  nowMs: number,
): QuotaAnswer {
  const candidates = accounts.map((account) => {
    const free = account.free(nowMs, leave);
    return { account, free, next: free.next() };
  });

  let best: QuotaAccount | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const { account, next } of candidates) {
    if (next.done || next.value > nowMs) continue;
    const room = account.sends.room(account.rule(nowMs), nowMs);
    if (room > most) [best, most] = [account, room];
  }
  if (best !== undefined) return { granted: true, quota: best.quota };

  const waitsMs: number[] = [];
  while (waitsMs.length < forecast) {
    let first: (typeof candidates)[number] | undefined;
    let firstMs = Number.POSITIVE_INFINITY;
    for (const candidate of candidates) {
      if (candidate.next.done || candidate.next.value >= firstMs) continue;
      [first, firstMs] = [candidate, candidate.next.value];
    }
    if (first === undefined) break;
    waitsMs.push(firstMs - nowMs);
    first.next = first.free.next();
  }
  return { granted: false, waitsMs: waitsMs.length > 0 ? waitsMs : [NO_SHARE_WAIT_MS] };
}
