// The playout of a leg without a clock of its own: frames of 20 ms, each written when it is due. The far side plays audio as it
// comes and cannot drop any, so the caller still hears what was written before a cut. Hence frames wait in a ring for their
// writer, perhaps in another thread, and a cut takes back what is still there.
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
  /** How far ahead of real time a session delivers audio: the lead, and what waits here. */
  readonly leadMs: number;
  /** More waits than a session delivers ahead: the far side is later than the session knows. */
  isBehind(): boolean;
  /** Until the far side has played all finished turns; 0 while a turn is unfinished. */
  restMs(): number;
  /** How far a turn is heard even if it is cut now, ms; infinite when all its audio so far has been sent. */
  committedMs(turn: string): number;
  /** The codec writes this format from now on: waiting audio, and turns in another rate, are resampled to it. */
  follow(audio: LegAudio): void;
  /** The leg is gone. */
  close(): void;
};

export type SenderPlayoutOptions = {
  readonly codec: LegCodec;
  /** Writes the frames of the ring, each at its time. */
  readonly meter: (memory: FrameRingMemory) => FrameMeter;
  readonly audio: LegAudio;
  readonly playout: PlayoutClock;
  readonly now: () => number;
  /** When the far side last sent something, on the clock. */
  readonly lastHeardMs: () => number;
};

/** Audio that waits here, so that a cut finds a frame to fade, and a session that is late after a stall causes no gap. */
const IN_HAND_MS = 100;
/** Half the time without traffic after which an AudioSocket ends the call. */
const KEEP_ALIVE_MS = 1000;
/** A turn without audio for this long counts as over: one that failed sends no end. */
const MAX_FILL_MS = 2000;
/** Avoids a click at a cut; too short to be heard as speech. */
const FADE_MS = 8;

/** Media positions are whole milliseconds. */
const ROUNDING_MS = 1;

/** Room for what a codec puts around a frame. */
const ENVELOPE_BYTES = 16;

/** `atMs`, `endMs`: media positions of its first and last sample; silence has no turn. */
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
  /** For a call that has reported its rate late. */
  let follower: RateFollower | undefined;
  /** Frames not written, as last seen; the first `inRing` of them are in the ring. */
  let slots: Slot[] = [];
  let inRing = 0;
  /** Less than a frame, of the unfinished turn. */
  let part: Slot | undefined;
  /** Begun and not finished: silence is sent for late audio. */
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
  /** Fades to silence within some ms; companded samples cannot be scaled and become silence at once. */
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
  /** Accounts for what has been written meanwhile. */
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

  /** When silence must be sent; a turn of which nothing has been heard may still wait. */
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
    if (filledMs >= MAX_FILL_MS) openTurn = undefined;
  };

  const player = {
    dueMs() {
      catchUp();
      // A full ring has room after a frame's time.
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

  /** What the far side plays right before the piece, in its rate. */
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
    // No fade where all has been played already.
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
      // Called only before a cut: the answer must not change until then. The next tick fills the ring again.
      withdraw();
      if (turn === writtenTurn) return writtenEndMs;
      return [...slots, part].find((slot) => slot?.turn === turn)?.atMs ?? Number.POSITIVE_INFINITY;
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
      // Sent audio is played; only what waits here can be taken back.
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
