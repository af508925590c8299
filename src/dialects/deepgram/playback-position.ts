// How far the audio of a session reaches, in ms from its first sample, as its client counts it: all that was sent of the
// speeches that are over, less what the client dropped when it interrupted. A speech begins at this position.

export type Tail = { readonly turn: string; readonly fromMs: number };

export type PlaybackPosition = {
  ms(): number;
  /** A speech of so much audio is over. */
  advance(ms: number): void;
  /** The client says where it is; what it had beyond is dropped. */
  set(ms: number): void;
  /** Audio of a turn has been sent, and not been heard to its end; it begins so far into the speech. */
  sent(turn: string, ms: number, intoSpeechMs: number): void;
  /** The client drops what it has not played: answers with the turns that it may still have been playing. */
  drop(): readonly Tail[];
  heard(turn: string, playedMs: number): void;
};

export function createPlaybackPosition(): PlaybackPosition {
  const unheard = new Map<string, Tail & { readonly sentMs: number; isDropped: boolean }>();
  let positionMs = 0;
  return {
    ms: () => positionMs,
    advance(ms) {
      positionMs += ms;
    },
    set(ms) {
      positionMs = ms;
      unheard.clear();
    },
    sent(turn, ms, intoSpeechMs) {
      unheard.set(turn, { turn, fromMs: positionMs + intoSpeechMs, sentMs: ms, isDropped: false });
    },
    drop() {
      for (const tail of unheard.values()) tail.isDropped = true;
      return [...unheard.values()];
    },
    heard(turn, playedMs) {
      const tail = unheard.get(turn);
      if (tail?.isDropped === true) positionMs -= Math.max(0, tail.sentMs - playedMs);
      unheard.delete(turn);
    },
  };
}
