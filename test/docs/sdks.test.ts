// The lines that point a vendor's client here, as they stand in docs/dialects/ (cartesia.md, deepgram.md, http.md, openai.md) but for
// addresses: the client is made, and gets speech.
import { createRequire } from 'node:module';
import { DeepgramClient } from '@deepgram/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksBy } from '../support/page-blocks.ts';
import { runSnippet } from '../support/run-snippet.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { createSelfSigned, type SelfSigned } from '../support/self-signed.ts';

const require = createRequire(import.meta.url);
// On Node 20 only this build of Cartesia's client has a WebSocket, as its page says.
const { default: Cartesia } = require('@cartesia/cartesia-js') as { default: unknown };
// Its types do not fit each other.
const { ElevenLabsClient } = require('@elevenlabs/elevenlabs-js') as { ElevenLabsClient: unknown };

/** The `index`th of a page, whose last name is answered. */
async function run<T>(
  page: string,
  index: number,
  address: string,
  given: Record<string, unknown>,
): Promise<T> {
  const block = blocksBy(`docs/dialects/${page}.md`, 'test/docs/sdks.test.ts')[index]!;
  const code = block.text
    .replace(/^import .*$/gm, '')
    .replaceAll('127.0.0.1:8080', address)
    .replaceAll(/(?:https|wss):\/\/(?:voice|voxgate)\.example\.com/g, address)
    .replace('.websocket()', '.websocket({ ca })');
  const last = [...code.matchAll(/^const (\w+) =/gm)].at(-1)![1]!;
  return (await runSnippet<{ it: T }>(code, given, `{ it: ${last} }`)).it;
}

let gateway: RunningGateway;
let tls: SelfSigned;
let secure: RunningGateway;
let host: string;
beforeAll(async () => {
  tls = createSelfSigned();
  const files = { VOXGATE_TLS_CERT: tls.certPath, VOXGATE_TLS_KEY: tls.keyPath };
  gateway = await startRunningGateway({ script: speaking });
  secure = await startRunningGateway({ script: speaking, env: files });
  ({ host } = new URL(gateway.url));
});
afterAll(async () => {
  await gateway.close();
  await secure.close();
  tls.remove();
});

type Speech = { arrayBuffer(): Promise<ArrayBuffer> };

describe.concurrent('clients of other vendors', () => {
  it('Cartesia over a WebSocket', async () => {
    type Socket = {
      generate(wish: object): AsyncIterable<{ type: string; audio?: Uint8Array }>;
      close(): void;
    };
    const given = { Cartesia, KEY: 'any', ca: tls.cert };
    const socket = await run<Socket>('cartesia', 0, secure.url, given);
    let bytes = 0;
    for await (const event of socket.generate({
      model_id: 'sonic-3',
      voice: { mode: 'id', id: 'anna' },
      transcript: 'Hello.',
      context_id: 'a',
      output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
    }))
      bytes += event.audio?.length ?? 0;
    expect(bytes).toBeGreaterThan(5000);
    socket.close();
  });

  it('Deepgram over a WebSocket', async () => {
    type Socket = {
      on(event: 'message', callback: (message: Blob | { type: string }) => void): void;
      connect(): void;
      waitForOpen(): Promise<unknown>;
      sendSpeak(message: object): void;
      sendFlush(message: object): void;
      close(): void;
    };
    const given = { DeepgramClient, KEY: 'any' };
    const socket = await run<Socket>('deepgram', 0, gateway.url.replace('http', 'ws'), given);
    const spoken = new Promise<void>((resolve) => {
      socket.on('message', (message) => {
        if (message instanceof Blob && message.size > 0) resolve();
      });
    });
    socket.connect();
    await socket.waitForOpen();
    socket.sendSpeak({ type: 'Speak', text: 'Hello.' });
    socket.sendFlush({ type: 'Flush' });
    await spoken;
    socket.close();
  });

  it('ElevenLabs over HTTP', async () => {
    const sound = await run<ReadableStream>('http', 0, host, { ElevenLabsClient, apiKey: 'any' });
    expect((await new Response(sound).arrayBuffer()).byteLength).toBeGreaterThan(5000);
  });

  it('Deepgram over HTTP', async () => {
    const reply = await run<Speech>('http', 1, host, { DeepgramClient, apiKey: 'any' });
    expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(5000);
  });

  it('Cartesia over HTTP', async () => {
    const events = await run<AsyncIterable<{ type: string }>>('http', 2, host, { Cartesia, apiKey: 'any' });
    const types: string[] = [];
    for await (const { type } of events) types.push(type);
    expect([types.includes('chunk'), types.at(-1)]).toEqual([true, 'done']);
  });

  it('OpenAI', async () => {
    const speech = await run<Speech>('openai', 0, host, { OpenAI, process });
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(3000);
  });
});
