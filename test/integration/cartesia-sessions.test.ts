// The transcripts of Cartesia's clients, at their own speed, against a whole gateway over real sockets; and what only
// a gateway has: keys at the upgrade, and requests to a speech service.

import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  type CartesiaMessage,
  isTerminal,
  orderOf,
  readMessage,
  say,
  soundOf,
} from '../dialects/cartesia-fixture.ts';
import {
  type Answers,
  CARTESIA_TRANSCRIPTS,
  type CartesiaTranscript,
  faultsOf,
  firstOfEachKind,
} from '../dialects/cartesia-transcript.ts';
import { type RunningGateway, speaking, spoken, startRunningGateway } from '../support/running-gateway.ts';
import { type Script, stallAfter, status } from '../support/scripted-upstream.ts';

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const SCRIPTS: Readonly<Record<Answers, Script>> = {
  speech: speaking,
  stalls: stallAfter(spoken(1)),
  429: status(429, { 'retry-after': '60' }),
  async later(reply) {
    await sleep(4000);
    await speaking(reply);
  },
};

let gateway: RunningGateway;
let sockets: WebSocket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  sockets = [];
  await gateway.close();
});
const start = async (script: Script, env: Record<string, string> = {}) => {
  gateway = await startRunningGateway({ script, env: { VOXGATE_API_KEYS: 'anna:KEY', ...env } });
};

type Client = {
  readonly socket: WebSocket;
  readonly messages: CartesiaMessage[];
  send(...messages: readonly object[]): void;
  /** Resolves when every one of these contexts has its terminal message. */
  ended(...contextIds: readonly string[]): Promise<void>;
};

/** Rejects with the status of a refused upgrade. */
async function connect(query: string, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const url = `${gateway.url.replace('http', 'ws')}/tts/websocket?${query}`;
  const socket = new WebSocket(url, { headers });
  sockets.push(socket);
  const messages: CartesiaMessage[] = [];
  socket.on('message', (data, isBinary) => {
    const bytes = data as Buffer;
    messages.push(readMessage(isBinary ? bytes : bytes.toString('utf8')));
    socket.emit('kept');
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) =>
      reject(new Error(`refused with ${response.statusCode}`)),
    );
  });
  const hasEnded = (id: string) => messages.some((each) => each.context_id === id && isTerminal(each));
  return {
    socket,
    messages,
    send(...sent) {
      for (const message of sent) socket.send(JSON.stringify(message));
    },
    ended: (...ids) =>
      new Promise((resolve) => {
        const look = () => {
          if (!ids.every(hasEnded)) return;
          socket.off('kept', look);
          resolve();
        };
        socket.on('kept', look);
        look();
      }),
  };
}

async function replay({ acts, upgrade, expected }: CartesiaTranscript): Promise<CartesiaMessage[]> {
  const client = await connect(upgrade.query, upgrade.headers);
  const beganAtMs = performance.now();
  for (const { atMs, message } of acts) {
    await sleep(beganAtMs + atMs - performance.now());
    if (message !== undefined) client.send(message);
    else client.socket.terminate();
  }
  const isCut = acts.at(-1)?.message === undefined;
  const ids = new Set(expected.map(({ context_id }) => context_id!));
  if (isCut) await (await gateway.upstream.request(1)).hungUp;
  else await client.ended(...ids);
  await sleep(200);
  return client.messages;
}

describe('cartesia transcripts on a gateway', () => {
  for (const transcript of CARTESIA_TRANSCRIPTS) {
    it(`${transcript.name} goes as it is written down`, async () => {
      await start(SCRIPTS[transcript.answers]);
      if (transcript.refuses !== undefined) {
        const refused = connect(transcript.upgrade.query, transcript.upgrade.headers);
        await expect(refused).rejects.toThrow(`refused with ${transcript.refuses}`);
      } else {
        const messages = await replay(transcript);
        expect(firstOfEachKind(messages)).toMatchObject(transcript.expected);
        expect(faultsOf(transcript, messages)).toEqual([]);
      }
      expect(gateway.logLines.join('\n')).not.toMatch(/KEY|WRONG|parcel|table|doctor/);
    });
  }
});

describe('a cartesia client of a gateway', () => {
  it('comes in by any of the ways to say a key, and by none of them with a wrong one', async () => {
    await start(speaking);
    await connect('', { 'x-api-key': 'KEY' });
    await connect('', { authorization: 'Bearer KEY' });
    await connect('access_token=KEY');
    for (const [query, headers] of [
      ['', {}],
      ['', { 'x-api-key': 'WRONG' }],
      ['api_key=', {}],
      ['api_key=KEY', { 'x-api-key': 'WRONG' }],
    ] as const)
      await expect(connect(query, headers)).rejects.toThrow('refused with 401');
    await expect(connect('api_key=KEY&voxgate_pace=fast')).rejects.toThrow('refused with 400');
  });

  it('keeps its socket through bad requests, and is told of each', async () => {
    await start(speaking);
    const client = await connect('api_key=KEY&voxgate_pace=burst');
    client.socket.send('{');
    client.socket.send(Buffer.from([1, 2, 3]));
    client.send({ context_id: 'a', transcript: 7 }, say('b', 'One.', { language: 'fi' }));
    client.send(say('c', 'Still here.', { continue: false }));
    await client.ended('c');
    expect(orderOf(client.messages).slice(0, 4)).toEqual(['error ', 'error ', 'error a', 'error b']);
    const statuses = client.messages.flatMap((each) => (each.type === 'error' ? [each.status_code] : []));
    expect(statuses).toEqual([400, 415, 400, 400]);
    expect(orderOf(client.messages).slice(4)).toEqual(['chunk c', 'done c']);
  });

  it('has the name of a voice that is no alias sent on as it is', async () => {
    await start(speaking);
    const client = await connect('api_key=KEY&voxgate_pace=burst');
    const voice = 's3://voices/anna/manifest.json';
    client.send(say('c', 'One.', { continue: false, voice, generation_config: { speed: 1.25 } }));
    await client.ended('c');
    expect(gateway.upstream.requests[0]!.body).toMatchObject({ voice, speed: 1.25, language: 'english' });
    expect(soundOf(client.messages, 'c').length).toBeGreaterThan(1000);
  });
});
