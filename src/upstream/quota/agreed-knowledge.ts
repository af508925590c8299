// What all instances agree to know of one quota, and what this one has learned since and not yet agreed upon. An agreement has a
// version; a proposal has the next version, and the store accepts the first. An instance that came second learns again from the
// agreement, with its own events: so one refusal is not counted twice.

import { type QuotaKnowledge, ruleOf, shiftKnowledge } from '../../limits/quota-knowledge.ts';
import { type QuotaEvent, stepKnowledge } from '../../limits/quota-learner.ts';
import type { QuotaRule } from '../../limits/quota-window.ts';

export type AgreedKnowledge = {
  current(): QuotaKnowledge;
  ruleAt(nowMs: number): QuotaRule;
  /** False when it changes nothing, so that there is nothing to tell the store. */
  learn(event: QuotaEvent): boolean;
  /** What to tell the store: the agreement, or a proposal. */
  tell(nowMs: number): Proposal;
  /** Processes the answer of the store to `told`. True when there is something to propose again. */
  agree(told: Proposal, version: number, state: string | undefined): boolean;
  shift(byMs: number): void;
};

export type Proposal = {
  readonly version: number;
  readonly state: string;
  readonly rule: QuotaRule;
  readonly heldUntilMs: number;
  /** How many of the own events it contains. */
  readonly events: number;
};

type State = { readonly rule: QuotaRule; readonly knowledge: QuotaKnowledge };

function parseState(text: string): State | undefined {
  try {
    const state = JSON.parse(text) as Partial<State> | null;
    const { limit, windowMs, heldUntilMs } = state?.knowledge ?? {};
    const isSound = [limit, windowMs, heldUntilMs].every(Number.isFinite) && state?.rule !== undefined;
    return isSound ? (state as State) : undefined;
  } catch {
    return undefined;
  }
}

export function createAgreedKnowledge(first: QuotaKnowledge): AgreedKnowledge {
  let agreed: { readonly version: number; readonly state: string } | undefined;
  let events: QuotaEvent[] = [];
  let current = first;

  return {
    current: () => current,
    ruleAt: (nowMs) => ruleOf(current, nowMs),
    learn(event) {
      const next = stepKnowledge(current, event);
      if (next === current) return false;
      current = next;
      events.push(event);
      return true;
    },
    tell(nowMs) {
      const rule = ruleOf(current, nowMs);
      const state = JSON.stringify({ rule, knowledge: current } satisfies State);
      const version = state === agreed?.state ? agreed.version : (agreed?.version ?? -1) + 1;
      return { version, state, rule, heldUntilMs: current.heldUntilMs, events: events.length };
    },
    agree(told, version, state) {
      const theirs = state === undefined ? undefined : parseState(state);
      if (theirs === undefined) {
        // Unreadable: ours is proposed in its place.
        agreed = { version, state: state ?? told.state };
        if (state === undefined) events.splice(0, told.events);
        return state !== undefined;
      }
      agreed = { version, state: state! };
      current = events.reduce(stepKnowledge, theirs.knowledge);
      if (current !== theirs.knowledge) return true;
      events = [];
      return false;
    },
    shift(byMs) {
      if (current === first) return; // it contains no times
      current = shiftKnowledge(current, byMs);
      events = events.map((event) => ({
        ...event,
        atMs: event.atMs + byMs,
        ...('sentAtMs' in event ? { sentAtMs: event.sentAtMs + byMs } : {}),
      }));
    },
  };
}
