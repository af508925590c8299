// ElevenLabs' clients at a whole gateway over real sockets. There is no client of theirs on npm to run here, so what LiveKit,
// pipecat and home-grown bots say stands in transcripts.

import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { contextOf, isFinal, type VendorMessage } from '../support/elevenlabs-rig.ts';
import {
  ELEVENLABS_TRANSCRIPTS,
  type ElevenLabsTranscript,
  faultsOf,
  matches,
  readTranscript,
} from '../support/elevenlabs-transcript.ts';
import {
  type RunningGateway,
  type RunningGatewayOptions,
  speaking,
  spoken,
  startRunningGateway,
} from '../support/running-gateway.ts';
import { stallAfter, status } from '../support/scripted-upstream.ts';

const KEYS = { VOXGATE_API_KEYS: 'anna:right' };

let gateway: RunningGateway;
const sockets: WebSocket[] = [];
const start = async (options: RunningGatewayOptions = {}) => {
  gateway = await startRunningGateway({ script: speaking, ...options });
};
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await gateway.close();
});

type Bot = {
  readonly messages: readonly VendorMessage[];
  send(...messages: readonly object[]): void;
  /** The first message from index `from` on that is `fits`, come or coming. */
  find(fits: (message: VendorMessage) => boolean, from?: number): Promise<number>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
};

/** Rejects with the status of a refused upgrade. */
async function openBot(target: string, headers: Readonly<Record<string, string>> = {}): Promise<Bot> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${target}`, { headers });
  sockets.push(socket);
  const messages: VendorMessage[] = [];
  let waiters: (() => boolean)[] = [];
  const look = () => {
    waiters = waiters.filter((waiter) => !waiter());
  };
  socket.on('message', (data, isBinary) => {
    expect(isBinary).toBe(false);
    messages.push(JSON.parse((data as Buffer).toString()) as VendorMessage);
    look();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('unexpected-response', (_request, response) =>
      reject(new Error(`status ${response.statusCode}`)),
    );
    socket.on('error', reject);
  });
  return {
    messages,
    send(...all) {
      for (const message of all) socket.send(JSON.stringify(message));
    },
    find: (fits, from = 0) =>
      new Promise((resolve, reject) => {
        const waiter = () => {
          const at = messages.findIndex((message, index) => index >= from && fits(message));
          if (at >= 0) resolve(at);
          return at >= 0;
        };
        if (waiter()) return;
        waiters.push(waiter);
        void closed.then(({ code }) => reject(new Error(`closed with ${code} before`)));
      }),
    closed,
  };
}

const BYTES_PER_MS: Record<ElevenLabsTranscript, number> = {
  livekit: 32,
  pipecat: 48,
  'pipecat-dialogue': 48,
  'stream-input': 8,
};
/** Longer than the piece of it that the service below has to say. */
const LONG = 'this is a long answer that goes on and on without an end '.repeat(4);
const TARGET = '/v1/text-to-speech/anna/multi-stream-input?output_format=pcm_16000&sync_alignment=true';

describe('an ElevenLabs client at a running gateway', () => {
  it.each(ELEVENLABS_TRANSCRIPTS)(
    'is served as it was written down: %s',
    { timeout: 30_000 },
    async (name) => {
      await start({ env: KEYS });
      const [first, ...lines] = readTranscript(name);
      if (first === undefined || !('upgrade' in first))
        throw new Error('a transcript begins with an upgrade');
      const { path, query, headers } = first.upgrade;
      const bot = await openBot(`${path}?${query}`, headers);
      let seen = 0;
      for (const line of lines) {
        if ('atMs' in line && 'message' in line) bot.send(line.message);
        else if ('closes' in line) expect((await bot.closed).code).toBe(line.closes);
        else if ('message' in line)
          seen = 1 + (await bot.find((message) => matches(line.message, message), seen));
      }
      expect(faultsOf(bot.messages, BYTES_PER_MS[name])).toEqual([]);
      const upstream = gateway.upstream.requests.map(({ body }) => (body as { voice?: string }).voice);
      expect(new Set(upstream.map((voice) => voice?.includes('anna')))).toEqual(new Set([true]));
    },
  );

  it('may bring its key in every place that the protocol has, and not without one', async () => {
    await start({ env: KEYS });
    for (const [query, headers] of [
      ['', { 'xi-api-key': 'right' }],
      ['', { authorization: 'Bearer right' }],
      ['&authorization=Bearer%20right', {}],
      ['&single_use_token=right', {}],
      ['&xi-api-key=right', {}],
      ['&xi_api_key=right', {}],
    ] as const)
      expect((await openBot(TARGET + query, headers)).messages).toEqual([]);
    for (const [query, headers] of [
      ['', {}],
      ['', { 'xi-api-key': 'wrong' }],
      ['&xi_api_key=right', { 'xi-api-key': 'wrong' }],
    ] as const)
      await expect(openBot(TARGET + query, headers)).rejects.toThrow('status 401');
    expect(gateway.logLines.join('\n')).not.toContain('right');
  });

  it('is refused with 400 for a format that is not there, and with 404 at another path', async () => {
    await start();
    await expect(
      openBot('/v1/text-to-speech/anna/multi-stream-input?output_format=wav_16000'),
    ).rejects.toThrow('status 400');
    await expect(openBot('/v1/text-to-speech/anna/stream-output')).rejects.toThrow('status 404');
  });

  it('keeps its socket when the speech service fails for one context', async () => {
    await start({ script: [status(400), speaking] });
    const bot = await openBot(TARGET);
    bot.send({ text: 'Bad. ', context_id: 'a', flush: true }, { context_id: 'a', close_context: true });
    const final = await bot.find(isFinal);
    expect(bot.messages[final - 1]).toMatchObject({ contextId: 'a', code: 1011, error: expect.any(String) });
    bot.send({ text: 'Good. ', context_id: 'b', flush: true }, { context_id: 'b', close_context: true });
    await bot.find((message) => isFinal(message) && contextOf(message) === 'b');
    expect(faultsOf(bot.messages, 32)).toEqual([]);
  });

  it('is told why before its socket is closed with 1008, when it says nothing for too long', async () => {
    await start();
    const bot = await openBot('/v1/text-to-speech/anna/stream-input?inactivity_timeout=1');
    expect(await bot.closed).toMatchObject({ code: 1008 });
    expect(bot.messages.at(-1)).toMatchObject({ error: 'idle_timeout', code: 1008 });
  });

  it('has its close_socket answered at once when there is nothing to be heard', async () => {
    await start();
    const bot = await openBot(TARGET);
    bot.send(
      { text: ' ', context_id: 'c' },
      { text: 'Not flushed', context_id: 'c' },
      { close_socket: true },
    );
    expect(await bot.closed).toEqual({ code: 1000, reason: '' });
    expect(bot.messages).toEqual([{ isFinal: true, contextId: 'c' }]);
  });

  it('hears its reply though the answer before it has all the room that a session gets at the service', async () => {
    // Two long answers, the second of them closed and left, each with a request that never ends.
    const stuck = stallAfter(spoken(1));
    await start({ script: [stuck, stuck, stuck, speaking] });
    const bot = await openBot(TARGET);
    for (const id of ['a', 'b', 'c']) {
      const audio = (message: VendorMessage) => contextOf(message) === id && message.audio != null;
      bot.send({ text: LONG, context_id: id, flush: true }, { context_id: id, close_context: true });
      await bot.find(audio);
    }
    bot.send({ text: 'Yes. ', context_id: 'd', flush: true }, { context_id: 'd', close_context: true });
    await bot.find((message) => contextOf(message) === 'd' && isFinal(message));
    expect(contextOf(bot.messages.find(isFinal)!)).toBe('d');
  });

  it('has the one place at a busy service for its reply, from the answer that it has closed', async () => {
    await start({
      script: [stallAfter(spoken(1)), speaking],
      env: { VOXGATE_UPSTREAM_MAX_IN_FLIGHT_PER_KEY: '1' },
    });
    const bot = await openBot(TARGET);
    bot.send({ text: LONG, context_id: 'a', flush: true }, { context_id: 'a', close_context: true });
    const { hungUp } = await gateway.upstream.request(1);
    await bot.find((message) => contextOf(message) === 'a' && message.audio != null);
    bot.send({ text: 'Yes. ', context_id: 'b', flush: true }, { context_id: 'b', close_context: true });
    await hungUp;
    const final = await bot.find((message) => contextOf(message) === 'b' && isFinal(message));
    expect(bot.messages.slice(0, final).filter(isFinal)).toEqual([{ isFinal: true, contextId: 'a' }]);
    expect(faultsOf(bot.messages, 32)).toEqual([]);
  });

  it('that leaves takes its request with it', async () => {
    await start({ script: () => {} });
    const bot = await openBot(TARGET);
    bot.send({ text: 'Hello. ', context_id: 'c', flush: true });
    const { hungUp } = await gateway.upstream.request(1);
    sockets.at(-1)!.terminate();
    await hungUp;
  });
});
