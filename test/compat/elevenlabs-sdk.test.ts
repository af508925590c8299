// ElevenLabs's own client, unmodified, before the gateway over HTTP: speech and dialogue to the end, interrupted, slow,
// refused.

import { createRequire } from 'node:module';
import type { ElevenLabsClient } from '@elevenlabs/elevenlabs-js/Client.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorRig, type VendorRig } from '../http/compat/vendor-rig.ts';
import { heardSound } from '../support/heard-sound.ts';
import { SPEECH_MS } from '../support/running-gateway.ts';
import { keyOf } from '../support/running-service.ts';
import { beginReading, itMeetsTheGateway } from './http-client.ts';

/** The declarations of the whole package contradict each other: here is the package, with those of its parts that hold. */
const vendor = createRequire(import.meta.url)('@elevenlabs/elevenlabs-js') as {
  readonly ElevenLabsClient: typeof ElevenLabsClient;
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
  beforeAll(async () => {
    rig = await startVendorRig({}, { VOXGATE_VOICE: VOICE });
    client = new vendor.ElevenLabsClient({ apiKey: keyOf('ann'), baseUrl: rig.service.url });
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

  itMeetsTheGateway({
    rig: () => rig,
    async speak({ rig: { service }, apiKey, maxRetries }) {
      const speaking = new vendor.ElevenLabsClient({ apiKey, baseUrl: service.url });
      return bytesOf(await speaking.textToSpeech.convert(VOICE, { text: TEXT }, { maxRetries }));
    },
    async begin() {
      const leaving = new AbortController();
      const how = { ...ONCE, abortSignal: leaving.signal };
      const sound = await client.textToSpeech.stream(VOICE, { text: TEXT }, how);
      return beginReading(sound.getReader(), leaving);
    },
    throws: {
      limited: expect.objectContaining({ statusCode: 429 }),
      unauthorized: expect.objectContaining({
        statusCode: 401,
        body: { detail: expect.objectContaining({ status: 'invalid_api_key' }) as object },
      }),
    },
  });
});
