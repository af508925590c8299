// What is told of a turn that is cut, on every leg and at any moment, held against what its platform had played: by marks,
// by the clock where none come back, and never more than was sent. Behind the clear comes nothing, not even silence.
import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { LEGS } from '../../src/legs/legs.ts';
import type { CarrierSide } from '../../testkit/carriers/carrier-side.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { atOnce } from '../support/memory-upstream.ts';
import { startPhoneCall } from '../support/phone-call.ts';
import { toneMp3 } from '../support/tone-speech.ts';

const KINDS = LEGS.filter((leg) => leg.open().clear !== undefined).map(({ kind }) => kind);
const TURN_MS = 2600;
const ROUNDS = 25;
const FRAME_MS = 20;

type Marks = 'come back' | 'stay away';

async function cutTurns(kind: string, marks: Marks): Promise<string[]> {
  const carrier = CARRIERS[kind]!;
  const { rules } = carrier;
  const random = seededNumbers(20_261_122, kind.length);
  let sinceClearBytes = 0;
  const own = carrier.side();
  const side: CarrierSide = {
    ...own,
    mark: (...mark) => {
      const echo = own.mark(...mark);
      return marks === 'come back' ? echo : [];
    },
    read(frame) {
      const order = own.read(frame);
      if (order.kind === 'clear') sinceClearBytes = 0;
      else if (order.kind === 'media') sinceClearBytes += order.bytes.length;
      return order;
    },
  };
  const leg = LEGS.find((each) => each.kind === kind)!;
  const call = await startPhoneCall({ auto: atOnce(() => toneMp3(500, TURN_MS)), leg, side, rules });
  const { live, clearedAtMs } = call;
  const { heard } = call.carrier.playout;
  const nearMs = marks === 'come back' ? 40 : 120;
  const wrong: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const fromBlock = heard.length;
    const turn = `t${round}`;
    live.send({ type: 'speak', turn, text: 'One two three four five.' });
    const cutMs = 20 + Math.floor(random() * (TURN_MS - 100));
    await live.run(cutMs);
    live.send({ type: 'cancel' });
    await live.run(500);

    const say = (what: string) => wrong.push(`${turn} cut at ${cutMs} ms: ${what}`);
    const msOf = (blocks: typeof heard) =>
      blocks.reduce((sum, { bytes }) => sum + bytes.length, 0) / rules.bytesPerMs;
    const blocks = heard.slice(fromBlock);
    const trueMs = msOf(blocks.filter(({ atMs }) => atMs < clearedAtMs[round]!));
    const { sentMs } = live.said('ended', turn)[0]!;
    const { playedMs } = live.said('heard', turn)[0] ?? { playedMs: 0 };
    if (clearedAtMs.length !== round + 1) say(`${clearedAtMs.length - round} clears`);
    if (playedMs > sentMs) say(`told ${playedMs} ms, sent were ${sentMs}`);
    if (Math.abs(playedMs - trueMs) > nearMs) say(`told ${playedMs} ms, heard were ${trueMs}`);
    if (msOf(blocks) - trueMs > FRAME_MS) say(`${msOf(blocks) - trueMs} ms are heard after the clear`);
    if (sinceClearBytes > 0) say(`${sinceClearBytes} bytes come after the clear`);
  }
  return [...wrong, ...call.carrier.faults, ...live.faults];
}

describe.each(KINDS)('a turn that is cut on the leg %s', (kind) => {
  it.each<Marks>(['come back', 'stay away'])(
    'is silent at once and told truly, where marks %s',
    async (marks) => {
      expect(await cutTurns(kind, marks)).toEqual([]);
    },
    60_000,
  );
});
