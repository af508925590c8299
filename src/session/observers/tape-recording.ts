// What of a turn's speech was noted for its onlookers, and the codec that plays it to them: made only for a turn that
// somebody wants to hear in another format.

import {
  type Codecs,
  createTranscoder,
  type Transcoder,
  type TranscoderItem,
} from '../../audio/transcoder.ts';
import { SILENT_SAMPLE } from '../../speech/plain-sound.ts';
import { createTimedSamples } from './timed-samples.ts';

export type TapeAct =
  /** From here on everything is noted; nothing is known of what came before. */
  | { readonly do: 'join'; readonly atMs: number }
  | { readonly do: 'push'; readonly item: TranscoderItem; readonly atMs: number }
  | { readonly do: 'silence' | 'rest'; readonly ms: number; readonly atMs: number }
  | { readonly do: 'seek'; readonly atMs: number }
  | { readonly do: 'release' | 'flush'; readonly atMs: number };

export type TapeRecording = {
  /** Whether what was noted goes on up to now. */
  isRunning(): boolean;
  note(act: TapeAct): void;
  /** What comes now is not noted. */
  pause(): void;
  /** As those of `TurnTape`. */
  take(fromMs: number, untilMs: number): { readonly bytes: Uint8Array; readonly sampleRate: number };
  seek(atMs: number): void;
  close(): void;
};

/** Of a turn that is sent in a burst; a quarter of an hour at 64 kbit/s. What comes beyond it is heard as silence. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Where there is no speech to follow. */
const SILENT_RATE = 24_000;
/** What passes through undecoded is longer than what is decoded of it by the codec's delay and padding. */
const SMALLEST_SHIFT_MS = 1;

const bytesOf = (act: TapeAct): number =>
  act.do === 'push' && act.item.kind === 'frame' ? act.item.frame.bytes.length : 0;
const rateOf = (act: TapeAct): number | undefined =>
  act.do === 'push' && act.item.kind === 'frame' ? act.item.frame.header.sampleRate : undefined;

class PlayedRecording implements TapeRecording {
  private readonly codecs: Codecs;
  private readonly frameMs: number;
  private acts: TapeAct[] = [];
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

  isRunning(): boolean {
    return this.state === 'running';
  }
  note(act: TapeAct): void {
    if (this.bytes + bytesOf(act) > MOST_BYTES) return this.pause();
    if (this.state === 'idle') this.acts.push({ do: 'join', atMs: act.atMs });
    this.state = 'running';
    this.acts.push(act);
    this.bytes += bytesOf(act);
  }
  pause(): void {
    this.state = 'idle';
  }
  take(fromMs: number, untilMs: number): { readonly bytes: Uint8Array; readonly sampleRate: number } {
    const sampleRate = this.knowsRate() ? this.rate! : SILENT_RATE;
    const until = Math.floor((untilMs * sampleRate) / 1000);
    while (this.rate !== undefined && this.position < until && this.next < this.acts.length) {
      this.perform(this.acts[this.next]!);
      this.next += 1;
    }
    if (this.next >= 64 || this.next === this.acts.length) {
      this.acts = this.acts.slice(this.next);
      this.next = 0;
    }
    return { bytes: this.samples.take(Math.floor((fromMs * sampleRate) / 1000), until), sampleRate };
  }
  seek(atMs: number): void {
    if (this.state === 'idle' && this.next === this.acts.length) return;
    this.acts = this.acts.slice(this.next).filter((act) => act.atMs < atMs);
    this.next = 0;
    this.bytes = this.acts.reduce((sum, act) => sum + bytesOf(act), 0);
    this.acts.push({ do: 'seek', atMs });
  }
  close(): void {
    this.shut();
    this.acts = [];
    this.next = 0;
    this.bytes = 0;
    this.state = 'idle';
    this.samples = createTimedSamples(SILENT_SAMPLE.raw);
  }

  private open(): Transcoder {
    const format = { format: 'raw', sampleRate: this.rate, frameMs: this.frameMs } as const;
    this.player ??= createTranscoder(format, this.codecs, (frame) => {
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
  private push(item: TranscoderItem, atMs: number): void {
    if (item.kind === 'begin' && (this.position * 1000) / this.rate! < atMs - SMALLEST_SHIFT_MS)
      this.skipTo(atMs);
    // Whoever comes in the middle of a stream has missed its beginning.
    if (this.player === undefined && item.kind !== 'begin') this.open().push({ kind: 'begin' });
    this.open().push(item);
  }
  private perform(act: TapeAct): void {
    this.bytes -= bytesOf(act);
    if (act.do === 'join') {
      this.shut();
      this.skipTo(act.atMs);
    } else if (act.do === 'push') this.push(act.item, act.atMs);
    else if (act.do === 'silence') this.open().silence(act.ms);
    else if (act.do === 'rest') this.player?.rest(act.ms);
    else if (act.do === 'release') void this.player?.release();
    else {
      void this.player?.flush();
      this.shut();
      if (act.do === 'seek') this.goBackTo(act.atMs);
    }
  }
  /** False while it is not known at what rate the speech comes. */
  private knowsRate(): boolean {
    for (let at = this.next; this.rate === undefined && at < this.acts.length; at += 1) {
      const act = this.acts[at]!;
      this.rate = rateOf(act) ?? (act.do === 'silence' || act.do === 'flush' ? SILENT_RATE : undefined);
    }
    return this.rate !== undefined;
  }
}

export const createTapeRecording = (codecs: Codecs, frameMs: number): TapeRecording =>
  new PlayedRecording(codecs, frameMs);
