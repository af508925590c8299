// A turn's speech for its onlookers: what went into the turn's own transcoder is noted, compressed, while one of them wants
// it in another format, and decoded a second time only when the listener has come so far. So one synthesis serves all,
// nobody gets what was cut before it was heard, and the turn itself pays for no more than a list, most turns not even that.

import { ownFrame } from '../../audio/mp3/mp3-frame-parser.ts';
import type { Codecs, TranscoderItem } from '../../audio/transcoder.ts';
import type { SpeechSink } from '../../pipeline/speak.ts';
import { createTapeRecording, type TapeAct, type TapeRecording } from './tape-recording.ts';

export type TurnTape = {
  /** The same sink, overheard. */
  overhear(sink: SpeechSink): SpeechSink;
  /** s16le of media positions `fromMs` to `untilMs`, at `sampleRate`; silence where nothing was noted. */
  take(fromMs: number, untilMs: number): { readonly bytes: Uint8Array; readonly sampleRate: number };
  /** What was noted behind media position `atMs` is not heard: another stretch of the turn begins there. */
  seek(atMs: number): void;
  /** Forgets everything and frees the decoder; it may be used again. */
  close(): void;
};

export type TurnTapeOptions = {
  readonly codecs: Codecs;
  /** As in the turn: a release fills up frames of this length. */
  readonly frameMs: number;
  readonly isWanted: () => boolean;
  /** Media position up to which the turn's own audio has been made. */
  readonly madeMs: () => number;
};

/** The recording is made when something is noted, or asked for: nearly every turn has none. */
class OverhearingTape implements TurnTape {
  private readonly options: TurnTapeOptions;
  private recording: TapeRecording | undefined;

  constructor(options: TurnTapeOptions) {
    this.options = options;
  }

  overhear(sink: SpeechSink): SpeechSink {
    return new OverheardSink(sink, this);
  }
  take(fromMs: number, untilMs: number): { readonly bytes: Uint8Array; readonly sampleRate: number } {
    return this.record().take(fromMs, untilMs);
  }
  seek(atMs: number): void {
    this.recording?.seek(atMs);
  }
  close(): void {
    this.recording?.close();
  }

  madeMs(): number {
    return this.options.madeMs();
  }
  note(act: TapeAct): void {
    if (this.options.isWanted()) this.record().note(act);
    else this.recording?.pause();
  }
  /** What comes now would be noted for nobody: so it is with nearly every turn. */
  isIdle(): boolean {
    return this.recording?.isRunning() !== true && !this.options.isWanted();
  }

  private record(): TapeRecording {
    this.recording ??= createTapeRecording(this.options.codecs, this.options.frameMs);
    return this.recording;
  }
}

class OverheardSink implements SpeechSink {
  private readonly sink: SpeechSink;
  private readonly tape: OverhearingTape;

  constructor(sink: SpeechSink, tape: OverhearingTape) {
    this.sink = sink;
    this.tape = tape;
  }

  prepare(): void {
    this.sink.prepare();
  }
  push(item: TranscoderItem): void {
    if (this.tape.isIdle()) return this.sink.push(item);
    const atMs = this.tape.madeMs();
    this.sink.push(item);
    const own = item.kind === 'frame' ? { ...item, frame: ownFrame(item.frame) } : item;
    this.tape.note({ do: 'push', item: own, atMs });
  }
  silence(ms: number): void {
    const atMs = this.tape.madeMs();
    this.sink.silence(ms);
    this.tape.note({ do: 'silence', ms, atMs });
  }
  rest(ms: number): void {
    const atMs = this.tape.madeMs();
    this.sink.rest(ms);
    this.tape.note({ do: 'rest', ms, atMs });
  }
  release(): Promise<void> {
    this.tape.note({ do: 'release', atMs: this.tape.madeMs() });
    return this.sink.release();
  }
  flush(): Promise<void> {
    this.tape.note({ do: 'flush', atMs: this.tape.madeMs() });
    return this.sink.flush();
  }
  close(): void {
    this.sink.close();
  }
  isSilent(): boolean {
    return this.sink.isSilent();
  }
}

export const createTurnTape = (options: TurnTapeOptions): TurnTape => new OverhearingTape(options);
