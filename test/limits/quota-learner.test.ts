import { describe, expect, it } from 'vitest';
import {
  firstKnowledge,
  isUntried,
  type QuotaKnowledge,
  ruleOf,
  shiftKnowledge,
  UNPROVEN_SENDS,
  waitsWithGrowth,
} from '../../src/limits/quota-knowledge.ts';
import { type QuotaEvent, stepKnowledge } from '../../src/limits/quota-learner.ts';
import type { RateAdvice } from '../../src/limits/rate-headers.ts';

type Answer = Extract<QuotaEvent, { kind: 'accepted' | 'refused' }>;
const accepted = (atMs: number, more: Partial<Answer> = {}): Answer => ({
  kind: 'accepted',
  atMs,
  sentAtMs: atMs - 60,
  used: 1,
  tested: 1,
  after: 0,
  proven: more.proven ?? more.tested ?? 1,
  advice: {},
  ...more,
});
const refused = (atMs: number, more: Partial<Answer> = {}): Answer => ({
  ...accepted(atMs, more),
  kind: 'refused',
});
const all = (known: QuotaKnowledge, ...events: readonly QuotaEvent[]) => events.reduce(stepKnowledge, known);
const full = (limit: number) => ({ used: limit, tested: limit });

describe('a limit that is not known', () => {
  const accept = (known: QuotaKnowledge, atMs: number, count: number) =>
    all(known, accepted(atMs, { ...full(count), sentAtMs: atMs - 60 }));
  /** As if that many had been sent one by one, all accepted. */
  const grownTo = (count: number) => {
    let known = firstKnowledge(undefined);
    for (let n = 1; n <= count; n++) known = accept(known, 1_000 + n, n);
    return known;
  };

  it('starts at a guess and lets one more go with every answer, however far', () => {
    const first = firstKnowledge(undefined);
    expect([first.stage, first.limit]).toEqual(['growing', UNPROVEN_SENDS]);
    const grown = grownTo(600);
    expect([grown.stage, grown.limit]).toEqual(['growing', 600 + UNPROVEN_SENDS]);
    expect(grown.answerMs).toBe(60);
  });
  it('never has more under way than it may beyond what was accepted, however answers overtake each other', () => {
    let known = grownTo(10);
    // The eleventh is late; those after it are there.
    for (let n = 12; n <= 17; n++) known = accept(known, 2_000 + n, n);
    expect(known.limit - 16).toBeLessThanOrEqual(UNPROVEN_SENDS);
    const late = all(known, accepted(3_000, { used: 23, tested: 11, after: 12, sentAtMs: 1_500 }));
    expect(late.limit).toBe(17 + UNPROVEN_SENDS);
  });
  it('lets as many go beyond those that are answered, whatever the answers were, until there was a refusal', () => {
    const known = grownTo(10);
    const answered = (count: number): QuotaEvent => ({ kind: 'answered', atMs: 9_000, answered: count });
    expect(all(known, answered(30)).limit).toBe(30 + UNPROVEN_SENDS);
    expect(all(known, answered(10))).toBe(known);
    const found = all(known, refused(2_000, full(known.limit)));
    expect(all(found, answered(30))).toBe(found);
    expect(all(firstKnowledge(60), answered(90)).limit).toBe(60);
  });
  it('is not known by a refusal that only a crowd has caused', () => {
    const known = grownTo(10);
    const crowd = all(known, {
      ...refused(2_000, full(known.limit)),
      kind: 'refused',
      perhaps: 'concurrency',
    });
    expect(isUntried(crowd)).toBe(false);
    expect(isUntried(all(crowd, accepted(4_000, { sentAtMs: 3_900 })))).toBe(true);
  });
  it('is still not known by another clock', () => {
    const known = grownTo(10);
    expect(isUntried(shiftKnowledge(shiftKnowledge(known, 1_700_000_000_000), -1_600_000_000_000))).toBe(
      true,
    );
  });
  it('does not grow while it is not used, nor at the beginning of a window', () => {
    const known = { ...grownTo(40), floor: 40 };
    expect(all(known, accepted(2_000, { used: 12, tested: 12 })).limit).toBe(known.limit);
    expect(all(known, accepted(2_000, { used: known.limit, tested: 1 })).limit).toBe(known.limit);
  });
  it('is found at the first refusal, and grown to once more before it is believed', () => {
    let known = all(grownTo(23), refused(1_100, { ...full(24), sentAtMs: 1_090 }));
    expect([known.stage, known.limit, known.ceiling]).toEqual(['confirming', 10, 23]);
    expect(known.heldUntilMs).toBe(1_100 + 60_500);
    for (let n = 10; n <= 23; n++)
      known = all(known, accepted(62_000 + n, { ...full(n), sentAtMs: 62_000 + n }));
    expect([known.stage, known.limit, known.source]).toEqual(['settled', 23, 'refusals']);
  });
  it('is not found by a refusal before anything was accepted: others have used the key', () => {
    const known = all(firstKnowledge(undefined), refused(1_000, { advice: { resetMs: 1_000 } }));
    expect([known.stage, known.limit, known.heldUntilMs]).toEqual(['growing', UNPROVEN_SENDS, 2_000]);
    const again = all(known, refused(2_100, { used: 2, tested: 2, advice: { resetMs: 1_000 } }));
    expect([again.stage, again.limit, again.heldUntilMs]).toEqual(['growing', UNPROVEN_SENDS, 3_100]);
  });
  it('is not found by one refusal while hardly anything is sent, but by two that are alike', () => {
    const known = grownTo(100);
    const once = all(known, refused(200_000, full(5)));
    expect([once.stage, once.limit]).toEqual(['growing', known.limit]);
    const twice = all(once, accepted(300_000), refused(310_000, full(5)));
    expect([twice.stage, twice.ceiling]).toEqual(['confirming', 4]);
  });
  it('takes refusals of what was sent before the first of them for the same one', () => {
    const grown = grownTo(20);
    const once = all(grown, refused(1_100, { used: 24, tested: 21, after: 3, sentAtMs: 1_050 }));
    const twice = all(once, refused(1_110, { used: 24, tested: 22, sentAtMs: 1_051 }));
    expect([once.ceiling, twice.ceiling]).toEqual([23, 22]);
    expect(twice.heldUntilMs).toBe(once.heldUntilMs);
  });
  it('does not grow by one that has overtaken others, nor by one that went before a refusal', () => {
    let known = all(grownTo(23), refused(1_100, { ...full(24), sentAtMs: 1_090 }));
    known = all(known, accepted(1_110, { ...full(10), sentAtMs: 1_080 }));
    expect([known.stage, known.limit]).toEqual(['confirming', 10]);
    known = all(known, accepted(62_000, { ...full(10), proven: 9, sentAtMs: 61_900 }));
    expect(known.limit).toBe(10);
    // The one that was late is answered: all ten are.
    known = all(known, accepted(62_300, { used: 10, tested: 9, after: 1, proven: 10, sentAtMs: 61_890 }));
    expect(known.limit).toBe(11);
  });
  it('is tried again by one, late and only while work waits that may be refused', () => {
    const found = {
      ...all(grownTo(20), refused(1_100, { ...full(21), sentAtMs: 1_050 })),
      stage: 'settled',
      limit: 20,
      cleanWindows: 30,
    } as const;
    expect(all(found, accepted(90_000, full(20))).limit).toBe(20);
    const waits = all(found, { kind: 'low-priority-waits', atMs: 89_000 });
    const probing = all(waits, accepted(90_000, full(20)));
    expect([probing.stage, probing.limit]).toEqual(['probing', 21]);
    const failed = all(probing, refused(90_100, full(21)));
    expect([failed.stage, failed.limit, failed.probeEvery]).toEqual(['settled', 20, 90]);
    expect(all(probing, accepted(90_100, { ...full(21), sentAtMs: 90_050 })).stage).toBe('growing');
  });
});

describe('a configured limit', () => {
  const known = firstKnowledge(60);
  it('is in force at once and never exceeded', () => {
    expect(ruleOf(known, 0)).toEqual({ kind: 'sliding', limit: 60, spanMs: 60_500 });
    expect(all(known, accepted(1_000, { ...full(60), advice: { limit: 1_000 } })).limit).toBe(60);
  });
  it('gives way to a tighter one in headers', () => {
    expect(all(known, accepted(1_000, { advice: { limit: 30, windowMs: 60_000 } })).limit).toBe(30);
    const perSecond = all(known, accepted(1_000, { advice: { limit: 1, windowMs: 2_000 } }));
    expect(ruleOf(perSecond, 0)).toEqual({ kind: 'sliding', limit: 1, spanMs: 2_500 });
    expect(all(known, accepted(1_000, { advice: { limit: 900, windowMs: 3_600_000 } })).windowMs).toBe(
      60_000,
    );
  });
  it('is found again by itself, a share at a time, when it was less for a while', () => {
    let less = all(known, refused(2_000, full(31)), accepted(70_000), refused(80_000, full(31)));
    for (let n = less.limit; n <= 30; n++)
      less = all(less, accepted(150_000 + n, { ...full(n), sentAtMs: 150_000 + n }));
    expect([less.stage, less.limit]).toEqual(['settled', 30]);
    let atMs = 220_000;
    for (; atMs < 60 * 60_000 && less.source !== 'configured'; atMs += 500)
      less = all(less, accepted(atMs, { ...full(less.limit), sentAtMs: atMs }));
    expect([less.limit, less.source]).toEqual([60, 'configured']);
    expect(atMs).toBeLessThan(6 * 60_000);
  });
});

describe('a refusal far below a limit', () => {
  const known = firstKnowledge(600);
  const stray = all(known, refused(2_000, { ...full(100), advice: { resetMs: 1_000 } }));

  it('is a hold and nothing else', () => {
    expect([stray.limit, stray.stage, stray.heldUntilMs]).toEqual([600, 'settled', 3_000]);
    expect(ruleOf(stray, 3_000)).toEqual(ruleOf(known, 3_000));
  });
  it('teaches no more when it comes again and again with nothing accepted in between', () => {
    let storm = stray;
    for (let n = 1; n <= 5; n++) storm = all(storm, refused(n * 70_000, full(90 + n)));
    expect([storm.limit, storm.stage]).toEqual([600, 'settled']);
  });
  describe('after which the key was held for a window', () => {
    const held = all(known, refused(2_000, full(101)), refused(2_010, { ...full(101), sentAtMs: 1_990 }));
    const limitOf = (of: QuotaKnowledge) => {
      const rule = ruleOf(of, 70_000);
      return rule.kind === 'sliding' ? rule.limit : undefined;
    };
    /** One send after another as far as they may go, up to `last`. */
    const upTo = (last: number) => {
      let climbed = held;
      for (let n = 1; n <= last && n <= limitOf(climbed)!; n++)
        climbed = all(climbed, accepted(63_000 + 10 * n, { ...full(n), sentAtMs: 62_999 + 10 * n }));
      return climbed;
    };

    it('is gone up to from half of that count, one at a time', () => {
      expect([held.limit, limitOf(held), limitOf(upTo(48)), limitOf(upTo(49))]).toEqual([600, 49, 49, 50]);
      expect(limitOf(upTo(90))).toBe(91);
      const early = accepted(63_600, { ...full(49), proven: 48, sentAtMs: 63_500 });
      expect(limitOf(all(upTo(48), early))).toBe(49);
    });
    it('is forgotten when the limit was reached, in greater steps past that count', () => {
      const ahead = [200, 201, 202, 203].map((count) => limitOf(upTo(count))! - count);
      expect(Math.max(...ahead)).toBeGreaterThan(1);
      const over = upTo(600);
      expect([over.suspicion, limitOf(over)]).toEqual([undefined, 600]);
    });
    it('is suspected on when it is refused again on the way, even near the limit', () => {
      const near = all(upTo(560), refused(90_000, full(561)));
      expect([near.limit, near.spreadMs, limitOf(near)]).toEqual([600, 500, 280]);
      expect(near.suspicion).toMatchObject({ accepted: 560, before: { accepted: 99 } });
    });
    it('makes others wait for answers, not for the end of the window', () => {
      expect(waitsWithGrowth([50_000, 50_000], [held], 62_600)).toEqual([100, 200]);
      expect(waitsWithGrowth([50_000, 50_000], [held], 62_500 - 1)).toEqual([50_000, 50_000]);
    });
  });
  it('lowers the limit when a second one is like it', () => {
    const less = all(stray, accepted(4_000), refused(66_000, full(110)));
    expect([less.stage, less.source, less.ceiling]).toEqual(['confirming', 'refusals', 109]);
  });
  it.each([
    ['at another count', [accepted(4_000), refused(66_000, full(300))]],
    ['so much later', [accepted(700_000), refused(710_000, full(101))]],
    [
      'after a window that was fully used',
      [accepted(70_000, full(600)), accepted(131_000), accepted(132_000), refused(133_000, full(101))],
    ],
  ] as const)('does not when the second is %s', (_, events) => {
    const after = all(stray, ...events);
    expect([after.limit, after.stage]).toEqual([600, 'settled']);
  });
  it('is counted from the hold on where that is what is alike', () => {
    const less = all(stray, accepted(4_000), refused(40_000, { ...full(200), sinceHold: 101 }));
    expect([less.stage, less.ceiling]).toEqual(['confirming', 100]);
  });
  it('of perhaps too many under way is a short hold, and no suspicion once that has helped', () => {
    const crowded = all(known, { ...refused(2_000, full(100)), perhaps: 'concurrency' } as QuotaEvent);
    expect([crowded.limit, crowded.heldUntilMs]).toEqual([600, 3_000]);
    expect(all(crowded, accepted(3_200, { sentAtMs: 3_100 })).suspicion).toBeUndefined();
    // Refused again, and alone: it was the count.
    const alone = all(crowded, refused(3_200, { ...full(101), sentAtMs: 3_100 }));
    expect(alone.heldUntilMs).toBe(3_200 + 60_500);
    const less = all(alone, accepted(64_000), refused(100_000, { ...full(101), sinceHold: 99 }));
    expect(less.stage).toBe('confirming');
  });
});

describe('headers that refusals have refuted', () => {
  const advice: RateAdvice = { limit: 50 };
  const told = all(firstKnowledge(60), accepted(1_000, { advice }));
  const refuted = all(
    told,
    refused(2_000, full(31)),
    accepted(70_000, { advice }),
    refused(80_000, full(31)),
  );

  it('are believed no more for a while', () => {
    expect([refuted.ceiling, refuted.refutedLimit]).toEqual([30, 50]);
    expect(all(refuted, accepted(90_000, { advice })).ceiling).toBe(30);
    expect(all(refuted, accepted(90_000 + 600_000, { advice })).limit).toBe(50);
  });
  it('are believed when they say something else', () => {
    const other = all(refuted, accepted(90_000, { advice: { limit: 55 } }));
    expect([other.limit, other.source, other.refutedLimit]).toEqual([55, 'headers', undefined]);
  });
});

describe('the spread', () => {
  it('widens after a refusal near the limit and narrows with clean windows', () => {
    const once = all(firstKnowledge(60), refused(1_000, full(60)));
    expect([once.spreadMs, once.limit]).toEqual([750, 60]);
    let known = once;
    for (let window = 1; window <= 60; window++)
      known = all(known, accepted(window * 70_000, full(60)), accepted(window * 70_000 + 1, full(60)));
    expect(known.spreadMs).toBe(500);
  });
  it('has a floor', () => {
    expect(firstKnowledge(60, 10).spreadMs).toBe(250);
  });
});

describe('the hold after a refusal', () => {
  it('lasts as long as the service says', () => {
    expect(all(firstKnowledge(60), refused(1_000, { advice: { resetMs: 7_000 } })).heldUntilMs).toBe(8_000);
  });
  it('becomes longer when what it says does not help', () => {
    let known = firstKnowledge('unlimited');
    const holds = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => {
      const atMs = (n + 1) * 100_000;
      known = all(known, refused(atMs, { advice: { resetMs: 10 } }));
      return known.heldUntilMs - atMs;
    });
    expect(holds).toEqual([10, 1_000, 3_000, 7_000, 15_000, 31_000, 60_000, 60_000, 60_000]);
    expect(ruleOf(known, 0)).toEqual({ kind: 'unlimited' });
  });
  it('also follows when others have used the key up', () => {
    const known = all(
      firstKnowledge(60),
      accepted(1_000, { used: 3, advice: { remaining: 0, resetMs: 9_000 } }),
    );
    expect(known.heldUntilMs).toBe(940 + 9_000);
  });
});

describe('the phase of fixed windows', () => {
  /** Answers that tell when the window ends, to the millisecond. */
  const told = (atMs: number, endMs: number) =>
    accepted(atMs, { sentAtMs: atMs - 80, advice: { resetMs: endMs - (atMs - 40) + 0.5 } });
  const agreed = all(firstKnowledge(60), told(10_000, 30_000), told(50_000, 90_000), told(99_000, 150_000));

  it('is used once resets of different windows agree', () => {
    expect(all(firstKnowledge(60), told(10_000, 30_000), told(20_000, 30_000)).phase?.confirmed).toBe(false);
    expect(agreed.found).toBe('fixed');
    const rule = ruleOf(agreed, 100_000);
    if (rule.kind !== 'phase') throw new Error('sliding');
    const late = (rule.originMs - 30_000) % 60_000;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(60);
    expect(rule.guardMs - late).toBeGreaterThanOrEqual(500);
  });
  it('takes whole seconds for rounded, and then waits for more agreement', () => {
    const rounded = (atMs: number, endMs: number) =>
      accepted(atMs, { advice: { resetMs: Math.ceil((endMs - atMs) / 1000) * 1000 } });
    let known = firstKnowledge(60);
    const confirmed = [0, 1, 2, 3, 4, 5, 6].map((n) => {
      known = all(known, rounded(10_123 + n * 60_000, 30_000 + n * 60_000));
      return known.phase?.confirmed;
    });
    expect(confirmed).toEqual([false, false, false, false, false, true, true]);
  });
  it('is not believed for ten windows after one refusal in it', () => {
    const sliding = all(agreed, refused(100_000, full(60)));
    expect(ruleOf(sliding, 100_001).kind).toBe('sliding');
    const again = all(sliding, told(200_000, 210_000), told(260_000, 270_000), told(320_000, 330_000));
    expect(ruleOf(again, 320_000).kind).toBe('sliding');
    expect(ruleOf(again, 700_000).kind).toBe('phase');
  });
  it('is given up when the window moves, and what kind it is is told', () => {
    const restarting = all(agreed, told(160_000, 215_000));
    expect([ruleOf(restarting, 160_000).kind, restarting.found]).toEqual(['sliding', 'restarting']);
    expect(all(agreed, told(100_000, 140_000)).found).toBe('moving');
  });
});

it('is plain JSON, and can be moved to another clock and back', () => {
  const known = all(
    firstKnowledge(60),
    accepted(5_000, { ...full(60), advice: { resetMs: 20_500, concurrent: 4 } }),
    refused(6_000),
  );
  expect(JSON.parse(JSON.stringify(known))).toEqual(known);
  expect(shiftKnowledge(shiftKnowledge(known, 1e12), -1e12)).toEqual(known);
});

it('is the same object when nothing is new', () => {
  const known = all(firstKnowledge(60), accepted(100_000, full(60)));
  expect(all(known, accepted(100_500, full(60)), { kind: 'low-priority-waits', atMs: 100_600 })).toBe(known);
});
