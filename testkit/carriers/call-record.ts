// Measures how a simulated call was served: how far ahead audio was sent, how evenly it came, where it was
// missing, and what still came after a clear. Figures only; faults are reported where they are found.

export type CallReport = {
  /** What the caller has heard, ms. */
  readonly heardMs: number;
  /** Audio that waited at the far side when a message had come; null when none came. */
  readonly leadMs: { readonly median: number; readonly most: number } | null;
  /** How much later a message came than the earliest of its run would have had it. */
  readonly jitterMs: { readonly median: number; readonly p99: number; readonly most: number } | null;
  /** Times when a turn went on after the caller had heard nothing. */
  readonly underruns: { readonly count: number; readonly ms: number };
  readonly clears: number;
  /** Audio that came between a clear and the next turn that was announced; null when turns are not announced. */
  readonly staleBytes: number | null;
  /** `lost`: not played when the call ended. */
  readonly marks: { readonly sent: number; readonly echoed: number; readonly lost: number };
  readonly faults: readonly string[];
};

export type CallRecord = {
  /** `aheadMs` is what waits with this message, `ms` the message itself. */
  mediaCame(message: { readonly bytes: number; readonly ms: number; readonly aheadMs: number }): void;
  cleared(): void;
  /** The speaking side announces that what comes from now on is another turn. */
  readonly turnAnnounced: () => void;
  figures(): Pick<CallReport, 'leadMs' | 'jitterMs' | 'underruns' | 'staleBytes'>;
};

/** A silence of this length is not heard as part of a turn. */
const PAUSE_MS = 1000;
/** What comes within this was sent together, as platforms with short messages are. */
const TOGETHER_MS = 5;

const rounded = (ms: number) => Math.round(ms * 10) / 10;
const share = (sorted: readonly number[], part: number) =>
  rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!);

/** `nowMs` is a monotonic clock; `gaps` are those of the far side's playout. */
export function createCallRecord(
  nowMs: () => number,
  gaps: () => readonly { readonly atMs: number; readonly ms: number }[],
): CallRecord {
  const leads: number[] = [];
  const lateness: number[] = [];
  const announcedAtMs: number[] = [];
  /** When sample 0 of this run would have been sent at the latest message's pace, at its earliest; undefined between runs. */
  let earliestMs: number | undefined;
  let runMs = 0;
  let cameAtMs = Number.NEGATIVE_INFINITY;
  let staleBytes = 0;
  let isCut = false;

  return {
    mediaCame({ bytes, ms, aheadMs }) {
      if (isCut) staleBytes += bytes;
      leads.push(aheadMs);
      // Nothing was waiting: a new run.
      if (aheadMs <= ms) {
        earliestMs = undefined;
        runMs = 0;
      }
      const sentForMs = nowMs() - runMs;
      const isMore = earliestMs !== undefined && nowMs() - cameAtMs < TOGETHER_MS;
      if (earliestMs !== undefined && !isMore) lateness.push(Math.max(0, sentForMs - earliestMs));
      if (!isMore) earliestMs = Math.min(earliestMs ?? sentForMs, sentForMs);
      cameAtMs = nowMs();
      runMs += ms;
    },
    cleared() {
      isCut = announcedAtMs.length > 0;
      earliestMs = undefined;
      runMs = 0;
    },
    turnAnnounced() {
      announcedAtMs.push(nowMs());
      isCut = false;
    },
    figures() {
      leads.sort((a, b) => a - b);
      lateness.sort((a, b) => a - b);
      const within = gaps().filter(
        ({ atMs, ms }) => ms < PAUSE_MS && !announcedAtMs.some((each) => each >= atMs && each <= atMs + ms),
      );
      return {
        leadMs: leads.length === 0 ? null : { median: share(leads, 0.5), most: share(leads, 1) },
        jitterMs:
          lateness.length === 0
            ? null
            : { median: share(lateness, 0.5), p99: share(lateness, 0.99), most: share(lateness, 1) },
        underruns: { count: within.length, ms: rounded(within.reduce((sum, { ms }) => sum + ms, 0)) },
        staleBytes: announcedAtMs.length === 0 ? null : staleBytes,
      };
    },
  };
}
