import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { createSpeechRecovery } from '../../src/pipeline/whole-body/speech-recovery.ts';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timing/word-timer.ts';
import { openFilePartShelf } from '../../src/service/file-part-shelf.ts';
import type { PartShelf, SpokenPart } from '../../src/service/part-shelf.ts';
import { speakParts } from '../../src/service/speak-parts.ts';
import { createFileWorkFiles } from '../../src/storage/works/file-work-files.ts';
import { splitIntoRequests } from '../../src/text/request-text.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import { codecs, mp3Facts, speechMp3 } from '../support/codecs.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { createMemoryUpstream, type MemoryRequest } from '../support/memory-upstream.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { SENTENCE } from '../support/service-chain-rig.ts';
import { trustingRecovery } from '../support/trusting-recovery.ts';

const TEXTS = splitIntoRequests(
  wholeTextSegments('One is here.\nTwo is here.\nThree is here.\nFour is here.', {
    language: 'english',
    markup: 'keep',
  }),
  16,
);
const answer = (request: MemoryRequest) => {
  request.send(speechMp3(600));
  request.end();
};

/** A shelf in memory. */
function createShelf(): PartShelf & { readonly parts: Map<number, SpokenPart> } {
  const parts = new Map<number, SpokenPart>();
  return {
    parts,
    find: async (index) => parts.get(index),
    async keep(index, chunks, facts) {
      for await (const chunk of chunks) expect(chunk.length).toBeGreaterThan(0);
      const part = { path: `part ${index}`, ...facts() };
      parts.set(index, part);
      return part;
    },
  };
}

function open(
  auto: (request: MemoryRequest, count: number) => void = answer,
  texts = TEXTS,
  atOnce = 1,
  recovery = trustingRecovery(),
) {
  const clock = createFakeClock();
  let count = 0;
  const upstream = createMemoryUpstream((request) => {
    count += 1;
    auto(request, count);
  });
  const shelf = createShelf();
  const progress: number[] = [];
  const stop = new AbortController();
  const spoken = () =>
    speakParts(
      {
        runtime: { upstream, recovery, codecs, timer: NO_WORD_TIMER, clock },
        synthesis: { voice: 'a' },
        seed: 1,
        defaultVoice: undefined,
        defaultVoice2: undefined,
        texts,
        tenant: 'ann',
        work: 'job',
        shelf,
        atOnce,
        onProgress: (done) => progress.push(done),
      },
      stop.signal,
    );
  return { clock, upstream, shelf, progress, stop, spoken };
}
const turns = async (count = 20) => {
  for (let i = 0; i < count; i += 1) await settle();
};

describe('speakParts', () => {
  it('speaks each text once, in order, and tells how far it is', async () => {
    const { upstream, spoken, progress, clock } = open();
    const parts = await spoken();
    expect(TEXTS).toHaveLength(4);
    expect(upstream.requests.map(({ body }) => body.text)).toEqual(TEXTS.map(({ text }) => text));
    expect(parts.map(({ path }) => path)).toEqual(['part 0', 'part 1', 'part 2', 'part 3']);
    expect(parts.map(({ words }) => words.map(({ text }) => text).join(' '))[2]).toMatch(/^Three is here/);
    expect(progress).toHaveLength(4);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it('does not speak again what was kept', async () => {
    const { shelf, upstream, spoken } = open();
    shelf.parts.set(1, { path: 'kept', audioMs: 5, words: [] });
    const parts = await spoken();
    expect(parts[1]!.path).toBe('kept');
    expect(upstream.requests.map(({ body }) => body.text)).not.toContain(TEXTS[1]!.text);
    expect(upstream.requests).toHaveLength(3);
  });

  it('speaks several at the same time, never more than it was told, and keeps the order', async () => {
    const { upstream, spoken } = open(() => {}, TEXTS, 3);
    const speaking = spoken();
    await turns();
    expect(upstream.live).toHaveLength(3);
    answer(upstream.requests[2]!);
    await turns();
    expect(upstream.requests).toHaveLength(4);
    for (const request of [...upstream.live].reverse()) answer(request);
    expect((await speaking).map(({ path }) => path)).toEqual(['part 0', 'part 1', 'part 2', 'part 3']);
  });

  it('makes one short silence of nothing', async () => {
    const { upstream, spoken, progress } = open(answer, []);
    const parts = await spoken();
    expect(upstream.requests).toHaveLength(0);
    expect(parts).toHaveLength(1);
    expect(parts[0]!.audioMs).toBeGreaterThanOrEqual(100);
    expect(progress).toEqual([1]);
  });

  it('outlives a service that is away for three minutes, and gives up after that', async () => {
    const away = new AppError('upstream_unreachable', 'away');
    const { clock, upstream, spoken } = open((request, count) =>
      count <= 5 ? request.fail(away) : answer(request),
    );
    const speaking = spoken();
    const asked: number[] = [];
    for (let second = 0; second < 220; second += 1) {
      asked[second] = upstream.requests.length;
      await turns();
      await clock.run(1000);
    }
    expect([asked[0], asked.at(-1)]).toEqual([0, 9]);
    expect(await speaking).toHaveLength(4);

    const gone = open((request) => request.fail(away));
    const failing = expect(gone.spoken()).rejects.toThrow(away);
    for (let second = 0; second < 220; second += 1) {
      await turns();
      await gone.clock.run(1000);
    }
    await failing;
    expect(gone.upstream.requests).toHaveLength(6);
    expect(gone.clock.timers).toBe(0);
  });

  it('waits as long as it was told to before it asks again', async () => {
    const later = new AppError('upstream_rate_limited', 'later', { retryAfterMs: 30_000 });
    const { clock, upstream, spoken } = open((request, count) =>
      count === 1 ? request.fail(later) : answer(request),
    );
    const speaking = spoken();
    await turns();
    await clock.run(29_000);
    expect(upstream.requests).toHaveLength(1);
    await clock.run(2000);
    await turns();
    expect(await speaking).toHaveLength(4);
  });

  it('does not ask again for what is refused for good; the other lanes stop with it', async () => {
    const no = new AppError('upstream_rejected', 'no');
    const { upstream, spoken, clock } = open((request, count) => count === 2 && request.fail(no), TEXTS, 3);
    await expect(spoken()).rejects.toThrow(no);
    expect(upstream.requests.map(({ state }) => state)).toEqual(['aborted', 'failed', 'aborted']);
    expect(clock.timers).toBe(0);
  });

  it.each(['asked', 'pausing'] as const)('stops with the reason it is given (%s)', async (when) => {
    const away = new AppError('upstream_unreachable', 'away');
    const { upstream, spoken, stop, clock } = open(
      when === 'asked' ? () => {} : (request) => request.fail(away),
    );
    const reason = new Error('cancelled');
    const stopped = expect(spoken()).rejects.toBe(reason);
    await turns();
    stop.abort(reason);
    await stopped;
    expect(upstream.live).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});

describe('a part whose sound breaks off, where no words can be heard', () => {
  const FRAMES = mp3Facts(SENTENCE).frames;
  /** Of the sentence, up to the middle of a sound. */
  const cut = (frames: number) => Buffer.concat(FRAMES.slice(0, frames).map(({ bytes }) => bytes));
  const MID_SOUND = 60;
  async function speakWith(bodyOf: (text: string, count: number) => Uint8Array) {
    const { clock, upstream, spoken, shelf } = open(
      (request, count) => {
        request.send(bodyOf(request.body.text, count));
        request.end();
      },
      TEXTS,
      1,
      createSpeechRecovery(),
    );
    const outcome = spoken().then(
      (parts) => parts.length,
      (error: AppError) => error.code,
    );
    for (const waitMs of [0, 1000, 5000, 20_000, 60_000, 120_000]) {
      await clock.run(waitMs);
      await turns(60);
    }
    return { outcome: await outcome, upstream, shelf };
  }

  it('is kept when all that was asked for over minutes is the same to the last byte: the voice says it so', async () => {
    const { outcome, upstream, shelf } = await speakWith((text) =>
      text === TEXTS[2]!.text ? cut(MID_SOUND) : SENTENCE,
    );
    expect(outcome).toBe(4);
    // Each time with a second body, and at last without.
    expect(upstream.requests.filter(({ body }) => body.text === TEXTS[2]!.text)).toHaveLength(11);
    expect(shelf.parts.get(2)!.audioMs).toBeGreaterThan(MID_SOUND * 24 - 60);
  });

  it('is not kept when it is another one each time, nor when the service says nothing longer', async () => {
    const others = await speakWith((text, count) =>
      text === TEXTS[2]!.text ? cut(MID_SOUND + (count % 4)) : SENTENCE,
    );
    expect(others.outcome).toBe('upstream_broken');
    const limited = await speakWith(() => cut(MID_SOUND));
    expect(limited.outcome).toBe('upstream_broken');
  });
});

describe('parts as files', () => {
  const work = randomUUID();
  let dataDir = '';
  let folder = '';
  beforeEach(async () => {
    dataDir = scratchFolder('parts');
    folder = await createFileWorkFiles(dataDir).scratch(work);
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));
  const openShelf = () => openFilePartShelf(createFileWorkFiles(dataDir))(work, folder);
  const facts = () => ({ audioMs: 7, words: [] });
  async function* chunks(failure?: Error) {
    yield Buffer.from('ab');
    if (failure !== undefined) throw failure;
    yield Buffer.from('c');
  }

  it('finds what was kept, also when it is opened anew', async () => {
    const kept = await openShelf().keep(3, chunks(), facts);
    expect(await openShelf().find(3)).toEqual(kept);
    expect(await openShelf().find(2)).toBeUndefined();
  });

  it('keeps nothing of what broke', async () => {
    const failure = new Error('broke');
    const shelf = openShelf();
    await expect(shelf.keep(0, chunks(failure), facts)).rejects.toBe(failure);
    expect(await shelf.find(0)).toBeUndefined();
    await shelf.keep(0, chunks(), facts);
    expect(await shelf.find(0)).toBeDefined();
  });

  it('does not take a part whose facts are damaged or missing, or that is half written', async () => {
    const shelf = openShelf();
    await shelf.keep(0, chunks(), facts);
    writeFileSync(join(folder, 'part-0000.json'), '{"audioMs":');
    expect(await shelf.find(0)).toBeUndefined();
    writeFileSync(join(folder, 'part-0001.mp3'), 'x');
    expect(await shelf.find(1)).toBeUndefined();
    writeFileSync(join(folder, 'part-0002.mp3.new'), 'x');
    writeFileSync(join(folder, 'part-0002.json'), '{}');
    expect(await shelf.find(2)).toBeUndefined();
  });
});
