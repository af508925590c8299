// Clients that listen all the time, like callers: each speaks turn after turn, paced in real time, and holds every
// frame against its own schedule, which begins with the turn's first frame.

import { connectSession, type SessionClient } from '../../src/client/voxgate-client.ts';
import { openClientGroup } from './client-group.ts';
import { textOf } from './fake-upstream.ts';
import { createFrameSchedule, FRAME_MS, type FrameTally, LEAD_MS } from './frame-schedule.ts';
import { monotonicMs } from './monotonic.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { speakUntilHeard } from './speak-until-heard.ts';

export type ListenerOptions = {
  readonly sessionUrl: string;
  readonly count: number;
  /** Of the upgrade; by default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How far ahead of real time they are sent to. */
  readonly leadMs?: number;
  /** Number of the first of them, where others are there already; by default 0. */
  readonly first?: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** By default µ-law, as on the phone. */
  readonly wire?: ListenerWire;
  /** Added to the address, as `&resumable=1`. */
  readonly more?: string;
  /** By default none. */
  readonly captions?: 'words';
  /** How long a turn is, at least and at most; by default as callers speak. */
  readonly turnSeconds?: readonly [number, number];
  /** Who has heard so many turns hangs up and calls again; by default nobody does. */
  readonly turnsInCall?: number;
  /** Of each turn: the seed that it was asked for with, and when its first frame came, by `monotonicMs`. */
  readonly onFirstFrame?: (seed: number, atMs: number) => void;
  /** What is said for so many seconds; by default what costs the upstream nothing. */
  readonly textFor?: (seconds: number, random: SeededRandom) => string;
};

export type ListenerWire = keyof typeof WIRES;

/** Lateness where frames have a fixed length: not of ogg and flac. */
export type ListenerTally = FrameTally & {
  frames: number;
  /** Where frames have a fixed length; else 0. */
  heardMs: number;
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

/** What a listener takes: in the query of its connection, and how long its frames are where that is fixed. */
export const WIRES = {
  mulaw: { query: 'format=mulaw&sampleRate=8000', frameMs: FRAME_MS },
  'mulaw 40 ms': { query: 'format=mulaw&sampleRate=8000', frameMs: 40 },
  'mulaw in JSON': { query: 'format=mulaw&sampleRate=8000&audio=base64', frameMs: FRAME_MS },
  'raw 16 kHz': { query: 'format=raw&sampleRate=16000', frameMs: FRAME_MS },
  'raw 24 kHz': { query: 'format=raw&sampleRate=24000', frameMs: FRAME_MS },
  ogg: { query: 'format=ogg&sampleRate=24000', frameMs: undefined },
  flac: { query: 'format=flac&sampleRate=24000', frameMs: undefined },
} as const;
/** How callers speak, and how long they are silent then. */
export const SHORTEST_TURN_S = 6;
export const LONGEST_TURN_S = 14;
export const LONGEST_PAUSE_MS = 300;
const TURN = 'listener-';
/** Turns of a listener are asked for with seeds of their own, far below those of other clients of a bench. */
const SEEDS_EACH = 500;
/** Listeners join within this time, so that their frames do not fall on the same moments. */
const JOIN_MS = 1000;

const newTally = (): ListenerTally => ({
  latenessMs: [],
  frames: 0,
  heardMs: 0,
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
  headers = {},
  leadMs = LEAD_MS,
  first = 0,
  seed,
  signal,
  wire = 'mulaw',
  more = '',
  captions,
  textFor = textOf,
  turnSeconds = [SHORTEST_TURN_S, LONGEST_TURN_S],
  turnsInCall = Number.POSITIVE_INFINITY,
  onFirstFrame,
}: ListenerOptions): Promise<Listeners> {
  const group = openClientGroup(signal);
  const { until, clients, wait } = group;
  let tally = newTally();
  const { query, frameMs } = WIRES[wire];

  const call = async (index: number, random: SeededRandom): Promise<void> => {
    const schedule = createFrameSchedule(frameMs, leadMs);
    let begun: number | undefined;
    const client = await connectSession({
      url: `${sessionUrl}?${query}&frameMs=${frameMs ?? FRAME_MS}&leadMs=${leadMs}${captions === undefined ? '' : `&captions=${captions}`}${more}`,
      headers,
      onEvent(event) {
        if (event.type === 'started') {
          schedule.begin();
          begun = Number(event.turn.slice(TURN.length));
        } else if (event.type === 'error') tally.errors += 1;
        else if (event.type === 'caption') {
          tally.words += event.words.length;
          if (event.withinMs !== undefined) tally.foundWords += event.words.length;
        } else if (event.type === 'underrun') {
          tally.underruns += 1;
          schedule.shift(event.gapMs);
        }
      },
      onAudio() {
        if (begun !== undefined) onFirstFrame?.(index * SEEDS_EACH + begun, monotonicMs());
        begun = undefined;
        tally.frames += 1;
        tally.heardMs += frameMs ?? 0;
        if (frameMs !== undefined) schedule.came(tally);
      },
    });
    clients.add(client);
    callAgainAfter(client, index, random).catch(() => {
      if (!until.aborted) tally.errors += 1; // the connection was lost
    });
  };
  const callAgainAfter = async (client: SessionClient, index: number, random: SeededRandom) => {
    await speakOn(client, index, random);
    clients.delete(client);
    client.close();
    await call(index, random);
  };
  const speakOn = async (client: SessionClient, index: number, random: SeededRandom) => {
    await wait(random.between(0, JOIN_MS));
    for (let turn = 1; turn <= turnsInCall; turn++) {
      const seconds = random.between(...turnSeconds);
      await speakUntilHeard(client, {
        turn: `${TURN}${turn}`,
        text: textFor(seconds, random),
        seed: index * SEEDS_EACH + turn,
      });
      await wait(random.between(0, LONGEST_PAUSE_MS));
    }
  };

  for (let index = 0; index < count; index++)
    await call(first + index, createSeededRandom(seed * 7919 + first + index));
  return {
    count() {
      tally = newTally();
      return tally;
    },
    stop: group.stop,
  };
}
