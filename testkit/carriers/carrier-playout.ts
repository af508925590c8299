// The far side's own playout: what was sent waits in a queue, a clock takes 20 ms of it at a time, and marks come by in
// order. It keeps a record of what was heard and when, with which a gateway's own figures are compared.

export type CarrierRules = {
  readonly bytesPerMs: number;
  /** More than this is dropped, and told as a fault. */
  readonly mostBufferedMs: number;
  /** What becomes of marks that a clear finds: `echo` them unplayed, `drop` them, or say that they were `cleared`. */
  readonly onClear: 'echo' | 'drop' | 'label';
  /** It ends a call on which nothing goes either way for so long. */
  readonly silentMs?: number;
};

export type HeardBlock = { readonly atMs: number; readonly bytes: Uint8Array };
export type PassedMark = { readonly name: string; readonly fate: 'played' | 'cleared' };

export type CarrierPlayout = {
  /** Undefined, or what is wrong. `lateMs`: by so much it may have been read later than it came. */
  media(bytes: Uint8Array, nowMs: number, lateMs?: number): string | undefined;
  mark(name: string): void;
  /** Drops everything that has not been played. */
  clear(): void;
  /** Plays up to `nowMs`. */
  advance(nowMs: number): void;
  bufferedMs(): number;
  /** In the order of playing; each call gives those since the last. */
  takePassed(): readonly PassedMark[];
  readonly heard: readonly HeardBlock[];
  /** Times when audio had begun, more came later, and there was none in between. */
  readonly gaps: readonly { readonly atMs: number; readonly ms: number }[];
  clears(): number;
  /** The most that was ever ahead. */
  mostAheadMs(): number;
};

const TICK_MS = 20;

type Item = { readonly kind: 'audio'; bytes: Uint8Array } | { readonly kind: 'mark'; readonly name: string };

export function createCarrierPlayout({ bytesPerMs, mostBufferedMs, onClear }: CarrierRules): CarrierPlayout {
  let queue: Item[] = [];
  let bufferedBytes = 0;
  const heard: HeardBlock[] = [];
  const gaps: { atMs: number; ms: number }[] = [];
  let passed: PassedMark[] = [];
  let clears = 0;
  let mostAheadMs = 0;
  /** When the next sample would be played; undefined while nothing plays. */
  let playsAtMs: number | undefined;
  let dryFromMs: number | undefined;

  const passMarks = () => {
    while (queue[0]?.kind === 'mark')
      passed.push({ name: (queue.shift() as { name: string }).name, fate: 'played' });
  };
  const playTick = (atMs: number) => {
    const wanted = Math.round(TICK_MS * bytesPerMs);
    const parts: Uint8Array[] = [];
    let missing = wanted;
    passMarks();
    while (missing > 0 && queue[0]?.kind === 'audio') {
      const item = queue[0];
      const part = item.bytes.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      bufferedBytes -= part.length;
      item.bytes = item.bytes.subarray(part.length);
      if (item.bytes.length === 0) queue.shift();
      passMarks();
    }
    if (parts.length > 0) heard.push({ atMs, bytes: Buffer.concat(parts) });
    return parts.length > 0;
  };

  return {
    media(bytes, nowMs, lateMs = 0) {
      const aheadMs = (bufferedBytes + bytes.length) / bytesPerMs;
      if (aheadMs > mostBufferedMs + lateMs)
        return `${Math.round(aheadMs)} ms were sent ahead, ${mostBufferedMs} are kept`;
      mostAheadMs = Math.max(mostAheadMs, aheadMs);
      if (dryFromMs !== undefined && nowMs - dryFromMs >= 1)
        gaps.push({ atMs: dryFromMs, ms: nowMs - dryFromMs });
      dryFromMs = undefined;
      playsAtMs ??= nowMs;
      queue.push({ kind: 'audio', bytes: new Uint8Array(bytes) });
      bufferedBytes += bytes.length;
      return undefined;
    },
    mark(name) {
      queue.push({ kind: 'mark', name });
      if (bufferedBytes === 0) passMarks();
    },
    clear() {
      clears += 1;
      const left = queue.flatMap((item) => (item.kind === 'mark' ? [item.name] : []));
      queue = [];
      bufferedBytes = 0;
      playsAtMs = undefined;
      dryFromMs = undefined;
      if (onClear === 'drop') return;
      passed.push(
        ...left.map((name) => ({
          name,
          fate: onClear === 'echo' ? ('played' as const) : ('cleared' as const),
        })),
      );
    },
    advance(nowMs) {
      while (playsAtMs !== undefined && playsAtMs + TICK_MS <= nowMs) {
        const atMs = playsAtMs;
        playsAtMs = atMs + TICK_MS;
        if (playTick(atMs)) continue;
        dryFromMs = atMs;
        playsAtMs = undefined;
      }
    },
    bufferedMs: () => bufferedBytes / bytesPerMs,
    takePassed() {
      const taken = passed;
      passed = [];
      return taken;
    },
    heard,
    gaps,
    clears: () => clears,
    mostAheadMs: () => mostAheadMs,
  };
}
