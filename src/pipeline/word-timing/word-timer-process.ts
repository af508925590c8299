// The process that times words: decodes the speech of many turns a second time, compares it with what the local engine says of
// the same text, and reports where the words are. It works in spare time, so that playback never waits for it; for readers that
// wait, as other work in the background.

import { createLayer3Decoders } from '../../audio/mp3/layer3-decoders.ts';
import { systemClock } from '../../base/clock.ts';
import { faultKind, silentLog } from '../../base/log.ts';
import type { LogEvent } from '../../base/log-events.ts';
import { workInSpareTime, yieldToPlayback } from '../../base/processes/yield-to-playback.ts';
import { type KnownVoice, UNKNOWN_VOICE } from '../../captions/alignment/word-finder.ts';
import { createSpeechProcess, type SpeechProcess } from '../../speech-program/speech-process.ts';
import { unpackItems } from './packed-items.ts';
import { createReferenceSpeaker, type ReferenceSpeaker } from './reference-speaker.ts';
import { createSpeechTiming, type SpeechTiming } from './speech-timing.ts';
import type { WordTimerAnswer, WordTimerMessage, WordTimerOrder } from './word-timer-messages.ts';

/** Voices that are remembered; the least recently heard one is dropped for another. */
const MAX_VOICES = 256;
/** A program that hangs twice over a sentence is given up early enough to answer from the pauses alone. */
const SENTENCE_DEADLINE_MS = 8000;

/** A program that is unused for this long is stopped to free its memory; it starts again in half a second. */
const MAX_IDLE_MS = 600_000;

/** A closed channel is no fault here: its end ends this process. */
const tell = (answer: WordTimerAnswer) => {
  if (process.connected) process.send?.(answer, undefined, {}, () => {});
};
const log = {
  ...silentLog,
  warn: (event: LogEvent) => tell({ kind: 'log', event, cause: '' }),
  error: (event: LogEvent) => tell({ kind: 'log', event, cause: '' }),
};
const decoders = createLayer3Decoders();
let program: SpeechProcess | undefined;
let speaker: ReferenceSpeaker | undefined;
const speeches = new Map<number, SpeechTiming>();
/** The speech whose items are being processed, until an estimate has answered them. */
let taking: number | undefined;
const voices = new Map<string, { known: KnownVoice }>();

function voiceOf(name: string | undefined) {
  if (name === undefined) return { known: UNKNOWN_VOICE };
  const voice = voices.get(name) ?? { known: UNKNOWN_VOICE };
  voices.delete(name);
  voices.set(name, voice);
  for (const oldest of voices.keys()) {
    if (voices.size <= MAX_VOICES) break;
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

/** Ends the speech program first, whatever it is doing. */
async function end(code: number): Promise<void> {
  for (const timing of speeches.values()) timing.close();
  speeches.clear();
  await program?.close();
  process.exit(code);
}

function obey(order: WordTimerOrder): void {
  const { kind, speech } = order;
  if (kind === 'open') {
    // The program loads while the service has not answered yet.
    program?.wake();
    speeches.set(speech, open(order));
    return;
  }
  const timing = speeches.get(speech);
  if (timing === undefined) return;
  if (kind === 'voice') timing.spokenBy(voiceOf(order.voice));
  else if (kind === 'request') timing.request(order.index, order.text);
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

// Both signals reach the whole process group; the gateway decides when this process ends.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('uncaughtException', (fault) => {
  tell({ kind: 'log', event: 'word_timer_failed', cause: faultKind(fault) });
  void end(1);
});
// Also when the gateway was killed: the system closes its channel.
process.on('disconnect', () => void end(0));
process.on('message', (received) => {
  const message = received as WordTimerMessage;
  if (message.kind === 'start') {
    if (message.works === 'in-spare-time') workInSpareTime();
    else yieldToPlayback();
    start(message.command);
  } else if (message.kind === 'orders') message.orders.forEach(obey);
  else void end(0);
});
