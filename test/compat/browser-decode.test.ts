// What a browser makes of one turn in every format that it plays: Chromium, with the decoders that it has inside,
// against the raw samples of the same turn. It is given each turn as a file, as a page would that has collected one.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCH } from '../support/chromium.ts';
import { likenessDb } from '../support/likeness.ts';
import { startRunningGateway } from '../support/running-gateway.ts';

type Page = { goto(url: string): Promise<unknown>; evaluate(expression: string): Promise<unknown> };
type Browser = { newPage(): Promise<Page>; close(): Promise<void> };
/** The little of Playwright that is used here; its own types want those of a whole browser. */
type Playwright = {
  readonly chromium: {
    launch(options: { executablePath: string; args: readonly string[] }): Promise<Browser>;
  };
};
const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core') as Playwright;

const PAGE = `<!doctype html><title>A decoder</title><script>
const base64 = (buffer) => new Promise((resolve) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
  reader.readAsDataURL(new Blob([buffer]));
});
async function decode(path, sampleRate) {
  const bytes = await (await fetch(path)).arrayBuffer();
  const sound = await new OfflineAudioContext({ length: 1, sampleRate }).decodeAudioData(bytes);
  const { buffer } = sound.getChannelData(0);
  return { sampleRate: sound.sampleRate, channels: sound.numberOfChannels, base64: await base64(buffer) };
}
</script>`;

const RATES = [16_000, 24_000] as const;
const FORMATS = ['raw', 'wav', 'flac', 'ogg', 'mp3'] as const;
const turns = new Map<string, Buffer>();
const pathOf = (format: (typeof FORMATS)[number], sampleRate: number) => `/${sampleRate}.${format}`;

const closers: (() => unknown)[] = [];
let page: Page;
beforeAll(async () => {
  const gateway = await startRunningGateway();
  closers.push(() => gateway.close());
  for (const sampleRate of RATES)
    for (const format of FORMATS) {
      const session = await gateway.session(`format=${format}&sampleRate=${sampleRate}&pace=burst`);
      session.send({ type: 'speak', turn: 'same', text: 'The same words in every format.', seed: 7 });
      await session.ended('same');
      session.terminate();
      turns.set(pathOf(format, sampleRate), session.audioOf('same'));
    }

  const server = createServer((request, response) => {
    const turn = turns.get(request.url ?? '');
    response.setHeader('content-type', turn === undefined ? 'text/html' : 'application/octet-stream');
    response.end(turn ?? PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());

  const browser = await chromium.launch(LAUNCH);
  closers.push(() => browser.close());
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** Mono samples at 16-bit scale, which the browser has brought to `atRate`. */
async function heard(path: string, atRate: number): Promise<Float64Array> {
  const sound = (await page.evaluate(`decode('${path}', ${atRate})`)) as {
    readonly sampleRate: number;
    readonly channels: number;
    /** Floats, as this machine has them. */
    readonly base64: string;
  };
  expect(sound).toMatchObject({ sampleRate: atRate, channels: 1 });
  const floats = new Float32Array(Uint8Array.from(Buffer.from(sound.base64, 'base64')).buffer);
  return Float64Array.from(floats, (sample) => sample * 32_768);
}

describe.each(RATES)('in a browser, at %i Hz', (sampleRate) => {
  /** What every MP3 decoder puts in front of a stream without tags; this one leaves it there. */
  const MP3_DELAY = 1105;
  const MP3_FRAME = 576;

  /** Filled up with silence to a whole frame of 20 ms; what is lossless tells where the turn itself ends. */
  const raw = (): Float64Array => {
    const bytes = turns.get(pathOf('raw', sampleRate))!;
    return Float64Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i));
  };
  const spokenSamples = (): number => (turns.get(pathOf('wav', sampleRate))!.length - 44) / 2;

  it.each(['wav', 'flac'] as const)('%s is raw, to the sample', async (format) => {
    const samples = await heard(pathOf(format, sampleRate), sampleRate);
    expect(samples.length).toBe(spokenSamples());
    // The browser has full scale at 32,767 for what is positive, which alone is 93 dB away; put right, nothing is.
    const reference = raw();
    expect(likenessDb(samples, reference)).toBeGreaterThan(90);
    const said = (sample: number) => Math.round(sample > 0 ? (sample * 32_767) / 32_768 : sample);
    expect(samples.every((sample, i) => said(sample) === reference[i])).toBe(true);
  });

  it('ogg is as long to the sample, and sounds the same', async () => {
    // At the rate that Opus decodes to, so that the browser brings wav there, and leaves ogg as it is.
    const [samples, reference] = [
      await heard(pathOf('ogg', sampleRate), 48_000),
      await heard(pathOf('wav', sampleRate), 48_000),
    ];
    expect(samples.length).toBe((spokenSamples() * 48_000) / sampleRate);
    // libopus brings a narrow band to 48 kHz by a filter that is late by 37 µs, which is between two samples.
    const [lags, leastDb] = sampleRate === 24_000 ? [[0], 20] : [[1, 2], 19];
    const likeness = lags.map((lag) => likenessDb(samples, reference, lag));
    expect(Math.max(...likeness)).toBeGreaterThan(leastDb);
  });

  it('mp3 has the delay of every mp3 without tags, ends in its last frame, and sounds the same', async () => {
    const samples = await heard(pathOf('mp3', sampleRate), sampleRate);
    const surplus = samples.length - MP3_DELAY - spokenSamples();
    expect(surplus).toBeGreaterThanOrEqual(0);
    expect(surplus).toBeLessThan(MP3_FRAME);
    expect(likenessDb(samples, raw(), -MP3_DELAY)).toBeGreaterThan(20);
  });
});
