// Bodies that are no MP3, from a service to the frames of a listener: nothing is lost, nothing is added, and breaks and cuts are found
// as in MP3.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BodyType } from '../../src/audio/bodies/body-type.ts';
import { PlainReader } from '../../src/audio/bodies/plain-reader.ts';
import { createOggOpusEncoder } from '../../src/audio/containers/ogg-opus-encoder.ts';
import { wavHeader } from '../../src/audio/containers/wav.ts';
import { encodeMulaw, MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import { decodePcm16, encodePcm16 } from '../../src/audio/dsp/pcm16.ts';
import { Transcoder } from '../../src/audio/transcoder.ts';
import { createSpeechRecovery } from '../../src/pipeline/whole-body/speech-recovery.ts';
import { answer } from '../support/body-faults.ts';
import { codecs } from '../support/codecs.ts';
import { fixtureSpeech } from '../support/fixture-speech.ts';
import { type SpeakThroughOptions, speakThrough } from '../support/speak-through.ts';

const speech = fixtureSpeech();
const MULAW: BodyType = { kind: 'plain', sound: { layout: 'mulaw', sampleRate: 8000, channels: 1 } };
const PCM: BodyType = { kind: 'plain', sound: { layout: 's16', sampleRate: 24_000, channels: 1 } };

function inTurn(
  length: number,
  codec: Parameters<Transcoder['push']>[0][],
  format: 'mulaw' | 'raw' = 'mulaw',
) {
  const out: Uint8Array[] = [];
  const output = { format, sampleRate: format === 'mulaw' ? 8000 : 24_000, frameMs: 20 } as const;
  const transcoder = new Transcoder(output, codecs, ({ bytes }) => out.push(bytes.slice()));
  for (const item of codec) transcoder.push(item);
  transcoder.push({ kind: 'finish' });
  transcoder.close();
  return Buffer.concat(out).subarray(0, length);
}
/** Speech at 8 kHz as µ-law. */
const atPhone = (() => {
  const out: Uint8Array[] = [];
  const stage = codecs.sound.encode(
    { fromRate: 24_000, toRate: 8000, belowHz: undefined },
    'mulaw',
    (bytes) => out.push(bytes.slice()),
  );
  for (let at = 0; at < speech.length; at += 576) stage.push(speech.subarray(at, at + 576));
  stage.flush();
  stage.close();
  return Buffer.concat(out);
})();
const pcm = (() => {
  const bytes = new Uint8Array(2 * speech.length);
  encodePcm16(speech, bytes);
  return Buffer.from(bytes);
})();
const wav = Buffer.concat([wavHeader({ sampleRate: 24_000, channels: 1, dataBytes: pcm.length }), pcm]);
const ogg = (() => {
  const pages: Uint8Array[] = [];
  const stage = createOggOpusEncoder(24_000, ({ bytes }) => pages.push(bytes.slice()));
  stage.push(speech);
  stage.flush();
  return Buffer.concat(pages);
})();

const say = (
  type: BodyType,
  body: Uint8Array,
  how: Partial<SpeakThroughOptions> & { chunkBytes?: number } = {},
) =>
  speakThrough({
    texts: ['One.'],
    type,
    onRequest: (request) => answer(request, body, { chunkBytes: how.chunkBytes ?? 777 }),
    ...how,
  });
const snr = (heard: Float32Array, meant: Float32Array): number => {
  let [noise, power] = [0, 0];
  for (const [i, value] of meant.entries()) {
    noise += ((heard[i] ?? 0) - value) ** 2;
    power += value ** 2;
  }
  return 10 * Math.log10(power / noise);
};

describe('a listener who gets what the service sends', () => {
  it('gets µ-law byte for byte, whatever the cuts, and one body right behind the other', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 1500 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(bytes, fc.integer({ min: 1, max: 700 })), { minLength: 1, maxLength: 4 }),
        (bodies) => {
          const items: Parameters<Transcoder['push']>[0][] = [];
          for (const [body, size] of bodies) {
            items.push({ kind: 'begin' });
            const reader = new PlainReader(MULAW.kind === 'plain' ? MULAW.sound : never(), {
              onFrame: (frame) =>
                items.push({ kind: 'frame', frame: { ...frame, bytes: frame.bytes.slice() } }),
              onTag() {},
            });
            for (let at = 0; at < body.length; at += size) reader.push(body.subarray(at, at + size));
            reader.flush();
            items.push({ kind: 'end' });
          }
          const all = Buffer.concat(bodies.map(([body]) => body));
          expect(inTurn(all.length, items).equals(all)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
  it.each([13, 159, 161, 100_000])('from a service that sends %i bytes at a time', async (chunkBytes) => {
    const spoken = await say(MULAW, atPhone, { format: 'mulaw', sampleRate: 8000, chunkBytes });
    expect(spoken.error).toBeUndefined();
    expect(spoken.bytes.subarray(0, atPhone.length).equals(atPhone)).toBe(true);
    expect(spoken.requestsMs).toEqual([{ ms: atPhone.length / 8, state: 'complete' }]);
  });
  it('gets PCM and the samples of a WAV byte for byte at their own rate', async () => {
    for (const [type, body] of [
      [PCM, pcm],
      [{ kind: 'wav' }, wav],
    ] as const)
      for (const chunkBytes of [37, 1001]) {
        const spoken = await say(type, body, { chunkBytes });
        expect(spoken.bytes.subarray(0, pcm.length).equals(pcm)).toBe(true);
        expect(spoken.requestsMs[0]!.ms).toBeCloseTo(speech.length / 24, 6);
      }
  });
});

describe('a listener who gets something else', () => {
  it('hears PCM at a phone as it would hear it decoded', async () => {
    const spoken = await say(PCM, pcm, { format: 'mulaw', sampleRate: 8000 });
    const toFloat = (codes: Uint8Array) => Float32Array.from(codes, (code) => MULAW_VALUES[code]! / 32_768);
    expect(Math.abs(spoken.samples - atPhone.length)).toBeLessThanOrEqual(160);
    expect(snr(toFloat(spoken.bytes), toFloat(atPhone))).toBeGreaterThan(30);
  });
  it('hears µ-law at another rate, and as MP3', async () => {
    const spoken = await say(MULAW, atPhone, { sampleRate: 24_000 });
    expect(Math.abs(spoken.samples - 3 * atPhone.length)).toBeLessThanOrEqual(480);
    const mp3 = await say(MULAW, atPhone, { format: 'mp3' });
    expect(mp3.bytes[0]).toBe(0xff);
    expect(Math.abs(mp3.samples / 8000 - atPhone.length / 8000)).toBeLessThan(0.3);
  });
  it('hears Ogg Opus without its delay, and to the last sample', async () => {
    const spoken = await say({ kind: 'ogg' }, ogg);
    expect(spoken.error).toBeUndefined();
    expect(spoken.requestsMs[0]!.ms).toBeCloseTo(speech.length / 24, 6);
    expect(snr(decodePcm16(spoken.bytes), speech)).toBeGreaterThan(12);
  });
});

describe('a body that breaks', () => {
  const breaking = (
    type: BodyType,
    body: Uint8Array,
    second: Uint8Array,
    share: number,
    how: Partial<SpeakThroughOptions>,
  ) =>
    speakThrough({
      texts: ['One.'],
      type,
      recovery: createSpeechRecovery(),
      onRequest(request, index) {
        const atByte = Math.floor(share * body.length);
        if (index === 0) answer(request, body, { chunkBytes: 333, fault: { atByte, how: 'reset' } });
        else answer(request, second, { chunkBytes: 1234 });
      },
      ...how,
    });
  it.each([
    ['µ-law', MULAW, atPhone, atPhone, { format: 'mulaw', sampleRate: 8000 }],
    ['PCM, in a sample', PCM, pcm, pcm, {}],
    ['WAV', { kind: 'wav' }, wav, pcm, {}],
  ] as const)('goes on with its very next byte: %s', async (_, type, body, meant, how) => {
    for (const share of [0.001, 0.3333, 0.9]) {
      const spoken = await breaking(type, body, body, share, how);
      expect([spoken.error, spoken.kinds]).toEqual([undefined, ['exact']]);
      expect(spoken.bytes.subarray(0, meant.length).equals(meant)).toBe(true);
    }
  });
  it('is joined with another take where the two sound alike', async () => {
    const softer = new Uint8Array(atPhone.length);
    encodeMulaw(
      Float32Array.from(atPhone, (code) => (0.93 * MULAW_VALUES[code]!) / 32_768),
      softer,
    );
    for (const aheadSamples of [1e9, 4000]) {
      const spoken = await breaking(MULAW, atPhone, softer, 0.6, {
        format: 'mulaw',
        sampleRate: 8000,
        aheadSamples,
      });
      expect([spoken.error, spoken.kinds]).toEqual([undefined, ['aligned']]);
      expect(Math.abs(spoken.samples - atPhone.length)).toBeLessThan(0.06 * 8000);
      const ms = spoken.requestsMs[0]!.ms;
      expect(Math.abs(ms - spoken.samples / 8)).toBeLessThanOrEqual(20);
    }
  });
  it('and does not come again is faded out', async () => {
    const spoken = await speakThrough({
      texts: ['One.'],
      type: MULAW,
      format: 'mulaw',
      sampleRate: 8000,
      recovery: createSpeechRecovery(),
      onRequest: (request) => answer(request, atPhone, { fault: { atByte: 9001, how: 'reset' } }),
    });
    expect(spoken.error).toMatchObject({ code: 'upstream_broken' });
    expect(spoken.bytes.subarray(0, 8000).equals(atPhone.subarray(0, 8000))).toBe(true);
  });
});

describe('a body that ends properly and too early', () => {
  const cut = (type: BodyType, body: Uint8Array, bytes: number) =>
    speakThrough({
      texts: ['One.'],
      type,
      recovery: { ...createSpeechRecovery(), soundOfEnd: () => undefined },
      onRequest(request, index) {
        answer(request, index === 0 ? body.subarray(0, bytes) : body, { chunkBytes: 500 });
      },
    });
  it.each([
    ['a WAV by its own size', { kind: 'wav' }, wav, 44 + 2 * 24_000],
    ['PCM by half a sample', PCM, pcm, 48_001],
    ['Ogg by its last page', { kind: 'ogg' }, ogg, ogg.lastIndexOf('OggS')],
    ['Ogg by a page that is not whole', { kind: 'ogg' }, ogg, ogg.length - 20],
  ] as const)('is known and asked for again: %s', async (_, type, body, bytes) => {
    const spoken = await cut(type, body, bytes);
    expect([spoken.error, spoken.requests.length, spoken.kinds]).toEqual([undefined, 2, ['regenerated']]);
    expect(spoken.requestsMs[0]!.ms).toBeCloseTo(speech.length / 24, 6);
  });
  it('is asked for once where it is whole', async () => {
    for (const [type, body] of [
      [{ kind: 'wav' }, wav],
      [PCM, pcm],
      [{ kind: 'ogg' }, ogg],
    ] as const)
      expect((await cut(type, body, body.length)).requests).toHaveLength(1);
  });
});

const never = (): never => {
  throw new Error('unreachable');
};

it('a body of any type that is cut at any byte, whatever a WAV says of its size, comes to an end each time that it is asked for', async () => {
  const sized = (dataBytes: number | undefined) =>
    Buffer.concat([
      wavHeader({ sampleRate: 24_000, channels: 1, ...(dataBytes !== undefined && { dataBytes }) }),
      pcm,
    ]);
  const wavs = [undefined, 0, pcm.length, pcm.length / 2, 3 * pcm.length].map(
    (dataBytes) => [{ kind: 'wav' }, sized(dataBytes)] as const,
  );
  const bodies: readonly (readonly [BodyType, Uint8Array])[] = [
    ...wavs,
    [PCM, pcm],
    [MULAW, atPhone],
    [{ kind: 'ogg' }, ogg],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bodies),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 5000 }),
      async ([type, body], shares, chunkBytes) => {
        const spoken = await speakThrough({
          texts: ['One.'],
          type,
          recovery: createSpeechRecovery(),
          spoolBytes: 20_000,
          onRequest(request, index) {
            const share = shares[Math.min(index, shares.length - 1)]!;
            answer(request, body.subarray(0, Math.round(share * body.length)), { chunkBytes });
          },
        });
        const isOver = spoken.error !== undefined || spoken.requestsMs[0]?.state === 'complete';
        expect([isOver, spoken.requests.every(({ state }) => state !== 'asked' && state !== 'open')]).toEqual(
          [true, true],
        );
      },
    ),
    { numRuns: 60 },
  );
});
