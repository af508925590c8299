// ElevenLabs's own client, unmodified, before the gateway over HTTP: speech and dialogue to the end, interrupted, slow,
// refused.

import { createRequire } from 'node:module';
import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js/Client.js';
import type { ElevenLabsError } from '@elevenlabs/elevenlabs-js/errors/ElevenLabsError.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  A_MOMENT_MS,
  msUntilLeft,
  slowly,
  startLimitedRigs,
  startVendorRig,
  type VendorRig,
} from '../http/compat/vendor-rig.ts';
import { heardSound } from '../support/heard-sound.ts';
import { SPEECH_MS, spoken } from '../support/running-gateway.ts';
import { keyOf } from '../support/running-service.ts';
import { audio } from '../support/scripted-upstream.ts';

/** The declarations of the whole package contradict each other: here is the package, with those of its parts that hold. */
const vendor = createRequire(import.meta.url)('@elevenlabs/elevenlabs-js') as {
  readonly ElevenLabsClient: typeof ElevenLabsClient;
  readonly ElevenLabsError: typeof ElevenLabsError;
};

const VOICE = 's3://voices/anna/manifest.json';
const TEXT = 'The tide turns twice a day.';
const ONCE = { maxRetries: 0 };

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('the client of ElevenLabs', () => {
  let rig: VendorRig;
  let client: ElevenLabsClient;
  const open = (apiKey = keyOf('ann')) => new vendor.ElevenLabsClient({ apiKey, baseUrl: rig.service.url });
  beforeAll(async () => {
    rig = await startVendorRig({}, { VOXGATE_VOICE: VOICE });
    client = open();
  });
  afterAll(() => rig?.close());

  it.each([
    ['mp3_44100_128', 'audio/mpeg', 44_100],
    ['pcm_16000', 'audio/pcm;rate=16000', 16_000],
    ['ulaw_8000', 'audio/basic', 8000],
    ['opus_48000_64', 'audio/ogg', 48_000],
  ] as const)(
    'gets %s that decodes, at its rate, whole and as a stream',
    async (outputFormat, type, rate) => {
      for (const method of ['convert', 'stream'] as const) {
        const sound = await client.textToSpeech[method](VOICE, { text: TEXT, outputFormat });
        const heard = heardSound(await bytesOf(sound), type);
        expect(heard.sampleRate).toBe(rate);
        expect(Math.abs(heard.ms - SPEECH_MS)).toBeLessThan(100);
        expect(rig.asked).toMatchObject({ voice: VOICE, text: TEXT });
      }
    },
  );

  it('parses the times of characters, whole and as a stream', async () => {
    const whole = await client.textToSpeech.convertWithTimestamps(VOICE, {
      text: TEXT,
      outputFormat: 'pcm_16000',
    });
    expect(Math.abs(Buffer.from(whole.audioBase64, 'base64').length / 32 - SPEECH_MS)).toBeLessThan(80);
    expect(whole.alignment!.characters.join('').trim()).toBe(TEXT);
    let characters = '';
    let bytes = 0;
    for await (const line of await client.textToSpeech.streamWithTimestamps(VOICE, {
      text: TEXT,
      outputFormat: 'pcm_16000',
    })) {
      bytes += Buffer.from(line.audioBase64, 'base64').length;
      const { alignment } = line;
      characters += alignment?.characters.join('') ?? '';
      expect(alignment?.characterStartTimesSeconds.length).toBe(alignment?.characterEndTimesSeconds.length);
    }
    expect(Math.abs(bytes / 32 - SPEECH_MS)).toBeLessThan(80);
    expect(characters.trim()).toBe(TEXT);
  });

  it('gets a dialogue of two voices', async () => {
    const inputs = [
      { text: 'Ready?', voiceId: VOICE },
      { text: 'Almost.', voiceId: 'voice://ben' },
    ];
    const sound = await client.textToDialogue.stream({ inputs, outputFormat: 'pcm_24000' });
    expect(Math.abs((await bytesOf(sound)).length / 48 - SPEECH_MS)).toBeLessThan(80);
    expect(rig.asked).toMatchObject({ voice: VOICE, voice2: 'voice://ben' });
    const third = [...inputs, { text: 'And I?', voiceId: 'voice://carl' }];
    await expect(client.textToDialogue.convert({ inputs: third }, ONCE)).rejects.toMatchObject({
      statusCode: 400,
    });
  });

  it('lists the voices', async () => {
    const { voices } = await client.voices.getAll();
    expect(voices.map(({ voiceId }) => voiceId)).toContain(VOICE);
  });

  it('that interrupts a speech takes the request at the speech service with it', async () => {
    const tookMs = await msUntilLeft(rig, async () => {
      const leaving = new AbortController();
      const sound = await client.textToSpeech.stream(
        VOICE,
        { text: TEXT },
        { ...ONCE, abortSignal: leaving.signal },
      );
      const reader = sound.getReader();
      expect((await reader.read()).value!.length).toBeGreaterThan(0);
      return () => {
        leaving.abort();
        void reader.cancel().catch(() => {});
      };
    });
    expect(tookMs).toBeLessThan(A_MOMENT_MS);
  });

  it('waits for a slow speech service', async () => {
    rig.script = slowly;
    const sound = await client.textToSpeech.stream(VOICE, { text: TEXT });
    expect(heardSound(await bytesOf(sound), 'audio/mpeg').ms).toBeGreaterThan(SPEECH_MS - 100);
    rig.script = audio(spoken());
  });

  it('is told of a limit of the speech service with 429, and tries again by itself', async () => {
    const { always, once } = await startLimitedRigs();
    const speak = ({ service }: VendorRig, maxRetries: number) =>
      new vendor.ElevenLabsClient({ apiKey: keyOf('ann'), baseUrl: service.url }).textToSpeech.convert(
        VOICE,
        { text: TEXT },
        { maxRetries },
      );
    const refused = speak(always, 0);
    await expect(refused).rejects.toThrow(vendor.ElevenLabsError);
    await expect(refused).rejects.toMatchObject({ statusCode: 429 });
    const sound = await speak(once, 4);
    expect(heardSound(await bytesOf(sound), 'audio/mpeg').ms).toBeGreaterThan(SPEECH_MS - 100);
    await Promise.all([always.close(), once.close()]);
  });

  it('is told of a wrong key with 401', async () => {
    await expect(open('wrong').textToSpeech.convert(VOICE, { text: TEXT }, ONCE)).rejects.toMatchObject({
      statusCode: 401,
      body: { detail: { status: 'invalid_api_key' } },
    });
  });
});
