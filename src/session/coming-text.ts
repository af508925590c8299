// Appended text on its way to the requests: cut a piece at a time, and only as far as the line of requests wants it. What is
// not cut yet is the caller's text and nothing beside it, so much text costs no more than little, and a seek cuts nothing.

import type { RequestLine } from '../pipeline/request-line.ts';
import type { AppendedText } from '../text/appended-text.ts';
import type { TextPlace } from '../text/paragraphs.ts';
import type { Speaker } from '../text/segment.ts';
import { firstBehind, type SaidText } from '../text/text-reading.ts';
import { CHANGE_UNITS, PIECE_UNITS, type TurnText } from '../text/turn-text.ts';
import type { CutInPieces, TextWork } from './text-work.ts';

/** What was asked for behind the text before `unit`. */
type Mark = { readonly unit: number; readonly ask: 'flush' | 'idle' | 'long-idle' | 'end'; count: number };

export type ComingTextOptions = {
  /** All text of the turn; more may be appended to it. */
  readonly text: AppendedText;
  readonly from: TextPlace;
  /** Changes of speaker; more may be added. */
  readonly speakers: SaidText['speakers'];
  /** Who speaks at `from`. */
  readonly speaker: Speaker | undefined;
  readonly cutter: TurnText;
  readonly line: Pick<RequestLine, 'wantsMore' | 'flush' | 'end' | 'recheck' | 'fail'>;
  readonly work: TextWork;
};

export class ComingText implements CutInPieces {
  private readonly options: ComingTextOptions;
  private readonly marks: Mark[] = [];
  private at: number;
  /** Who speaks from `at` on, where that has not been told to the cutter. */
  private speaker: Speaker | undefined;
  private change: number;
  private state: 'resting' | 'waiting' | 'cutting' | 'closed' = 'resting';

  constructor(options: ComingTextOptions) {
    this.options = options;
    this.at = options.from.unit;
    this.speaker = options.speaker;
    this.change = firstBehind(options.speakers, this.at);
  }

  /** Text has been appended, or the line has room: some of it is cut at once, the rest when others have had their turn. */
  go(): void {
    if (this.state === 'resting' && this.hasWork()) this.cutPiece();
  }
  ask(what: Mark['ask']): void {
    const last = this.marks.at(-1);
    const unit = this.options.text.length();
    if (last?.unit === unit && last.ask === what) last.count += 1;
    else this.marks.push({ unit, ask: what, count: 1 });
    this.go();
  }
  cutOn(): void {
    if (this.state !== 'waiting') return;
    this.state = 'resting';
    try {
      if (this.hasWork()) this.cutPiece();
    } catch (fault) {
      this.state = 'closed';
      this.options.line.fail(fault);
    }
  }
  /** Nothing more is cut. */
  close(): void {
    this.state = 'closed';
  }
  /** UTF-16 units that are in no segment yet. */
  waitingCharacters(): number {
    return this.options.text.length() - this.at + this.options.cutter.heldCharacters();
  }
  /** All text, and what was asked for behind it, has gone on. */
  isCut(): boolean {
    return this.at === this.options.text.length() && this.marks.length === 0;
  }

  private hasWork(): boolean {
    if (this.isCut()) return false;
    // What was asked for right here needs no room.
    return this.options.line.wantsMore() || this.marks[0]?.unit === this.at;
  }
  private cutPiece(): void {
    this.state = 'cutting';
    try {
      for (let left = PIECE_UNITS; left > 0 && this.hasWork(); ) left -= this.step(left);
    } finally {
      if (this.state === 'cutting') this.state = 'resting';
    }
    if (this.state !== 'resting') return;
    if (this.hasWork()) {
      this.state = 'waiting';
      this.options.work.add(this);
    } else this.options.line.recheck();
  }
  /** Cuts up to what comes next, or does what was asked for here; answers what it has cost, in characters. */
  private step(most: number): number {
    const { text, speakers, cutter } = this.options;
    const mark = this.marks[0];
    if (mark?.unit === this.at) {
      if (mark.count === 1) this.marks.shift();
      else mark.count -= 1;
      this.carryOut(mark.ask);
      return CHANGE_UNITS;
    }
    while (speakers[this.change]?.unit === this.at) {
      this.speaker = speakers[this.change]!.speaker;
      this.change += 1;
    }
    const nextChange = speakers[this.change]?.unit ?? Number.POSITIVE_INFINITY;
    const from = this.at;
    this.at = Math.min(from + most, nextChange, mark?.unit ?? Number.POSITIVE_INFINITY, text.length());
    cutter.append(text.slice(from, this.at), this.speaker);
    this.speaker = undefined;
    return this.at - from + (this.at === nextChange ? CHANGE_UNITS : 0);
  }
  private carryOut(what: Mark['ask']): void {
    const { cutter, line } = this.options;
    if (what === 'idle') return cutter.idle('short');
    if (what === 'long-idle') return cutter.idle('long');
    if (what === 'flush') {
      cutter.flush();
      return line.flush();
    }
    cutter.end();
    line.end();
  }
}
