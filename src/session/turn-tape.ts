// A turn's speech for its onlookers: what went into the turn's own transcoder is noted, compressed, while one of them wants
// it in another format, and decoded a second time only when the listener has come so far. So one synthesis serves all,
// nobody gets what was cut before it was heard, and the turn itself pays for no more than a list.

import { ownFrame } from '../audio/mp3-frame-parser.ts';
import { type Codecs, createTranscoder, type Transcoder, type TranscoderItem } from '../audio/transcoder.ts';
import type { SpeechSink } from '../pipeline/speak.ts';
import { SILENT_SAMPLE } from '../speech/plain-sound.ts';
import { createTimedSamples } from './timed-samples.ts';

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

type Act =
  /** From here on everything is noted; nothing is known of what came before. */
  | { readonly do: 'join'; readonly atMs: number }
  | { readonly do: 'push'; readonly item: TranscoderItem; readonly atMs: number }
  | { readonly do: 'silence' | 'rest'; readonly ms: number; readonly atMs: number }
  | { readonly do: 'seek'; readonly atMs: number }
  | { readonly do: 'release' | 'flush'; readonly atMs: number };

/** Of a turn that is sent in a burst; a quarter of an hour at 64 kbit/s. What comes beyond it is heard as silence. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Where there is no speech to follow. */
const SILENT_RATE = 24_000;
/** What passes through undecoded is longer than what is decoded of it by the codec's delay and padding. */
const SMALLEST_SHIFT_MS = 1;

const bytesOf = (act: Act): number =>
  act.do === 'push' && act.item.kind === 'frame' ? act.item.frame.bytes.length : 0;
const rateOf = (act: Act): number | undefined =>
  act.do === 'push' && act.item.kind === 'frame' ? act.item.frame.header.sampleRate : undefined;

export function createTurnTape({ codecs, frameMs, isWanted, madeMs }: TurnTapeOptions): TurnTape {
  let acts: Act[] = [];
  let next = 0;
  let bytes = 0;
  let state: 'idle' | 'running' = 'idle';
  let player: Transcoder | undefined;
  let rate: number | undefined;
  /** Samples at `rate`; where what is decoded next belongs. */
  let position = 0;
  let samples = createTimedSamples(SILENT_SAMPLE.raw);

  const note = (act: Act) => {
    if (!isWanted() || bytes + bytesOf(act) > MOST_BYTES) {
      state = 'idle';
      return;
    }
    if (state === 'idle') acts.push({ do: 'join', atMs: act.atMs });
    state = 'running';
    acts.push(act);
    bytes += bytesOf(act);
  };

  /** What comes now would be noted for nobody: so it is with nearly every turn. */
  const isIdle = () => state === 'idle' && !isWanted();

  const open = (): Transcoder => {
    player ??= createTranscoder({ format: 'raw', sampleRate: rate, frameMs }, codecs, (frame) => {
      samples.add(position, frame.bytes);
      position += frame.samples;
    });
    return player;
  };
  const shut = () => {
    player?.close();
    player = undefined;
  };
  const skipTo = (atMs: number) => {
    position = Math.max(position, Math.round((atMs * rate!) / 1000));
  };
  const goBackTo = (atMs: number) => {
    position = Math.round((atMs * rate!) / 1000);
    samples.cutAt(position);
  };
  const push = (item: TranscoderItem, atMs: number) => {
    if (item.kind === 'begin' && (position * 1000) / rate! < atMs - SMALLEST_SHIFT_MS) skipTo(atMs);
    // Whoever comes in the middle of a stream has missed its beginning.
    if (player === undefined && item.kind !== 'begin') open().push({ kind: 'begin' });
    open().push(item);
  };
  const perform = (act: Act) => {
    bytes -= bytesOf(act);
    if (act.do === 'join') {
      shut();
      skipTo(act.atMs);
    } else if (act.do === 'push') push(act.item, act.atMs);
    else if (act.do === 'silence') open().silence(act.ms);
    else if (act.do === 'rest') player?.rest(act.ms);
    else if (act.do === 'release') void player?.release();
    else {
      void player?.flush();
      shut();
      if (act.do === 'seek') goBackTo(act.atMs);
    }
  };
  /** False while it is not known at what rate the speech comes. */
  const knowsRate = (): boolean => {
    for (let at = next; rate === undefined && at < acts.length; at += 1) {
      const { do: what } = acts[at]!;
      rate = rateOf(acts[at]!) ?? (what === 'silence' || what === 'flush' ? SILENT_RATE : undefined);
    }
    return rate !== undefined;
  };

  return {
    overhear: (sink) => ({
      prepare: () => sink.prepare(),
      push(item) {
        if (isIdle()) return sink.push(item);
        const atMs = madeMs();
        sink.push(item);
        note({
          do: 'push',
          item: item.kind === 'frame' ? { ...item, frame: ownFrame(item.frame) } : item,
          atMs,
        });
      },
      silence(ms) {
        const atMs = madeMs();
        sink.silence(ms);
        note({ do: 'silence', ms, atMs });
      },
      rest(ms) {
        const atMs = madeMs();
        sink.rest(ms);
        note({ do: 'rest', ms, atMs });
      },
      release() {
        note({ do: 'release', atMs: madeMs() });
        return sink.release();
      },
      flush() {
        note({ do: 'flush', atMs: madeMs() });
        return sink.flush();
      },
      close: () => sink.close(),
      isSilent: () => sink.isSilent(),
    }),
    take(fromMs, untilMs) {
      const sampleRate = knowsRate() ? rate! : SILENT_RATE;
      const until = Math.floor((untilMs * sampleRate) / 1000);
      while (rate !== undefined && position < until && next < acts.length) {
        perform(acts[next]!);
        next += 1;
      }
      if (next >= 64 || next === acts.length) {
        acts = acts.slice(next);
        next = 0;
      }
      return { bytes: samples.take(Math.floor((fromMs * sampleRate) / 1000), until), sampleRate };
    },
    seek(atMs) {
      if (state === 'idle' && next === acts.length) return;
      acts = acts.slice(next).filter((act) => act.atMs < atMs);
      next = 0;
      bytes = acts.reduce((sum, act) => sum + bytesOf(act), 0);
      acts.push({ do: 'seek', atMs });
    },
    close() {
      shut();
      acts = [];
      next = 0;
      bytes = 0;
      state = 'idle';
      samples = createTimedSamples(SILENT_SAMPLE.raw);
    },
  };
}
