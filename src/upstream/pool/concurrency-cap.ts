// How many requests one pool member may have under way. A setting, lowered by what the service says, and by 429s that
// come while its count of requests is far from used up: those speak of something else that is full. Arithmetic only.

export type ConcurrencyCap = {
  /** 1 or more. */
  at(nowMs: number): number;
  /** The service's own figure; the last one holds. */
  told(concurrent: number): void;
  /** Refused while `others` were under way, which evidently are as many as it takes. */
  refused(others: number, nowMs: number): void;
};

/** A learned cap rises by one in this time, so that what was learned from one bad minute is forgotten. */
const RISE_MS = 30_000;

export function createConcurrencyCap(most: number): ConcurrencyCap {
  let said = Number.POSITIVE_INFINITY;
  let learned = Number.POSITIVE_INFINITY;
  let learnedAtMs = 0;
  const at = (nowMs: number) => {
    const risen = learned + Math.floor(Math.max(0, nowMs - learnedAtMs) / RISE_MS);
    return Math.max(1, Math.min(most, said, risen));
  };
  return {
    at,
    told(concurrent) {
      said = concurrent;
    },
    refused(others, nowMs) {
      learned = Math.max(1, Math.min(others, at(nowMs)));
      learnedAtMs = nowMs;
    },
  };
}
