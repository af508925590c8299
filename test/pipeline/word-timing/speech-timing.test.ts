// A speech is timed with real decoders and real sound. The reference is that very sound, so what is found can be known.
import { describe, expect, it, vi } from 'vitest';
import { PlainReader } from '../../../src/audio/bodies/plain-reader.ts';
import type { SoundFrame } from '../../../src/audio/bodies/sound-frame.ts';
import type { Crossfade } from '../../../src/audio/dsp/crossfade.ts';
import type { Mp3Decoders } from '../../../src/audio/mp3/mp3-decoder.ts';
import { streamLead, streamSamples } from '../../../src/audio/mp3/mp3-to-pcm.ts';
import type { TranscoderItem } from '../../../src/audio/transcoder.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { featureTrack } from '../../../src/captions/alignment/feature-track.ts';
import { createReferenceSpeech } from '../../../src/captions/alignment/reference-speech.ts';
import type { WordEstimate } from '../../../src/captions/alignment/word-estimate.ts';
import { type KnownVoice, UNKNOWN_VOICE } from '../../../src/captions/alignment/word-finder.ts';
import { createItemPacker, unpackItems } from '../../../src/pipeline/word-timing/packed-items.ts';
import {
  createReferenceSpeaker,
  type ReferenceSpeaker,
} from '../../../src/pipeline/word-timing/reference-speaker.ts';
import { createSpeechTiming } from '../../../src/pipeline/word-timing/speech-timing.ts';
import { espeakCommand } from '../../../src/speech-program/speech-command.ts';
import { createSpeechProcess } from '../../../src/speech-program/speech-process.ts';
import type { AlignedText } from '../../../src/text/aligned-text.ts';
import { codecs } from '../../support/codecs.ts';
import { settle } from '../../support/fake-clock.ts';
import { fixtureSpeech } from '../../support/fixture-speech.ts';
import { mp3Fixture, parseMp3 } from '../../support/mp3-fixtures.ts';

const RATE = 24_000;
const SPEECH = fixtureSpeech();
const { frames, tags } = parseMp3([mp3Fixture('lame-cbr-24k.mp3')]);
const tag = tags[0]!;
const SPF = frames[0]!.header.samplesPerFrame;
const frameItems = frames.map((frame): TranscoderItem => ({ kind: 'frame', frame }));
const HEAD: readonly TranscoderItem[] = [{ kind: 'begin' }, { kind: 'tag', tag }];
const END: TranscoderItem = { kind: 'end' };
const BODY: readonly TranscoderItem[] = [...HEAD, ...frameItems, END];

const STARTS_MS = [0, 250, 700, 1100, 1500, 1900];
/** Where the levels of the sound show that its words begin. */
const SPOKEN_MS = [0, 235, 1160, 1310, 1655, 2065];
const TEXT: AlignedText = {
  text: 'Good evening. The last train to',
  turnPrefix: undefined,
  turnPrefix2: undefined,
  wordAt: [0, 5, 14, 18, 23, 29],
  weights: [5.5, 8.5, 4.5, 5.5, 6.5, 3.5],
  pauses: [0, 5, 0, 0, 0, 0],
};
const NO_WORDS: AlignedText = { ...TEXT, text: '…', wordAt: [], weights: [], pauses: [] };
const referenceOf = (words: number) => {
  const until = words < STARTS_MS.length ? (STARTS_MS[words]! * RATE) / 1000 : SPEECH.length;
  return createReferenceSpeech(featureTrack(SPEECH.slice(0, until), RATE), STARTS_MS.slice(0, words));
};
const WHOLE = referenceOf(STARTS_MS.length);

type Call = {
  readonly signal: AbortSignal;
  /** Speaks the first so many words. */
  tell(words: number): void;
  end(): void;
  fail(error: Error): void;
};

/** A speaker that says what a test says, when it says so. */
function fakeSpeaker() {
  const calls: Call[] = [];
  const speaker: ReferenceSpeaker = {
    speak: (_text, _how, onReference, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        calls.push({
          signal,
          tell: (words) => onReference(words === STARTS_MS.length ? WHOLE : referenceOf(words), words),
          end: resolve,
          fail: reject,
        });
      }),
  };
  return { calls, speaker };
}

function open({
  speaker,
  decoders = codecs.decoders,
  wants = 'words',
}: {
  speaker?: ReferenceSpeaker | undefined;
  decoders?: Mp3Decoders;
  wants?: 'words' | 'endings';
} = {}) {
  const told: { index: number; estimate: WordEstimate }[] = [];
  const faults: string[] = [];
  const voice: { known: KnownVoice } = { known: UNKNOWN_VOICE };
  let openDecoders = 0;
  const timing = createSpeechTiming({
    language: 'english',
    speed: 1,
    decoders: {
      ...decoders,
      open() {
        const decoder = decoders.open();
        openDecoders += 1;
        return {
          decode: (frame, emit) => decoder.decode(frame, emit),
          gap: () => decoder.gap(),
          close() {
            openDecoders -= 1;
            decoder.close();
          },
        };
      },
    },
    speaker,
    voice,
    wants,
    onEstimate: (index, estimate) =>
      told.push({
        index,
        estimate: {
          ...estimate,
          startsMs: [...Array.from(estimate.startsMs)],
          endsMs: [...Array.from(estimate.endsMs)],
        },
      }),
    onFault: (event) => faults.push(event),
  });
  const startsOf = (index: number) => {
    const last = told.findLast((each) => each.index === index);
    return last === undefined ? undefined : Array.from(last.estimate.startsMs);
  };
  return {
    timing,
    told,
    faults,
    voice,
    startsOf,
    get openDecoders() {
      return openDecoders;
    },
  };
}

const apart = (found: readonly number[] | undefined, wanted: readonly number[]) => {
  expect(found).toHaveLength(wanted.length);
  return Math.max(...found!.map((ms, word) => Math.abs(ms - wanted[word]!)));
};
const isSettled = async (settled: Promise<void>) => {
  let hasSettled = false;
  void settled.then(() => {
    hasSettled = true;
  });
  await settle();
  return hasSettled;
};

/** Times a whole request whose reference is there at once. */
async function timeAtOnce(items: readonly TranscoderItem[], lead: 'heard' | 'cut' = 'cut') {
  const { calls, speaker } = fakeSpeaker();
  const run = open({ speaker });
  run.timing.request(0, TEXT);
  calls[0]!.tell(STARTS_MS.length);
  calls[0]!.end();
  run.timing.items(items, lead === 'heard');
  await run.timing.settled();
  return run;
}

/** What replaces the frames from `from` to `to`, sample for sample. */
function bridgeOver(from: number, to: number): Crossfade {
  const samples = SPEECH.slice(streamSamples(tag, from, SPF), streamSamples(tag, to, SPF));
  const next = { tag, framesBefore: to, warmUp: frames.slice(Math.max(0, to - 10), to) };
  return { samples, sampleRate: RATE, heardHz: undefined, frames: frames.slice(from, to), next };
}

describe('speech timing', () => {
  it('finds the words where they are, while the sound comes and when it is over', async () => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    run.timing.request(0, TEXT);
    calls[0]!.tell(STARTS_MS.length);
    calls[0]!.end();
    for (let at = 0; at < BODY.length; at += 10) run.timing.items(BODY.slice(at, at + 10), false);
    await run.timing.settled();
    expect(apart(run.startsOf(0), STARTS_MS)).toBeLessThanOrEqual(20);
    expect(run.told.length).toBeGreaterThan(5);
    for (const { estimate } of run.told) {
      const starts = Array.from(estimate.startsMs);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      expect(estimate.withinMs).toBeGreaterThan(0);
    }
    expect(run.told.at(-1)!.estimate.reached).toBe(STARTS_MS.length);
    expect([run.faults, run.openDecoders]).toEqual([[], 0]);
  });

  it('finds the words behind damage where they are: the hole is as long as it was', async () => {
    const broken = mp3Fixture('lame-cbr-24k.mp3');
    broken.fill(0x99, 30 * 192, 34 * 192);
    const heard = parseMp3([broken]).frames.map((frame): TranscoderItem => ({ kind: 'frame', frame }));
    const run = await timeAtOnce([...HEAD, ...heard, END]);
    expect(apart(run.startsOf(0), STARTS_MS)).toBeLessThanOrEqual(20);
  });

  it('tells nothing before a reference comes, and all when it comes behind the sound', async () => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    run.timing.request(0, TEXT);
    run.timing.items(BODY, false);
    const settled = run.timing.settled();
    expect([run.told, await isSettled(settled)]).toEqual([[], false]);
    calls[0]!.tell(2);
    expect(run.startsOf(0)).toHaveLength(STARTS_MS.length);
    expect(await isSettled(settled)).toBe(false);
    calls[0]!.tell(STARTS_MS.length);
    calls[0]!.end();
    await settled;
    expect(apart(run.startsOf(0), STARTS_MS)).toBeLessThanOrEqual(20);
  });

  it.each(['fails', 'ends'] as const)('goes by pauses when the reference %s in its midst', async (how) => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    run.timing.request(0, TEXT);
    run.timing.items(BODY.slice(0, 40), false);
    calls[0]!.tell(2);
    if (how === 'fails') calls[0]!.fail(new Error('secret words'));
    else calls[0]!.end();
    await settle();
    run.timing.items(BODY.slice(40), false);
    await run.timing.settled();
    expect(run.startsOf(0)).toHaveLength(STARTS_MS.length);
    expect(run.told.at(-1)!.estimate.reached).toBe(STARTS_MS.length);
    expect(run.faults).toEqual(how === 'fails' ? ['reference_speech_failed'] : []);
  });

  it('goes by pauses where there is no engine, and calls that no fault', async () => {
    const run = open();
    run.timing.request(0, TEXT);
    await settle();
    run.timing.items(BODY, false);
    await run.timing.settled();
    expect(run.startsOf(0)).toHaveLength(STARTS_MS.length);
    expect(run.faults).toEqual([]);
  });

  it('forgets what is taken back, whatever it was', async () => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    run.timing.request(0, TEXT);
    run.timing.items([...HEAD, ...frameItems.slice(0, 30)], false);
    calls[0]!.tell(STARTS_MS.length);
    calls[0]!.end();
    run.timing.items(frameItems.slice(5, 25), false);
    run.timing.takeBack(20);
    run.timing.items(frameItems.slice(30), false);
    run.timing.items([END], false);
    await run.timing.settled();
    expect(run.startsOf(0)).toEqual((await timeAtOnce(BODY)).startsOf(0));
    expect(run.openDecoders).toBe(0);
  });

  it('decodes nothing again when nothing is taken back', () => {
    const opened = vi.fn(() => codecs.decoders.open());
    const run = open({ speaker: fakeSpeaker().speaker, decoders: { ...codecs.decoders, open: opened } });
    run.timing.request(0, TEXT);
    run.timing.items(HEAD, false);
    run.timing.takeBack(0);
    expect(opened).toHaveBeenCalledTimes(1);
    run.timing.close();
  });

  it('remembers across a take-back that no reference will come', async () => {
    const run = open();
    run.timing.request(0, TEXT);
    await settle();
    run.timing.items([...HEAD, ...frameItems.slice(0, 40)], false);
    run.timing.takeBack(10);
    run.timing.items([...frameItems.slice(30), END], false);
    await run.timing.settled();
    expect(run.startsOf(0)).toHaveLength(STARTS_MS.length);
  });

  it.each([
    ['in the midst', 30, 45],
    ['at the beginning', 0, 12],
  ])('hears the bridge between two takes %s', async (_where, from, to) => {
    const run = await timeAtOnce([
      ...HEAD,
      ...frameItems.slice(0, from),
      { kind: 'bridge', bridge: bridgeOver(from, to) },
      ...frameItems.slice(to),
      END,
    ]);
    expect(run.faults).toEqual([]);
    expect(apart(run.startsOf(0), STARTS_MS)).toBeLessThanOrEqual(20);
  });

  it('comes through a bridge into silence', async () => {
    const bridge = { ...bridgeOver(60, 62), frames: [], next: undefined };
    const run = await timeAtOnce([...HEAD, ...frameItems.slice(0, 60), { kind: 'bridge', bridge }, END]);
    expect([run.faults, run.openDecoders]).toEqual([[], 0]);
    expect(run.startsOf(0)!.at(-1)!).toBeLessThanOrEqual(62 * 24);
  });

  it('bears a gap between frames', async () => {
    const gap: TranscoderItem = { kind: 'frame', frame: { ...frames[40]!, afterGap: true } };
    const run = await timeAtOnce([...HEAD, ...frameItems.slice(0, 37), gap, ...frameItems.slice(41), END]);
    expect(run.faults).toEqual([]);
    expect(apart(run.startsOf(0)!.slice(0, 3), STARTS_MS.slice(0, 3))).toBeLessThanOrEqual(20);
    // Three frames of 24 ms are not there.
    expect(
      apart(
        run.startsOf(0)!.slice(4),
        STARTS_MS.slice(4).map((ms) => ms - 72),
      ),
    ).toBeLessThanOrEqual(20);
  });

  it('counts the delay of the encoder where it is heard, by the tag of the take that is', async () => {
    const cut = await timeAtOnce(BODY);
    const heard = await timeAtOnce(BODY, 'heard');
    const leadMs = (streamLead(tag) * 1000) / RATE;
    expect(leadMs).toBeGreaterThan(40);
    expect(
      apart(
        heard.startsOf(0),
        cut.startsOf(0)!.map((ms) => ms + leadMs),
      ),
    ).toBeLessThan(1e-6);

    const other: TranscoderItem = { kind: 'tag', tag: { ...tag, encoderDelay: tag.encoderDelay! + 480 } };
    const replaced = await timeAtOnce([{ kind: 'begin' }, other, ...BODY], 'heard');
    expect(replaced.startsOf(0)).toEqual(heard.startsOf(0));
  });

  it('lets a speech go that it cannot decode, and times the others', async () => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    run.timing.request(0, TEXT);
    run.timing.items(frameItems.slice(0, 1), false); // outside a stream
    run.timing.items(BODY.slice(3), false);
    run.timing.takeBack(1);
    expect(await isSettled(run.timing.settled())).toBe(true);
    run.timing.request(1, TEXT);
    calls[0]!.tell(STARTS_MS.length);
    for (const call of calls) {
      call.tell(STARTS_MS.length);
      call.end();
    }
    run.timing.items(BODY, false);
    await run.timing.settled();
    expect(run.faults).toEqual(['word_timing_failed']);
    expect(run.told.map(({ index }) => index)).not.toContain(0);
    expect(apart(run.startsOf(1), STARTS_MS)).toBeLessThanOrEqual(20);
    expect(run.openDecoders).toBe(0);
  });

  it('asks for no reference of a text without words', async () => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    run.timing.request(0, NO_WORDS);
    run.timing.items(BODY, false);
    expect(await isSettled(run.timing.settled())).toBe(true);
    run.timing.request(1, TEXT);
    expect(calls).toHaveLength(1);
    calls[0]!.tell(STARTS_MS.length);
    run.timing.items(BODY, false);
    expect([...new Set(run.told.map(({ index }) => index))]).toEqual([1]);
    expect(run.openDecoders).toBe(0);
  });

  it('is settled when all is told whose sound has ended, and not by what still comes', async () => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    expect(await isSettled(run.timing.settled())).toBe(true);
    run.timing.request(1, TEXT);
    run.timing.items(BODY, false);
    run.timing.request(0, TEXT);
    run.timing.items(BODY.slice(0, 20), false);
    const [one, two] = [run.timing.settled(), run.timing.settled()];
    expect(await isSettled(one)).toBe(false);
    calls[0]!.tell(STARTS_MS.length);
    expect([await isSettled(one), await isSettled(two)]).toEqual([true, true]);
    run.timing.close();
  });

  it('stops in its midst: no estimate, no decoder, no reference, nobody left waiting', async () => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    run.timing.request(0, TEXT);
    run.timing.items(BODY, false);
    run.timing.request(0, TEXT);
    run.timing.items(BODY.slice(0, 20), false);
    const waiting = run.timing.settled();
    run.timing.close();
    await waiting;
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    calls[0]!.tell(STARTS_MS.length);
    await settle();
    expect([run.told, run.faults, run.openDecoders]).toEqual([[], [], 0]);
    expect(await isSettled(run.timing.settled())).toBe(true);
  });

  it('learns what the voice is like from a speech that is long enough to tell', async () => {
    expect((await timeAtOnce(BODY)).voice.known.mean).toBeUndefined();
    const twice = await timeAtOnce([...HEAD, ...frameItems, ...BODY]);
    expect(twice.voice.known.mean!.every(Number.isFinite)).toBe(true);
  });

  it('learns another voice from the requests that it speaks', async () => {
    const { calls, speaker } = fakeSpeaker();
    const run = open({ speaker });
    const other: { known: KnownVoice } = { known: UNKNOWN_VOICE };
    const say = async (index: number) => {
      run.timing.request(index, TEXT);
      calls[index]!.tell(STARTS_MS.length);
      calls[index]!.end();
      run.timing.items([...HEAD, ...frameItems, ...BODY], false);
      await run.timing.settled();
    };
    await say(0);
    run.timing.spokenBy(other);
    expect([run.voice.known.mean === undefined, other.known.mean === undefined]).toEqual([false, true]);
    const learned = run.voice.known;
    await say(1);
    expect([run.voice.known, other.known.mean === undefined]).toEqual([learned, false]);
  });

  it('finds the words with what the local engine says of the text', async () => {
    const program = createSpeechProcess({ command: espeakCommand(), clock: systemClock, log: silentLog });
    try {
      const run = open({ speaker: createReferenceSpeaker(program) });
      run.timing.request(0, TEXT);
      run.timing.items(BODY, false);
      await run.timing.settled();
      expect(run.faults).toEqual([]);
      const { estimate } = run.told.at(-1)!;
      expect(estimate.reached).toBe(STARTS_MS.length);
      expect(estimate.withinMs).toBeLessThan(60);
      expect(apart(run.startsOf(0), SPOKEN_MS)).toBeLessThanOrEqual(40);
    } finally {
      await program.close();
    }
  });

  describe('and how it ends', () => {
    /** A request whose reference is there at once, and of whose frames so many come. */
    const heardOf = (count: number) => {
      const { calls, speaker } = fakeSpeaker();
      const run = open({ speaker, wants: 'endings' });
      run.timing.request(0, TEXT);
      run.timing.items([...HEAD, ...frameItems.slice(0, count)], false);
      const { timing, told } = run;
      const tellAll = () => calls[0]!.tell(STARTS_MS.length);
      return { timing, told, tellAll, end: () => calls[0]!.end(), decoders: () => run.openDecoders };
    };

    it('is told of speech that is whole, and of speech that was cut, with the words that were said', async () => {
      const whole = heardOf(frameItems.length);
      whole.tellAll();
      expect(await whole.timing.ending('on-suspicion')).toMatchObject({
        missingCost: 0,
        mismatch: undefined,
        words: { reached: STARTS_MS.length },
      });
      const count = Math.round(frameItems.length * 0.55);
      const cut = heardOf(count);
      cut.tellAll();
      const ending = await cut.timing.ending('on-suspicion');
      expect(ending!.missingCost).toBeGreaterThan(45);
      expect(ending!.mismatch).toBeLessThan(0.8);
      expect(ending!.lengthRatio).toBeLessThan(0.8);
      const cutMs = (streamSamples(tag, count, SPF) * 1000) / RATE;
      const begun = STARTS_MS.filter((ms) => ms < cutMs).length;
      expect(Math.abs(ending!.words.reached - begun)).toBeLessThanOrEqual(1);
      // What was not said comes later than all that was.
      const starts = Array.from(ending!.words.startsMs).slice(ending!.words.reached);
      for (const ms of starts) expect(ms).toBeGreaterThanOrEqual(cutMs - 60);
      expect([whole.told, cut.told]).toEqual([[], []]);
    });

    it('waits for a reference that is still spoken, and is not known without one', async () => {
      const late = heardOf(frameItems.length);
      const ending = late.timing.ending('asked');
      late.tellAll();
      expect((await ending)?.missingCost).toBe(0);
      const failing = heardOf(frameItems.length);
      const unknown = failing.timing.ending('asked');
      failing.end();
      expect(await unknown).toBeUndefined();
      const closed = heardOf(frameItems.length);
      const never = closed.timing.ending('asked');
      closed.timing.close();
      expect(await never).toBeUndefined();
    });

    it('is that of all that has come, when more comes after all or some is taken back', async () => {
      const run = heardOf(40);
      run.tellAll();
      expect((await run.timing.ending('on-suspicion'))!.missingCost).toBeGreaterThan(45);
      run.timing.items(frameItems.slice(40, 60), false);
      run.timing.takeBack(20);
      run.timing.items(frameItems.slice(40), false);
      const ending = await run.timing.ending('on-suspicion');
      const whole = heardOf(frameItems.length);
      whole.tellAll();
      expect(ending).toEqual(await whole.timing.ending('on-suspicion'));
      run.timing.items([END], false);
      expect([await isSettled(run.timing.settled()), run.decoders()]).toEqual([true, 0]);
    });
  });
});

describe('speech that comes as µ-law', () => {
  /** The same speech at 8 kHz, packed and unpacked as on its way to the process. */
  const items = (): TranscoderItem[] => {
    const codes: Uint8Array[] = [];
    const rates = { fromRate: RATE, toRate: 8000, belowHz: undefined };
    const stage = codecs.sound.encode(rates, 'mulaw', (bytes) => codes.push(bytes.slice()));
    for (let at = 0; at < SPEECH.length; at += 576) stage.push(SPEECH.subarray(at, at + 576));
    stage.flush();
    const packer = createItemPacker(10_000);
    packer.add({ kind: 'begin' });
    const sink = { onFrame: (frame: SoundFrame) => packer.add({ kind: 'frame', frame }), onTag() {} };
    const reader = new PlainReader({ layout: 'mulaw', sampleRate: 8000, channels: 1 }, sink);
    for (const bytes of codes) reader.push(bytes);
    reader.flush();
    packer.add({ kind: 'end' });
    return unpackItems(packer.take()!.items);
  };
  it('has its words where they are, and its end is known', async () => {
    const { calls, speaker } = fakeSpeaker();
    const rig = open({ speaker });
    rig.timing.request(0, TEXT);
    const all = items();
    rig.timing.items(all.slice(0, -1), false);
    calls[0]!.tell(STARTS_MS.length);
    calls[0]!.end();
    expect(await rig.timing.ending('asked')).toMatchObject({ missingCost: expect.any(Number) });
    const ending = await rig.timing.ending('asked');
    expect(ending!.missingCost).toBeLessThan(45);
    expect(ending!.mismatch).toBeLessThan(0.9);
    rig.timing.items(all.slice(-1), false);
    await rig.timing.settled();
    expect(apart(rig.startsOf(0), STARTS_MS)).toBeLessThan(60);
    expect([rig.faults, rig.openDecoders]).toEqual([[], 0]);
  });
  it('whose end is missing shows it', async () => {
    const { calls, speaker } = fakeSpeaker();
    const rig = open({ speaker });
    rig.timing.request(0, TEXT);
    const all = items();
    rig.timing.items(all.slice(0, Math.floor(0.6 * all.length)), false);
    calls[0]!.tell(STARTS_MS.length);
    calls[0]!.end();
    expect((await rig.timing.ending('asked'))!.missingCost).toBeGreaterThan(45);
  });
});
