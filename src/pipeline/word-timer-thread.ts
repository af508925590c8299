// The program of the thread that times words: decodes the speech of many turns a second time, holds it against what the
// local engine says of the same text, and tells where the words are. Nicer than playback, which never waits for it.

import { parentPort, workerData } from 'node:worker_threads';
import { createFilterBanks } from '../audio/filter-bank.ts';
import { loadMp3Decoders } from '../audio/mp3-decoders.ts';
import { createSoundPath } from '../audio/wasm-sound-path.ts';
import { systemClock } from '../base/clock.ts';
import { faultKind } from '../base/fault-kind.ts';
import { silentLog } from '../base/log.ts';
import { workInSpareTime } from '../base/yield-to-playback.ts';
import { type KnownVoice, UNKNOWN_VOICE } from '../captions/word-finder.ts';
import { createSpeechProcess } from '../speech-program/speech-process.ts';
import { unpackItems } from './packed-items.ts';
import { createReferenceSpeaker } from './reference-speaker.ts';
import { createSpeechTiming, type SpeechTiming } from './speech-timing.ts';
import type { SpeechOrder, WordTimerAnswer, WordTimerOrder, WordTimerOrders } from './word-timer-messages.ts';

export type WordTimerThreadData = {
  /** Starts the local engine's speech program; undefined: there is none. */
  readonly command: readonly string[] | undefined;
};

/** Voices that are remembered; another one pushes out the one that has not been heard for longest. */
const MOST_VOICES = 256;
/** A program that hangs twice over a sentence is given up while somebody still waits for what pauses alone can tell. */
const SENTENCE_DEADLINE_MS = 8000;

/** A program that nobody needs for so long is memory for nothing; it is started again in half a second. */
const MAX_IDLE_MS = 600_000;

workInSpareTime();
const port = parentPort!;
const { command } = workerData as WordTimerThreadData;
const tell = (answer: WordTimerAnswer, moved: ArrayBuffer[] = []) => port.postMessage(answer, moved);
const log = {
  ...silentLog,
  warn: (event: string) => tell({ kind: 'log', event, cause: '' }),
  error: (event: string) => tell({ kind: 'log', event, cause: '' }),
};
const decoders = await loadMp3Decoders(createSoundPath(createFilterBanks()));
const program =
  command === undefined
    ? undefined
    : createSpeechProcess({
        command,
        clock: systemClock,
        log,
        sentenceDeadlineMs: SENTENCE_DEADLINE_MS,
        startsWith: 'first-sentence',
        maxIdleMs: MAX_IDLE_MS,
      });
const speaker = program === undefined ? undefined : createReferenceSpeaker(program);
const speeches = new Map<number, SpeechTiming>();
/** The speech whose items are being taken, until an estimate has answered them. */
let taking: number | undefined;
const voices = new Map<string, { known: KnownVoice }>();

function voiceOf(name: string | undefined) {
  if (name === undefined) return { known: UNKNOWN_VOICE };
  const voice = voices.get(name) ?? { known: UNKNOWN_VOICE };
  voices.delete(name);
  voices.set(name, voice);
  for (const oldest of voices.keys()) {
    if (voices.size <= MOST_VOICES) break;
    voices.delete(oldest);
  }
  return voice;
}

function open(order: Extract<SpeechOrder, { kind: 'open' }>): SpeechTiming {
  const { speech, language, speed, voice, wants } = order;
  return createSpeechTiming({
    language,
    speed,
    decoders,
    speaker,
    voice: voiceOf(voice),
    wants,
    onEstimate(index, { startsMs, endsMs, ...known }) {
      const starts = Float64Array.from(startsMs);
      const ends = Float64Array.from(endsMs);
      const hasTaken = taking === speech;
      if (hasTaken) taking = undefined;
      tell({ kind: 'estimate', speech, index, ...known, startsMs: starts, endsMs: ends, hasTaken }, [
        starts.buffer,
        ends.buffer,
      ]);
    },
    onFault: (event, cause) => tell({ kind: 'log', event, cause: faultKind(cause) }),
  });
}

async function stop(): Promise<void> {
  for (const timing of speeches.values()) timing.close();
  speeches.clear();
  // Its end has to be seen here, or it stays in the system's list until the gateway ends.
  await program?.close();
  port.close();
}

function obey(order: WordTimerOrder): void {
  if (order.kind === 'stop') return void stop();
  const { kind, speech } = order;
  if (kind === 'open') {
    // The service has not answered yet: the program loads meanwhile.
    program?.wake();
    speeches.set(speech, open(order));
    return;
  }
  const timing = speeches.get(speech);
  if (timing === undefined) return;
  if (kind === 'request') timing.request(order.index, order.text);
  else if (kind === 'take-back') timing.takeBack(order.frames);
  else if (kind === 'items') {
    taking = speech;
    timing.items(unpackItems(order.items), order.leadIsHeard);
    if (taking === speech) tell({ kind: 'taken', speech });
    taking = undefined;
  } else if (kind === 'ending')
    void timing.ending(order.likeness).then((ending) => tell({ kind: 'ending', speech, ending }));
  else if (kind === 'settle') void timing.settled().then(() => tell({ kind: 'settled', speech }));
  else {
    speeches.delete(speech);
    timing.close();
  }
}

port.on('message', (orders: WordTimerOrders) => {
  try {
    orders.forEach(obey);
  } catch (fault) {
    // A thread that dies takes its program along, whatever that is doing.
    void program?.close();
    throw fault;
  }
});
