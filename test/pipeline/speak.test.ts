import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Transcoder } from '../../src/audio/transcoder.ts';
import { AppError } from '../../src/base/app-error.ts';
import { BodySpool } from '../../src/pipeline/body-spool.ts';
import { createRequestLine } from '../../src/pipeline/request-line.ts';
import { speak } from '../../src/pipeline/speak.ts';
import { createSpeechRecovery } from '../../src/pipeline/whole-body/speech-recovery.ts';
import { FrameQueue } from '../../src/playout/frame-queue.ts';
import type { SessionFormat } from '../../src/speech/audio-format.ts';
import { codecs, mp3Facts, speechMp3 } from '../support/codecs.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { createMemoryUpstream } from '../support/memory-upstream.ts';
import { speakAll } from '../support/speak-all.ts';

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/audio/${name}`, import.meta.url));
const RATES = [8000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000];
const BYTES_PER_SAMPLE = { mulaw: 1, alaw: 1, raw: 2, wav: 2 } as const;
const PCM_FORMATS = Object.keys(BYTES_PER_SAMPLE) as (keyof typeof BYTES_PER_SAMPLE)[];
const WAV_HEADER = 44;

/** Samples at `toRate` of so many at `fromRate`. */
const resampled = (samples: number, fromRate: number, toRate: number) =>
  Math.floor((samples * toRate) / fromRate + 0.5);
/** 20 ms frames, the last one whole. */
const wholeFrames = (samples: number, rate: number): number => {
  const frames = Math.ceil((samples * 50) / rate);
  return Math.floor((frames * rate) / 50);
};

const recoveryPolicy = {
  clock: createFakeClock(),
  decoders: codecs.decoders,
  recovery: createSpeechRecovery(),
  remainingMs: () => 0,
  passesThrough: () => false,
};

const nothing = () => {};
/** What a turn that nobody watches is to speak(), but for where its text comes from and its sound goes. */
const BARE = {
  isFirst: () => true,
  toWork: () => ({ class: 'first', tenant: '', deadlineMs: 0 }),
  phrases: undefined,
  toSpeechRequest: ({ text }) => ({ model: 'VoxDialog', text }),
  recoveryPolicy,
  report: {
    queued: nothing,
    resumed: nothing,
    asked: nothing,
    sent: nothing,
    answered: nothing,
    arrived: nothing,
    flushed: nothing,
  },
} satisfies Partial<Parameters<typeof speak>[0]>;

describe('speak', () => {
  const tagged = fixture('lame-vbr-24k.mp3');
  const plain = speechMp3(500);

  for (const format of PCM_FORMATS) {
    it(`makes ${format} of two requests at every rate, to the sample`, async () => {
      const source = mp3Facts(tagged).samples + mp3Facts(plain).samples;
      for (const sampleRate of RATES) {
        const { bytes, samples, frames } = await speakAll(
          { format, sampleRate },
          { bodies: [tagged, plain] },
        );
        const exact = resampled(source, 24_000, sampleRate);
        const expected = format === 'wav' ? exact : wholeFrames(exact, sampleRate);
        expect([sampleRate, samples]).toEqual([sampleRate, expected]);
        expect(bytes.length).toBe(expected * BYTES_PER_SAMPLE[format] + (format === 'wav' ? WAV_HEADER : 0));
        expect(frames.every((frame) => frame.samples <= Math.ceil(sampleRate / 50))).toBe(true);
      }
    });
  }

  it('joins requests of different rates to the sample, and takes all encoders for what they are', async () => {
    const names = [
      'lame-8k.mp3',
      'shine-44k.mp3',
      'lame-untagged-22k.mp3',
      'ffmpeg-xing-48k.mp3',
      'lame-joint-44k.mp3',
    ];
    const facts = names.map((name) => mp3Facts(fixture(name)));
    const { samples } = await speakAll({ format: 'wav', sampleRate: 16_000 }, { bodies: names.map(fixture) });
    expect(samples).toBe(
      facts.reduce((sum, each) => sum + resampled(each.samples, each.sampleRate, 16_000), 0),
    );
  });

  it('gives the same bytes however the upstream cuts its own', async () => {
    const outputs: { format: SessionFormat; sampleRate: number | undefined }[] = [
      { format: 'mulaw', sampleRate: 8000 },
      { format: 'wav', sampleRate: 44_100 },
      { format: 'mp3', sampleRate: undefined },
      { format: 'mp3', sampleRate: 16_000 },
    ];
    for (const output of outputs) {
      const whole = await speakAll(output, { bodies: [tagged, plain] });
      for (const chunkBytes of [1, 977]) {
        const cut = await speakAll(output, { bodies: [tagged, plain], chunkBytes });
        expect(cut.bytes.equals(whole.bytes)).toBe(true);
        expect(cut.frames.map((frame) => frame.bytes.length)).toEqual(
          whole.frames.map((frame) => frame.bytes.length),
        );
      }
    }
  });

  it('passes mp3 through frame by frame when no conversion is asked', async () => {
    const frames = [...mp3Facts(tagged).frames, ...mp3Facts(plain).frames].map(({ bytes }) =>
      Buffer.from(bytes),
    );
    for (const sampleRate of [undefined, 24_000]) {
      const spoken = await speakAll({ format: 'mp3', sampleRate }, { bodies: [tagged, plain] });
      expect(spoken.frames.map(({ bytes }) => Buffer.from(bytes))).toEqual(frames);
      expect([spoken.sampleRate, spoken.samples]).toEqual([24_000, frames.length * 576]);
    }
  });

  it('makes new mp3 when another rate is asked', async () => {
    const { bytes, samples, sampleRate } = await speakAll(
      { format: 'mp3', sampleRate: 16_000 },
      { bodies: [tagged, plain] },
    );
    const made = mp3Facts(bytes);
    expect([made.sampleRate, sampleRate, made.frames.length * 576]).toEqual([16_000, 16_000, samples]);
    const source = resampled(mp3Facts(tagged).samples + mp3Facts(plain).samples, 24_000, 16_000);
    expect(samples).toBeGreaterThanOrEqual(source);
    expect(samples).toBeLessThan(source + 4 * 576);
  });

  it('is silent for 100 ms, in every format, when there is nothing to say', async () => {
    for (const format of PCM_FORMATS) {
      for (const sampleRate of RATES) {
        const { samples, bytes, reports } = await speakAll({ format, sampleRate }, { bodies: [] });
        const exact = Math.round(sampleRate / 10);
        expect([format, sampleRate, samples]).toEqual([
          format,
          sampleRate,
          format === 'wav' ? exact : wholeFrames(exact, sampleRate),
        ]);
        const silence = { mulaw: 0xff, alaw: 0xd5, raw: 0, wav: 0 }[format];
        expect(bytes.subarray(format === 'wav' ? WAV_HEADER : 0).every((byte) => byte === silence)).toBe(
          true,
        );
        expect(reports).toEqual([]);
      }
    }
    const mp3 = await speakAll({ format: 'mp3', sampleRate: undefined }, { bodies: [] });
    expect(mp3Facts(mp3.bytes).sampleRate).toBe(24_000);
  });

  // The second tag of the joined body used to push the beginning of the stream out of what the decoder was told.
  it('re-encodes the rest of a body that changes its rate after mp3 that passed through', async () => {
    const joined = Buffer.concat([fixture('lame-cbr-24k.mp3'), fixture('lame-joint-44k.mp3')]);
    const { bytes, error } = await speakAll({ format: 'mp3', sampleRate: 24_000 }, { bodies: [joined] });
    expect(error).toBeUndefined();
    const { frames, sampleRate } = mp3Facts(bytes);
    expect(sampleRate).toBe(24_000);
    expect(new Set(frames.map(({ header }) => header.sampleRate))).toEqual(new Set([24_000]));
    const ms = mp3Facts(fixture('lame-cbr-24k.mp3')).ms + mp3Facts(fixture('lame-joint-44k.mp3')).ms;
    expect(Math.abs(frames.length * 24 - ms)).toBeLessThan(250);
  });

  it('reports each request in order, and a flush behind its audio', async () => {
    const { reports } = await speakAll(
      { format: 'raw', sampleRate: 24_000 },
      { bodies: [plain, tagged], flushes: 'each' },
    );
    const [first, second] = [plain, tagged].map((body) => Math.round(mp3Facts(body).ms));
    expect(reports.filter((report) => report !== 'flushed')).toEqual([
      'asked Number 0.',
      'answered',
      `complete ${first}`,
      'asked Number 1.',
      'answered',
      `complete ${second}`,
    ]);
    expect(reports.filter((report) => report === 'flushed')).toHaveLength(2);
  });

  it('gives the audio that came before it says that the upstream broke, to the last whole word', async () => {
    const failAfter = new AppError('upstream_broken', 'broken');
    const { samples, error, reports } = await speakAll(
      { format: 'raw', sampleRate: 24_000 },
      { bodies: [plain, tagged], failAfter },
    );
    expect(error).toBe(failAfter);
    const all = wholeFrames(mp3Facts(plain).samples + mp3Facts(tagged).samples, 24_000);
    expect(samples).toBeLessThanOrEqual(all + 480);
    expect(samples).toBeGreaterThan(all - 0.3 * 24_000);
    expect(reports.at(-1)).toBe('failed');
  });

  it('refuses what is not MP3, and keeps what came before it', async () => {
    const page = Buffer.from('<!doctype html>'.repeat(2000));
    const { samples, error } = await speakAll(
      { format: 'raw', sampleRate: 24_000 },
      { bodies: [plain, page] },
    );
    expect(error).toMatchObject({ code: 'upstream_bad_audio' });
    expect(samples).toBe(wholeFrames(mp3Facts(plain).samples, 24_000));
  });

  it('stops at every wait when it is aborted, and frees what it holds', async () => {
    const openDecoders = codecs.decoders.live();
    for (const stage of ['text', 'answer', 'body', 'room'] as const) {
      const controller = new AbortController();
      const upstream = createMemoryUpstream((request) => {
        if (stage === 'answer') return;
        request.send(stage === 'room' ? speechMp3(1500) : plain.subarray(0, 1000));
      });
      const requests = createRequestLine({
        prefetchMs: 4000,
        readAheadMs: 30_000,
        remainingMs: () => 0,
        prefixes: {},
      });
      if (stage !== 'text')
        requests.add({ line: 0, speaker: undefined, runs: [{ text: 'One.', start: 0 }], boundary: 'end' });
      const frames = new FrameQueue(
        () => 160,
        () => {},
      );
      const transcoder = new Transcoder({ format: 'mulaw', sampleRate: 8000, frameMs: 20 }, codecs, (frame) =>
        frames.push(frame),
      );
      const speaking = speak(
        {
          upstream,
          requests,
          spool: new BodySpool({ capacityBytes: () => 1e6 }),
          sink: () => transcoder,
          transcoder,
          frames,
          ...BARE,
        },
        controller.signal,
      );
      await settle();
      const reason = new Error(stage);
      controller.abort(reason);
      const queued = frames.queuedSamples();
      await expect(speaking).rejects.toBe(reason);
      // Queue and codec are whoever's who aborted it: another run may use them by now.
      expect([stage, frames.isEnded(), frames.queuedSamples(), upstream.live.length]).toEqual([
        stage,
        false,
        queued,
        0,
      ]);
      transcoder.close();
      expect(codecs.decoders.live()).toBe(openDecoders);
    }
  });

  it('pushes nothing when it is aborted in the very moment in which room has come', async () => {
    let roomComes = () => {};
    const pushed: string[] = [];
    const spool = new BodySpool({ capacityBytes: () => 1e6 });
    spool.add({ kind: 'begin' });
    const controller = new AbortController();
    const speaking = speak(
      {
        upstream: createMemoryUpstream(),
        requests: createRequestLine({ prefetchMs: 0, readAheadMs: 0, remainingMs: () => 0, prefixes: {} }),
        spool,
        sink: () => ({ push: ({ kind }) => pushed.push(kind) }),
        transcoder: {
          prepare: nothing,
          settled: () => Promise.resolve(),
          close: nothing,
          isSilent: () => true,
        },
        frames: {
          isFull: () => true,
          room: () =>
            new Promise((resolve) => {
              roomComes = resolve;
            }),
          end: nothing,
        },
        ...BARE,
      },
      controller.signal,
    );
    await settle();
    const reason = new Error('another place is wanted');
    roomComes();
    controller.abort(reason);
    await expect(speaking).rejects.toBe(reason);
    expect(pushed).toEqual([]);
  });

  it('ends the queue even when the codec breaks at the very end', async () => {
    const frames = new FrameQueue(
      () => 1e6,
      () => {},
    );
    let closed = 0;
    const requests = createRequestLine({ prefetchMs: 0, readAheadMs: 0, remainingMs: () => 0, prefixes: {} });
    requests.end();
    const speaking = speak(
      {
        upstream: createMemoryUpstream(),
        requests,
        spool: new BodySpool({ capacityBytes: () => 1e6 }),
        sink: () => ({ push: nothing }),
        transcoder: {
          prepare: nothing,
          settled: () => Promise.reject(new Error('broken codec')),
          close() {
            closed += 1;
          },
          isSilent: () => false,
        },
        frames,
        ...BARE,
      },
      new AbortController().signal,
    );
    await expect(speaking).rejects.toThrow('broken codec');
    expect([frames.isEnded(), closed]).toEqual([true, 1]);
  });
});
