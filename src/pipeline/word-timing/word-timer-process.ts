// The process that times words: decodes the speech of many turns a second time, holds it against what the local engine
// says of the same text, and tells where the words are. It works in spare time: playback never waits for it.

import { createLayer3Decoders } from '../../audio/mp3/layer3-decoders.ts';
import { systemClock } from '../../base/clock.ts';
import { faultKind } from '../../base/fault-kind.ts';
import { silentLog } from '../../base/log.ts';
import { workInSpareTime } from '../../base/processes/yield-to-playback.ts';
import { type KnownVoice, UNKNOWN_VOICE } from '../../captions/alignment/word-finder.ts';
import { createSpeechProcess, type SpeechProcess } from '../../speech-program/speech-process.ts';
import { unpackItems } from './packed-items.ts';
import { createReferenceSpeaker, type ReferenceSpeaker } from './reference-speaker.ts';
import { createSpeechTiming, type SpeechTiming } from './speech-timing.ts';
import type { WordTimerAnswer, WordTimerMessage, WordTimerOrder } from './word-timer-messages.ts';

/** Voices that are remembered; another one pushes out the one that has not been heard for longest. */
const MOST_VOICES = 256;
/** A program that hangs twice over a sentence is given up while somebody still waits for what pauses alone can tell. */
const SENTENCE_DEADLINE_MS = 8000;

/** A program that nobody needs for so long is memory for nothing; it is started again in half a second. */
const MAX_IDLE_MS = 600_000;

workInSpareTime();
/** Nobody to tell is no fault of this process: the end of the channel ends it. */
const tell = (answer: WordTimerAnswer) => {
  if (process.connected) process.send?.(answer, undefined, {}, () => {});
};
const log = {
  ...silentLog,
  warn: (event: string) => tell({ kind: 'log', event, cause: '' }),
  error: (event: string) => tell({ kind: 'log', event, cause: '' }),
};
const decoders = createLayer3Decoders();
let program: SpeechProcess | undefined;
let speaker: ReferenceSpeaker | undefined;
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

function open(order: Extract<WordTimerOrder, { kind: 'open' }>): SpeechTiming {
  const { speech, language, speed, voice, wants } = order;
  return createSpeechTiming({
    language,
    speed,
    decoders,
    speaker,
    voice: voiceOf(voice),
    wants,
    onEstimate(index, { startsMs, endsMs, ...known }) {
      const hasTaken = taking === speech;
      if (hasTaken) taking = undefined;
      tell({
        kind: 'estimate',
        speech,
        index,
        ...known,
        startsMs: Float64Array.from(startsMs),
        endsMs: Float64Array.from(endsMs),
        hasTaken,
      });
    },
    onFault: (event, cause) => tell({ kind: 'log', event, cause: faultKind(cause) }),
  });
}

function start(command: readonly string[] | undefined): void {
  if (command === undefined) return;
  program = createSpeechProcess({
    command,
    clock: systemClock,
    log,
    sentenceDeadlineMs: SENTENCE_DEADLINE_MS,
    startsWith: 'first-sentence',
    maxIdleMs: MAX_IDLE_MS,
  });
  speaker = createReferenceSpeaker(program);
}

/** The speech program ends with it, whatever that is doing. */
async function end(code: number): Promise<void> {
  for (const timing of speeches.values()) timing.close();
  speeches.clear();
  await program?.close();
  process.exit(code);
}

function obey(order: WordTimerOrder): void {
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

// Both reach the whole group of processes; the gateway says when this one has to end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('uncaughtException', (fault) => {
  tell({ kind: 'log', event: 'word_timer_failed', cause: faultKind(fault) });
  void end(1);
});
// Also when the gateway was killed: the system closes what it had open.
process.on('disconnect', () => void end(0));
process.on('message', (received) => {
  const message = received as WordTimerMessage;
  if (message.kind === 'start') start(message.command);
  else if (message.kind === 'orders') message.orders.forEach(obey);
  else void end(0);
});
