// One turn asked for in every format through a whole gateway, as ffmpeg hears it, which has a decoder of its own for
// each: the format changes neither what is said nor when, and ogg and flac can be played as they come.
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { likenessDb } from '../support/likeness.ts';
import { readOggPages } from '../support/ogg-reader.ts';
import { type RunningGateway, SPEECH_MS, startRunningGateway } from '../support/running-gateway.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(() => gateway.close());

/** Hz of what the speech service sends, and what its encoder put in front, which every decoding here cuts off. */
const SPOKEN_RATE = 24_000;
const MP3_DELAY = 1105;
const MP3_FRAME = 576;
const FRAMES_PER_SECOND = 50;

/** Samples of the turn at another rate. */
const spokenSamples = (sampleRate: number): number =>
  Math.floor((((SPEECH_MS * SPOKEN_RATE) / 1000 - MP3_DELAY) * sampleRate) / SPOKEN_RATE);

/** The turn, always the same; `query` is what it is asked for as. */
async function speak(query: string) {
  const session = await gateway.session(query);
  session.send({ type: 'speak', turn: 'same', text: 'The same words in every format.', seed: 7 });
  const { outcome, audioMs } = await session.ended('same');
  expect(outcome).toBe('complete');
  session.terminate();
  return { session, audioMs, bytes: session.audioOf('same') };
}

const DECODER = 'ffmpeg';

/** Mono samples at 16-bit scale. A complaint is a failure. */
function heard(bytes: Uint8Array, sampleRate: number, ...input: readonly string[]): Float64Array {
  const output = ['-ac', '1', '-ar', `${sampleRate}`, '-f', 's16le', 'pipe:1'];
  const { status, stdout, stderr } = spawnSync(
    DECODER,
    ['-v', 'error', '-xerror', ...input, '-i', 'pipe:0', ...output],
    { input: bytes, maxBuffer: 2 ** 24 },
  );
  if (status !== 0 || stderr.length > 0) throw new Error(`${DECODER}: ${status} ${stderr.toString()}`);
  return Float64Array.from({ length: stdout.length / 2 }, (_, i) => stdout.readInt16LE(2 * i));
}

const pcm16 = (bytes: Buffer): Float64Array =>
  Float64Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i));

describe.each([16_000, SPOKEN_RATE])('the same turn at %i Hz', (sampleRate) => {
  const asFormat = (format: string) => speak(`format=${format}&sampleRate=${sampleRate}&pace=burst`);
  const spoken = spokenSamples(sampleRate);
  let raw: Float64Array;
  beforeAll(async () => {
    raw = pcm16((await asFormat('raw')).bytes);
  });

  it('is in raw as long as it was spoken, and filled up with silence to whole frames', () => {
    const frame = sampleRate / FRAMES_PER_SECOND;
    expect(raw.length).toBe(Math.ceil(spoken / frame) * frame);
    expect(raw.subarray(0, spoken).some((sample) => sample !== 0)).toBe(true);
    expect(raw.subarray(spoken).every((sample) => sample === 0)).toBe(true);
  });

  it.each([
    // Where a wav says no length, ffmpeg complains of a last packet that is short, and plays it.
    { format: 'wav', input: ['-noxerror', '-v', 'fatal'] },
    { format: 'flac', input: [] },
  ])('$format is raw to the bit, without its silence', async ({ format, input }) => {
    const { bytes, audioMs } = await asFormat(format);
    const samples = heard(bytes, sampleRate, ...input);
    expect(samples.length).toBe(spoken);
    expect(samples.every((sample, i) => sample === raw[i])).toBe(true);
    expect(audioMs).toBe(Math.round((spoken * 1000) / sampleRate));
  });

  it('ogg is as long to the sample, and sounds the same', async () => {
    const { bytes, audioMs } = await asFormat('ogg');
    const samples = heard(bytes, sampleRate);
    // The decoder has left out the pre-skip, and ends where the last page says.
    expect(samples.length).toBe(spoken);
    expect(audioMs).toBe(Math.round((spoken * 1000) / sampleRate));
    expect(likenessDb(samples, raw)).toBeGreaterThan(20);
    for (const lag of [-1, 1]) expect(likenessDb(samples, raw, lag)).toBeLessThan(17);
  });

  it('mp3 has the delay of every mp3 without tags, ends in its last frame, and sounds the same', async () => {
    const { bytes } = await asFormat('mp3');
    const samples = heard(bytes, sampleRate);
    expect(samples.length % MP3_FRAME).toBe(0);
    const surplus = samples.length - MP3_DELAY - spoken;
    expect(surplus).toBeGreaterThanOrEqual(0);
    expect(surplus).toBeLessThan(MP3_FRAME);
    // At the service's own rate the frames pass through, and only two decoders differ.
    const leastDb = sampleRate === SPOKEN_RATE ? 45 : 20;
    expect(likenessDb(samples, raw, -MP3_DELAY)).toBeGreaterThan(leastDb);
    for (const lag of [-1, 1]) expect(likenessDb(samples, raw, lag - MP3_DELAY)).toBeLessThan(17);
  });

  it.each(['mulaw', 'alaw'])('%s is raw but for its companding', async (format) => {
    const { bytes } = await asFormat(format);
    const samples = heard(bytes, sampleRate, '-f', format, '-ar', `${sampleRate}`, '-ac', '1');
    expect(samples.length).toBe(raw.length);
    expect(likenessDb(samples, raw)).toBeGreaterThan(36);
  });
});

describe('as it comes, at real time', () => {
  const RATE = 16_000;
  const HEAD_MS = 300;

  const speakInRealTime = async (format: string) => {
    const { session, audioMs } = await speak(`format=${format}&sampleRate=${RATE}&audio=base64`);
    const messages = session.events('audio');
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, i) => i));
    const ends = [...messages.slice(1).map(({ ms }) => ms), (spokenSamples(RATE) * 1000) / RATE];
    const parts = messages.map(({ data }) => Buffer.from(data, 'base64'));
    return {
      audioMs,
      bytes: Buffer.concat(parts),
      /** Media time of each message. */
      spansMs: messages.map(({ ms }, i) => ends[i]! - ms),
      /** The messages that begin in the first 300 ms. */
      head: Buffer.concat(parts.filter((_, i) => messages[i]!.ms < HEAD_MS)),
    };
  };

  it('ogg comes in pages of at most 100 ms, and flac in blocks of at most 20; the first ones can be played', async () => {
    const [raw, ogg, flac] = await Promise.all([
      speak(`format=raw&sampleRate=${RATE}&pace=burst`),
      speakInRealTime('ogg'),
      speakInRealTime('flac'),
    ]);
    const reference = pcm16(raw.bytes);

    for (const [{ spansMs, head }, mostMs, leastDb] of [
      [ogg, 100, 20],
      [flac, 20, 90],
    ] as const) {
      expect(Math.min(...spansMs)).toBeGreaterThan(0);
      expect(Math.max(...spansMs)).toBeLessThanOrEqual(mostMs + 0.001);
      const samples = heard(head, RATE);
      expect(samples.length).toBeGreaterThanOrEqual((HEAD_MS * RATE) / 1000);
      expect(samples.length).toBeLessThanOrEqual(((HEAD_MS + 2 * mostMs) * RATE) / 1000);
      expect(likenessDb(samples, reference)).toBeGreaterThan(leastDb);
    }
    const whole = heard(flac.bytes, RATE);
    expect(whole.length).toBe(spokenSamples(RATE));
    expect(likenessDb(whole, reference)).toBeGreaterThan(90);

    const granules = readOggPages(ogg.bytes).map(({ granulePosition }) => granulePosition);
    const pageSpans = granules.slice(1).map((granule, i) => granule - granules[i]!);
    expect(Math.max(...pageSpans)).toBeLessThanOrEqual(48_000 / 10);
  });
});
