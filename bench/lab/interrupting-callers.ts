// Callers who let nobody finish: each asks for a turn of some sentences, interrupts it after so long, and asks for the next at
// once, as when somebody talks back to a bot. Counts who was refused and how late frames came.

import {
  connectSession,
  type SessionClient,
  type SessionClientOptions,
} from '../../src/client/voxgate-client.ts';
import { openClientGroup } from './client-group.ts';
import { createFrameSchedule, FRAME_MS, type FrameTally, LEAD_MS } from './frame-schedule.ts';
import { monotonicMs } from './monotonic.ts';
import { createSeededRandom } from './seeded-random.ts';

export type InterruptionTally = FrameTally & {
  frames: number;
  /** Asked for, and of these: refused, by code, and begun before they were interrupted. */
  turns: number;
  readonly refused: Map<string, number>;
  readonly firstAudioMs: number[];
  errors: number;
};

export type InterruptingCallers = {
  /** Begins a new count and answers with it; it goes on until the next one. */
  count(): InterruptionTally;
  stop(): Promise<void>;
};

export type InterruptingCallersOptions = {
  readonly sessionUrl: string;
  readonly count: number;
  readonly everyMs: number;
  readonly text: string;
  readonly seed: number;
  readonly signal: AbortSignal;
};

const MAX_DIALS = 30;

const newTally = (): InterruptionTally => ({
  latenessMs: [],
  dryFrames: 0,
  frames: 0,
  turns: 0,
  refused: new Map(),
  firstAudioMs: [],
  errors: 0,
});

/** Who is refused a session comes again; a gateway that has just been started is busy with itself. */
async function dial(
  options: SessionClientOptions,
  wait: (ms: number) => Promise<void>,
): Promise<SessionClient> {
  for (let trial = 1; ; trial += 1) {
    let retryAfterMs: number | undefined;
    const onRefused: SessionClientOptions['onRefused'] = (refusal) => {
      retryAfterMs = refusal.retryAfterMs;
    };
    try {
      return await connectSession({ ...options, onRefused });
    } catch (error) {
      if (retryAfterMs === undefined || trial === MAX_DIALS) throw error;
      await wait(retryAfterMs);
    }
  }
}

/** They are connected when this resolves; within one interval all of them speak. */
export async function startInterruptingCallers(
  options: InterruptingCallersOptions,
): Promise<InterruptingCallers> {
  const { sessionUrl, count, everyMs, text, seed, signal } = options;
  const group = openClientGroup(signal);
  const { until, clients, wait } = group;
  let tally = newTally();

  const call = async (index: number) => {
    const schedule = createFrameSchedule();
    let askedAtMs = 0;
    const client = await dial(
      {
        url: `${sessionUrl}?format=mulaw&sampleRate=8000&frameMs=${FRAME_MS}&leadMs=${LEAD_MS}`,
        onEvent(event) {
          if (event.type === 'started') {
            schedule.begin();
            tally.firstAudioMs.push(monotonicMs() - askedAtMs);
          } else if (event.type === 'underrun') schedule.shift(event.gapMs);
          else if (event.type === 'error')
            tally.refused.set(event.code, (tally.refused.get(event.code) ?? 0) + 1);
        },
        onAudio() {
          tally.frames += 1;
          schedule.came(tally);
        },
      },
      wait,
    );
    clients.add(client);
    const speakOn = async () => {
      await wait(createSeededRandom(seed * 7919 + index).between(0, everyMs));
      for (let turn = 1; ; turn += 1) {
        askedAtMs = monotonicMs();
        tally.turns += 1;
        client.send({ type: 'speak', turn: `turn-${turn}`, text, seed: index });
        await wait(everyMs);
        client.send({ type: 'cancel', turn: `turn-${turn}` });
      }
    };
    speakOn().catch(() => {
      if (!until.aborted) tally.errors += 1; // the connection was lost
    });
  };

  for (let index = 0; index < count; index += 1) await call(index);
  return {
    count() {
      tally = newTally();
      return tally;
    },
    stop: group.stop,
  };
}
