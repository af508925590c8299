// Clients that listen all the time, like callers: each speaks turn after turn, paced in real time, and holds every
// frame against its own schedule, which begins with the turn's first frame.

import { connectSession, type SessionClient } from '../client/session-client.ts';
import { openClientGroup } from './client-group.ts';
import { textOf } from './fake-upstream.ts';
import { createFrameSchedule, FRAME_MS, type FrameTally, LEAD_MS } from './frame-schedule.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { speakUntilHeard } from './speak-until-heard.ts';

export type ListenerOptions = {
  readonly sessionUrl: string;
  readonly count: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** By default µ-law, as on the phone. */
  readonly format?: ListenerFormat;
  /** By default none. */
  readonly captions?: 'words';
  /** What is said for so many seconds; by default what costs the upstream nothing. */
  readonly textFor?: (seconds: number, random: SeededRandom) => string;
};

export type ListenerFormat = keyof typeof SAMPLE_RATES;

/** Lateness of µ-law only: frames of the other formats have no fixed length. */
export type ListenerTally = FrameTally & {
  frames: number;
  /** As the gateway told them. */
  underruns: number;
  errors: number;
  /** Words in captions, and those of them whose audio had been heard when they were told. */
  words: number;
  foundWords: number;
};

export type Listeners = {
  /** Begins a new count and answers with it; it goes on until the next one. */
  count(): ListenerTally;
  stop(): Promise<void>;
};

const SAMPLE_RATES = { mulaw: 8000, ogg: 24_000, flac: 24_000 } as const;
/** How callers speak, and how long they are silent then. */
export const SHORTEST_TURN_S = 6;
export const LONGEST_TURN_S = 14;
export const LONGEST_PAUSE_MS = 300;
/** Listeners join within this time, so that their frames do not fall on the same moments. */
const JOIN_MS = 1000;

const newTally = (): ListenerTally => ({
  latenessMs: [],
  frames: 0,
  dryFrames: 0,
  underruns: 0,
  errors: 0,
  words: 0,
  foundWords: 0,
});

/** The first `count` listeners are connected and have been told to speak when this resolves. */
export async function startListeners({
  sessionUrl,
  count,
  seed,
  signal,
  format = 'mulaw',
  captions,
  textFor = textOf,
}: ListenerOptions): Promise<Listeners> {
  const group = openClientGroup(signal);
  const { until, clients, wait } = group;
  let tally = newTally();

  const listen = async (index: number): Promise<void> => {
    const random = createSeededRandom(seed * 7919 + index);
    const schedule = createFrameSchedule();
    const client = await connectSession({
      url: `${sessionUrl}?format=${format}&sampleRate=${SAMPLE_RATES[format]}&frameMs=${FRAME_MS}&leadMs=${LEAD_MS}${captions === undefined ? '' : `&captions=${captions}`}`,
      onEvent(event) {
        if (event.type === 'started') schedule.begin();
        else if (event.type === 'error') tally.errors += 1;
        else if (event.type === 'caption') {
          tally.words += event.words.length;
          if (event.withinMs !== undefined) tally.foundWords += event.words.length;
        } else if (event.type === 'underrun') {
          tally.underruns += 1;
          schedule.shift(event.gapMs);
        }
      },
      onAudio() {
        tally.frames += 1;
        if (format === 'mulaw') schedule.came(tally);
      },
    });
    clients.add(client);
    speakOn(client, index, random).catch(() => {
      if (!until.aborted) tally.errors += 1; // the connection was lost
    });
  };
  const speakOn = async (client: SessionClient, index: number, random: SeededRandom) => {
    await wait(random.between(0, JOIN_MS));
    for (let turn = 1; !until.aborted; turn++) {
      const seconds = random.between(SHORTEST_TURN_S, LONGEST_TURN_S);
      await speakUntilHeard(client, {
        turn: `listener-${turn}`,
        text: textFor(seconds, random),
        seed: index,
      });
      await wait(random.between(0, LONGEST_PAUSE_MS));
    }
  };

  for (let index = 0; index < count; index++) await listen(index);
  return {
    count() {
      tally = newTally();
      return tally;
    },
    stop: group.stop,
  };
}
