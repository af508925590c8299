// PlayNotes whose script a language model writes, through a whole gateway: what the operator has set up is used, and
// where it lies, fails or is not there the PlayNote fails and says so. Its key stands nowhere but in its own requests.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TimedScript } from '../../src/service/playnotes/playnote-script.ts';
import { speaking } from '../support/running-gateway.ts';
import { type RunningService, startRunningService, VOICE } from '../support/running-service.ts';

const KEY = 'sk-canary-4711';
const TIDES = readFileSync(new URL('../../fixtures/documents/tides.html', import.meta.url));
const LINE = 'Twice a day the sea comes and goes, and this very line was written by the model.';

type Asked = {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly messages: readonly { readonly content: string }[] };
};

const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-script-'));
let service: RunningService;
let model: Server;
let asked: Asked[] = [];
let answer: RequestListener;

const completion =
  (content: string): RequestListener =>
  (_, response) => {
    const message = { role: 'assistant', content };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
  };
/** A script whose only line rests on these sentences. */
const script = (sources: readonly number[], speaker = 1) =>
  JSON.stringify({ title: 'Tides', chapters: [{ title: 'Sea', lines: [{ speaker, text: LINE, sources }] }] });

beforeAll(async () => {
  model = createServer((request, response) => {
    const { url, headers } = request;
    void text(request).then((body) => {
      asked.push({ url, authorization: headers.authorization, body: JSON.parse(body) as Asked['body'] });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  service = await startRunningService({
    script: speaking,
    env: {
      VOXGATE_DATA_DIR: dataDir,
      VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
      VOXGATE_SCRIPT_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
      VOXGATE_SCRIPT_KEY: KEY,
      VOXGATE_SCRIPT_MODEL: 'some-model',
    },
  });
});
afterAll(async () => {
  const kept = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  await service.close();
  model.closeAllConnections();
  await new Promise((resolve) => model.close(resolve));
  rmSync(dataDir, { recursive: true, force: true });
  expect(kept.length).toBeGreaterThan(0);
  for (const bytes of kept) expect(bytes.includes(KEY)).toBe(false);
});
beforeEach(() => {
  asked = [];
});

async function make(): Promise<Record<string, unknown>> {
  const fields = { synthesisStyle: 'executive-briefing', voice1: VOICE, voice1Name: 'null' };
  const sourceFile = new Blob([TIDES], { type: 'text/html' });
  const made = await service.ask('POST', '/api/v1/playnotes', { form: { ...fields, sourceFile } });
  expect(made.status, made.text).toBe(201);
  const path = `/api/v1/playnotes/${made.json.id}`;
  return (await service.until(path, ({ status }) => status !== 'generating')).json;
}

/** Everything that an operator or a caller can read. */
async function readable(record: unknown): Promise<string> {
  const metrics = await service.scrape();
  const list = await service.ask('GET', '/api/v1/playnotes');
  return [JSON.stringify(record), metrics, list.text, ...service.logLines].join('\n');
}

it('is what is spoken', async () => {
  answer = completion(script([0]));
  const record = await make();
  expect(record).toMatchObject({ status: 'completed', error: null });
  expect(asked).toMatchObject([
    { url: '/v1/chat/completions', authorization: `Bearer ${KEY}`, body: { model: 'some-model' } },
  ]);
  expect(asked[0]!.body.messages.at(-1)!.content).toMatch(/\[0\] .*\n\[1\] /s);
  const told = (await (await fetch(record.scriptUrl as string)).json()) as TimedScript;
  expect(JSON.stringify(told.chapters)).toContain(LINE);
  expect(told.sentences).toEqual([
    { number: 0, text: expect.stringMatching(/\w+.*\.$/), path: expect.any(Array) },
  ]);
  const said = service.upstream.requests.map(({ body }) => (body as { text: string }).text).join(' ');
  expect(said).toContain('this very line was written by the model');
  expect(await readable(record)).not.toContain(KEY);
});

it.each<[what: string, answer: RequestListener, questions: number, message: RegExp]>([
  ['rests on a sentence that there is not', completion(script([9999])), 2, /no usable script.*9999/],
  ['has a voice that there is not', completion(script([0], 2)), 2, /no usable script.*one voice/],
  ['is chat', completion('Certainly! Here is your script.'), 2, /no usable script/],
  [
    'is a refusal that repeats the key',
    (request, response) => response.writeHead(401).end(JSON.stringify({ error: request.headers })),
    1,
    /does not take the key \(status 401\)/,
  ],
  ['is a failure', (_, response) => response.writeHead(503).end('{}'), 1, /has failed \(status 503\)/],
  ['breaks off', (_, response) => response.destroy(), 1, /cannot be reached/],
  [
    'repeats the key in what is no script',
    (request, response) => completion(String(request.headers.authorization))(request, response),
    2,
    /no usable script/,
  ],
])('the PlayNote fails when the answer %s', async (_, given, questions, message) => {
  answer = given;
  const record = await make();
  expect(record).toMatchObject({ status: 'failed', audioUrl: null, scriptUrl: null });
  expect(record.error).toMatchObject({ code: 'script_failed', message: expect.stringMatching(message) });
  expect(asked).toHaveLength(questions);
  expect(await readable(record)).not.toContain(KEY);
});

it('the PlayNote fails when nobody is there', async () => {
  model.closeAllConnections();
  const { port } = model.address() as AddressInfo;
  await new Promise((resolve) => model.close(resolve));
  try {
    const record = await make();
    expect(record.error).toMatchObject({ code: 'script_failed' });
    expect(asked).toEqual([]);
    expect(await readable(record)).not.toContain(KEY);
  } finally {
    await new Promise<void>((resolve) => model.listen(port, '127.0.0.1', resolve));
  }
});
