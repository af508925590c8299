// What the voice of last resort says, by what the caller wants of it, where every other service fails.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { type DrainedSpeechOptions, drainSpeech } from '../../src/pipeline/drained-speech.ts';
import type { ServingService } from '../../src/pipeline/speech-services.ts';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timing/word-timer.ts';
import { composeRequest } from '../../src/text/request-text.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import { createServiceWatch } from '../../src/upstream/health/service-watch.ts';
import { codecs } from '../support/codecs.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createMemoryUpstream, type MemoryRequest } from '../support/memory-upstream.ts';
import { mp3Fixture } from '../support/mp3-fixtures.ts';
import { trustingRecovery } from '../support/trusting-recovery.ts';

const SENTENCE = new Uint8Array(mp3Fixture('lame-cbr-24k.mp3'));
const TEXT = 'The last train to the harbour leaves at ten.';
const away = (request: MemoryRequest) => request.fail(new AppError('upstream_unreachable', 'It is away.'));
const whole = (request: MemoryRequest) => {
  request.send(SENTENCE);
  request.end();
};
const broken = (request: MemoryRequest) => {
  request.send(SENTENCE.subarray(0, SENTENCE.length >> 1));
  setImmediate(() => setImmediate(() => request.fail(new AppError('upstream_broken', 'It broke.'))));
};

async function said(
  first: (request: MemoryRequest, clock: FakeClock) => void,
  wish: Pick<DrainedSpeechOptions, 'lastResort' | 'lastResortText' | 'upstream'>,
) {
  const clock = createFakeClock();
  const service = (name: string, auto: typeof first, isLastResort: boolean) => {
    const upstream = createMemoryUpstream((request) => auto(request, clock));
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
      watch: createServiceWatch({ clock, onChange() {}, onRival() {}, onSpoke() {} }),
      isLastResort,
    };
    return { upstream, serving };
  };
  const a = service('vendor', first, false);
  const engine = service('engine', whole, true);
  const speech = drainSpeech(
    {
      ...wish,
      runtime: {
        services: {
          chain: ({ upstream: [only, ...others] }) =>
            only === undefined || others.length > 0 ? [a.serving, engine.serving] : [a.serving],
        },
        upstream: a.upstream,
        recovery: a.serving.recovery,
        codecs,
        timer: NO_WORD_TIMER,
        clock,
      },
      tenant: 'ann',
      synthesis: {},
      seed: 1,
      defaultVoice: undefined,
      defaultVoice2: undefined,
      texts: [composeRequest(wholeTextSegments(TEXT, { language: 'english', markup: 'strip' }))!],
      output: { format: 'raw', sampleRate: 24_000, frameMs: 20 },
      toWork: () => ({ class: 'batch', tenant: 'ann', deadlineMs: 0 }),
      listener: 'nobody',
      words: 'timed',
    },
    new AbortController().signal,
  );
  let [bytes, isOver] = [0, false];
  let code: string | undefined;
  const reading = (async () => {
    for await (const chunk of speech.chunks) bytes += chunk.length;
  })()
    .catch((thrown: AppError) => {
      code = thrown.code;
    })
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.run(20);
  }
  await reading;
  return {
    audioMs: bytes / 48,
    code,
    asked: engine.upstream.requests.map(({ body }) => body.text),
    words: speech.words().map(({ text }) => text),
  };
}

describe('where all services fail but the voice of last resort', () => {
  it('it speaks the text, unless the caller wants something else', async () => {
    for (const wish of [{}, { lastResort: 'speak' } as const])
      expect(await said(away, wish)).toMatchObject({
        code: undefined,
        asked: [TEXT],
        words: TEXT.split(' '),
      });
  });
  it('it says that it is sorry, in the sentence of the caller, and the turn fails as the first service did', async () => {
    const sorry = 'Bitte rufen Sie später an.';
    const told = await said(away, { lastResort: 'apologise', lastResortText: sorry });
    expect(told).toMatchObject({ code: 'upstream_unreachable', asked: [sorry], words: [] });
    expect(told.audioMs).toBeGreaterThan(2_000);
    const { asked } = await said(away, { lastResort: 'apologise' });
    expect(asked).toEqual(['I am sorry, I cannot speak right now.']);
  });
  it('it is not asked where the turn is to fail', async () => {
    expect(await said(away, { lastResort: 'fail' })).toMatchObject({
      code: 'upstream_unreachable',
      asked: [],
      audioMs: 0,
    });
  });
  it('it goes on in the middle of a text, where it may speak it', async () => {
    const { code, asked, words } = await said(broken, {});
    expect([code, words]).toEqual([undefined, TEXT.split(' ')]);
    expect(TEXT.endsWith(asked[0]!)).toBe(true);
    for (const lastResort of ['apologise', 'fail'] as const)
      expect(await said(broken, { lastResort })).toMatchObject({ code: 'upstream_broken', asked: [] });
  });
  it('it is sorry also where the caller has named others alone, who would not give it the text', async () => {
    const wish = { lastResort: 'apologise', lastResortText: 'Sorry.', upstream: ['vendor'] } as const;
    expect(await said(away, wish)).toMatchObject({ code: 'upstream_unreachable', asked: ['Sorry.'] });
    expect(await said(away, { upstream: ['vendor'] })).toMatchObject({ asked: [] });
  });
  it('it is not sorry beside a service that is only late', async () => {
    // It is late after 1.5 s.
    const slow = (request: MemoryRequest, clock: FakeClock) => void clock.after(2_000, () => whole(request));
    for (const wish of [{}, { upstream: ['vendor'] }] as const)
      expect(await said(slow, { ...wish, lastResort: 'apologise' })).toMatchObject({
        code: undefined,
        asked: [],
        words: TEXT.split(' '),
      });
  });
  it('it speaks as any other where the caller has named it', async () => {
    const wish = { lastResort: 'apologise', upstream: ['vendor', 'engine'] } as const;
    expect(await said(away, wish)).toMatchObject({ code: undefined, asked: [TEXT] });
  });
});
