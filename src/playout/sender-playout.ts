// What a leg without a clock of its own is sent: frames of 20 ms, each written when it is due. The far side plays what
// comes when it comes and takes nothing back, so whatever was written is what a caller still hears after a cut. Hence
// frames wait in a ring for whoever writes them, perhaps another thread, and a cut takes back what is still there.
//
//   play → [ slots ] → ring ─▶ frame meter → far side
//            ▲ all that has not been written, in the ring or before it

import type { LegAudio, LegCodec } from '../legs/leg.ts';
import { bytesPerMs as bytesPerMsOf, SILENT_SAMPLE } from '../speech/plain-sound.ts';
import type { LegPiece } from './call-leg.ts';
import type { FrameMeter } from './frame-meter.ts';
import { createFrameRing, type FrameRingMemory, RING_FRAMES } from './frame-ring.ts';
import type { LegPlayout } from './leg-playout.ts';
import type { PlayoutClock } from './playout-clock.ts';
import { RateFollower } from './rate-follower.ts';

export type SenderPlayout = LegPlayout & {
  /** How far ahead of real time a session is to give audio: the lead, and what waits here for its slot. */
  readonly leadMs: number;
  /** More waits than a session is to give: the far side is later than the session knows. */
  isBehind(): boolean;
  /** Until the far side has played the last of turns that were given whole; 0 while more of one is to come. */
  restMs(): number;
  /** How far a turn is heard even when it is cut now, ms; infinite when all that was given of it has been sent. */
  committedMs(turn: string): number;
  /** The codec writes this from now on: what waits is brought to its rate, and turns that come in another one. */
  follow(audio: LegAudio): void;
  /** The leg is gone. */
  close(): void;
};

export type SenderPlayoutOptions = {
  readonly codec: LegCodec;
  /** Writes what is in the ring, in its time. */
  readonly meter: (memory: FrameRingMemory) => FrameMeter;
  readonly audio: LegAudio;
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

/** Media positions are told in whole milliseconds. */
const ROUNDING_MS = 1;

/** What a codec puts around a frame, and more. */
const ENVELOPE_BYTES = 16;

/** Media positions of its first and its last sample; silence is of no turn. */
type Slot = {
  readonly turn: string | undefined;
  readonly bytes: Uint8Array;
  readonly atMs: number;
  readonly endMs: number;
};

export function createSenderPlayout(options: SenderPlayoutOptions): SenderPlayout {
  const { codec, playout, now, lastHeardMs } = options;
  const { leadMs: wireLeadMs, stepMs } = codec.rules();
  let { audio } = options;
  const silence = SILENT_SAMPLE[audio.format];
  let bytesPerMs = bytesPerMsOf(audio);
  let frameBytes = Math.round(stepMs * bytesPerMs);
  const encode = (bytes: Uint8Array): Uint8Array =>
    Buffer.concat(codec.media(bytes) as readonly Uint8Array[]);
  let ring = createFrameRing(frameBytes + ENVELOPE_BYTES, now());
  let meter = options.meter(ring.memory);
  /** Of a call that has told its rate late. */
  let follower: RateFollower | undefined;
  /** What has not been written, as was last seen, and how much of it is in the ring. */
  let slots: Slot[] = [];
  let inRing = 0;
  /** Less than a frame, of the turn that is being given. */
  let part: Slot | undefined;
  /** Begun and not finished: silence stands in for what is late. */
  let openTurn: string | undefined;
  /** The turn of the last frame that was written. */
  let writtenTurn: string | undefined;
  let writtenEndMs = 0;
  let writtenBytes: Uint8Array = new Uint8Array(0);
  let writtenRate = 0;
  let givenAtMs = now();
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
    if (part !== undefined) give({ ...part, bytes: padded(part.bytes) });
    part = undefined;
  };

  const wrote = (count: number) => {
    if (count === 0) return;
    for (const { turn, endMs, bytes } of slots.splice(0, count)) {
      if (turn === undefined) continue;
      writtenTurn = turn;
      writtenEndMs = endMs;
      writtenBytes = bytes;
      writtenRate = audio.sampleRate;
    }
    inRing -= count;
  };
  /** Looks what has been written meanwhile. */
  const catchUp = () => wrote(inRing - ring.waiting());
  const withdraw = () => {
    wrote(inRing - ring.takeBack());
    inRing = 0;
  };
  const fillRing = () => {
    catchUp();
    const before = inRing;
    while (inRing < slots.length && ring.push(encode(slots[inRing]!.bytes))) inRing += 1;
    if (inRing > before) meter.kick();
  };
  const give = (slot: Slot) => {
    slots.push(slot);
    givenAtMs = now();
  };
  const giveSilence = () => give({ turn: undefined, bytes: padded(new Uint8Array(0)), atMs: 0, endMs: 0 });

  /** When silence has to stand in; a turn of which nothing has been heard may still wait. */
  const starvesMs = () =>
    slots.length === 0 && openTurn !== undefined && openTurn === writtenTurn
      ? ring.playsUntilMs()
      : Number.POSITIVE_INFINITY;
  const keepAliveMs = () => Math.max(givenAtMs, lastHeardMs()) + KEEP_ALIVE_MS;
  const starve = () => {
    closePart();
    if (slots.length > 0) return;
    giveSilence();
    filledMs += stepMs;
    if (filledMs >= MOST_FILL_MS) openTurn = undefined;
  };

  const player = {
    dueMs() {
      catchUp();
      // A ring that is full has room in a frame's time.
      if (inRing < slots.length) return inRing < RING_FRAMES ? 0 : Number.POSITIVE_INFINITY;
      return Math.min(starvesMs(), keepAliveMs());
    },
    sendDue(nowMs: number) {
      if (starvesMs() <= nowMs) starve();
      if (keepAliveMs() <= nowMs) giveSilence();
      fillRing();
    },
    wantsRefill: () => false,
    refill() {},
  };
  playout.join(player, 'thin');

  const unheardMs = () => {
    catchUp();
    return slots.length * stepMs + Math.max(0, ring.playsUntilMs() - now());
  };

  const take = ({ turn, atMs, ms, bytes }: LegPiece) => {
    if (part !== undefined && part.turn !== turn) closePart();
    const whole = Buffer.concat([part?.bytes ?? new Uint8Array(0), bytes]);
    const endMs = atMs + ms;
    const fromMs = part?.atMs ?? atMs;
    let from = 0;
    for (; from + frameBytes <= whole.length; from += frameBytes) {
      const leftMs = (whole.length - from - frameBytes) / bytesPerMs;
      give({
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
  };

  /** What the far side plays right before a piece, in the rate of the piece. */
  const playedBefore = ({ turn, atMs, sampleRate }: LegPiece) =>
    turn === writtenTurn && sampleRate === writtenRate && Math.abs(atMs - writtenEndMs) <= ROUNDING_MS
      ? writtenBytes
      : undefined;
  const bring = (piece: LegPiece) => {
    if (follower === undefined) take(piece);
    else follower.push(piece, playedBefore(piece));
  };
  const closeEndedPart = () => {
    if (part !== undefined && part.turn !== openTurn) closePart();
  };
  const follow = (next: LegAudio) => {
    withdraw();
    follower?.end();
    meter.close();
    const waiting = part === undefined ? slots : [...slots, part];
    const { sampleRate } = audio;
    audio = next;
    bytesPerMs = bytesPerMsOf(audio);
    frameBytes = Math.round(stepMs * bytesPerMs);
    slots = [];
    part = undefined;
    ring = createFrameRing(frameBytes + ENVELOPE_BYTES, now(), ring.playsUntilMs());
    meter = options.meter(ring.memory);
    follower = new RateFollower(audio.sampleRate, take);
    for (const { turn, bytes, atMs, endMs } of waiting) {
      if (turn === undefined) giveSilence();
      else bring({ turn, bytes, atMs, ms: endMs - atMs, sampleRate });
    }
    follower.end(openTurn);
    closeEndedPart();
    fillRing();
  };

  const clear = (heardMs: (turn: string) => number | undefined) => {
    const goesOn = (turn: string | undefined) => turn !== undefined && heardMs(turn) !== undefined;
    withdraw();
    const next = slots[0] ?? part;
    const isCut = next?.turn !== undefined && next.turn === writtenTurn && !goesOn(next.turn);
    if (part !== undefined && !goesOn(part.turn)) part = undefined;
    follower?.forget((turn) => !goesOn(turn));
    slots = slots.filter(({ turn }) => goesOn(turn));
    if (!goesOn(openTurn)) openTurn = undefined;
    // Nothing before it is heard any more: where all has been played there is nothing to fall from.
    if (isCut && ring.playsUntilMs() > now()) slots.unshift({ ...next, bytes: faded(padded(next.bytes)) });
    fillRing();
  };

  return {
    leadMs: wireLeadMs + IN_HAND_MS,
    restMs: () => (openTurn === undefined ? unheardMs() : 0),
    isBehind() {
      catchUp();
      return slots.length * stepMs > wireLeadMs + IN_HAND_MS;
    },
    committedMs(turn) {
      // Asked only before a cut: what is told must not change until then. The next tick fills the ring again.
      withdraw();
      if (turn === writtenTurn) return writtenEndMs;
      return [...slots, part].some((slot) => slot?.turn === turn) ? 0 : Number.POSITIVE_INFINITY;
    },
    play(piece) {
      openTurn = piece.turn;
      filledMs = 0;
      bring(piece);
      fillRing();
    },
    cork() {},
    uncork() {},
    finish(turn) {
      follower?.finish(turn);
      if (part?.turn === turn) closePart();
      if (openTurn === turn) openTurn = undefined;
      fillRing();
    },
    clear,
    takeBack(turn, heardMs) {
      // What has been sent is played; only what waits here is silent.
      withdraw();
      const first = [...slots, part].find((slot) => slot?.turn === turn);
      if (first === undefined) fillRing();
      else clear((id) => (id === turn ? undefined : heardMs(id)));
      return first?.atMs;
    },
    marked() {},
    unheardMs,
    follow,
    close() {
      slots = [];
      part = undefined;
      openTurn = undefined;
      ring.takeBack();
      meter.close();
      playout.leave(player);
    },
  };
}
