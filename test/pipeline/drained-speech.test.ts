import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { drainSpeech } from '../../src/pipeline/drained-speech.ts';
import { NO_WORD_TIMER, type WordTimer } from '../../src/pipeline/word-timing/word-timer.ts';
import type { OutputFormat } from '../../src/speech/audio-format.ts';
import { splitIntoRequests } from '../../src/text/request-text.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import { codecs, mp3Facts, speechMp3 } from '../support/codecs.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { createMemoryUpstream, type MemoryRequest } from '../support/memory-upstream.ts';
import { trustingRecovery } from '../support/trusting-recovery.ts';

const segments = wholeTextSegments('One is here.\nTwo is here.\nThree is here.', {
  language: 'english',
  markup: 'keep',
});
const TEXTS = splitIntoRequests(segments, 16);
const answer =
  (body: Uint8Array) =>
  (request: MemoryRequest): void => {
    for (let at = 0; at < body.length; at += 1000) request.send(body.subarray(at, at + 1000));
    request.end();
  };

function open(
  output: Omit<OutputFormat, 'frameMs'>,
  auto: (request: MemoryRequest) => void,
  texts = TEXTS,
  signal = new AbortController().signal,
  timer: WordTimer = NO_WORD_TIMER,
) {
  const clock = createFakeClock();
  const upstream = createMemoryUpstream(auto);
  const speech = drainSpeech(
    {
      runtime: { upstream, recovery: trustingRecovery(), codecs, timer, clock },
      tenant: 'ann',
      synthesis: {},
      seed: 1,
      defaultVoice: undefined,
      defaultVoice2: undefined,
      texts,
      output: { frameMs: 20, ...output },
      toWork: () => ({ class: 'batch', tenant: 'ann', deadlineMs: 0 }),
      listener: 'nobody',
      words: 'timed',
    },
    signal,
  );
  return { clock, upstream, speech };
}
async function all(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
const turns = async (count: number) => {
  for (let i = 0; i < count; i += 1) await settle();
};

describe('drained speech', () => {
  const body = speechMp3(1000);
  const bodyMs = mp3Facts(body).ms;

  it.each([
    ['mp3', undefined],
    ['mp3', 16_000],
    ['wav', 24_000],
    ['raw', 8000],
    ['mulaw', 8000],
    ['ogg', 24_000],
    ['flac', 24_000],
  ] as const)('gives all of a text as %s at %s', async (format, sampleRate) => {
    const { speech, upstream } = open({ format, sampleRate }, answer(body));
    const bytes = await all(speech.chunks);
    expect(bytes.length).toBeGreaterThan(1000);
    expect(speech.audioMs()).toBeGreaterThan(TEXTS.length * bodyMs - 100);
    expect(speech.audioMs()).toBeLessThan(TEXTS.length * bodyMs + 300);
    expect([speech.requests(), upstream.requests.length]).toEqual([3, 3]);
    expect(speech.sampleRate()).toBe(sampleRate ?? 24_000);
  });

  it('tells when each word is spoken, forward only, within the sound', async () => {
    const { speech } = open({ format: 'raw', sampleRate: 24_000 }, answer(body));
    await all(speech.chunks);
    const words = speech.words();
    expect(words.map(({ text }) => text).join(' ')).toMatch(/^One is here.* Two is here.* Three is here/);
    const times = words.flatMap(({ startMs, endMs }) => [startMs, endMs]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(speech.audioMs() + 1);
  });

  it('asks for nothing before it is read, and is a short silence without a text', async () => {
    const { upstream, speech } = open({ format: 'raw', sampleRate: 8000 }, answer(body), []);
    await turns(3);
    expect((await all(speech.chunks)).length).toBe(1600);
    expect(upstream.requests).toEqual([]);
  });

  it('holds the upstream back while nobody reads, and lets it go when he leaves', async () => {
    const long = Buffer.concat(Array.from({ length: 200 }, () => body));
    const { upstream, speech } = open({ format: 'mulaw', sampleRate: 8000 }, answer(long), TEXTS.slice(0, 1));
    await speech.chunks.next();
    await turns(50);
    const { unreadBytes } = upstream.requests[0]!;
    expect(unreadBytes).toBeGreaterThan(long.length - 400_000);
    await turns(50);
    expect(upstream.requests[0]!.unreadBytes).toBe(unreadBytes);
    expect(speech.audioMs()).toBeLessThan(3000);
    await speech.chunks.return();
    expect(upstream.live).toEqual([]);
  });

  it('gives what did arrive before it says what broke', async () => {
    const failure = new AppError('upstream_rejected', 'no');
    let count = 0;
    const { speech, upstream } = open({ format: 'raw', sampleRate: 8000 }, (request) => {
      count += 1;
      if (count === 1) answer(body)(request);
      else request.fail(failure);
    });
    let bytes = 0;
    await expect(
      (async () => {
        for await (const chunk of speech.chunks) bytes += chunk.length;
      })(),
    ).rejects.toThrow(failure);
    expect(bytes).toBeGreaterThan((bodyMs - 100) * 16);
    expect(upstream.live).toEqual([]);
  });

  it.each(['before', 'asked', 'reading'] as const)('ends with the reason it is given (%s)', async (when) => {
    const stop = new AbortController();
    const reason = new Error('enough');
    if (when === 'before') stop.abort(reason);
    const speak = when === 'reading' ? (request: MemoryRequest) => request.send(body) : () => {};
    const { speech, upstream, clock } = open({ format: 'raw', sampleRate: 8000 }, speak, TEXTS, stop.signal);
    const ended = expect(all(speech.chunks)).rejects.toBe(reason);
    await turns(10);
    stop.abort(reason);
    await ended;
    expect([upstream.live, clock.timers]).toEqual([[], 0]);
  });

  it('comes to its end however slowly and unevenly it is sent and read', async () => {
    const delays = fc.array(fc.constantFrom(0, 0, 0, 1, 40, 900), { minLength: 1, maxLength: 12 });
    const formats = fc.constantFrom<OutputFormat['format']>('mulaw', 'mp3', 'wav', 'ogg', 'flac');
    await fc.assert(
      fc.asyncProperty(
        delays,
        delays,
        formats,
        fc.integer({ min: 1, max: 6 }),
        async (sent, read, format, seconds) => {
          const whole = speechMp3(seconds * 1000);
          const sending: (() => Promise<void>)[] = [];
          const sampleRate = format === 'mulaw' ? 8000 : 24_000;
          const { clock, speech } = open({ format, sampleRate }, (request) => {
            sending.push(async () => {
              let step = 0;
              for (let at = 0; at < whole.length; at += 4096) {
                request.send(whole.subarray(at, at + 4096));
                const ms = sent[step++ % sent.length]!;
                if (ms > 0) await new Promise<void>((resolve) => clock.after(ms, resolve));
              }
              request.end();
            });
            void sending.at(-1)!();
          });
          let isOver = false;
          const reading = (async () => {
            let step = 0;
            for await (const chunk of speech.chunks) {
              expect(chunk.length).toBeGreaterThan(0);
              const ms = read[step++ % read.length]!;
              if (ms > 0) await new Promise<void>((resolve) => clock.after(ms, resolve));
            }
          })().finally(() => {
            isOver = true;
          });
          for (let i = 0; i < 3000 && !isOver; i += 1) await clock.run(100);
          expect(isOver).toBe(true);
          await reading;
          expect(speech.audioMs()).toBeGreaterThan(TEXTS.length * seconds * 1000 - 300);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('drained speech with a word timer', () => {
  const body = speechMp3(1000);
  const texts = TEXTS.slice(0, 2);
  function fakeTimer() {
    const told: string[] = [];
    const held: { settle: (() => void) | undefined } = { settle: undefined };
    let openSpeeches = 0;
    const timer: WordTimer = {
      reference: 'there',
      open({ onEstimate }) {
        openSpeeches += 1;
        let index = -1;
        let isOpen = true;
        return {
          spokenBy() {},
          request(at, { text, wordAt }) {
            index = at;
            told.push(`${text.trim()} ${wordAt.join()}`);
          },
          tap: {
            add({ kind }) {
              if (kind !== 'end') return;
              const startsMs = [100, 400, 700].map((ms) => ms + index);
              onEstimate(index, { startsMs, endsMs: [200, 500, 800], reached: 3, withinMs: 15 });
            },
            takeBack() {},
          },
          ending: async () => undefined,
          isBehind: () => false,
          isClosed: () => !isOpen,
          settled: () =>
            new Promise((resolve) => {
              held.settle = resolve;
            }),
          close() {
            if (isOpen) openSpeeches -= 1;
            isOpen = false;
            held.settle?.();
          },
        };
      },
    };
    return { timer, told, held, openSpeeches: () => openSpeeches };
  }

  it('has its words where they were found, and ends when the last of them is known', async () => {
    const { timer, told, held, openSpeeches } = fakeTimer();
    const { speech } = open({ format: 'mp3', sampleRate: undefined }, answer(body), texts, undefined, timer);
    let isOver = false;
    const bytes = all(speech.chunks).finally(() => {
      isOver = true;
    });
    await turns(50);
    expect([isOver, openSpeeches()]).toEqual([false, 1]);
    held.settle!();
    await bytes;
    expect(openSpeeches()).toBe(0);
    expect(told).toEqual(['One is here. 0,4,7', 'Two is here. 0,4,7']);
    const second = mp3Facts(body).frames.length * 24;
    expect(speech.words().map(({ startMs, withinMs }) => [startMs, withinMs])).toEqual(
      [100, 400, 700, second + 101, second + 401, second + 701].map((ms) => [ms, 15]),
    );
  });

  it('holds no place of the timer unless it is drained, and none when that breaks off', async () => {
    const { timer, openSpeeches } = fakeTimer();
    const format = { format: 'mp3', sampleRate: undefined } as const;
    await open(format, answer(body), texts, undefined, timer).speech.chunks.return();
    expect(openSpeeches()).toBe(0);
    const left = open(format, answer(body), texts, undefined, timer).speech.chunks;
    await left.next();
    expect(openSpeeches()).toBe(1);
    await left.return();
    expect(openSpeeches()).toBe(0);
    const failing = open(
      format,
      (request) => request.fail(new AppError('upstream_broken', 'broken')),
      texts,
      undefined,
      timer,
    );
    await expect(all(failing.speech.chunks)).rejects.toMatchObject({ code: 'upstream_broken' });
    expect(openSpeeches()).toBe(0);
  });

  it('does not wait for words that nobody wants any more', async () => {
    const { timer, openSpeeches } = fakeTimer();
    const stop = new AbortController();
    const { speech } = open(
      { format: 'mp3', sampleRate: undefined },
      answer(body),
      texts,
      stop.signal,
      timer,
    );
    const bytes = all(speech.chunks);
    await turns(50);
    stop.abort(new Error('gone'));
    await expect(bytes).rejects.toThrow('gone');
    expect(openSpeeches()).toBe(0);
  });
});
