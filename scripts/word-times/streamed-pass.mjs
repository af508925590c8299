// A live turn in simulated time: the upstream delivers somewhat faster than the speech plays, the sender keeps its lead,
// captions go out in front of the frames that they belong to, and the timing comes as late as its messages do.

import { openBody } from './relayed-body.mjs';
import { createTimingMessages } from './timing-messages.mjs';
import { openTurn } from './turn.mjs';
import { keepEstimate } from './whole-pass.mjs';

/** What is there with the first byte, ms of audio. */
const HEAD_MS = 400;
const LEAD_MS = 200;
const FRAME_MS = 20;
const RATE = 8000;
const TICK_MS = 5;
const ROUNDING_MS = 1;
/** What the local engine takes to speak the first line; each longer reference comes so much later. */
const REFERENCE_MS = 20;
/** No simulated turn is longer. */
const LONGEST_MS = 600_000;

const NEVER_HELD = {
  creditMs: () => Number.POSITIVE_INFINITY,
  isCongested: () => false,
  emptyBecause: () => 'upstream',
  coalesceMs: () => 0,
};

/** Says again what was said before, when it is told to. */
function createRepeatedSpeaker(references) {
  let listener;
  let finish;
  let told = 0;
  return {
    speak(_text, _how, onReference) {
      listener = onReference;
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    pass(nowMs) {
      while (told < references.length && (told + 1) * REFERENCE_MS <= nowMs) {
        const { reference, words } = references[told];
        told += 1;
        listener(reference, words);
      }
      if (told === references.length) finish?.();
    },
  };
}

/**
 * `pace`: `{speedFactor, firstByteMs}`. Answers `{captions, moments}`: each word as it went out, `{word, startMs,
 * withinMs, heardMs, sentMs, isBlind}`, with what had been heard and sent before, and whether no audio had been timed;
 * and for every tick `{heardMs, word}`, the index of the last word that had begun as far as was known then, −1 for none.
 */
export async function timeStreamed(program, speech, voice, references, pace) {
  const turn = await openTurn(program, speech);
  const { timeline, words } = turn;
  // Plain text has one line, whatever its segments count.
  const keyOf = ({ line, charStart }) => `${speech.whole.kind === 'dialogue' ? line : 0} ${charStart}`;
  const indexOf = new Map(words.map((word, index) => [keyOf(word), index]));
  const wordAt = (word) => indexOf.get(keyOf(word));
  const speaker = references === undefined ? undefined : createRepeatedSpeaker(references);
  const timing = program.createSpeechTiming({
    language: speech.language,
    speed: speech.speed,
    decoders: program.decoders,
    speaker,
    voice: { ...voice },
    wants: 'words',
    onEstimate: (index, estimate) => timeline.align(index, keepEstimate(estimate)),
    onFault(event, cause) {
      throw new Error(event, { cause });
    },
  });
  let isBlind = true;
  const messages = createTimingMessages(pace.speedFactor, (items) => {
    isBlind = false;
    timing.items(items, false);
  });
  let nowMs = 0;
  const body = openBody(program, (item) => messages.add(item, nowMs));

  let totalMs = Number.POSITIVE_INFINITY;
  let madeFrames = 0;
  let takenFrames = 0;
  const frame = { samples: (FRAME_MS * RATE) / 1000, bytes: new Uint8Array(0) };
  const frames = {
    nextSamples: () => (takenFrames < madeFrames ? frame.samples : undefined),
    shift() {
      takenFrames += 1;
      return frame;
    },
    isEnded: () => totalMs < Number.POSITIVE_INFINITY && takenFrames === madeFrames,
  };
  const captions = [];
  let heardMs = 0;
  const sayCaptions = (untilMs, sentMs) => {
    for (const { startMs, withinMs, ...word } of timeline.take(untilMs))
      captions.push({ word: wordAt(word), startMs, withinMs, heardMs, sentMs, isBlind });
  };
  const playout = new program.TurnPlayout({ pace: { mode: 'realtime', leadMs: LEAD_MS }, frames });
  const gate = {
    ...NEVER_HELD,
    onFrame: (_frame, _seq, atMs, durationMs) => sayCaptions(atMs + durationMs + ROUNDING_MS, atMs),
    onUnderrun() {},
  };

  const bytesPerMs = program.speechBitrateKbps(speech.sampleRate) / 8;
  let pushed = 0;
  const receive = () => {
    const sinceMs = nowMs - pace.firstByteMs;
    if (sinceMs < 0 || totalMs < Number.POSITIVE_INFINITY) return;
    const arrived = Math.round((HEAD_MS + sinceMs * pace.speedFactor) * bytesPerMs);
    body.push(speech.bytes.subarray(pushed, arrived));
    pushed = Math.min(arrived, speech.bytes.length);
    const isWhole = pushed === speech.bytes.length;
    if (isWhole) body.end();
    timeline.progress(0, body.heardMs(), isWhole ? 'complete' : 'arriving');
    if (isWhole) totalMs = body.heardMs();
    // The end of a speech is filled up to a frame.
    madeFrames = isWhole ? Math.ceil(totalMs / FRAME_MS) : Math.floor(body.heardMs() / FRAME_MS);
  };

  const moments = [];
  let anchorMs;
  let isSent = false;
  try {
    timing.request(0, turn.aligned);
    for (; nowMs < LONGEST_MS; nowMs += TICK_MS) {
      speaker?.pass(nowMs);
      await Promise.resolve(); // the timing may go on when its reference is over
      receive();
      messages.pass(nowMs);
      if (anchorMs === undefined) {
        const inHand = { sampleRate: RATE, waitingMs: madeFrames * FRAME_MS };
        if (!playout.start(nowMs, nowMs, inHand, gate)) continue;
      }
      const position = playout.position(nowMs);
      anchorMs = position.anchorMs;
      heardMs = Math.max(0, Math.min(position.sentMs, nowMs - anchorMs));
      if (!isSent) playout.send(nowMs, gate);
      if (!isSent && frames.isEnded()) {
        isSent = true;
        sayCaptions(Number.POSITIVE_INFINITY, playout.sentMs());
      }
      const last = timeline.lastBegun(heardMs);
      moments.push({ heardMs, word: last === undefined ? -1 : wordAt(last) });
      if (isSent && nowMs >= playout.heardUntilMs()) break;
    }
  } finally {
    timing.close();
  }
  return { captions, moments };
}
