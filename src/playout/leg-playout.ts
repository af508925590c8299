// What a leg was sent and has not played: pieces in order, marks among them, and generations, so that the echo of a mark that was
// cleared never counts as played. Carriers clear everything at once; audio of turns that go on is kept here until it has been
// heard, and is sent again.

import type { LegCodec, LegFrame } from '../legs/leg.ts';
import type { LegPiece } from './call-leg.ts';

export type LegPlayout = {
  play(piece: LegPiece): void;
  cork(): void;
  uncork(): void;
  finish(turn: string): void;
  clear(heardMs: (turn: string) => number | undefined): void;
  takeBack(turn: string, heardMs: (turn: string) => number | undefined): number | undefined;
  /** A mark has come back; calls `onPlayed` unless it is of an earlier generation. */
  marked(name: string, fate: 'echoed' | 'played' | 'cleared'): void;
  /** Audio that was sent and is not known to have been played, ms. */
  unheardMs(): number;
};

export type LegPlayoutOptions = {
  readonly codec: LegCodec;
  readonly send: (frame: LegFrame) => void;
  readonly onPlayed: (turn: string, playedMs: number) => void;
  /** Bytes of a millisecond of audio. */
  readonly bytesPerMs: number;
  /** One sample of silence. */
  readonly silence: Uint8Array;
  /** In front of the names of marks. */
  readonly markPrefix?: string | undefined;
  /** A monotonic clock. */
  readonly nowMs: () => number;
};

/** One mark per this much audio: often enough to tell words apart, seldom enough for carriers that keep 30 marks. */
const MARK_EVERY_MS = 200;
/** When the far side has less than a message and this, it gets what there is at once. */
const SPARE_MS = 60;
/** Beyond this the oldest counts as heard: no leg is that far ahead. */
const MAX_UNHEARD_MS = 10_000;

/** Beyond this the oldest counts as lost: never that many are under way. */
const MAX_MARKS = 100;

type Mark = { readonly turn: string; readonly playedMs: number };

export function createLegPlayout(options: LegPlayoutOptions): LegPlayout {
  const { codec, send, onPlayed, bytesPerMs, silence, nowMs, markPrefix = '' } = options;
  const { leastMs, mostBytes, stepMs, shortestMs = 0, mostMarks = Number.POSITIVE_INFINITY } = codec.rules();
  const step = Math.max(1, Math.round(stepMs * bytesPerMs));
  const shortest = Math.ceil((shortestMs * bytesPerMs) / step) * step;
  const most = Math.max(1, Math.floor(mostBytes / step)) * step;
  let held: LegPiece[] = [];
  let heldMs = 0;
  let unheard: LegPiece[] = [];
  let unheardMs = 0;
  let isCorked = false;
  /** Since the last mark, of the turn that is being sent. */
  let unmarkedMs = 0;
  let hasBegun = false;
  /** The turn that is not finished. */
  let openTurn: string | undefined;
  let generation = 0;
  let lastMark = 0;
  const marks = new Map<string, Mark>();
  /** When the far side will have played all that it was sent. */
  let playedOutAtMs = Number.NEGATIVE_INFINITY;
  let tookAtMs = Number.NEGATIVE_INFINITY;
  const isShort = () => playedOutAtMs - nowMs() < leastMs + SPARE_MS;

  const sendMark = (turn: string, playedMs: number) => {
    if (codec.mark === undefined || marks.size >= mostMarks) return;
    const name = `${markPrefix}${generation}.${++lastMark}`;
    marks.set(name, { turn, playedMs });
    if (marks.size > MAX_MARKS) marks.delete(marks.keys().next().value!);
    unmarkedMs = 0;
    codec.mark(name).forEach(send);
  };
  /** In parts of equal length to within one step, so that none is too short. */
  const sendBytes = (bytes: Uint8Array) => {
    const parts = Math.ceil(bytes.length / most);
    const end = (part: number) => Math.round((part * bytes.length) / step / parts) * step;
    for (let part = 0; part < parts; part += 1)
      codec.media(bytes.subarray(end(part), end(part + 1))).forEach(send);
  };
  const padded = (bytes: Uint8Array): Uint8Array => {
    const length = Math.max(shortest, Math.ceil(bytes.length / step) * step);
    if (length === bytes.length) return bytes;
    const whole = new Uint8Array(length);
    whole.set(bytes);
    for (let at = bytes.length; at < length; at += 1)
      whole[at] = silence[(at - bytes.length) % silence.length]!;
    return whole;
  };
  const sendHeld = (end: 'goes-on' | 'ends') => {
    if (held.length === 0) return;
    const { turn, atMs, ms } = held.at(-1)!;
    const bytes = Buffer.concat(held.map((piece) => piece.bytes));
    // Bytes after the last whole step wait for what follows.
    const beyond = end === 'ends' ? 0 : bytes.length % step;
    const whole = bytes.subarray(0, bytes.length - beyond);
    if (end === 'goes-on' && whole.length < Math.max(step, shortest)) return;
    sendBytes(end === 'ends' ? padded(whole) : whole);
    hasBegun = end === 'goes-on';
    playedOutAtMs = Math.max(playedOutAtMs, nowMs()) + whole.length / bytesPerMs;
    unmarkedMs += whole.length / bytesPerMs;
    heldMs = beyond / bytesPerMs;
    const endMs = atMs + ms - heldMs;
    held = beyond === 0 ? [] : [{ turn, atMs: endMs, ms: heldMs, bytes: bytes.subarray(whole.length) }];
    if (end === 'ends' || unmarkedMs >= MARK_EVERY_MS) sendMark(turn, endMs);
  };
  /** The audio that was waited for has not come, and the far side is about to run dry. */
  const isLeftWaiting = () =>
    playedOutAtMs - nowMs() < SPARE_MS && nowMs() - tookAtMs >= Math.max(shortestMs, stepMs);
  const sendEnough = () => {
    if (isCorked || held.length === 0) return;
    if (isLeftWaiting()) return sendHeld('ends');
    // A turn that begins is sent as soon as allowed; later audio is gathered while the far side has enough.
    if (heldMs >= (hasBegun && !isShort() ? leastMs : shortestMs)) sendHeld('goes-on');
  };
  const take = (piece: LegPiece) => {
    if (held.length > 0 && held[0]!.turn !== piece.turn) sendHeld('ends');
    held.push(piece);
    heldMs += piece.ms;
    tookAtMs = nowMs();
  };
  const remember = (piece: LegPiece) => {
    unheard.push(piece);
    unheardMs += piece.ms;
    while (unheardMs > MAX_UNHEARD_MS) unheardMs -= unheard.shift()!.ms;
  };
  /** Nothing of it has been sent. */
  const isHeldWhole = ({ turn, atMs }: LegPiece) => held[0]?.turn === turn && atMs >= held[0].atMs;
  const drop = (rest: readonly LegPiece[]) => {
    held = [];
    heldMs = 0;
    hasBegun = false;
    unheard = [...rest];
    unheardMs = rest.reduce((sum, { ms }) => sum + ms, 0);
  };
  const dropHeld = (goesOn: (piece: LegPiece) => boolean) => {
    if (held.length > 0 && !goesOn(held[0]!)) drop(unheard.filter((piece) => !isHeldWhole(piece)));
  };
  /** Earlier audio has been heard as well. */
  const forget = ({ turn, playedMs }: Mark) => {
    const at = unheard.findLastIndex((piece) => piece.turn === turn && piece.atMs + piece.ms <= playedMs + 1);
    for (const piece of unheard.splice(0, at + 1)) unheardMs -= piece.ms;
  };

  const clear = (heardMs: (turn: string) => number | undefined) => {
    const goesOn = ({ turn }: LegPiece) => heardMs(turn) !== undefined;
    const rest = unheard.filter((piece) => piece.atMs + piece.ms > (heardMs(piece.turn) ?? Infinity));
    const isSent = (piece: LegPiece) => !isHeldWhole(piece);
    const isCutThere = unheard.some((piece) => !goesOn(piece) && isSent(piece));
    // Clearing a far side that has only turns that go on would be audible.
    if (codec.clear === undefined || (rest.some(isSent) && !isCutThere)) return dropHeld(goesOn);
    drop(rest);
    generation += 1;
    playedOutAtMs = Number.NEGATIVE_INFINITY;
    marks.clear();
    unmarkedMs = 0;
    codec.clear().forEach(send);
    rest.forEach(take);
    sendHeld(held.at(-1)?.turn === openTurn ? 'goes-on' : 'ends');
  };

  return {
    play({ bytes, ...piece }) {
      const kept = { ...piece, bytes: new Uint8Array(bytes) };
      openTurn = kept.turn;
      remember(kept);
      take(kept);
      sendEnough();
    },
    cork() {
      isCorked = true;
    },
    uncork() {
      isCorked = false;
      sendEnough();
    },
    finish(turn) {
      const last = unheard.at(-1);
      if (held.at(-1)?.turn === turn) sendHeld('ends');
      else if (unmarkedMs > 0 && last?.turn === turn) sendMark(turn, last.atMs + last.ms);
      if (openTurn === turn) openTurn = undefined;
      hasBegun = false;
    },
    clear,
    takeBack(turn, heardMs) {
      const heard = heardMs(turn);
      if (codec.clear === undefined || heard === undefined) return undefined;
      const first = unheard.find((piece) => piece.turn === turn && piece.atMs + piece.ms > heard);
      if (first !== undefined) clear((id) => (id === turn ? undefined : heardMs(id)));
      return first?.atMs;
    },
    marked(name, fate) {
      const mark = marks.get(name);
      if (mark === undefined) return;
      if (fate === 'cleared') return void marks.delete(name);
      // Marks come in order: one that is still missing is lost.
      for (const earlier of [...marks.keys()]) {
        marks.delete(earlier);
        if (earlier === name) break;
      }
      forget(mark);
      onPlayed(mark.turn, mark.playedMs);
    },
    unheardMs: () => unheardMs,
  };
}
