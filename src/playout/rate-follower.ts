// Resamples turns whose audio is made in one rate to that of a call which has reported its own later: 16-bit pieces in, the same
// audio out, sample by sample without a seam. A turn keeps its rate to its end, so its speech keeps its bandwidth; pieces that
// are in the call's rate pass through.

import { createFilterBanks } from '../audio/dsp/filter-bank.ts';
import { decodePcm16 } from '../audio/dsp/pcm16.ts';
import { createPlainSoundPath } from '../audio/dsp/plain-sound-path.ts';
import type { ClosableStage } from '../audio/stage.ts';
import type { LegPiece } from './call-leg.ts';

const BYTES_PER_SAMPLE = 2;
/** Positions are whole milliseconds; a larger difference is another position of the turn. */
const ROUNDING_MS = 1;

/** The resampling of one turn. */
type Way = {
  readonly turn: string;
  readonly fromRate: number;
  readonly stage: ClosableStage<Float32Array>;
  /** Where the next piece begins, ms. */
  nextMs: number;
};

export class RateFollower {
  private readonly toRate: number;
  private readonly emit: (piece: LegPiece) => void;
  /** Seldom more than one pair of rates, and few calls need it. */
  private readonly sound = createPlainSoundPath(createFilterBanks(2));
  private way: Way | undefined;

  /** `emit` gets pieces in `toRate`. */
  constructor(toRate: number, emit: (piece: LegPiece) => void) {
    this.toRate = toRate;
    this.emit = emit;
  }

  /** `before`: what was played right before it, in its own rate; the filter continues from there. */
  push(piece: LegPiece, before?: Uint8Array): void {
    const { turn, atMs, ms, sampleRate = this.toRate } = piece;
    const { way } = this;
    const goesOn =
      way?.turn === turn && way.fromRate === sampleRate && Math.abs(atMs - way.nextMs) <= ROUNDING_MS;
    if (!goesOn) this.end();
    if (sampleRate === this.toRate) return this.emit(piece);
    this.way = goesOn ? way : this.open(piece, sampleRate, before);
    this.way.nextMs = atMs + ms;
    this.way.stage.push(decodePcm16(piece.bytes));
  }
  /** The turn has ended: its last samples are emitted. */
  finish(turn: string): void {
    if (this.way?.turn === turn) this.end();
  }
  /** Drops the pending samples of a cut turn. */
  forget(isCut: (turn: string) => boolean): void {
    if (this.way === undefined || !isCut(this.way.turn)) return;
    this.way.stage.close();
    this.way = undefined;
  }
  /** Emits all pending samples, except those of the unfinished turn `open`. */
  end(open?: string): void {
    if (this.way === undefined || this.way.turn === open) return;
    this.way.stage.flush();
    this.way = undefined;
  }

  private open({ turn, atMs }: LegPiece, fromRate: number, before: Uint8Array = new Uint8Array(0)): Way {
    const { toRate } = this;
    const played = decodePcm16(before);
    let toSkip = Math.round((played.length * toRate) / fromRate) * BYTES_PER_SAMPLE;
    let bytesOut = 0;
    const msAt = (bytes: number) => atMs + (bytes * 1000) / (BYTES_PER_SAMPLE * toRate);
    const stage = this.sound.encode({ fromRate, toRate }, 'pcm16', (made) => {
      const bytes = made.slice(Math.min(toSkip, made.length));
      toSkip -= made.length - bytes.length;
      if (bytes.length === 0) return;
      const fromMs = msAt(bytesOut);
      bytesOut += bytes.length;
      this.emit({ turn, atMs: fromMs, ms: msAt(bytesOut) - fromMs, bytes, sampleRate: toRate });
    });
    stage.push(played);
    return { turn, fromRate, stage, nextMs: atMs };
  }
}
