// One quota as one instance of a shared store keeps it: its sends, what is known of it, what must still be given back. Also the
// answer to a question when the other instances cannot be asked: from the own share of each quota.

import {
  describeKnowledge,
  isUntried,
  leaveIn,
  type QuotaKnowledge,
  waitsWithGrowth,
} from '../../limits/quota-knowledge.ts';
import type { QuotaEvent } from '../../limits/quota-learner.ts';
import { countsAround, type QuotaRule } from '../../limits/quota-window.ts';
import { type AgreedKnowledge, createAgreedKnowledge, type Proposal } from './agreed-knowledge.ts';
import { SILENT_MS } from './lease-script.ts';
import { createOwnShare, type OwnShare, reachOf, UNLIMITED_REACH_MS } from './own-share.ts';
import type { SeenQuota, ToldQuota } from './quota-server.ts';
import type { QuotaAnswer, QuotaAsk, QuotaId, QuotaReport, QuotaState } from './quota-store.ts';

type Answered = Extract<QuotaReport, { readonly kind: 'accepted' | 'refused' }>;

export type Telling = { readonly told: ToldQuota; readonly proposal: Proposal };

export type QuotaAccount = {
  readonly quota: QuotaId;
  readonly sends: OwnShare;
  readonly knowledge: AgreedKnowledge;
  rule(nowMs: number): QuotaRule;
  /** How far back sends can count. */
  reachMs(nowMs: number): number;
  granted(reservation: string, atMs: number): void;
  /** It was not sent, or may be counted in the store without having been granted: the store must forget it. */
  giveBack(reservation: string, nowMs: number): void;
  /** As `leaveIn`. */
  leave(leave: number): number;
  free(nowMs: number, leave: number): Generator<number, void>;
  /** What is left for this instance alone; not a whole number. */
  room(nowMs: number): number;
  /** What was before no longer counts. */
  forget(beforeMs: number): void;
  /** It is no longer under way. */
  answered(reservation: string): void;
  /** Learns from the number of those that are answered; true when that is news. */
  learnAnswered(nowMs: number): boolean;
  /** What the answer to a send teaches; undefined when the send is already forgotten. */
  event(report: Answered, reservation: string, nowMs: number): QuotaEvent | undefined;
  tell(nowMs: number, extent: 'all sends' | 'changes'): Telling;
  /** Processes the store's answer; its sends are the common picture unless it may be incomplete. True: tell again. */
  hear(telling: Telling, seen: SeenQuota, picture: 'whole' | 'incomplete', storeMs: number): boolean;
  state(nowMs: number, mode: 'shared' | 'local'): QuotaState;
};

/** Field names as in the script; fields that a kind lacks are 0 and not read. */
function ruleFields(rule: QuotaRule, heldUntilMs: number, known: QuotaKnowledge): (string | number)[] {
  const {
    limit = 0,
    spanMs = UNLIMITED_REACH_MS,
    originMs = 0,
    periodMs = 0,
    guardMs = 0,
  } = {
    ...rule,
  } as Partial<Record<'limit' | 'spanMs' | 'originMs' | 'periodMs' | 'guardMs', number>>;
  const values = {
    ...{ kind: rule.kind, limit, spanMs, originMs, periodMs, guardMs, heldUntilMs },
    isUntried: isUntried(known) ? 1 : 0,
  };
  return Object.entries(values).flatMap(([name, value]) => [name, String(value)]);
}

export function createQuotaAccount(
  quota: QuotaId,
  first: QuotaKnowledge,
  maxInstances: number,
): QuotaAccount {
  const sends = createOwnShare(maxInstances);
  const knowledge = createAgreedKnowledge(first);
  /** What the store must forget, with when it was given back. */
  const gone = new Map<string, number>();
  /** Own sends under way, and how many the others have told. */
  const open = new Set<string>();
  let othersOpen = 0;
  /** The store's time of the picture. */
  let seenMs = 0;
  const rule = (nowMs: number) => knowledge.ruleAt(nowMs);
  /** Nobody stands still because Redis does, for a limit that there may not be. */
  const partOf = (known: QuotaKnowledge) => (isUntried(known) ? 'all' : 'its share');

  return {
    quota,
    sends,
    knowledge,
    rule,
    reachMs: (nowMs) => reachOf(rule(nowMs)),
    granted(reservation, atMs) {
      gone.delete(reservation);
      open.add(reservation);
      sends.add(reservation, atMs);
    },
    giveBack(reservation, nowMs) {
      open.delete(reservation);
      sends.remove(reservation);
      gone.set(reservation, nowMs);
    },
    leave: (leave) => leaveIn(knowledge.current(), leave),
    free(nowMs, leave) {
      const known = knowledge.current();
      const fromMs = Math.max(nowMs, known.heldUntilMs);
      return sends.free(rule(nowMs), fromMs, leaveIn(known, leave), partOf(known));
    },
    room: (nowMs) => sends.room(rule(nowMs), nowMs, partOf(knowledge.current())),
    forget(beforeMs) {
      sends.forget(beforeMs);
      for (const [reservation, atMs] of gone) if (atMs < beforeMs) gone.delete(reservation);
      for (const reservation of open) if (!sends.has(reservation)) open.delete(reservation);
    },
    answered(reservation) {
      open.delete(reservation);
    },
    learnAnswered(nowMs) {
      if (!isUntried(knowledge.current())) return false;
      // Of the others nothing newer will be heard.
      const others = nowMs - seenMs < SILENT_MS ? othersOpen : 0;
      const answered = sends.used(rule(nowMs), nowMs) - open.size - others;
      return knowledge.learn({ kind: 'answered', atMs: nowMs, answered });
    },
    event(report, reservation, nowMs) {
      const sentAtMs = sends.timeOf(reservation);
      if (sentAtMs === undefined) return undefined;
      const { spreadMs, heldUntilMs } = knowledge.current();
      const at = { sentAtMs: Math.min(nowMs, sentAtMs), nowMs, spreadMs, heldUntilMs };
      const counts = countsAround(rule(nowMs), sends.all(), at);
      return { ...report, atMs: nowMs, sentAtMs: at.sentAtMs, ...counts };
    },
    tell(nowMs, extent) {
      const proposal = knowledge.tell(nowMs);
      const { version, state } = proposal;
      const { atMs, among } = sends.lease();
      const told = {
        sends: extent === 'all sends' ? sends.known() : [],
        gone: [...gone.keys()],
        open: open.size,
        since: extent === 'all sends' ? 0 : seenMs,
        lease: { at: Number.isFinite(atMs) ? atMs : 0, among },
        version,
        state,
        rule: ruleFields(proposal.rule, proposal.heldUntilMs, knowledge.current()),
      };
      return { told, proposal };
    },
    hear({ told, proposal }, seen, picture, storeMs) {
      for (const reservation of told.gone) gone.delete(reservation);
      // What it may no longer send becomes free for others when the store knows that it has heard so.
      let gaveUp = false;
      othersOpen = seen.othersOpen;
      if (picture === 'whole') {
        const before = sends.lease();
        const next = seen.lease ?? before;
        sends.see(seen, told.since > 0 ? 'more' : 'whole', next);
        seenMs = storeMs;
        gaveUp = next.extra < before.extra || next.among > before.among;
      }
      return knowledge.agree(proposal, seen.version, seen.state) || gaveUp;
    },
    state(nowMs, mode) {
      const known = knowledge.current();
      const present = rule(nowMs);
      return {
        quota,
        rule: present,
        used: sends.used(present, nowMs),
        heldMs: Math.max(0, known.heldUntilMs - nowMs),
        ...describeKnowledge(known, present),
        ...(mode === 'local' ? { mode } : {}),
      };
    },
  };
}

/** An instance without a share (newly started, or fewer sends than instances) asks again after this: the store may be back. */
const NO_SHARE_WAIT_MS = 2_000;

/** `accounts` are those of the quotas of the ask. A grant is not counted yet. */
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
    const room = account.room(nowMs);
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
  if (waitsMs.length === 0) return { granted: false, waitsMs: [NO_SHARE_WAIT_MS] };
  const known = accounts.map(({ knowledge }) => knowledge.current());
  return { granted: false, waitsMs: waitsWithGrowth(waitsMs, known, nowMs) };
}
