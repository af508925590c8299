import { expect, test } from 'vitest';
import type { BodyType } from '../../src/audio/bodies/body-type.ts';
import { relayCached } from '../../src/pipeline/cached-speech.ts';
import type { OutgoingRequest } from '../../src/speech/speech-request.ts';
import { createMemoryPhraseStore } from '../../src/storage/memory-phrase-store.ts';
import type { PhraseStore } from '../../src/storage/phrase-store.ts';
import type { SpeechBody, SpeechUpstream } from '../../src/upstream/speech-upstream.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const REQUEST: OutgoingRequest = { model: 'VoxDialog', text: 'Good morning.', outputFormat: 'mp3', seed: 7 };
const { signal } = new AbortController();

const setUp = (chunks: () => AsyncGenerator<Uint8Array>, type?: BodyType, request = REQUEST) => {
  const lookups: string[] = [];
  const memory = createMemoryPhraseStore(8 << 20, createFakeClock());
  const store: PhraseStore = { ...memory, onLookup: (result) => lookups.push(result) };
  let asked = 0;
  const upstream: SpeechUpstream = {
    open() {
      asked += 1;
      const said = type === undefined ? {} : { type };
      return Promise.resolve({ chunks: chunks(), ...said, queueMs: 5, ttfbMs: 40, attempts: 1 });
    },
  };
  /** Asks once, or as often as `asks` says, and answers with the last body's chunks. */
  const speak = async (tenant = 'anna', asks = 1) => {
    const read: Uint8Array[] = [];
    let last: SpeechBody | undefined;
    await relayCached({ store, tenant, service: 'engine' }, request, upstream, async (layer) => {
      for (let n = 0; n < asks; n++) {
        read.length = 0;
        last = await layer.open(request, { signal });
        for await (const chunk of last.chunks) read.push(chunk);
      }
    });
    return { body: last!, read, bytes: Buffer.concat(read) };
  };
  return { store, upstream, speak, lookups, asked: () => asked };
};

async function* chunksOf(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const [index, size] of sizes.entries()) yield new Uint8Array(size).fill(index + 1);
}

test('the second time nothing is asked for, and the bytes are the same', async () => {
  const { speak, asked } = setUp(() => chunksOf(3000, 5000, 1));
  const first = await speak();
  const second = await speak();
  expect(second.body).toMatchObject({ queueMs: 0, ttfbMs: 0, attempts: 0 });
  expect(second.bytes.equals(first.bytes)).toBe(true);
  expect([first.bytes.length, asked()]).toEqual([8001, 1]);
});

test('a kept body comes in slices, each of bounded work', async () => {
  const { speak } = setUp(() => chunksOf(50_000));
  await speak();
  const { read } = await speak();
  expect(Math.max(...read.map(({ length }) => length))).toBeLessThanOrEqual(4096);
});

test('µ-law that was asked for is kept, and known when it comes again', async () => {
  const mulaw = { kind: 'plain', sound: { layout: 'mulaw', sampleRate: 8000, channels: 1 } } as const;
  const asksForIt = { ...REQUEST, outputFormat: 'mulaw', sampleRate: 8000 } as const;
  const { speak, asked, lookups } = setUp(() => chunksOf(100), mulaw, asksForIt);
  await speak();
  expect((await speak()).body).toMatchObject({ attempts: 0, type: mulaw });
  expect(asked()).toBe(1);
  // It was looked for in two formats, and is one miss.
  expect(lookups).toEqual(['miss', 'hit']);
});

test('samples that are not what was asked for are not kept: the request would not tell what they are', async () => {
  const alaw = { kind: 'plain', sound: { layout: 'alaw', sampleRate: 8000, channels: 1 } } as const;
  const { speak, asked } = setUp(() => chunksOf(100), alaw);
  await speak();
  await speak();
  expect(asked()).toBe(2);
});

test.each([
  ['wav', Buffer.concat([Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVEfmt '), Buffer.alloc(20, 1)])],
  ['ogg', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(60)])],
  ['mp3', Buffer.concat([Buffer.from('ID3'), Buffer.alloc(60)])],
] as const)(
  '%s that is not what was asked for is kept, and known by its first bytes',
  async (kind, bytes) => {
    for (const request of [
      REQUEST,
      { ...REQUEST, outputFormat: 'mulaw', sampleRate: 8000 } as const,
      { ...REQUEST, outputFormat: 'raw', sampleRate: 24_000 } as const,
    ]) {
      const { speak, asked } = setUp(
        async function* () {
          yield bytes;
        },
        { kind },
        request,
      );
      await speak();
      const second = await speak();
      expect([second.body.attempts, second.body.type?.kind ?? 'mp3', asked()]).toEqual([0, kind, 1]);
      expect(second.bytes.equals(bytes)).toBe(true);
      await speak('anna', 2);
      expect(asked()).toBe(2);
    }
  },
);

test('another tenant asks for itself', async () => {
  const { speak, asked } = setUp(() => chunksOf(100));
  await speak('anna');
  await speak('ben');
  expect(asked()).toBe(2);
});

test('a body that broke is not kept', async () => {
  const { speak, asked } = setUp(async function* () {
    yield new Uint8Array(100);
    throw new Error('reset');
  });
  await expect(speak()).rejects.toThrow('reset');
  await expect(speak()).rejects.toThrow('reset');
  expect(asked()).toBe(2);
});

test('speech that took a second body is not kept', async () => {
  const { speak, asked } = setUp(() => chunksOf(100));
  await speak('anna', 2);
  await speak();
  expect(asked()).toBe(3);
});

test('a kept body that is in doubt is replaced by the second one: a third play asks for nothing', async () => {
  const { speak, asked } = setUp(() => chunksOf(asked() === 1 ? 100 : 300));
  await speak();
  await speak('anna', 2);
  expect(asked()).toBe(2);
  const third = await speak();
  expect([asked(), third.body.attempts, third.bytes.length]).toEqual([2, 0, 300]);
});

test('a kept body that is in doubt is dropped when no second one comes whole', async () => {
  const { speak, asked } = setUp(async function* () {
    yield new Uint8Array(100);
    if (asked() === 2) throw new Error('reset');
  });
  await speak();
  await expect(speak('anna', 2)).rejects.toThrow('reset');
  await speak();
  expect(asked()).toBe(3);
});

test('speech that took a kept body and two more is not kept', async () => {
  const { speak, asked } = setUp(() => chunksOf(100));
  await speak();
  await speak('anna', 3);
  await speak();
  expect(asked()).toBe(4);
});

test('a body whose reader left is not kept, and is let go of', async () => {
  let left = false;
  const { store, upstream, speak, asked } = setUp(async function* () {
    try {
      yield* chunksOf(100, 100, 100);
    } finally {
      left = true;
    }
  });
  await relayCached({ store, tenant: 'anna', service: 'engine' }, REQUEST, upstream, async (layer) => {
    for await (const _chunk of (await layer.open(REQUEST, { signal })).chunks) break;
  });
  expect(left).toBe(true);
  await speak();
  expect(asked()).toBe(2);
});

test('a body that is too long passes through whole and is not kept', async () => {
  const { speak, asked } = setUp(() => chunksOf(400_000, 200_000));
  expect((await speak()).bytes).toHaveLength(600_000);
  await speak();
  expect(asked()).toBe(2);
});

test.each([
  ['a Uint8Array', () => new Uint8Array(10).fill(1)],
  ['a Buffer', () => Buffer.alloc(10, 1)],
])('what becomes of %s after it was read does not change what is kept', async (_what, chunk) => {
  const { store, upstream, speak } = setUp(async function* () {
    yield chunk();
    yield chunk();
  });
  await relayCached({ store, tenant: 'anna', service: 'engine' }, REQUEST, upstream, async (layer) => {
    for await (const read of (await layer.open(REQUEST, { signal })).chunks) read.fill(99);
  });
  expect([...(await speak()).bytes]).toEqual(new Array(20).fill(1));
});

test('a refusal is passed on', async () => {
  const { store } = setUp(() => chunksOf(1));
  const upstream: SpeechUpstream = { open: () => Promise.reject(new Error('busy')) };
  const spoken = relayCached(
    { store, tenant: 'anna', service: 'engine' },
    REQUEST,
    upstream,
    async (layer) => {
      await layer.open(REQUEST, { signal });
    },
  );
  await expect(spoken).rejects.toThrow('busy');
});
