// The adapter against a real HTTP server that answers as it is told.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sourceDigest } from '../../../src/script/source-digest.ts';
import {
  createHttpChatWriter,
  type HttpChatWriter,
} from '../../../src/service/playnotes/http-chat-writer.ts';
import { cutSentences } from '../../../src/service/playnotes/sentence-cutter.ts';
import { heatPumps } from '../../script/sample-documents.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

const KEY = 'sk-canary-77';
const wish = {
  style: 'podcast',
  speakers: { name1: 'Ada', name2: 'Ben', voices: 2 },
  language: 'english',
  seed: 1,
} as const;

type Asked = {
  readonly body: Record<string, unknown>;
  readonly authorization: string | undefined;
  readonly url: string;
};
type Answer = (response: ServerResponse) => void;

const completion =
  (content: string): Answer =>
  (response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }),
    );
  };
const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end('{"error": {"message": "no"}}');
const script = (source = 0) =>
  JSON.stringify({
    title: 'T',
    chapters: [{ title: 'C', lines: [{ speaker: 1, text: 'A heat pump moves warmth.', sources: [source] }] }],
  });

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function bench(
  answers: Answer[],
): Promise<{ writer: HttpChatWriter; asked: Asked[]; clock: FakeClock; arrived: Promise<void> }> {
  const asked: Asked[] = [];
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      asked.push({
        body: JSON.parse(text) as Record<string, unknown>,
        authorization: request.headers.authorization,
        url: request.url!,
      });
      arrive();
      (answers.shift() ?? status(500))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = createFakeClock();
  const writer = createHttpChatWriter({
    baseUrl: new URL(`http://127.0.0.1:${port}/v1/`),
    apiKey: KEY,
    model: 'some-model',
    answerMs: 60_000,
    mostSourceWords: 10_000,
    digest: async ({ document, language, mostWords }) =>
      sourceDigest(document, language, cutSentences, mostWords),
    clock,
  });
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
    () => writer.close(),
  );
  return { writer, asked, clock, arrived };
}

const write = (writer: HttpChatWriter, signal = new AbortController().signal) =>
  writer.write(heatPumps, wish, signal);

describe('the chat writer', () => {
  it('asks once, with the key, the model, the schema and the sentences', async () => {
    const { writer, asked } = await bench([completion(script())]);
    expect(await write(writer)).toMatchObject({ title: 'T', style: 'podcast', language: 'english' });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      url: '/v1/chat/completions',
      authorization: `Bearer ${KEY}`,
      body: { model: 'some-model', response_format: { type: 'json_schema' } },
    });
    expect(JSON.stringify(asked[0]!.body)).toContain('[0] A heat pump moves warmth');
  });

  it('asks without a schema where the service knows none', async () => {
    const { writer, asked } = await bench([status(400), completion(`Sure!\n${script()}`)]);
    expect((await write(writer)).title).toBe('T');
    expect(asked[1]!.body).not.toHaveProperty('response_format');
  });

  it('says once what is wrong with an answer', async () => {
    const { writer, asked } = await bench([completion(script(9999)), completion(script())]);
    expect((await write(writer)).title).toBe('T');
    const messages = asked[1]!.body.messages as { role: string; content: string }[];
    expect(messages.at(-1)!.content).toMatch(/source 9999/);
  });

  it.each([
    ['two answers that are no script', [completion('no'), completion('no')], /no usable script/],
    ['a key that is not taken', [status(401)], /key/],
    ['a service at its limit', [status(429)], /limit/],
    ['a service that fails', [status(503)], /failed/],
    ['an answer that is no JSON', [(response: ServerResponse) => void response.end('<html>')], /JSON/],
    [
      'an answer of another form',
      [(response: ServerResponse) => void response.end('{"choices": []}')],
      /form/,
    ],
    ['a broken connection', [(response: ServerResponse) => void response.destroy()], /reached/],
    [
      'an answer without an end',
      [(response: ServerResponse) => void response.end(Buffer.alloc(3 * 1024 * 1024, 32))],
      /without an end/,
    ],
  ])('fails honestly on %s', async (_, answers, why) => {
    const { writer } = await bench(answers as Answer[]);
    const error = await write(writer).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'script_failed', message: expect.stringMatching(why) });
    expect(String((error as Error).message)).not.toMatch(/canary|heat pump/i);
  });

  it('gives up when the time is over', async () => {
    const { writer, clock, arrived } = await bench([() => {}]);
    const writing = write(writer).catch((thrown: unknown) => thrown);
    await arrived;
    clock.advance(60_000);
    expect(await writing).toMatchObject({ code: 'script_failed', message: expect.stringMatching(/in time/) });
  });

  it('ends with the reason of whoever asked', async () => {
    const { writer, arrived } = await bench([() => {}]);
    const stop = new AbortController();
    const writing = write(writer, stop.signal).catch((thrown: unknown) => thrown);
    await arrived;
    const reason = new Error('cancelled');
    stop.abort(reason);
    expect(await writing).toBe(reason);
  });

  it('asks nothing for a source without text', async () => {
    const { writer, asked } = await bench([]);
    const empty = { ...heatPumps, blocks: [] };
    await expect(writer.write(empty, wish, new AbortController().signal)).rejects.toMatchObject({
      code: 'invalid_source',
    });
    expect(asked).toHaveLength(0);
  });
});
