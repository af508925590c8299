// A thousand barge-ins at random moments of a call of Twilio's, in simulated time: the real session core, the real leg, a
// carrier with a playout of its own. Each turn has a tone of its own, so what is heard tells whose it is.
import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import type { HeardBlock } from '../../testkit/carriers/carrier-playout.ts';
import { startPhoneCall } from '../support/phone-call.ts';
import { toneMp3, toneMs } from '../support/tone-speech.ts';

/** A session remembers all it has said; a new one now and then keeps looking through that short. */
const ROUNDS_OF_A_CALL = 25;
const TONES = { a: 500, b: 1500 } as const;
const LENGTHS_MS = [300, 700, 1500, 2300] as const;

const joined = (blocks: readonly HeardBlock[]) => Buffer.concat(blocks.map(({ bytes }) => bytes));
const msOf = (blocks: readonly HeardBlock[]) => joined(blocks).length / 8;

type Moment = { readonly seed: number; readonly delayMs: number };

/** Two turns are named, and one of them or both are cancelled somewhere between; answers with what is wrong. */
async function interruptCall({ seed, delayMs }: Moment, nearMs: number): Promise<string[]> {
  const random = seededNumbers(20_261_122, seed);
  const upTo = (most: number) => Math.min(most, Math.floor(random() * (most + 1)));
  const wrong: string[] = [];
  const { live, carrier, clearedAtMs } = await startPhoneCall({
    delayMs,
    auto(request) {
      const [, hz, ms] = /(\d+) hertz for (\d+)/.exec(request.body.text)!.map(Number);
      request.send(toneMp3(hz!, ms!));
      request.end();
    },
  });
  for (let round = 0; round < ROUNDS_OF_A_CALL; round += 1) {
    const turns = (['a', 'b'] as const).map((name) => ({
      id: `${name}${round}`,
      hz: TONES[name],
      ms: LENGTHS_MS[upTo(name === 'a' ? 3 : 2)]!,
    }));
    const [first, second] = turns;
    const fromBlock = carrier.playout.heard.length;
    const clearsBefore = clearedAtMs.length;
    for (const { id, hz, ms } of turns)
      live.send({ type: 'speak', turn: id, text: `Tone of ${hz} hertz for ${ms}.` });
    await live.run(upTo(first!.ms + second!.ms));
    const target = [first!.id, second!.id, undefined][upTo(2)];
    live.send({ type: 'cancel', ...(target !== undefined && { turn: target }) });
    const isOver = () => live.session.turnsUnheard() === 0 && carrier.playout.bufferedMs() === 0;
    while (!isOver()) await live.run(100);
    await live.run(300);

    const outcomeOf = (id: string) => live.said('ended', id)[0]!;
    const playedMs = (id: string) => live.said('heard', id)[0]?.playedMs ?? 0;
    const blocks = carrier.playout.heard.slice(fromBlock);
    const clearMs = clearedAtMs[clearsBefore] ?? Number.POSITIVE_INFINITY;
    const before = blocks.filter(({ atMs }) => atMs < clearMs);
    const after = joined(blocks.slice(before.length));
    const say = (what: string) => wrong.push(`${seed}.${round}, cancel ${target ?? 'all'}: ${what}`);

    for (const { id, hz, ms } of turns) {
      const { sentMs, outcome } = outcomeOf(id);
      if (playedMs(id) > sentMs) say(`${id} told ${playedMs(id)} of ${sentMs} ms that were sent`);
      const isMeant = target === undefined || target === id;
      const afterMs = toneMs(after, hz);
      if (isMeant && afterMs > 0) say(`${id} is heard ${afterMs} ms after the clear`);
      const wholeMs = toneMs(joined(blocks), hz);
      // What is sent again after a clear may be heard twice for as long as the line is; without one nothing is.
      const againMs = clearMs === Number.POSITIVE_INFINITY ? 20 : nearMs;
      if (!isMeant && (wholeMs < ms - 20 || wholeMs > ms + againMs))
        say(`${id} is not whole: ${wholeMs} of ${ms} ms`);
      if (outcome !== 'cancelled') continue;
      // What is heard up to the clear is the first turn and then the second.
      const earlierMs = id === first!.id ? 0 : Math.ceil(outcomeOf(first!.id).sentMs / 20) * 20;
      const trueMs = Math.min(sentMs, Math.max(0, msOf(before) - earlierMs));
      const wasCutAlone = id === first!.id || outcomeOf(first!.id).outcome !== 'cancelled';
      if (wasCutAlone && Math.abs(playedMs(id) - trueMs) > nearMs)
        say(`${id} told ${playedMs(id)} ms, heard were ${trueMs}`);
    }
  }
  return [...wrong, ...carrier.faults, ...live.faults];
}

describe('interrupts at random moments', () => {
  it.each([
    { calls: 36, delayMs: 2, nearMs: 40 },
    { calls: 4, delayMs: 40, nearMs: 120 },
  ])(
    '$calls × 25 with $delayMs ms of line: silent at once, told truly, and nobody else is cut',
    async ({ calls, delayMs, nearMs }) => {
      const wrong: string[] = [];
      for (let seed = 0; seed < calls; seed += 1)
        wrong.push(...(await interruptCall({ seed: seed + delayMs * 1000, delayMs }, nearMs)));
      expect(wrong.slice(0, 20)).toEqual([]);
    },
    180_000,
  );
});
