// Gateways before a gateway: each asks the inner one by the interface of another vendor. A dialogue arrives word for word, each turn
// as a request of its own with its speaker's voice; an interruption ends the innermost request.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, speaking, spoken, startRunningGateway } from '../support/running-gateway.ts';
import { stallAfter } from '../support/scripted-upstream.ts';

const KINDS = ['openai', 'elevenlabs', 'deepgram', 'cartesia', 'speech-service'] as const;
/** Where the inner gateway has each interface, behind its origin. */
const BASES = { openai: '/v1', elevenlabs: '', deepgram: '', cartesia: '', 'speech-service': '' } as const;
const DIALOGUE = [
  { speaker: 1, text: 'When does the ferry leave?' },
  { speaker: 2, text: 'At nine. Do you want to come along?' },
  { speaker: 1, text: 'Gladly.' },
];
const LONG = 'This one is never said to its end.';

let inner: RunningGateway;
const outer = new Map<string, RunningGateway>();
beforeAll(async () => {
  inner = await startRunningGateway({
    script: (reply) => {
      const { text } = reply.request.body as { text: string };
      return text === LONG ? stallAfter(spoken(2))(reply) : speaking(reply);
    },
  });
  for (const kind of KINDS)
    outer.set(
      kind,
      await startRunningGateway({
        env: {
          VOXGATE_UPSTREAM_KIND: kind,
          VOXGATE_UPSTREAM_URL: inner.url + BASES[kind],
          VOXGATE_UPSTREAM_KEYS: kind === 'speech-service' ? 'any-user:any-key#4' : 'any-key#4',
          ...(kind === 'speech-service' ? { VOXGATE_UPSTREAM_SOUND: 'listener' } : {}),
          VOXGATE_VOICE: 'aura-2-one-en',
          VOXGATE_VOICE2: 'aura-2-two-en',
        },
      }),
    );
}, 180_000);
afterAll(async () => {
  for (const gateway of outer.values()) await gateway.close();
  await inner?.close();
});

describe.each(KINDS)('a gateway before a service of the kind %s', (kind) => {
  it.skipIf(kind === 'speech-service')('has a dialogue spoken turn by turn, each by its voice', async () => {
    const before = inner.upstream.requests.length;
    const probe = await outer.get(kind)!.session('format=raw&sampleRate=16000&pace=burst');
    probe.send({ type: 'speak', turn: 'talk', dialogue: DIALOGUE });
    expect(await probe.ended('talk')).toMatchObject({ outcome: 'complete', requests: 3 });
    probe.terminate();
    const said = inner.upstream.requests
      .slice(before)
      .map(({ body }) => body as { text: string; voice: string; voice2?: string });
    expect(said.map(({ text, voice, voice2 }) => [voice, text.trim(), voice2])).toEqual(
      DIALOGUE.map(({ speaker, text }) => [
        speaker === 1 ? 'aura-2-one-en' : 'aura-2-two-en',
        text,
        undefined,
      ]),
    );
  });

  it('hands on the µ-law of such a service byte for byte, and says so', async () => {
    const text = 'At nine. Do you want to come along?';
    const said = async (gateway: RunningGateway) => {
      const probe = await gateway.session('pace=burst');
      probe.send({ type: 'speak', turn: 'phone', text });
      await probe.ended('phone');
      const sound = probe.audioOf('phone');
      const started = probe.events('started')[0];
      probe.terminate();
      return { sound, received: started?.received };
    };
    const byInner = await said(inner);
    const byOuter = await said(outer.get(kind)!);
    expect(byInner.received).toBeUndefined();
    // OpenAI's interface has no µ-law.
    if (kind === 'openai') return expect(byOuter.received).toBeUndefined();
    expect(byOuter.received).toEqual({ format: 'mulaw', sampleRate: 8000 });
    expect(byOuter.sound.length).toBeGreaterThan(8000);
    expect(byOuter.sound.equals(byInner.sound)).toBe(true);
    expect(await outer.get(kind)!.metric('voxgate_bodies_total')).toBeGreaterThan(0);
  });

  it('ends the innermost request when it is interrupted', async () => {
    const probe = await outer.get(kind)!.session();
    const asked = inner.upstream.requests.length;
    probe.send({ type: 'speak', turn: 'long', text: LONG });
    await probe.event('started');
    probe.send({ type: 'cancel', turn: 'long' });
    expect(await probe.ended('long')).toMatchObject({ outcome: 'cancelled' });
    await inner.upstream.requests[asked]!.hungUp;
    probe.terminate();
  });
});

describe('over HTTP', () => {
  const ask = (sound: object) =>
    fetch(`${outer.get('speech-service')!.url}/api/v1/tts/stream`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'x-user-id': 'any', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'VoxDialog', text: 'Gladly.', voice: 'aura-2-one-en', ...sound }),
    });
  it('what the service has sent is told where it is no MP3', async () => {
    const phone = await ask({ outputFormat: 'mulaw' });
    expect(phone.headers.get('x-voxgate-received')).toBe('mulaw;rate=8000');
    expect((await phone.arrayBuffer()).byteLength).toBeGreaterThan(2000);
    const usual = await ask({});
    expect(usual.headers.get('x-voxgate-received')).toBeNull();
    await usual.arrayBuffer();
  });
  it('a rate that the caller names goes on where the format has it, and none where none is named', async () => {
    const askedInside = async (sound: object) => {
      const asked = inner.upstream.requests.length;
      await (await ask(sound)).arrayBuffer();
      const { outputFormat, sampleRate } = inner.upstream.requests[asked]!.body as Record<string, unknown>;
      return [outputFormat, sampleRate];
    };
    expect(await askedInside({ sampleRate: 44_100 })).toEqual(['mp3', 44_100]);
    expect(await askedInside({ sampleRate: 16_000 })).toEqual(['mp3', undefined]);
    expect(await askedInside({ outputFormat: 'flac' })).toEqual(['mp3', undefined]);
    expect(await askedInside({ outputFormat: 'flac', sampleRate: 48_000 })).toEqual(['mp3', 48_000]);
  });
});

describe('word times of the service', () => {
  const TEXT = 'At nine o’clock the ferry leaves for the island, and on Sundays a little later.';
  const listOf = async (gateway: RunningGateway) => {
    const probe = await gateway.session('pace=burst&format=raw&wordList=final');
    probe.send({ type: 'speak', turn: 'list', text: TEXT });
    const { words } = await probe.event('words');
    probe.terminate();
    return words as readonly { text: string; startMs: number; charStart: number }[];
  };

  it.each(['elevenlabs', 'cartesia'] as const)('are those that %s tells', async (kind) => {
    // Spreads its words by their length, which no timer would find in this sound.
    const teller = await startRunningGateway({ script: speaking, env: { VOXGATE_WORD_TIMES: 'never' } });
    const asker = await startRunningGateway({
      env: {
        VOXGATE_UPSTREAM_KIND: kind,
        VOXGATE_UPSTREAM_URL: teller.url,
        VOXGATE_UPSTREAM_KEYS: 'any-key',
        VOXGATE_WORD_TIMES: 'service',
      },
    });
    try {
      const told = await listOf(teller);
      const heard = await listOf(asker);
      expect(heard.map(({ text, charStart }) => [text, charStart])).toEqual(
        told.map(({ text, charStart }) => [text, charStart]),
      );
      const apart = heard.map(({ startMs }, at) => Math.abs(startMs - told[at]!.startMs));
      expect(Math.max(...apart)).toBeLessThanOrEqual(30);
    } finally {
      await asker.close();
      await teller.close();
    }
  });
});
