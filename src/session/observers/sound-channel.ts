// The session's sound in one format as one stream without an end: what the listener hears, in real time, and silence where
// nothing is heard. Made once, however many onlookers take it; its last seconds are kept, so that an observer that joins begins to
// play at once.

import { wavHeader } from '../../audio/containers/wav.ts';
import { BYTES_PER_SAMPLE } from '../../audio/dsp/pcm-format.ts';
import { type HeavyFormat, isHeavyFormat } from '../../audio/heavy-encoders.ts';
import type { ClosableStage } from '../../audio/stage.ts';
import { streamHeadBytes } from '../../audio/stream-head.ts';
import type { Codecs } from '../../audio/transcoder.ts';
import { openTurnEncoder, pcmFormatOf } from '../../audio/turn-encoder.ts';
import type { SessionFormat } from '../../speech/audio-format.ts';
import { type PlainSound, SILENT_SAMPLE } from '../../speech/plain-sound.ts';

export type ChannelFormat = { readonly format: SessionFormat; readonly sampleRate: number };

export type SoundMember = { readonly send: (bytes: Uint8Array) => void };

export type SoundChannel = {
  members(): number;
  /** Sound that is sent to the listener in the same samples; undefined for a format that has none. */
  readonly plain: PlainSound | undefined;
  /** The next of what the listener hears. */
  speech(samples: Float32Array, sampleRate: number): void;
  /** The same, as bytes of `plain`. */
  sent(bytes: Uint8Array): void;
  /** Adds silence until the stream is as long as time has passed. */
  fillTo(nowMs: number): void;
  /** Hands out what has been made. */
  deliver(): void;
  join(member: SoundMember): () => void;
  close(): void;
};

export type SoundChannelOptions = {
  readonly output: ChannelFormat;
  readonly codecs: Codecs;
  /** How much of the past an observer that joins is given. */
  readonly joinMs: number;
  readonly nowMs: number;
};

/** What is less is rounding. */
const MIN_GAP_MS = 1;
/** A process that was held up does not make up for all of it. */
const MAX_GAP_MS = 5000;
const FRAME_MS = 20;
const NO_BYTES = new Uint8Array(0);

type Made = { readonly bytes: Uint8Array; readonly ms: number };
/** Samples in, bytes out. */
type Way = {
  from(sampleRate: number): ClosableStage<Float32Array>;
  close(): void;
};

export function plainSoundOf({ format, sampleRate }: ChannelFormat): PlainSound | undefined {
  if (isHeavyFormat(format)) return undefined;
  return { format: format === 'wav' ? 'raw' : format, sampleRate };
}

const headOf = ({ format, sampleRate }: ChannelFormat): Uint8Array | undefined => {
  if (format === 'wav') return wavHeader({ sampleRate, channels: 1 });
  return format === 'ogg' || format === 'flac' ? undefined : NO_BYTES;
};

const joined = (made: readonly Made[]): Made => ({
  bytes: Buffer.concat(made.map(({ bytes }) => bytes)),
  ms: made.reduce((sum, { ms }) => sum + ms, 0),
});

/** Throws `busy` when the format needs a CPU-heavy encoder and none is free. */
export function createSoundChannel({ output, codecs, joinMs, nowMs }: SoundChannelOptions): SoundChannel {
  const { format, sampleRate } = output;
  const plain = plainSoundOf(output);
  const members = new Set<SoundMember>();
  /** They have not been given the head. */
  const newcomers = new Set<SoundMember>();
  /** Undefined until the encoder has told it. */
  let head = headOf(output);
  let fresh: Made[] = [];
  let kept: Made[] = [];
  let keptMs = 0;
  /** The stream begins as far back as it is kept, with silence: so the first onlooker begins at once, too. */
  let startMs = nowMs - joinMs;
  let givenMs = 0;
  let stage: { readonly sampleRate: number; readonly way: ClosableStage<Float32Array> } | undefined;

  const add = (bytes: Uint8Array, samples: number) => {
    fresh.push({ bytes, ms: (samples * 1000) / sampleRate });
  };
  const openPlain = (sound: PlainSound): Way => {
    const code = pcmFormatOf(sound.format);
    const emit = (bytes: Uint8Array) => add(new Uint8Array(bytes), bytes.length / BYTES_PER_SAMPLE[code]);
    return {
      from: (fromRate) => codecs.sound.encode({ fromRate, toRate: sampleRate }, code, emit),
      close() {},
    };
  };
  const openHeavy = (heavy: HeavyFormat): Way => {
    const onFrame = ({ bytes, samples }: { readonly bytes: Uint8Array; readonly samples: number }) => {
      const from = head === undefined ? streamHeadBytes(heavy, bytes) : 0;
      head ??= new Uint8Array(bytes.subarray(0, from));
      add(from === 0 ? bytes : bytes.subarray(from), samples);
    };
    return openTurnEncoder({ format: heavy, sampleRate, frameMs: FRAME_MS }, codecs, {
      onFrame,
      onProgress() {},
    });
  };
  const way = plain === undefined ? openHeavy(format as HeavyFormat) : openPlain(plain);

  const rest = () => {
    stage?.way.flush();
    stage = undefined;
  };
  const pushAt = (samples: Float32Array, rate: number) => {
    if (stage?.sampleRate !== rate) rest();
    stage ??= { sampleRate: rate, way: way.from(rate) };
    stage.way.push(samples);
  };
  const silence = (ms: number) => {
    const samples = Math.round((ms * sampleRate) / 1000);
    givenMs += (samples * 1000) / sampleRate;
    if (plain === undefined) return pushAt(new Float32Array(samples), sampleRate);
    rest();
    const sample = SILENT_SAMPLE[plain.format];
    add(new Uint8Array(samples * sample.length).fill(sample[0]!), samples);
  };
  const keep = (made: Made) => {
    kept.push(made);
    keptMs += made.ms;
    let past = 0;
    for (const { ms } of kept) {
      if (keptMs - ms < joinMs) break;
      keptMs -= ms;
      past += 1;
    }
    if (past > 0) kept = kept.slice(past);
  };
  const welcome = () => {
    if (head === undefined) return; // of an encoder elsewhere, whose first frame has not come back
    for (const member of newcomers) {
      members.add(member);
      const { bytes } = joined([{ bytes: head, ms: 0 }, ...kept]);
      if (bytes.length > 0) member.send(bytes);
    }
    newcomers.clear();
  };

  return {
    members: () => members.size + newcomers.size,
    plain,
    speech(samples, rate) {
      givenMs += (samples.length * 1000) / rate;
      pushAt(samples, rate);
    },
    sent(bytes) {
      rest();
      const samples = bytes.length / SILENT_SAMPLE[plain!.format].length;
      givenMs += (samples * 1000) / sampleRate;
      add(bytes, samples);
    },
    fillTo(untilMs) {
      const gapMs = untilMs - startMs - givenMs;
      if (gapMs < MIN_GAP_MS) return;
      const lostMs = Math.max(0, gapMs - Math.max(MAX_GAP_MS, joinMs));
      startMs += lostMs;
      silence(gapMs - lostMs);
    },
    deliver() {
      if (fresh.length > 0) {
        const made = joined(fresh);
        fresh = [];
        for (const { send } of members) send(made.bytes);
        keep(made);
      }
      welcome();
    },
    join(member) {
      newcomers.add(member);
      welcome();
      return () => {
        members.delete(member);
        newcomers.delete(member);
      };
    },
    close() {
      stage?.way.close();
      stage = undefined;
      way.close();
      members.clear();
      newcomers.clear();
    },
  };
}
