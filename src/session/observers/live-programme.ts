// A live turn as its onlookers follow it. Every turn offers one, and nearly none is looked at.

import type { TimedWord } from '../../captions/word-timeline.ts';
import type { Position } from '../turn/heard-ledger.ts';
import type { TurnParts } from '../turn/turn-parts.ts';
import type { TurnSettings } from '../turn-settings.ts';
import type { TurnProgramme } from './turn-programme.ts';
import type { TurnTape } from './turn-tape.ts';

class LiveProgramme implements TurnProgramme {
  readonly turn: string;
  readonly settings: TurnSettings;
  readonly tape: TurnTape;
  private readonly parts: TurnParts;

  constructor(parts: TurnParts) {
    this.turn = parts.live.id;
    this.settings = parts.live.settings;
    this.tape = parts.speech.tape;
    this.parts = parts;
  }

  position(nowMs: number): Position {
    return this.parts.playout.position(nowMs);
  }
  lines(): readonly string[] {
    return this.parts.script.lines();
  }
  readWords(): (untilMs: number) => readonly TimedWord[] {
    return this.parts.captions.readWords();
  }
  toSentMs(ownMs: number): number {
    const { times } = this.parts;
    return times.toSent(ownMs - times.fromMs());
  }
}

export const createLiveProgramme = (parts: TurnParts): TurnProgramme => new LiveProgramme(parts);
