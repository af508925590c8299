// A turn's speech for its observers: what went into the turn's own transcoder is recorded, compressed, while one of them
// wants it in another format, and decoded a second time only when the listener has come so far. So one synthesis serves
// all, nobody gets what was cut before it was heard, and the turn itself pays for no more than a list, most turns not even
// that.

import { ownFrame } from '../../audio/bodies/sound-frame.ts';
import { type Codecs, Transcoder, type TranscoderItem } from '../../audio/transcoder.ts';
import type { SpeechSink } from '../../pipeline/speak.ts';
import { SILENT_SAMPLE } from '../../speech/plain-sound.ts';
import { createTimedSamples } from './timed-samples.ts';

export type TurnRecordingOptions = {
  /** Where the turn's speech goes. */
  readonly sink: SpeechSink;
  readonly codecs: Codecs;
  /** As in the turn: a release fills up frames of this length. */
  readonly frameMs: number;
  /** Media position up to which the turn's own audio has been made. */
  readonly madeMs: () => number;
  /** How much louder than it came the turn's speech is, dB. */
  readonly gainDb: () => number;
};

/** The turn's sink while somebody wants it recorded. */
export class TurnRecording implements SpeechSink {
  private readonly options: TurnRecordingOptions;
  private recording: Recording | undefined;

  constructor(options: TurnRecordingOptions) {
    this.options = options;
  }

  push(item: TranscoderItem): void {
    const { sink, madeMs, gainDb } = this.options;
    const atMs = madeMs();
    sink.push(item);
    const recording = this.record();
    // Who listens from the middle of a stream on has missed its gain.
    if (recording.isIdle() && gainDb() !== 0 && item.kind !== 'gain')
      recording.add({ kind: 'gain', db: gainDb() }, atMs);
    recording.add(item.kind === 'frame' ? { ...item, frame: ownFrame(item.frame) } : item, atMs);
  }
  /** What comes now goes past it. */
  pause(): void {
    this.recording?.pause();
  }
  /** s16le of media positions `fromMs` to `untilMs`, at `sampleRate`; silence where nothing was recorded. */
  take(fromMs: number, untilMs: number): { readonly bytes: Uint8Array; readonly sampleRate: number } {
    return this.record().take(fromMs, untilMs);
  }
  /** What was recorded behind media position `atMs` is not heard: another stretch of the turn begins there. */
  seek(atMs: number): void {
    this.recording?.seek(atMs);
  }
  /** Forgets everything and frees the decoder; it may be used again. */
  close(): void {
    this.recording?.close();
  }

  private record(): Recording {
    const { codecs, frameMs } = this.options;
    this.recording ??= new Recording(codecs, frameMs);
    return this.recording;
  }
}

/** Of a turn that is sent in a burst; a quarter of an hour at 64 kbit/s. What comes beyond it is heard as silence. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Where there is no speech to follow. */
const SILENT_RATE = 24_000;
/** What passes through undecoded is longer than what is decoded of it by the codec's delay and padding. */
const MIN_SHIFT_MS = 1;

/** What was pushed, and up to where the turn's own audio had been made then. */
type Recorded =
  | { readonly item: TranscoderItem; readonly atMs: number }
  /** From here on everything is recorded; nothing is known of what came before. */
  | { readonly item: 'join'; readonly atMs: number }
  | { readonly item: 'seek'; readonly atMs: number };

const frameOf = ({ item }: Recorded) =>
  typeof item === 'object' && item.kind === 'frame' ? item.frame : undefined;
const bytesOf = (recorded: Recorded): number => frameOf(recorded)?.bytes.length ?? 0;
/** Hz of the speech, where this tells it. */
function rateOf(recorded: Recorded): number | undefined {
  const { item } = recorded;
  if (typeof item === 'object' && (item.kind === 'silence' || item.kind === 'finish')) return SILENT_RATE;
  return frameOf(recorded)?.header.sampleRate;
}

/** What was recorded, and the codec that plays it: made only for a turn that somebody wants to hear in another format. */
class Recording {
  private readonly codecs: Codecs;
  private readonly frameMs: number;
  private row: Recorded[] = [];
  private next = 0;
  private bytes = 0;
  private state: 'idle' | 'running' = 'idle';
  private player: Transcoder | undefined;
  private rate: number | undefined;
  /** Samples at `rate`; where what is decoded next belongs. */
  private position = 0;
  private samples = createTimedSamples(SILENT_SAMPLE.raw);

  constructor(codecs: Codecs, frameMs: number) {
    this.codecs = codecs;
    this.frameMs = frameMs;
  }

  add(item: TranscoderItem, atMs: number): void {
    const recorded = { item, atMs };
    if (this.bytes + bytesOf(recorded) > MAX_BYTES) return this.pause();
    if (this.state === 'idle') this.row.push({ item: 'join', atMs });
    this.state = 'running';
    this.row.push(recorded);
    this.bytes += bytesOf(recorded);
  }
  isIdle(): boolean {
    return this.state === 'idle';
  }
  /** What comes now is not recorded. */
  pause(): void {
    this.state = 'idle';
  }
  take(fromMs: number, untilMs: number): { readonly bytes: Uint8Array; readonly sampleRate: number } {
    const sampleRate = this.knowsRate() ? this.rate! : SILENT_RATE;
    const until = Math.floor((untilMs * sampleRate) / 1000);
    while (this.rate !== undefined && this.position < until && this.next < this.row.length) {
      this.perform(this.row[this.next]!);
      this.next += 1;
    }
    if (this.next >= 64 || this.next === this.row.length) {
      this.row = this.row.slice(this.next);
      this.next = 0;
    }
    return { bytes: this.samples.take(Math.floor((fromMs * sampleRate) / 1000), until), sampleRate };
  }
  seek(atMs: number): void {
    if (this.state === 'idle' && this.next === this.row.length) return;
    this.row = this.row.slice(this.next).filter((recorded) => recorded.atMs < atMs);
    this.next = 0;
    this.bytes = this.row.reduce((sum, recorded) => sum + bytesOf(recorded), 0);
    this.row.push({ item: 'seek', atMs });
  }
  close(): void {
    this.shut();
    this.row = [];
    this.next = 0;
    this.bytes = 0;
    this.state = 'idle';
    this.samples = createTimedSamples(SILENT_SAMPLE.raw);
  }

  private open(): Transcoder {
    const format = { format: 'raw', sampleRate: this.rate, frameMs: this.frameMs } as const;
    this.player ??= new Transcoder(format, this.codecs, (frame) => {
      this.samples.add(this.position, frame.bytes);
      this.position += frame.samples;
    });
    return this.player;
  }
  private shut(): void {
    this.player?.close();
    this.player = undefined;
  }
  private skipTo(atMs: number): void {
    this.position = Math.max(this.position, Math.round((atMs * this.rate!) / 1000));
  }
  private goBackTo(atMs: number): void {
    this.position = Math.round((atMs * this.rate!) / 1000);
    this.samples.cutAt(this.position);
  }
  private perform(recorded: Recorded): void {
    const { item, atMs } = recorded;
    this.bytes -= bytesOf(recorded);
    if (item === 'join') {
      this.shut();
      this.skipTo(atMs);
    } else if (item === 'seek') {
      this.player?.push({ kind: 'finish' });
      this.shut();
      this.goBackTo(atMs);
    } else this.play(item, atMs);
  }
  private play(item: TranscoderItem, atMs: number): void {
    switch (item.kind) {
      case 'finish':
        this.player?.push(item);
        return this.shut();
      case 'silence':
        return this.open().push(item);
      case 'pause':
      case 'release':
        return this.player?.push(item);
      case 'begin':
        if ((this.position * 1000) / this.rate! < atMs - MIN_SHIFT_MS) this.skipTo(atMs);
        return this.open().push(item);
      case 'tag':
      case 'frame':
      case 'bridge':
      case 'gain':
      case 'end':
        // An observer that comes in the middle of a stream has missed its beginning.
        if (this.player === undefined) this.open().push({ kind: 'begin' });
        this.open().push(item);
    }
  }
  /** False while it is not known at what rate the speech comes. */
  private knowsRate(): boolean {
    for (let at = this.next; this.rate === undefined && at < this.row.length; at += 1)
      this.rate = rateOf(this.row[at]!);
    return this.rate !== undefined;
  }
}
