// Where a speech that breaks off is cut, what is left of its text, and that all of it is said by two services.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import type { TimedWord } from '../../src/captions/word-timeline.ts';
import { WordTimeline } from '../../src/captions/word-timeline.ts';
import { drainSpeech } from '../../src/pipeline/drained-speech.ts';
import { handOver, planHandOver } from '../../src/pipeline/hand-over.ts';
import type { ServingService } from '../../src/pipeline/speech-services.ts';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timing/word-timer.ts';
import { composeRequest, type RequestText } from '../../src/text/request-text.ts';
import type { Segment } from '../../src/text/segment.ts';
import { spokenWords } from '../../src/text/spoken-words.ts';
import { dialogueSegments, wholeTextSegments } from '../../src/text/turn-text.ts';
import { createServiceWatch, type ServiceWatch } from '../../src/upstream/health/service-watch.ts';
import { codecs, speechMp3 } from '../support/codecs.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryUpstream, type MemoryRequest } from '../support/memory-upstream.ts';
import { mp3Fixture } from '../support/mp3-fixtures.ts';
import { trustingRecovery } from '../support/trusting-recovery.ts';

const wordsOf = (text: RequestText | undefined) =>
  text === undefined ? [] : spokenWords(text.parts.map(({ segment }) => segment));

const anyWords = fc
  .array(
    fc.record({
      lengthMs: fc.integer({ min: 60, max: 900 }),
      pauseMs: fc.constantFrom(0, 0, 0, 0, 250),
      errorMs: fc.integer({ min: -40, max: 40 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((given) => {
    let atMs = 0;
    return given.map(({ lengthMs, pauseMs, errorMs }, index) => {
      const [startMs, endMs] = [atMs, atMs + lengthMs];
      atMs = endMs + pauseMs;
      const off = index === 0 ? 0 : errorMs;
      const told: TimedWord = {
        text: 'word',
        line: 0,
        speaker: undefined,
        charStart: 5 * index,
        charEnd: 5 * index + 4,
        weight: 1,
        pause: pauseMs > 0 ? 5 : 0,
        startMs: startMs + off,
        endMs: endMs + errorMs,
        withinMs: 40,
      };
      return { startMs, endMs, told };
    });
  });

describe('where a speech is cut that breaks off', () => {
  it('no word is lost and at most one is said twice, whatever was sent', () => {
    fc.assert(
      fc.property(anyWords, fc.nat(10_000), fc.nat(10_000), fc.nat(3000), (words, known, sent, neededMs) => {
        const totalMs = words.at(-1)!.endMs;
        const knownMs = Math.min(known, totalMs);
        const sentMs = Math.min(sent, knownMs);
        const cut = planHandOver(
          words.map(({ told }) => told),
          { sentMs, knownMs, heardMs: sentMs, neededMs },
        );
        expect(cut.keptMs).toBeGreaterThanOrEqual(sentMs);
        expect(cut.keptMs).toBeLessThanOrEqual(knownMs);
        expect(cut.keptMs - cut.searchMs).toBeGreaterThanOrEqual(sentMs);
        // What the other service does not say has been heard whole.
        for (const { endMs } of words.slice(0, cut.word))
          expect(endMs).toBeLessThanOrEqual(cut.keptMs + 1e-6);
        // Of what it says, one word at most had been said.
        const saidTwice = words.slice(cut.word).filter(({ endMs }) => endMs <= cut.keptMs - 2 * 40);
        expect(saidTwice.length).toBeLessThanOrEqual(1);
        if (cut.at === 'clause') {
          expect(words[cut.word - 1]!.told.pause).toBeGreaterThan(0);
          expect(cut.keptMs - sentMs).toBeGreaterThanOrEqual(neededMs);
        }
      }),
    );
  });

  it('is the end of a clause where enough is in hand, else the last word', () => {
    const words = [
      { startMs: 0, endMs: 900, pause: 5 },
      { startMs: 1100, endMs: 1500, pause: 0 },
      { startMs: 1500, endMs: 2000, pause: 0 },
    ].map(
      (word, index): TimedWord => ({
        ...word,
        text: 'word',
        line: 0,
        speaker: undefined,
        charStart: 5 * index,
        charEnd: 5 * index + 4,
        weight: 1,
        withinMs: 20,
      }),
    );
    const inHand = { sentMs: 0, knownMs: 1700, heardMs: 0 };
    expect(planHandOver(words, { ...inHand, neededMs: 850 })).toMatchObject({ word: 1, at: 'clause' });
    expect(planHandOver(words, { ...inHand, neededMs: 1100 })).toMatchObject({ word: 2, at: 'word' });
    expect(planHandOver(words, { ...inHand, sentMs: 1600, neededMs: 0 })).toEqual({
      word: 2,
      keptMs: 1600,
      searchMs: 0,
      at: 'inside',
    });
  });
});

const LINES = [
  { speaker: 1, text: 'Good morning, is this the harbour office? I *need* a berth.' },
  { speaker: 2, text: 'It is. For how long – and how large is the boat?' },
  { speaker: 1, text: 'Eleven metres; 2 nights.' },
] as const;
const how = { language: 'english', markup: 'strip' } as const;
const TEXTS: Readonly<Record<string, readonly Segment[]>> = {
  plain: wholeTextSegments('One (two) three. “Four”, five 世界你好。 six – seven\nEight 🙂 nine!', how),
  dialogue: dialogueSegments(LINES, how),
};

describe('what is left of a request', () => {
  it.each(Object.entries(TEXTS))(
    'is its text from the word on, in place and by its speaker: %s',
    (_name, segments) => {
      const request = composeRequest(segments)!;
      const words = wordsOf(request);
      for (const [index, word] of words.entries()) {
        const timeline = new WordTimeline(60);
        timeline.addRequest(words);
        const knownMs = 100_000;
        timeline.align(0, {
          startsMs: words.map((_, w) => (w < index ? w : 2 * knownMs)),
          endsMs: words.map((_, w) => (w < index ? w + 1 : 2 * knownMs + 1)),
          reached: index,
          withinMs: 1,
        });
        const inHand = { knownMs, untakenMs: knownMs, neededMs: 1e9, remainingMs: knownMs };
        const { rest, cut } = handOver(timeline, request, inHand);
        expect(cut.word).toBe(index);
        expect(timeline.words().map(({ text }) => text)).toEqual(
          words.slice(0, index).map(({ text }) => text),
        );
        const [first] = wordsOf(rest);
        expect(first).toMatchObject({ line: word.line, speaker: word.speaker, charStart: word.charStart });
        expect(
          wordsOf(rest)
            .map(({ text }) => text)
            .join(''),
        ).toBe(
          words
            .slice(index)
            .map(({ text }) => text)
            .join(''),
        );
        expect([rest?.turnPrefix, rest?.turnPrefix2]).toEqual([request.turnPrefix, request.turnPrefix2]);
        if (request.turnPrefix !== undefined)
          expect(rest!.text.startsWith(word.speaker === 2 ? request.turnPrefix2! : request.turnPrefix)).toBe(
            true,
          );
      }
    },
  );
});

describe('a speech that breaks off', () => {
  const SENTENCE = new Uint8Array(mp3Fixture('lame-cbr-24k.mp3'));
  const TEXT = 'Good evening. The last train to the harbour leaves at ten past nine.';

  const watchOf = () =>
    createServiceWatch({ clock: createFakeClock(), onChange() {}, onRival() {}, onSpoke() {} });
  const service = (name: string, auto: (request: MemoryRequest) => void, watch?: ServiceWatch) => {
    const upstream = createMemoryUpstream(auto);
    const serving: ServingService = {
      name,
      upstream,
      recovery: trustingRecovery(),
      identity: name,
      ignored: [],
      voice: undefined,
      voice2: undefined,
      defaultVoice: undefined,
      defaultVoice2: undefined,
      watch,
      isLastResort: false,
    };
    return { upstream, serving };
  };
  const whole = (request: MemoryRequest) => {
    request.send(SENTENCE);
    request.end();
  };
  const breaking = (share: number) => {
    let asked = 0;
    return (request: MemoryRequest) => {
      asked += 1;
      if (asked > 1) return request.fail(new AppError('upstream_unreachable', 'gone'));
      request.send(SENTENCE.subarray(0, Math.floor(share * SENTENCE.length)));
      setImmediate(() => setImmediate(() => request.fail(new AppError('upstream_broken', 'it broke'))));
    };
  };

  const drained = async (services: readonly ServingService[]) => {
    const clock = createFakeClock();
    const [first, ...others] = services;
    const speech = drainSpeech(
      {
        runtime: {
          services: { chain: () => [first!, ...others] },
          upstream: first!.upstream,
          recovery: first!.recovery,
          codecs,
          timer: NO_WORD_TIMER,
          clock,
        },
        tenant: 'ann',
        synthesis: {},
        seed: 1,
        defaultVoice: undefined,
        defaultVoice2: undefined,
        texts: [composeRequest(wholeTextSegments(TEXT, how))!],
        output: { format: 'raw', sampleRate: 24_000, frameMs: 20 },
        toWork: () => ({ class: 'batch', tenant: 'ann', deadlineMs: 0 }),
        listener: 'nobody',
        words: 'timed',
      },
      new AbortController().signal,
    );
    let [bytes, isOver] = [0, false];
    const reading = (async () => {
      for await (const chunk of speech.chunks) bytes += chunk.length;
    })().finally(() => {
      isOver = true;
    });
    reading.catch(() => {});
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.run(20);
    }
    await reading;
    return { speech, audioMs: bytes / 48 };
  };

  it.each([0.45, 0.6, 0.8, 0.95])(
    'is gone on with by the next service, all words in order: %s of it',
    async (share) => {
      const a = service('a', breaking(share));
      const b = service('b', whole);
      const { speech, audioMs } = await drained([a.serving, b.serving]);
      const [rest] = b.upstream.requests;
      expect(TEXT.endsWith(rest!.body.text)).toBe(true);
      expect(rest!.body.text.length).toBeLessThan(TEXT.length);
      const words = speech.words();
      expect(words.map(({ text }) => text).join(' ')).toBe(TEXT);
      for (const { text, charStart, charEnd } of words) expect(TEXT.slice(charStart, charEnd)).toBe(text);
      const starts = words.map(({ startMs }) => startMs);
      expect(starts).toEqual([...starts].sort((x, y) => x - y));
      // The words of the second begin where its sound does.
      const first = words.find(({ charStart }) => charStart === TEXT.length - rest!.body.text.length)!;
      expect(Math.abs(audioMs - 2263 - first.startMs)).toBeLessThan(30);
      expect(first.startMs).toBeLessThan(share * 2263 + 30);
    },
  );

  /** Frames of MPEG-2 Layer III without anything in them, 24 ms each. */
  const silence = (ms: number) => {
    const frame = new Uint8Array(192);
    frame.set([0xff, 0xf3, 0x84, 0xc4]);
    return Uint8Array.from(Array.from({ length: Math.ceil(ms / 24) }, () => [...frame]).flat());
  };
  /** Speech of so much of the sentence, and then other sound for as long as anybody reads. */
  const turning = (share: number, sound: Uint8Array) => {
    const sent = { ms: 0 };
    const auto = async (request: MemoryRequest) => {
      request.send(SENTENCE.subarray(0, Math.floor((share * SENTENCE.length) / 192) * 192));
      for (; sent.ms < 20_000 && request.state === 'open'; sent.ms += (sound.length / 192) * 24) {
        request.send(sound);
        for (let n = 0; n < 4; n += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      if (request.state === 'open') request.end();
    };
    return { sent, auto: (request: MemoryRequest) => void auto(request) };
  };
  it.each([
    ['silence', silence(500)],
    ['a tone', speechMp3(504)],
  ])('and goes on as %s is left when it has been so for some seconds', async (_what, sound) => {
    const { sent, auto } = turning(0.7, sound);
    const a = service('a', auto);
    let sentMs = 0;
    const b = service('b', (request) => {
      sentMs = sent.ms;
      whole(request);
    });
    const { speech } = await drained([a.serving, b.serving]);
    expect(sentMs).toBeGreaterThan(3_000);
    expect(sentMs).toBeLessThan(8_000);
    expect(a.upstream.requests).toHaveLength(1);
    const [rest] = b.upstream.requests;
    expect(TEXT.endsWith(rest!.body.text)).toBe(true);
    expect(rest!.body.text.length).toBeLessThan(TEXT.length);
    expect(
      speech
        .words()
        .map(({ text }) => text)
        .join(' '),
    ).toBe(TEXT);
  });
  it.each([
    ['silence', silence(6_000)],
    ['what is no sound', new Uint8Array(20_000).fill(0x55)],
  ])('is gone on with where its speech comes in one piece with %s behind it', async (_what, rest) => {
    const a = service('a', (request) => {
      const speech = SENTENCE.subarray(0, Math.floor((0.7 * SENTENCE.length) / 192) * 192);
      request.send(Buffer.concat([speech, rest]));
      request.end();
    });
    const b = service('b', whole);
    const { speech } = await drained([a.serving, b.serving]);
    expect(b.upstream.requests).toHaveLength(1);
    const words = speech.words().map(({ text }) => text);
    expect(words.join(' ')).toBe(TEXT);
  });
  it('and rests for as long as a voice may is not left', async () => {
    const a = service('a', (request) => {
      request.send(SENTENCE);
      request.send(silence(3_000));
      request.send(SENTENCE);
      request.end();
    });
    const b = service('b', whole);
    await drained([a.serving, b.serving]);
    expect([a.upstream.requests.length, b.upstream.requests.length]).toEqual([1, 0]);
  });

  it('is asked for again where the only other service has just failed at it', async () => {
    const a = service('a', (request) => request.fail(new AppError('upstream_unreachable', 'gone')));
    let asked = 0;
    const b = service('b', (request) => {
      asked += 1;
      if (asked > 1) return whole(request);
      request.send(SENTENCE.subarray(0, SENTENCE.length >> 1));
      setImmediate(() => setImmediate(() => request.fail(new AppError('upstream_broken', 'it broke'))));
    });
    const { speech, audioMs } = await drained([a.serving, b.serving]);
    expect([a.upstream.requests.length, b.upstream.requests.length]).toEqual([1, 2]);
    expect(speech.words()).toHaveLength(TEXT.split(' ').length);
    expect(Math.abs(audioMs - 2_263)).toBeLessThan(60);
  });

  it('is asked for once more where the only other service stays silent', async () => {
    const a = service('a', () => {}, watchOf());
    let asked = 0;
    const b = service(
      'b',
      (request) => {
        asked += 1;
        if (asked > 2) return whole(request);
        if (asked === 1) request.send(SENTENCE.subarray(0, SENTENCE.length >> 1));
        setImmediate(() => setImmediate(() => request.fail(new AppError('upstream_broken', 'it broke'))));
      },
      watchOf(),
    );
    const { speech } = await drained([a.serving, b.serving]);
    expect([a.upstream.requests.length, b.upstream.requests.length]).toEqual([2, 3]);
    const [first, again, rest] = b.upstream.requests.map(({ body }) => body.text);
    expect([first, again]).toEqual([TEXT, TEXT]);
    expect(rest!.length).toBeLessThan(TEXT.length);
    const words = speech.words();
    expect(words.map(({ text }) => text).join(' ')).toBe(TEXT);
  });

  it('is given up where all services break off, each with one more chance', async () => {
    const a = service('a', breaking(0.6));
    const b = service('b', breaking(0.7));
    await expect(drained([a.serving, b.serving])).rejects.toMatchObject({ code: 'upstream_unreachable' });
    expect([a.upstream.requests.length, b.upstream.requests.length]).toEqual([3, 3]);
  });
});
