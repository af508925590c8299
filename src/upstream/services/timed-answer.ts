// An answer in which a service tells the times of its words: JSON with the sound in base64, a line or an event for each piece.
// Taken apart here into the sound, which then is a body like any other, and the words.

import { Buffer } from 'node:buffer';
import { AppError, toAppError } from '../../base/app-error.ts';
import type { ServiceWord, ServiceWords } from '../../speech/service-word.ts';
import { refusedError } from './upstream-failure.ts';

export type TimedPiece = {
  /** Base64. */
  readonly audio?: string | undefined;
  readonly words?: readonly ServiceWord[];
  /** It says that it is the last. */
  readonly isLast?: boolean;
  /** An error in the place of sound, as an HTTP status. */
  readonly status?: number | undefined;
};

export type TimedForm = {
  /** `lines`: a line of JSON for each piece; `events`: server-sent events, of which the last says that it is. */
  readonly framing: 'lines' | 'events';
  /** Throws where a piece does not look as expected. */
  read(piece: unknown): TimedPiece;
};

/** A piece may hold the sound of a whole sentence: a minute of PCM at 48 kHz. */
const MAX_PIECE_CHARS = 8 * 1024 * 1024;

/** `texts` beside their times in seconds, as services tell them. */
export function wordsOf(
  texts: readonly string[],
  starts: readonly number[],
  ends: readonly number[],
): ServiceWord[] {
  return texts.flatMap((text, at) => {
    const [start, end] = [starts[at], ends[at]];
    return start === undefined || end === undefined
      ? []
      : [{ text, startMs: start * 1000, endMs: end * 1000 }];
  });
}

/** Throws `upstream_bad_audio` for what is no such answer, and what an error that stands in it means. */
export class TimedAnswer {
  private readonly form: TimedForm;
  private readonly onWrong: () => void;
  private readonly decoder = new TextDecoder();
  private held = '';
  private searched = 0;
  private hasPieces = false;
  private hasSound = false;
  private isOver = false;
  /** What is wrong behind sound that was handed on. */
  private failed: AppError | undefined;
  private waiting: ServiceWord[] = [];
  private taker: ((words: readonly ServiceWord[]) => void) | undefined;

  readonly words: ServiceWords = {
    listen: (take) => {
      this.taker = take;
      this.tell([]);
    },
  };

  /** `onWrong`: it is no such answer. */
  constructor(form: TimedForm, onWrong: () => void = () => {}) {
    this.form = form;
    this.onWrong = onWrong;
  }

  /** The sound in it. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.failed !== undefined) throw this.failed;
    this.held += this.decoder.decode(chunk, { stream: true });
    const mark = this.form.framing === 'lines' ? '\n' : '\n\n';
    const sound: Buffer[] = [];
    let from = 0;
    for (;;) {
      const end = this.held.indexOf(mark, Math.max(from, this.searched));
      if (end < 0) break;
      try {
        this.take(this.held.slice(from, end), sound);
      } catch (thrown) {
        if (sound.length === 0) throw thrown;
        this.failed = toAppError(thrown);
        return Buffer.concat(sound);
      }
      from = end + mark.length;
      this.searched = from;
    }
    this.held = this.held.slice(from);
    this.searched = Math.max(0, this.held.length - mark.length + 1);
    if (this.held.length > MAX_PIECE_CHARS) {
      if (!this.hasSound) throw this.noTimes();
      this.failed = new AppError(
        'upstream_broken',
        `The speech service sent a line of more than ${MAX_PIECE_CHARS} characters.`,
      );
      this.held = '';
    }
    return sound.length === 1 ? sound[0]! : Buffer.concat(sound);
  }
  /** The answer has ended: the sound in what is left. Throws `upstream_broken` when its own end is missing. */
  end(): Uint8Array {
    if (this.failed !== undefined) throw this.failed;
    const sound: Buffer[] = [];
    const rest = this.held;
    this.held = '';
    try {
      if (rest.trim() !== '') this.take(rest, sound);
    } catch (thrown) {
      if (!this.hasSound) throw thrown;
      throw brokeOff();
    }
    if (this.form.framing === 'events' && this.hasSound && !this.isOver) throw brokeOff();
    // Text without an event is none; nothing at all may be an empty answer.
    if (!this.hasPieces && rest.trim() !== '') throw this.noTimes();
    return Buffer.concat(sound);
  }

  private take(text: string, sound: Buffer[]): void {
    const json = this.form.framing === 'lines' ? text.trim() : dataOf(text);
    if (json === '' || this.isOver) return;
    const { audio, words = [], isLast = false, status } = this.read(json);
    this.hasPieces = true;
    if (status !== undefined) throw this.failure(status);
    if (audio !== undefined && audio !== '') {
      sound.push(Buffer.from(audio, 'base64'));
      this.hasSound = true;
    }
    if (isLast) this.isOver = true;
    this.tell(words);
  }
  private read(json: string): TimedPiece {
    try {
      return this.form.read(JSON.parse(json));
    } catch {
      // Behind sound it is a break, and the rest is asked for again.
      throw this.hasSound ? brokeOff() : this.noTimes();
    }
  }
  private failure(status: number): AppError {
    if (this.hasSound)
      return new AppError('upstream_broken', `The speech service failed in mid-answer (${status}).`);
    return refusedError({ status, retryAfter: undefined, date: undefined, body: '' }, []);
  }
  private noTimes(): AppError {
    this.onWrong();
    return new AppError(
      'upstream_bad_audio',
      'The speech service did not answer with the times of its words.',
    );
  }
  private tell(words: readonly ServiceWord[]): void {
    this.waiting.push(...words.filter(isSound));
    if (this.taker === undefined || this.waiting.length === 0) return;
    const told = this.waiting;
    this.waiting = [];
    this.taker(told);
  }
}

const isSound = ({ startMs, endMs }: ServiceWord): boolean =>
  Number.isFinite(startMs) && Number.isFinite(endMs) && startMs >= 0;

const brokeOff = (): AppError =>
  new AppError('upstream_broken', 'The answer of the speech service ended before it said so.');

/** The data of one event (HTML Living Standard 9.2.6); comments and other fields are left out. */
function dataOf(event: string): string {
  return event
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
    .join('\n');
}
