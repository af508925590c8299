// A leg's playout before a codec whose messages can be read: audio as it is, marks as `mark NAME`, `clear`.

import type { LegCodec, LegFrame, LegRules } from '../../src/legs/leg.ts';
import { createLegPlayout } from '../../src/playout/leg-playout.ts';

export const BYTES_PER_MS = 8;
export const RULES: LegRules = { clock: 'carrier', leadMs: 200, leastMs: 60, mostBytes: 8000, stepMs: 20 };
const CLEAR = { clear: () => ['clear'] };

/** Audio goes as it is, marks as `mark NAME`. */
export const codecOf = (rules: LegRules = RULES, extra: Partial<LegCodec> = CLEAR): LegCodec => ({
  rules: () => rules,
  read: () => [],
  media: (bytes) => [bytes.slice()],
  mark: (name) => [`mark ${name}`],
  ...extra,
});

export function startLegPlayout(codec = codecOf(), nowMs: () => number = () => 0) {
  const sent: LegFrame[] = [];
  const played: string[] = [];
  const playout = createLegPlayout({
    codec,
    send: (frame) => sent.push(frame),
    onPlayed: (turn, ms) => played.push(`${turn} ${ms}`),
    bytesPerMs: BYTES_PER_MS,
    silence: Uint8Array.of(0xff),
    nowMs,
  });
  const at = new Map<string, number>();
  const audio = (from = 0) =>
    sent.slice(from).filter((frame): frame is Uint8Array => typeof frame !== 'string');
  return {
    playout,
    sent,
    played,
    /** Plays `ms` of a turn, every byte `value`, in frames of 20 ms. */
    play: (turn: string, ms: number, value = 1) => {
      for (let left = ms; left > 0; left -= 20) {
        const length = Math.min(20, left);
        const atMs = at.get(turn) ?? 0;
        at.set(turn, atMs + length);
        playout.play({ turn, atMs, ms: length, bytes: new Uint8Array(length * BYTES_PER_MS).fill(value) });
      }
    },
    /** Lengths of messages, ms. */
    messages: () => audio().map((frame) => frame.length / BYTES_PER_MS),
    audio,
    /** Names of the marks that were sent. */
    marks: () =>
      sent.flatMap((frame) =>
        typeof frame === 'string' && frame.startsWith('mark ') ? [frame.slice(5)] : [],
      ),
  };
}
