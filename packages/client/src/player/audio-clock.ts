// Which sample is heard at which frame of the audio context, from what the audio thread told of its starts and stops.
// Between two of them sound moves sample by frame, so no position has to be sent while it does.

/** From `frame` on sound is moving or still, and sample `played` is the next. */
export type Anchor = { readonly state: 'moving' | 'still'; readonly frame: number; readonly played: number };

export type AudioClock = {
  set(anchor: Anchor): void;
  /** Samples heard at `frame`; never more than `received`. Frames are asked for in order. */
  playedAt(frame: number, received: number): number;
  readonly latest: Anchor;
};

export function createAudioClock(): AudioClock {
  const anchors: Anchor[] = [{ state: 'still', frame: 0, played: 0 }];
  return {
    get latest() {
      return anchors.at(-1)!;
    },
    set(anchor) {
      anchors.push(anchor);
    },
    playedAt(frame, received) {
      while (anchors.length > 1 && anchors[1]!.frame <= frame) anchors.shift();
      const [anchor, next] = anchors as [Anchor, Anchor | undefined];
      const moved = anchor.state === 'moving' ? Math.max(0, frame - anchor.frame) : 0;
      return Math.min(anchor.played + moved, next?.played ?? received, received);
    },
  };
}
