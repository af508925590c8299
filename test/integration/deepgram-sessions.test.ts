// /v1/speak and /v2/speak over real sockets: whole sessions of LiveKit and pipecat, and what stands at the upgrade.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { readTranscript, replay, TRANSCRIPTS, type WireMessage } from '../support/deepgram-transcript.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({ script: speaking, env: { VOXGATE_API_KEYS: 'anna:right' } });
});
afterAll(() => gateway.close());

type Dialled = {
  readonly socket: WebSocket;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly arrivals: (WireMessage | Buffer)[];
  readonly closedWith: () => number | undefined;
};

/** Rejects with status, headers and body of a refusal. */
function dial(
  target: string,
  headers: Readonly<Record<string, string>>,
  protocols: string[] = [],
): Promise<Dialled> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${target}`, protocols, { headers });
    const arrivals: Dialled['arrivals'] = [];
    let upgraded: Dialled['headers'] = {};
    let closed: number | undefined;
    socket.on('upgrade', (response) => {
      upgraded = response.headers;
    });
    socket.on('message', (data, isBinary) => {
      arrivals.push(isBinary ? (data as Buffer) : (JSON.parse((data as Buffer).toString()) as WireMessage));
    });
    socket.on('close', (code) => {
      closed = code;
    });
    socket.on('open', () => resolve({ socket, headers: upgraded, arrivals, closedWith: () => closed }));
    socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
      });
      response.on('end', () =>
        reject(
          new Error(
            JSON.stringify({ status: response.statusCode, error: response.headers['dg-error'], body }),
          ),
        ),
      );
    });
    socket.on('error', reject);
  });
}

const RIGHT = { authorization: 'Token right' };
const refusalOf = (target: string, headers: Readonly<Record<string, string>>, protocols?: string[]) =>
  dial(target, headers, protocols).then(
    () => expect.fail('let in'),
    (error: Error) => JSON.parse(error.message) as { status: number; error?: string; body: string },
  );
const poll = (isThere: () => boolean) => expect.poll(isThere, { timeout: 15_000 }).toBe(true);

describe.each(TRANSCRIPTS)('%s on a gateway', (name) => {
  it('is answered as it was', async () => {
    const transcript = readTranscript(name);
    const { socket, arrivals, closedWith } = await dial(transcript.upgrade, transcript.headers);
    await replay(transcript, {
      async send(message) {
        socket.send(JSON.stringify(message));
      },
      arrived: () =>
        arrivals
          .map((each) => (Buffer.isBuffer(each) ? ('audio' as const) : each))
          .filter((each, at, all) => each !== 'audio' || all[at - 1] !== 'audio'),
      closedWith,
      until: poll,
    });
    expect(arrivals.every((each) => !Buffer.isBuffer(each) || each.length % 2 === 0)).toBe(true);
  });
});

describe('the upgrade', () => {
  it('names the request in a header as in the first message', async () => {
    for (const path of ['/v1/speak', '/v2/speak?model=anna']) {
      const { socket, headers, arrivals } = await dial(path, RIGHT);
      await poll(() => arrivals.length > 0);
      expect(headers['dg-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(arrivals[0]).toMatchObject({ request_id: headers['dg-request-id'] });
      socket.terminate();
    }
  });

  it.each(['token', 'bearer'])(
    'takes the key of a browser from the subprotocols, and selects %s',
    async (scheme) => {
      const { socket, headers } = await dial('/v1/speak', {}, [scheme, 'right']);
      expect(socket.protocol).toBe(scheme);
      expect(JSON.stringify(headers)).not.toContain('right');
      socket.terminate();
    },
  );

  it('is refused with the status and the reason, in a header and in the body', async () => {
    const wrongKey = await refusalOf('/v1/speak', { authorization: 'Token wrong' });
    expect(wrongKey).toMatchObject({ status: 401, error: expect.stringContaining('key') });
    expect(await refusalOf('/v2/speak?model=a', {}, ['token', 'wrong'])).toMatchObject({ status: 401 });
    expect(await refusalOf('/v1/speak', {})).toMatchObject({ status: 401 });
    const encoding = await refusalOf('/v1/speak?encoding=opus', RIGHT);
    expect(encoding).toMatchObject({ status: 400, error: expect.stringMatching(/^encoding: /) });
    expect(JSON.parse(encoding.body)).toMatchObject({ errorMessage: encoding.error });
    expect(await refusalOf('/v2/speak', RIGHT)).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^model: /),
    });
  });

  it('leaves no key and no text in the log', async () => {
    const { socket, arrivals } = await dial('/v1/speak?voxgate_pace=burst', RIGHT);
    socket.send(JSON.stringify({ type: 'Speak', text: 'Rosebud.' }));
    socket.send('{"type":"Speak","text":"Rosebud"');
    socket.send(Buffer.from('Rosebud'));
    socket.send(JSON.stringify({ type: 'Flush' }));
    await poll(() => arrivals.some((each) => !Buffer.isBuffer(each) && each.type === 'Flushed'));
    const errors = arrivals.filter(
      (each): each is WireMessage => !Buffer.isBuffer(each) && each.type === 'Error',
    );
    expect(errors.map((error) => error.code)).toEqual(['MESSAGE-0000', 'MESSAGE-0000']);
    socket.terminate();
    expect(`${gateway.logLines.join('\n')}${JSON.stringify(errors)}`).not.toMatch(/Rosebud|right/);
  });
});

it('queues any number of turns and speaks each of them', async () => {
  const { socket, arrivals, closedWith } = await dial('/v1/speak?voxgate_pace=burst&encoding=mulaw', RIGHT);
  for (let turn = 0; turn < 25; turn += 1) {
    socket.send(JSON.stringify({ type: 'Speak', text: `This is sentence ${turn}.` }));
    socket.send(JSON.stringify({ type: 'Flush' }));
  }
  socket.send(JSON.stringify({ type: 'Close' }));
  await poll(() => closedWith() !== undefined);
  const order = arrivals
    .map((each) => (Buffer.isBuffer(each) ? 'audio' : each.type))
    .filter((name, at, all) => name !== 'audio' || all[at - 1] !== 'audio');
  expect(order).toEqual(['Metadata', ...Array.from({ length: 25 }, () => ['audio', 'Flushed']).flat()]);
  expect(closedWith()).toBe(1000);
});
