// Clients that listen all the time, like callers: each speaks turn after turn, paced in real time, and holds every
// frame against its own schedule, which begins with the turn's first frame.

import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { connectSession, type SessionClient } from '../client/session-client.ts';
import { textOf } from './fake-upstream.ts';
import { monotonicMs } from './monotonic.ts';
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

export type ListenerTally = {
  /**
   * How much later than its schedule each paced frame came, ms; a schedule that began late makes some negative.
   * Of µ-law only: frames of the other formats have no fixed length.
   */
  readonly latenessMs: number[];
  frames: number;
  /** µ-law frames that came after the moment at which a player without any buffer of its own needed them. */
  dryFrames: number;
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
export const FRAME_MS = 20;
const LEAD_MS = 200;
const SHORTEST_TURN_S = 6;
const LONGEST_TURN_S = 14;
const LONGEST_PAUSE_MS = 300;
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
  const stopping = new AbortController();
  const until = AbortSignal.any([signal, stopping.signal]);
  setMaxListeners(0, until);
  const clients: SessionClient[] = [];
  let tally = newTally();

  const listen = async (index: number): Promise<void> => {
    const random = createSeededRandom(seed * 7919 + index);
    let startedAtMs = 0;
    let frame = -1;
    const client = await connectSession({
      url: `${sessionUrl}?format=${format}&sampleRate=${SAMPLE_RATES[format]}&frameMs=${FRAME_MS}&leadMs=${LEAD_MS}${captions === undefined ? '' : `&captions=${captions}`}`,
      onEvent(event) {
        if (event.type === 'started') frame = -1;
        else if (event.type === 'error') tally.errors += 1;
        else if (event.type === 'caption') {
          tally.words += event.words.length;
          if (event.withinMs !== undefined) tally.foundWords += event.words.length;
        } else if (event.type === 'underrun') {
          tally.underruns += 1;
          startedAtMs += event.gapMs; // a listener that ran dry goes on that much later
        }
      },
      onAudio() {
        const nowMs = monotonicMs();
        tally.frames += 1;
        if (format !== 'mulaw') return;
        frame += 1;
        if (frame === 0) startedAtMs = nowMs;
        const playedAtMs = startedAtMs + frame * FRAME_MS;
        if (nowMs > playedAtMs + 1) tally.dryFrames += 1;
        // What is within the lead comes at once when the turn begins; behind it, each frame has its time.
        const sentAtMs = playedAtMs + FRAME_MS - LEAD_MS;
        if (sentAtMs > startedAtMs) tally.latenessMs.push(nowMs - sentAtMs);
      },
    });
    clients.push(client);
    speakOn(client, index, random).catch(() => {
      if (!until.aborted) tally.errors += 1; // the connection was lost
    });
  };
  const speakOn = async (client: SessionClient, index: number, random: SeededRandom) => {
    await pause(random.between(0, JOIN_MS), undefined, { signal: until });
    for (let turn = 1; !until.aborted; turn++) {
      const seconds = random.between(SHORTEST_TURN_S, LONGEST_TURN_S);
      await speakUntilHeard(client, {
        turn: `listener-${turn}`,
        text: textFor(seconds, random),
        seed: index,
      });
      await pause(random.between(0, LONGEST_PAUSE_MS), undefined, { signal: until });
    }
  };

  for (let index = 0; index < count; index++) await listen(index);
  return {
    count() {
      tally = newTally();
      return tally;
    },
    async stop() {
      stopping.abort();
      for (const client of clients) client.close();
      await pause(100);
    },
  };
}
