// Lists of voices over HTTP, by what each kind of service answers; kept for a while, and told again when the service is away.
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createHttpVoiceList,
  type HttpVoiceListOptions,
} from '../../../src/upstream/services/http-voice-list.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { audio, type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

let service: ScriptedUpstream | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function open(kind: HttpVoiceListOptions['kind'], lists: Record<string, unknown>, base = '') {
  service = await startScriptedUpstream(audio(), lists);
  const clock = createFakeClock();
  const list = createHttpVoiceList({
    kind,
    baseUrl: new URL(service.url.origin + base),
    key: { userId: 'u', apiKey: 'K' },
    known: [{ id: 'known' }],
    clock,
  });
  return { clock, list };
}

describe('the list of', () => {
  it.each([
    [
      'another gateway',
      'speech-service',
      '',
      '/api/v1/voices',
      [{ id: 'v://a', gender: 'Female' }],
      [{ id: 'v://a', gender: 'Female' }],
    ],
    ['Kokoro-FastAPI', 'openai', '/v1', '/v1/audio/voices', { voices: ['af_heart'] }, [{ id: 'af_heart' }]],
    [
      'a server with objects',
      'openai',
      '/v1',
      '/v1/audio/voices',
      { data: [{ id: 'x', name: 'X' }, { name: 'y' }, {}] },
      [
        { id: 'x', name: 'X' },
        { id: 'y', name: 'y' },
      ],
    ],
    [
      'ElevenLabs',
      'elevenlabs',
      '',
      '/v1/voices',
      { voices: [{ voice_id: 'i', name: 'Vera', labels: { gender: 'female', accent: 'x' }, more: 1 }] },
      [{ id: 'i', name: 'Vera', gender: 'Female' }],
    ],
    [
      'Deepgram',
      'deepgram',
      '',
      '/v1/models',
      {
        tts: [
          {
            canonical_name: 'aura-2-thalia-en',
            name: 'thalia',
            languages: ['en'],
            metadata: { tags: ['feminine'], accent: 'American' },
          },
        ],
        stt: [],
      },
      [{ id: 'aura-2-thalia-en', name: 'thalia', gender: 'Female', language: 'en', description: 'American' }],
    ],
  ] as const)('%s', async (_who, kind, base, path, answer, expected) => {
    const { list } = await open(kind, { [path]: answer }, base);
    expect(await list.list()).toEqual(expected);
    expect([list.has(expected[0]!.id), list.has('nobody')]).toEqual([true, false]);
  });

  it('Cartesia, page by page', async () => {
    const voice = (id: string) => ({ id, name: id.toUpperCase(), language: 'en', gender: 'masculine' });
    const { list } = await open('cartesia', {
      '/voices?limit=100': { data: [voice('a'), voice('b')], has_more: true },
      '/voices?limit=100&starting_after=b': { data: [voice('c')], has_more: false },
    });
    const voices = await list.list();
    expect(voices.map(({ id, gender }) => [id, gender])).toEqual([
      ['a', 'Male'],
      ['b', 'Male'],
      ['c', 'Male'],
    ]);
  });

  it('OpenAI itself is known, and not asked for', async () => {
    const [baseUrl, clock] = [new URL('https://api.openai.com/v1'), createFakeClock()];
    const key = { userId: '', apiKey: 'K' };
    const list = createHttpVoiceList({ kind: 'openai', baseUrl, key, known: [], clock });
    expect((await list.list()).map(({ id }) => id)).toContain('alloy');
  });

  it('a service without one is what is known', async () => {
    for (const answer of [undefined, 'x', { voices: 5 }, []]) {
      const { list } = await open('elevenlabs', answer === undefined ? {} : { '/v1/voices': answer });
      expect(await list.list()).toEqual([{ id: 'known' }]);
      await service!.close();
    }
  });
});

it('is asked for once in a while, and told again when the service is away', async () => {
  const { clock, list } = await open('openai', { '/v1/audio/voices': ['a'] }, '/v1');
  await Promise.all([list.list(), list.list()]);
  await list.list();
  expect(service!.pings).toBe(1);
  clock.advance(5 * 60_000);
  expect(await list.list()).toEqual([{ id: 'a' }]);
  expect(service!.pings).toBe(2);
  clock.advance(5 * 60_000);
  await service!.close();
  expect(await list.list()).toEqual([{ id: 'a' }]);
});

it('is read at the start and again from time to time where it is watched; nobody waits for a service that is away', async () => {
  const { clock, list } = await open('openai', { '/v1/audio/voices': ['a'] }, '/v1');
  const stop = list.watch();
  await vi.waitFor(() => expect(list.has('a')).toBe(true));
  clock.advance(5 * 60_000);
  await vi.waitFor(() => expect(service!.pings).toBe(2));
  await service!.close();
  clock.advance(60 * 60_000);
  expect(await list.list()).toEqual([{ id: 'a' }]);
  await stop();
});

it('that is watched and was never read is refused at once', async () => {
  const { list } = await open('deepgram', {});
  await service!.close();
  const stop = list.watch();
  await expect(list.list()).rejects.toMatchObject({ code: 'upstream_unreachable' });
  await expect(list.list()).rejects.toMatchObject({ code: 'upstream_unreachable' });
  await stop();
});

it('is cut where it is longer than any list is', async () => {
  const voices = Array.from({ length: 10_001 }, (_, at) => ({ id: `v${at}` }));
  const { list } = await open('speech-service', { '/api/v1/voices': voices });
  expect((await list.list()).length).toBe(10_000);
});

it('says that it could not be read when it never was', async () => {
  const { list } = await open('deepgram', {});
  await service!.close();
  await expect(list.list()).rejects.toMatchObject({ code: 'upstream_unreachable' });
});
