// The unmodified JavaScript client of Cartesia over TLS, as it is installed by its users, against a whole gateway.

import { createRequire } from 'node:module';
import type CartesiaClient from '@cartesia/cartesia-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type CartesiaMessage,
  isTerminal,
  messageSchema,
  orderOf,
  soundOf,
} from '../dialects/cartesia-fixture.ts';
import { type RunningGateway, speaking, spoken, startRunningGateway } from '../support/running-gateway.ts';
import { audio, type Script, stallAfter, status } from '../support/scripted-upstream.ts';
import { createSelfSigned, type SelfSigned } from '../support/self-signed.ts';

// Its ES module looks for `ws` with a `require` that is not there; on Node 20 only the other build has a WebSocket.
const require = createRequire(import.meta.url);
const { default: Cartesia } = require('@cartesia/cartesia-js') as { default: typeof CartesiaClient };
/** What `client.tts.websocket()` makes: it lets nobody listen before it has connected. */
const { TTSWS } = require('@cartesia/cartesia-js/resources/tts/ws') as {
  TTSWS: new (...of: [client: CartesiaClient, options: { ca: string }]) => Socket;
};

type Socket = Awaited<ReturnType<CartesiaClient['tts']['websocket']>>;
type ContextOptions = Parameters<Socket['context']>[0];

const OPTIONS: ContextOptions = {
  model_id: 'sonic-3',
  voice: { mode: 'id', id: 'anna' },
  language: 'en',
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
};

let tls: SelfSigned;
let gateway: RunningGateway;
let socket: Socket | undefined;
/** Everything that came on the socket, of whatever context. */
let messages: CartesiaMessage[] = [];
let failures: string[] = [];

beforeAll(() => {
  tls = createSelfSigned();
});
afterAll(() => tls.remove());
afterEach(async () => {
  socket?.close();
  socket = undefined;
  await gateway.close();
});

const startGatewayOf = (script: Script | readonly Script[]) =>
  startRunningGateway({
    script,
    env: {
      VOXGATE_TLS_CERT: tls.certPath,
      VOXGATE_TLS_KEY: tls.keyPath,
      VOXGATE_API_KEYS: 'anna:key-1',
    },
  });
async function connect(script: Script | readonly Script[]): Promise<Socket> {
  gateway = await startGatewayOf(script);
  messages = [];
  failures = [];
  const client = new Cartesia({ apiKey: 'key-1', baseURL: gateway.url });
  const opened = await client.tts.websocket({ ca: tls.cert });
  opened.on('event', (event) => messages.push(messageSchema.parse(event)));
  opened.on('error', (error) => failures.push(String(error.message)));
  socket = opened;
  return opened;
}
const msOf = (contextId: string) => soundOf(messages, contextId).length / 48;
const terminalsOf = (contextId: string) =>
  messages.filter((message) => message.context_id === contextId && isTerminal(message));
/** Resolves with the next message that fits. */
const next = (on: Socket, fits: (message: CartesiaMessage) => boolean) =>
  new Promise<void>((resolve) => {
    const listen = (event: unknown) => {
      if (!fits(event as CartesiaMessage)) return;
      on.off('event', listen);
      resolve();
    };
    on.on('event', listen);
  });
const receiveAll = async (context: ReturnType<Socket['context']>) => {
  const types: string[] = [];
  for await (const event of context.receive()) types.push(event.type);
  return types;
};

describe('the Cartesia SDK', () => {
  it('streams a text and gets its sound with word times, then done', async () => {
    const on = await connect(speaking);
    const context = on.context({ ...OPTIONS, contextId: 'c', add_timestamps: true });
    for (const transcript of ['Good morning to you. ', 'The line is ', 'open now.'])
      await context.push({ transcript });
    await context.no_more_inputs();
    const types = await receiveAll(context);
    expect(types.at(-1)).toBe('done');
    expect(types.filter((type) => type === 'done')).toHaveLength(1);
    expect(orderOf(messages)[0]).toBe('timestamps c');
    const words = messages.flatMap((each) => (each.type === 'timestamps' ? each.word_timestamps.words : []));
    expect(words.join(' ')).toBe('Good morning to you. The line is open now.');
    const ends = messages.flatMap((each) => (each.type === 'timestamps' ? each.word_timestamps.end : []));
    expect(ends.at(-1)! * 1000).toBeLessThanOrEqual(msOf('c'));
    expect(ends.at(-1)! * 1000).toBeGreaterThan(msOf('c') * 0.7);
    expect(msOf('c')).toBeGreaterThan(1500);
    expect(gateway.upstream.requests[0]!.body).toMatchObject({ voice: 'anna', language: 'english' });
    expect(failures).toEqual([]);
    // Neither the key nor the text is anybody's business.
    expect(gateway.logLines.join('\n')).not.toMatch(/key-1|morning/);
  });

  it('generates a whole text in one call, flushes, and speaks 32-bit floats', async () => {
    const on = await connect(speaking);
    const float = { ...OPTIONS.output_format, encoding: 'pcm_f32le' as const };
    let samples = 0;
    let peak = 0;
    for await (const event of on.generate({
      ...OPTIONS,
      output_format: float,
      context_id: 'f',
      transcript: 'One two.',
    })) {
      if (event.type !== 'chunk') continue;
      const sound = Buffer.from(event.audio!);
      expect(sound.length % 4).toBe(0);
      samples += sound.length / 4;
      for (let at = 0; at < sound.length; at += 4) peak = Math.max(peak, Math.abs(sound.readFloatLE(at)));
    }
    expect(samples).toBeGreaterThan(24_000 * 0.3);
    expect(peak).toBeGreaterThan(0.05);
    expect(peak).toBeLessThanOrEqual(1);

    const context = on.context({ ...OPTIONS, contextId: 'c' });
    await context.push({ transcript: 'Three four', flush: true });
    await context.no_more_inputs();
    const types = await receiveAll(context);
    expect(types.slice(-2)).toEqual(['flush_done', 'done']);
  });

  it('cancels in the middle of speech: not one chunk more, and the next context is whole', async () => {
    const on = await connect([stallAfter(spoken(3)), audio(spoken(1))]);
    const first = on.context({ ...OPTIONS, contextId: 'a' });
    await first.push({ transcript: 'A long story that nobody wants to hear to its very end.' });
    await next(on, ({ type }) => type === 'chunk');
    const { hungUp } = await gateway.upstream.request(1);
    const ended = next(on, isTerminal);
    await first.cancel();
    const second = on.context({ ...OPTIONS, contextId: 'b' });
    await second.send({ transcript: 'What we want to hear is this here.', continue: false });
    const types = await receiveAll(second);
    await Promise.all([hungUp, ended]);
    expect(types.at(-1)).toBe('done');
    expect(msOf('b')).toBeGreaterThan(2200);
    expect(terminalsOf('a')).toMatchObject([{ type: 'done', cancelled: true }]);
    expect(terminalsOf('a')[0]).toHaveProperty('text_spoken');
    const at = messages.findIndex((each) => each.context_id === 'a' && isTerminal(each));
    expect(messages.slice(at + 1).filter(({ context_id }) => context_id === 'a')).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('waits for a speech service whose first byte takes four seconds, and is kept from giving up', async () => {
    const on = await connect(async (reply) => {
      await new Promise((resolve) => setTimeout(resolve, 4000));
      await audio(spoken(1))(reply);
    });
    const context = on.context({ ...OPTIONS, contextId: 'c' });
    await context.send({ transcript: 'This comes late, and is whole all the same.', continue: false });
    const types = await receiveAll(context);
    expect(types[0]).toBe('flush_done');
    expect(types.at(-1)).toBe('done');
    expect(msOf('c')).toBeGreaterThan(2200);
  });

  it('is told that the speech service is overloaded as 5xx, and the socket lives', async () => {
    const on = await connect([status(429, { 'retry-after': '60' }), audio(spoken(1))]);
    const context = on.context({ ...OPTIONS, contextId: 'a' });
    await context.send({ transcript: 'Not now.', continue: false });
    await expect(receiveAll(context)).rejects.toThrow();
    const [error] = terminalsOf('a');
    expect(error).toMatchObject({ type: 'error', done: true, retryable: true });
    expect(error!.status_code).toBeGreaterThanOrEqual(500);
    expect(failures).toHaveLength(1);
    expect(on.socket.readyState).toBe(1);
  });

  it('is refused at the upgrade with a wrong key', async () => {
    gateway = await startGatewayOf(speaking);
    const refused = new TTSWS(new Cartesia({ apiKey: 'key-2', baseURL: gateway.url }), { ca: tls.cert });
    const told = new Promise<string>((resolve) => refused.on('error', ({ message }) => resolve(message)));
    await expect(refused.connect()).rejects.toMatchObject({ message: expect.stringContaining('401') });
    expect(await told).toContain('401');
    expect(gateway.upstream.requests).toEqual([]);
    expect(gateway.logLines.join('\n')).not.toContain('key-2');
  });
});
