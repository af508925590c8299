// A thread that plays, without time passing: what its turns cost, what disturbs it, and how late its ticks are, which is
// hardly at all up to a point and without end behind it. Callers come, are refused, come back when told, speak and leave.

import { createHeadroom, type Headroom, type HeadroomLevel } from '../../src/limits/headroom.ts';

export type ThreadPlan = {
  readonly busyAt: number;
  /** Of the thread's time, per turn that plays. */
  readonly unit: number;
  /** What is used beside turns. */
  readonly base: number;
  readonly random: () => number;
  /** The loop stands still for so long, twice a second. */
  readonly heldMs?: number;
};

type Turn = {
  readonly beginsMs: number;
  readonly endsMs: number;
  readonly place: ReturnType<Headroom['take']>;
  began: boolean;
};
type Caller = { readonly level: HeadroomLevel; comesMs: number; readonly firstMs: number };

const STEP_MS = 10;
const TICK_MS = 5;
const LOOK_MS = 200;

export function simulateThread({ busyAt, unit, base, random, heldMs = 0 }: ThreadPlan) {
  const headroom = createHeadroom(busyAt);
  let nowMs = 0;
  let turns: Turn[] = [];
  let callers: Caller[] = [];
  let usedMs = 0;
  let behindMs = 0;
  let lookedMs = 0;
  let standsUntilMs = 0;
  const seen = {
    refused: 0,
    admitted: 0,
    mostShare: 0,
    mostBehindMs: 0,
    waitsMs: [] as number[],
    retriesMs: [] as number[],
  };

  let playing = 0;
  const share = () => base + unit * playing;
  const speak = (lastsMs: number) => {
    const beginsMs = nowMs + 50 + random() * 400;
    turns.push({ beginsMs, endsMs: beginsMs + lastsMs, place: headroom.take(1, nowMs), began: false });
  };
  const ask = (caller: Caller, lastsMs: number) => {
    const retryAfterMs = headroom.retryMsIfFull(caller.level, 1, nowMs);
    if (retryAfterMs === undefined) {
      seen.admitted += 1;
      seen.waitsMs.push(nowMs - caller.firstMs);
      if (caller.level === 'session') headroom.expect(nowMs);
      speak(lastsMs);
      return;
    }
    seen.refused += 1;
    seen.retriesMs.push(retryAfterMs);
    callers.push({ ...caller, comesMs: nowMs + retryAfterMs });
  };
  const work = () => {
    const held = heldMs > 0 && random() < (STEP_MS * 2) / 1000;
    if (held) standsUntilMs = nowMs + heldMs;
    const wanted = share() * STEP_MS + (nowMs < standsUntilMs ? STEP_MS : 0) + behindMs;
    const done = Math.min(STEP_MS, wanted);
    usedMs += done;
    behindMs = wanted - done;
    // While it stands it does not tick, and what it missed it does not make up for.
    if (nowMs >= standsUntilMs) {
      for (let tick = 0; tick < (behindMs > 0 ? 1 : STEP_MS / TICK_MS); tick++)
        headroom.ticked(random() * 2 + behindMs);
    }
    seen.mostShare = Math.max(seen.mostShare, share());
    seen.mostBehindMs = Math.max(seen.mostBehindMs, behindMs);
  };

  return {
    headroom,
    seen,
    share,
    get turns() {
      return turns.length;
    },
    get waiting() {
      return callers.length;
    },
    /** Who is refused does not come back. */
    forgetCallers() {
      callers = [];
    },
    hangUp() {
      for (const { place } of turns) place.leave(nowMs);
      turns = [];
      playing = 0;
    },
    /** `perSecond` new callers, each speaking for `lastsMs` when he is taken. */
    run(ms: number, perSecond: number, lastsMs: number, level: HeadroomLevel = 'session') {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += STEP_MS;
        for (const turn of turns) {
          if (!turn.began && nowMs >= turn.beginsMs) {
            turn.began = true;
            playing += 1;
            turn.place.began(nowMs);
          }
          if (nowMs >= turn.endsMs) {
            turn.place.leave(nowMs);
            playing -= 1;
          }
        }
        if (turns.some(({ endsMs }) => nowMs >= endsMs)) turns = turns.filter(({ endsMs }) => nowMs < endsMs);
        const due = callers.filter(({ comesMs }) => comesMs <= nowMs);
        callers = callers.filter(({ comesMs }) => comesMs > nowMs);
        for (const caller of due) ask(caller, lastsMs);
        for (let left = (perSecond * STEP_MS) / 1000; left > 0; left -= 1) {
          if (random() < left) ask({ level, comesMs: nowMs, firstMs: nowMs }, lastsMs);
        }
        work();
        if (nowMs - lookedMs < LOOK_MS) continue;
        headroom.look(nowMs, usedMs / (nowMs - lookedMs));
        [lookedMs, usedMs] = [nowMs, 0];
      }
    },
  };
}
