// A line of turns that sleeps until it has something to do, beside one that is asked at every tick: whatever happens,
// both say and send the same at the same time.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import type { Player, PlayoutClock } from '../../../src/playout/playout-clock.ts';
import { type LiveSession, startSession } from '../../support/live-session.ts';
import { noise } from '../../support/tone.ts';
import { type Act, acts, doToUpstream } from '../../support/turn-acts.ts';

/** Has every player asked at every tick, and to look at everything: that is what a message from the client does. */
const askedAlways =
  (markDirty: () => void) =>
  (playout: PlayoutClock): PlayoutClock => {
    const always = new Map<Player, Player>();
    return {
      ...playout,
      join(player) {
        if (!always.has(player)) {
          always.set(player, {
            dueMs: () => Number.NEGATIVE_INFINITY,
            sendDue(nowMs) {
              markDirty();
              player.sendDue(nowMs);
            },
            wantsRefill() {
              return player.wantsRefill();
            },
            refill: () => player.refill(),
          });
        }
        playout.join(always.get(player)!);
      },
      leave: (player) => playout.leave(always.get(player) ?? player),
      markDue: (player, when) => playout.markDue(always.get(player) ?? player, when),
    };
  };

const lateBy =
  (mostMs: number) =>
  (clock: Clock): Clock => {
    const shares = noise(4096, 7);
    let tick = 0;
    return {
      ...clock,
      after: (delayMs, task) => clock.after(delayMs + mostMs * Math.abs(shares[tick++ % 4096]!), task),
    };
  };

const told = ({ log }: LiveSession): string[] =>
  log.flatMap((entry) => {
    if ('event' in entry && entry.event.type === 'pong') return [];
    if ('event' in entry) return `${entry.atMs} ${JSON.stringify(entry.event)}`;
    const { turn, seq, atMs, bytes } = entry.audio;
    return `${entry.atMs} audio ${turn} ${seq} ${atMs} ${bytes.length}`;
  });

async function live(session: LiveSession, steps: readonly Act[]): Promise<string[]> {
  for (const step of steps) {
    if (step.do === 'send') session.send(step.message);
    else if (step.do === 'run') await session.run(step.ms);
    else if (step.do === 'socket') session.congest(step.state);
    else {
      doToUpstream(session.upstream, step);
      if (step.settles) await session.run(0);
    }
  }
  await session.run(25_000); // beyond every deadline: idle text, abandoned text, credit
  return told(session);
}

describe('due times', () => {
  const preset = fc.record({
    captions: fc.constantFrom('off', 'words'),
    pace: fc.constantFrom('realtime', 'realtime', 'burst'),
    flow: fc.constantFrom('clock', 'clock', 'credit'),
    frameMs: fc.constantFrom(10, 20, 30, 60),
  });
  it('are never missed', async () => {
    const lateMs = fc.constantFrom(0, 0, 15);
    await fc.assert(
      fc.asyncProperty(acts, preset, lateMs, async (steps, given, mostMs) => {
        const common = {
          preset: given as never,
          limits: { turnsInFlight: 3, pendingTextChars: 300, textChars: 2000, creditTimeoutMs: 15_000 },
          tickClock: lateBy(mostMs),
        };
        const asked: LiveSession = startSession({
          ...common,
          playoutOf: askedAlways(() => asked.session.handle({ type: 'ping' })),
        });
        const reference = await live(asked, steps);
        const asDue = await live(startSession(common), steps);
        for (const [index, line] of reference.entries()) {
          if (line !== asDue[index]) throw new Error(`${asDue[index]}, not ${line}`);
        }
        if (asDue.length > reference.length) throw new Error(`${asDue[reference.length]} too much`);
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 30) },
    );
  });
});
