// Callers who do as they are told: each opens a session, speaks a few turns, hangs up and calls again; who is refused comes
// back when it was told to. They count how the admitted hear it and how long a refusal takes.

import { connectSession } from '../../src/client/voxgate-client.ts';
import { openClientGroup } from './client-group.ts';
import { textOf } from './fake-upstream.ts';
import { createFrameSchedule, FRAME_MS, type FrameTally, LEAD_MS } from './frame-schedule.ts';
import { LONGEST_PAUSE_MS, LONGEST_TURN_S, SHORTEST_TURN_S } from './listeners.ts';
import { monotonicMs } from './monotonic.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { speakUntilHeard } from './speak-until-heard.ts';

export type CallerTally = FrameTally & {
  frames: number;
  underruns: number;
  turns: number;
  /** From the question to the answer, ms. */
  readonly sessionRefusalsMs: number[];
  readonly turnRefusalsMs: number[];
  /** What is neither: broken connections, other errors. */
  errors: number;
};

export type OverloadCallers = {
  /** One more caller. */
  add(): void;
  count(): number;
  /** Those whose session is open. */
  connected(): number;
  /** Begins a new count and answers with it; it goes on until the next one. */
  tally(): CallerTally;
  stop(): Promise<void>;
};

const TURNS_OF_A_CALL = 2;
/** Who is refused without a time to come again. */
const USUAL_RETRY_MS = 1000;

const newTally = (): CallerTally => ({
  latenessMs: [],
  dryFrames: 0,
  frames: 0,
  underruns: 0,
  turns: 0,
  sessionRefusalsMs: [],
  turnRefusalsMs: [],
  errors: 0,
});

export function startOverloadCallers({
  sessionUrl,
  seed,
  signal,
}: {
  readonly sessionUrl: string;
  readonly seed: number;
  readonly signal: AbortSignal;
}): OverloadCallers {
  const group = openClientGroup(signal);
  const { until, clients, wait } = group;
  let callers = 0;
  let tally = newTally();

  /** A session, or when to come again. */
  const dial = async (calling: {
    retryAfterMs: number | undefined;
    schedule: ReturnType<typeof createFrameSchedule>;
  }) => {
    const askedAtMs = monotonicMs();
    let isRefused = false;
    try {
      return await connectSession({
        url: `${sessionUrl}?format=mulaw&sampleRate=8000&frameMs=${FRAME_MS}&leadMs=${LEAD_MS}`,
        onRefused({ status, retryAfterMs }) {
          if (status !== 503) return;
          isRefused = true;
          tally.sessionRefusalsMs.push(monotonicMs() - askedAtMs);
          calling.retryAfterMs = retryAfterMs;
        },
        onEvent(event) {
          if (event.type === 'started') calling.schedule.begin();
          else if (event.type === 'underrun') {
            tally.underruns += 1;
            calling.schedule.shift(event.gapMs);
          } else if (event.type === 'error') {
            if (event.code === 'busy') calling.retryAfterMs = event.retryAfterMs ?? USUAL_RETRY_MS;
            else tally.errors += 1;
          }
        },
        onAudio() {
          tally.frames += 1;
          calling.schedule.came(tally);
        },
      });
    } catch {
      if (!isRefused && !until.aborted) tally.errors += 1;
      return undefined;
    }
  };

  const call = async (index: number, random: SeededRandom) => {
    const calling = { retryAfterMs: undefined as number | undefined, schedule: createFrameSchedule() };
    const client = await dial(calling);
    if (client === undefined) return wait(calling.retryAfterMs ?? USUAL_RETRY_MS);
    clients.add(client);
    try {
      for (let turn = 1, asked = 1; turn <= TURNS_OF_A_CALL; asked++) {
        calling.retryAfterMs = undefined;
        const text = textOf(random.between(SHORTEST_TURN_S, LONGEST_TURN_S));
        const askedAtMs = monotonicMs();
        await speakUntilHeard(client, { turn: `turn-${asked}`, text, seed: index });
        if (calling.retryAfterMs === undefined) {
          turn += 1;
          tally.turns += 1;
          await wait(random.between(0, LONGEST_PAUSE_MS));
        } else {
          tally.turnRefusalsMs.push(monotonicMs() - askedAtMs);
          await wait(calling.retryAfterMs);
        }
      }
    } finally {
      clients.delete(client);
      client.close();
    }
  };

  const callOn = async (index: number) => {
    const random = createSeededRandom(seed * 7919 + index);
    while (!until.aborted) {
      try {
        await call(index, random);
      } catch {
        if (!until.aborted) tally.errors += 1;
      }
    }
  };

  return {
    add() {
      void callOn(callers++);
    },
    count: () => callers,
    connected: () => clients.size,
    tally() {
      tally = newTally();
      return tally;
    },
    stop: group.stop,
  };
}
