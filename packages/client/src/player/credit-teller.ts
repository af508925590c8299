// When the gateway is to be told how far was heard: with credit it sends no more than its lead beyond that, so a word every
// 50 ms keeps it going, and no word is sent twice.

export type CreditTeller = {
  /** What to tell of `turn` now, whose first `heardMs` were heard; undefined: nothing. */
  due(turn: string, heardMs: number, nowMs: number): number | undefined;
};

const EVERY_MS = 50;

export function createCreditTeller(): CreditTeller {
  let told = { turn: '', heardMs: 0, atMs: Number.NEGATIVE_INFINITY };
  return {
    due(turn, heardMs, nowMs) {
      if (told.turn !== turn) told = { turn, heardMs: 0, atMs: Number.NEGATIVE_INFINITY };
      if (nowMs - told.atMs < EVERY_MS || heardMs <= told.heardMs) return undefined;
      told = { turn, heardMs, atMs: nowMs };
      return heardMs;
    },
  };
}
