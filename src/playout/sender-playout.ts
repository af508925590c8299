// What a leg without a clock of its own is sent: one frame of 20 ms at a time, each when it is due. The far side plays what
// comes when it comes and takes nothing back, so whatever was sent ahead is what a caller still hears after a cut. Hence a
// lead of some frames and no more: what the process was late with is made up for within it, and slots beyond it are
// skipped, not made up for by a burst. Times are absolute; lateness never adds up.

import type { LegAudio, LegCodec, LegFrame } from '../legs/leg.ts';
import type { LegPlayout } from './leg-playout.ts';
import type { PlayoutClock } from './playout-clock.ts';

export type SenderPlayout = LegPlayout & {
  /** How far ahead of real time a session is to give audio: the lead, and what waits here for its slot. */
  readonly leadMs: number;
  /** More waits than a session is to give: the far side is later than the session knows. */
  readonly isBehind: boolean;
  /** Until the far side has played the last of turns that were given whole; 0 while more of one is to come. */
  readonly restMs: number;
  /** How far a turn is heard even when it is cut now, ms; infinite when all that was given of it has been sent. */
  committedMs(turn: string): number;
  /** The leg is gone. */
  close(): void;
};

export type SenderPlayoutOptions = {
  readonly codec: LegCodec;
  readonly send: (frame: LegFrame) => void;
  readonly audio: LegAudio;
  readonly bytesPerMs: number;
  /** One sample of silence. */
  readonly silence: Uint8Array;
  readonly playout: PlayoutClock;
  readonly now: () => number;
  /** When the far side has last said something, on the clock's time. */
  readonly lastHeardMs: () => number;
};

/** Waits here, so that a cut finds a frame to fade, and a session that is late by what a stall has left to do is no gap. */
const IN_HAND_MS = 100;
/** Half of what an AudioSocket goes without anything in either direction before it ends the call. */
const KEEP_ALIVE_MS = 1000;
/** A turn that gets no audio for so long counts as over: one that failed says no more. */
const MOST_FILL_MS = 2000;
/** A step to silence is a click; this is short enough to be none of the speech. */
const FADE_MS = 8;

/** Media positions of its first and its last sample. */
type Slot = {
  readonly turn: string;
  readonly bytes: Uint8Array;
  readonly atMs: number;
  readonly endMs: number;
};

export function createSenderPlayout(options: SenderPlayoutOptions): SenderPlayout {
  const { codec, send, audio, bytesPerMs, silence, playout, now, lastHeardMs } = options;
  const { leadMs: wireLeadMs, stepMs } = codec.rules;
  const frameBytes = Math.round(stepMs * bytesPerMs);
  let slots: Slot[] = [];
  /** Less than a frame, of the turn that is being given. */
  let part: Slot | undefined;
  /** Begun and not finished: silence stands in for what is late. */
  let openTurn: string | undefined;
  /** The turn of the last frame that was sent. */
  let sentTurn: string | undefined;
  let sentEndMs = 0;
  /** When the far side will have played all that it was sent. */
  let playsUntilMs = Number.NEGATIVE_INFINITY;
  let sentAtMs = now();
  let filledMs = 0;

  const silenceFrom = (bytes: Uint8Array, from: number): Uint8Array => {
    for (let at = from; at < bytes.length; at += 1) bytes[at] = silence[(at - from) % silence.length]!;
    return bytes;
  };
  const padded = (bytes: Uint8Array): Uint8Array => {
    const frame = new Uint8Array(frameBytes);
    frame.set(bytes);
    return silenceFrom(frame, bytes.length);
  };
  /** Falls to silence within some ms; companded samples cannot be scaled, and stop. */
  const faded = (bytes: Uint8Array): Uint8Array => {
    const frame = Buffer.from(bytes);
    if (audio.format !== 'raw') return silenceFrom(frame, 0);
    const samples = Math.round((FADE_MS * audio.sampleRate) / 1000);
    for (let index = 0; index * 2 + 1 < frame.length; index += 1) {
      const gain = Math.max(0, 1 - (index + 1) / samples);
      frame.writeInt16LE(Math.round(frame.readInt16LE(index * 2) * gain), index * 2);
    }
    return frame;
  };
  const closePart = () => {
    if (part !== undefined) slots.push({ ...part, bytes: padded(part.bytes) });
    part = undefined;
  };

  const sendFrame = (bytes: Uint8Array, nowMs: number) => {
    codec.media(bytes).forEach(send);
    // What has run dry begins anew: slots that were missed are gone.
    playsUntilMs = Math.max(playsUntilMs, nowMs) + stepMs;
    sentAtMs = nowMs;
  };
  /** When silence has to stand in; a turn of which nothing has been heard may still wait. */
  const starvesMs = () =>
    openTurn !== undefined && openTurn === sentTurn ? playsUntilMs : Number.POSITIVE_INFINITY;
  const nextSlotMs = () => playsUntilMs + stepMs - wireLeadMs;
  const quietSinceMs = () => Math.max(sentAtMs, lastHeardMs());

  const sendSlot = (nowMs: number) => {
    const { turn, bytes, endMs } = slots.shift()!;
    sentTurn = turn;
    sentEndMs = endMs;
    filledMs = 0;
    sendFrame(bytes, nowMs);
  };
  const sendDue = (nowMs: number) => {
    while (slots.length > 0 && nextSlotMs() <= nowMs) sendSlot(nowMs);
    if (slots.length === 0 && starvesMs() <= nowMs) starve(nowMs);
    if (quietSinceMs() + KEEP_ALIVE_MS <= nowMs) sendFrame(padded(new Uint8Array(0)), nowMs);
  };
  const starve = (nowMs: number) => {
    closePart();
    if (slots.length > 0) return sendSlot(nowMs);
    sendFrame(padded(new Uint8Array(0)), nowMs);
    filledMs += stepMs;
    if (filledMs >= MOST_FILL_MS) openTurn = undefined;
  };

  const player = {
    get dueMs() {
      const audioMs = slots.length > 0 ? nextSlotMs() : Number.POSITIVE_INFINITY;
      return Math.min(audioMs, starvesMs(), quietSinceMs() + KEEP_ALIVE_MS);
    },
    sendDue,
    wantsRefill: false,
    refill() {},
  };
  playout.join(player, 'thin');

  const unheardMs = () => slots.length * stepMs + Math.max(0, playsUntilMs - now());

  const clear = (heardMs: (turn: string) => number | undefined) => {
    const goesOn = (turn: string) => heardMs(turn) !== undefined;
    const next = slots[0] ?? part;
    const isCut = next !== undefined && next.turn === sentTurn && !goesOn(next.turn);
    if (part !== undefined && !goesOn(part.turn)) part = undefined;
    slots = slots.filter(({ turn }) => goesOn(turn));
    if (openTurn !== undefined && !goesOn(openTurn)) openTurn = undefined;
    // Nothing before it is heard any more: where all has been played there is nothing to fall from.
    if (isCut && playsUntilMs > now()) slots.unshift({ ...next, bytes: faded(padded(next.bytes)) });
  };

  return {
    leadMs: wireLeadMs + IN_HAND_MS,
    get restMs() {
      return openTurn === undefined ? unheardMs() : 0;
    },
    get isBehind() {
      return slots.length * stepMs > wireLeadMs + IN_HAND_MS;
    },
    committedMs(turn) {
      if (turn === sentTurn) return sentEndMs;
      return [...slots, part].some((slot) => slot?.turn === turn) ? 0 : Number.POSITIVE_INFINITY;
    },
    play({ turn, atMs, ms, bytes }) {
      if (part !== undefined && part.turn !== turn) closePart();
      openTurn = turn;
      filledMs = 0;
      const whole = Buffer.concat([part?.bytes ?? new Uint8Array(0), bytes]);
      const endMs = atMs + ms;
      const fromMs = part?.atMs ?? atMs;
      let from = 0;
      for (; from + frameBytes <= whole.length; from += frameBytes) {
        const leftMs = (whole.length - from - frameBytes) / bytesPerMs;
        slots.push({
          turn,
          bytes: whole.subarray(from, from + frameBytes),
          atMs: fromMs + from / bytesPerMs,
          endMs: endMs - leftMs,
        });
      }
      part =
        from === whole.length
          ? undefined
          : { turn, bytes: whole.subarray(from), atMs: fromMs + from / bytesPerMs, endMs };
      sendDue(now());
    },
    cork() {},
    uncork() {},
    finish(turn) {
      if (part?.turn === turn) closePart();
      if (openTurn === turn) openTurn = undefined;
    },
    clear,
    takeBack(turn, heardMs) {
      // What has been sent is played; only what waits here is silent.
      const first = [...slots, part].find((slot) => slot?.turn === turn);
      if (first !== undefined) clear((id) => (id === turn ? undefined : heardMs(id)));
      return first?.atMs;
    },
    marked() {},
    get unheardMs() {
      return unheardMs();
    },
    close() {
      slots = [];
      part = undefined;
      openTurn = undefined;
      playout.leave(player);
    },
  };
}
