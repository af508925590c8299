// What is heard of a turn when services fail, and what is held against them.
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/app-error.ts';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import {
  type Behaviour,
  type ChainService,
  createChainRig,
  SENTENCE,
  TONE,
} from '../support/service-chain-rig.ts';
import { trialSize } from '../support/trial-size.ts';

const SPEAKS: Behaviour = { does: 'speaks' };
const always = (name: string, does: Behaviour): ChainService => ({ name, behave: () => does });
const TEXT = 'A small boat lay in the harbour.';

const SILENCE = (() => {
  // Frames of MPEG-2 Layer III without anything in them.
  const frame = new Uint8Array(192);
  frame.set([0xff, 0xf3, 0x84, 0xc4]);
  return Uint8Array.from(Array.from({ length: 90 }, () => [...frame]).flat());
})();
const refuses = (code: ErrorCode): Behaviour => ({ does: 'refuses', code });

/** Each before the first speech. */
const FAILURES: Readonly<Record<string, Behaviour>> = {
  'money or access out': refuses('upstream_unauthorized'),
  'over its limit': refuses('upstream_rate_limited'),
  'no room': refuses('busy'),
  '5xx or no connection': refuses('upstream_unreachable'),
  'no answer in time': refuses('upstream_timeout'),
  'wrong type': refuses('upstream_bad_audio'),
  'reset before the first byte': refuses('upstream_broken'),
  'text too long for it': { does: 'refuses', code: 'upstream_rejected', isLimit: true },
  'slow refusal': { does: 'refuses', code: 'upstream_unreachable', afterMs: 12_000 },
  'no answer at all': { does: 'hangs' },
  'an answer without a byte': { does: 'stays-empty' },
  'an empty success': { does: 'sends', bytes: new Uint8Array(0), end: 'ends' },
  garbage: { does: 'sends', bytes: new Uint8Array(9_000).fill(60), end: 'ends' },
  'silence that ends': { does: 'sends', bytes: SILENCE, end: 'ends' },
  'silence that stalls': { does: 'sends', bytes: SILENCE, end: 'stalls' },
  'a tone': { does: 'sends', bytes: TONE, end: 'ends' },
  'a tone that stalls': { does: 'sends', bytes: TONE, end: 'stalls' },
  'a break in the silence before the first word': {
    does: 'sends',
    bytes: SILENCE.subarray(0, 960),
    end: 'breaks',
  },
  'half a frame': { does: 'sends', bytes: SENTENCE.subarray(0, 60), end: 'ends' },
  'a queue': { does: 'queues', etaMs: 20_000 },
  'a queue that is longer than it says': { does: 'queues', etaMs: 100 },
};

describe('a turn whose first service fails before its first speech', () => {
  for (const [what, does] of Object.entries(FAILURES)) {
    it(`is said by the next: ${what}`, async () => {
      const rig = createChainRig([always('a', does), always('b', SPEAKS), always('c', SPEAKS)]);
      const alone = await createChainRig([always('b', SPEAKS)]).say(TEXT);
      const turn = await rig.say(TEXT);
      expect(turn.error).toBeUndefined();
      expect(turn.samples).toBe(alone.samples);
      expect(turn.said).toEqual([{ by: 'b', text: TEXT }]);
      expect(turn.switches).toMatchObject([{ from: 'a', to: 'b' }]);
      expect(turn.asked.map(({ name }) => name)).toEqual(['a', 'b']);
      expect(rig.clock.timers).toBe(0);
    });
  }
});

describe('asking the next service while the first is only late', () => {
  const slow = (afterMs: number) => always('a', { does: 'speaks', afterMs });

  it('comes after 1.5 s while nothing is known, and who speaks first is heard', async () => {
    const rig = createChainRig([always('a', { does: 'hangs' }), always('b', SPEAKS)]);
    const turn = await rig.say(TEXT);
    const [first, second] = turn.asked;
    expect(second!.atMs - first!.atMs).toBe(1_500);
    expect(first!.state).toBe('cancelled');
    expect(turn.switches).toEqual([{ from: 'a', to: 'b', reason: 'late' }]);
    expect(rig.rivals).toEqual(['won']);
  });
  it('does not cut the first one, which is heard when it speaks first after all', async () => {
    const rig = createChainRig([slow(1_700), always('b', { does: 'speaks', afterMs: 900 })]);
    const turn = await rig.say(TEXT);
    expect(turn.said).toEqual([{ by: 'a', text: TEXT }]);
    expect(turn.switches).toEqual([]);
    expect(turn.asked[1]!.state).toBe('cancelled');
    expect(rig.rivals).toEqual(['lost']);
  });
  it('comes at 1.3 times the 95th percentile of first speech, at least after 400 ms', async () => {
    for (const [usualMs, askedMs] of [
      [100, 400],
      [600, 780],
    ] as const) {
      let hangs = false;
      const a: ChainService = {
        name: 'a',
        behave: () => (hangs ? { does: 'hangs' } : { does: 'speaks', afterMs: usualMs }),
      };
      const rig = createChainRig([a, always('b', SPEAKS)]);
      for (let turns = 0; turns < 20; turns += 1) await rig.say(TEXT);
      hangs = true;
      const [first, second] = (await rig.say(TEXT)).asked;
      expect(second!.atMs - first!.atMs).toBe(askedMs);
    }
  });
  it('is not done for what nobody needs yet', async () => {
    const rig = createChainRig([slow(4_000), always('b', SPEAKS)]);
    const turn = await rig.say(TEXT, { deadlineMs: 60_000 });
    expect(turn.asked.map(({ name }) => name)).toEqual(['a']);
  });
  it('is given up after 10 s without speech, whoever needs it', async () => {
    const rig = createChainRig([always('a', { does: 'hangs' }), always('b', SPEAKS)]);
    const turn = await rig.say(TEXT, { deadlineMs: 900_000 });
    expect(turn.said).toEqual([{ by: 'b', text: TEXT }]);
    expect(turn.switches).toMatchObject([{ reason: 'timeout' }]);
  });
});

describe('the chain of a turn', () => {
  it('stays with the service that speaks', async () => {
    const long = Array.from({ length: 4 }, (_, n) => `Boat number ${n} lies in the harbour.`);
    const rig = createChainRig([always('a', refuses('upstream_unreachable')), always('b', SPEAKS)]);
    const turn = await rig.say(long);
    expect(turn.said).toEqual(long.map((text) => ({ by: 'b', text })));
    expect(turn.asked.filter(({ name }) => name === 'a')).toHaveLength(1);
  });
  it('cuts the text as the service takes it that says it, and only there', async () => {
    const text = 'One boat lay in the harbour. Two boats lay in the bay. Three boats lay at sea.';
    const b: ChainService = { ...always('b', SPEAKS), shape: { voices: 'one', maxText: 40 } };
    const turn = await createChainRig([always('a', refuses('busy')), b]).say(text);
    expect(turn.said.length).toBeGreaterThan(1);
    expect(turn.said.every((said) => said.text.length <= 40)).toBe(true);
    expect(turn.said.map((said) => said.text.trim()).join(' ')).toBe(text);
    const whole = await createChainRig([always('a', SPEAKS), b]).say(text);
    expect(whole.said).toEqual([{ by: 'a', text }]);
  });
  it('goes on to the third, and tells the failure of the first when all fail', async () => {
    const [a, b] = [refuses('upstream_unauthorized'), refuses('upstream_unreachable')];
    const turn = await createChainRig([always('a', a), always('b', b), always('c', SPEAKS)]).say(TEXT);
    expect(turn.said).toEqual([{ by: 'c', text: TEXT }]);
    const none = await createChainRig([always('a', a), always('b', b)]).say(TEXT);
    expect(none.error?.code).toBe('upstream_unauthorized');
  });
  it('goes on to the third when the second fails while the first is still in line', async () => {
    const rig = createChainRig([
      always('a', { does: 'queues', etaMs: 20_000 }),
      always('b', refuses('upstream_unreachable')),
      always('c', SPEAKS),
    ]);
    expect((await rig.say(TEXT)).said).toEqual([{ by: 'c', text: TEXT }]);
  });
  it('tells the caller of a text that is rightly refused, and asks nobody else', async () => {
    const rig = createChainRig([always('a', refuses('upstream_rejected')), always('b', SPEAKS)]);
    const turn = await rig.say(TEXT);
    expect(turn.error?.code).toBe('upstream_rejected');
    expect(turn.asked.map(({ name }) => name)).toEqual(['a']);
  });
  it('waits for who is late when another one that was asked beside it refuses the text', async () => {
    const late: Behaviour = { does: 'speaks', afterMs: 3_000 };
    const turn = await createChainRig([always('a', late), always('b', refuses('upstream_rejected'))]).say(
      TEXT,
    );
    expect(turn.error).toBeUndefined();
    expect(turn.said).toEqual([{ by: 'a', text: TEXT }]);
  });
  it('tells of the refusal when the one that is late fails after all, and asks nobody else', async () => {
    const rig = createChainRig([
      always('a', { does: 'refuses', code: 'upstream_unreachable', afterMs: 3_000 }),
      always('b', refuses('upstream_rejected')),
      always('c', SPEAKS),
    ]);
    const turn = await rig.say(TEXT);
    expect(turn.error?.code).toBe('upstream_rejected');
    expect(turn.asked.map(({ name }) => name)).toEqual(['a', 'b']);
  });
  it('breaks where speech breaks that was heard, and the next turn is not told that it did not', async () => {
    const cut: Behaviour = { does: 'sends', bytes: SENTENCE.subarray(0, 6_000), end: 'breaks' };
    const a: ChainService = {
      name: 'a',
      behave: (request) => (request === 0 ? cut : refuses('upstream_unreachable')),
    };
    const turn = await createChainRig([a, always('b', SPEAKS)]).say(TEXT);
    expect(turn.said).toEqual([{ by: 'a', text: TEXT }]);
    expect(turn.error?.code).toBe('upstream_broken');
    expect(turn.samples).toBeGreaterThan(0);
  });
  const unmarked = { phase: 'healthy', faults: 0, lates: 0, by: 'own' };
  it.each([
    ['it was silent', { does: 'hangs' } as const, 50],
    ['it had answered', { does: 'stays-empty' } as const, 300],
    ['it spoke', SPEAKS, 150],
  ])('holds nothing against a service that was interrupted while %s', async (_, does, cutAfterMs) => {
    const rig = createChainRig([always('a', does), always('b', SPEAKS)]);
    for (let n = 0; n < trialSize(1_000, 20); n += 1) {
      const turn = await rig.say(TEXT, { cutAfterMs });
      expect(turn.asked.map(({ name }) => name)).toEqual(['a']);
    }
    for (const watch of rig.watches.values()) expect(watch.health()).toMatchObject(unmarked);
    expect(rig.clock.timers).toBe(0);
  });
  it('holds nothing against a service that rightly refuses texts', async () => {
    const rig = createChainRig([always('a', refuses('upstream_rejected')), always('b', SPEAKS)]);
    for (let n = 0; n < trialSize(1_000, 20); n += 1) {
      const turn = await rig.say(TEXT);
      expect([turn.error?.code, turn.asked.length]).toEqual(['upstream_rejected', 1]);
    }
    for (const watch of rig.watches.values()) expect(watch.health()).toMatchObject(unmarked);
    expect(rig.clock.timers).toBe(0);
  });
});

describe('a text with nothing to say', () => {
  const nothing: Behaviour = { does: 'sends', bytes: new Uint8Array(0), end: 'ends' };
  it.each(['—', '…', ' ', ''])(
    'holds nothing against a service that says nothing for it: "%s"',
    async (text) => {
      const rig = createChainRig([always('a', nothing), always('b', SPEAKS)]);
      for (let n = 0; n < trialSize(1_000, 10); n += 1) await rig.say(text);
      for (const watch of rig.watches.values())
        expect(watch.health()).toMatchObject({ phase: 'healthy', faults: 0, lates: 0 });
      expect(rig.clock.timers).toBe(0);
    },
  );
});

describe('many turns', { timeout: trialSize(3_600_000, 60_000) }, () => {
  it('are never silent and lose no word, whatever each request of the first two meets', async () => {
    const random = seededNumbers(7, 0);
    const all = [...Object.values(FAILURES), SPEAKS, SPEAKS, { does: 'speaks', afterMs: 900 } as const];
    const any = (name: string): ChainService => ({
      name,
      behave: () => all[Math.floor(random() * all.length)]!,
    });
    const rig = createChainRig([any('a'), any('b'), always('c', SPEAKS)]);
    const { samples } = await createChainRig([always('c', SPEAKS)]).say(TEXT);
    for (let n = 0; n < trialSize(10_000, 300); n += 1) {
      const turn = await rig.say(TEXT);
      expect([n, turn.error, turn.samples]).toEqual([n, undefined, samples]);
      expect(turn.said.map(({ text }) => text)).toEqual([TEXT]);
    }
    expect(rig.clock.timers).toBe(0);
  });
});
