// Marked texts and marked keys go through every path, in peace and with every failure: native sessions, the dialects, agents,
// REST, other vendors' HTTP, jobs, PlayNotes, webhooks, calls. None of them is found in the log, in the metrics, in an
// error that a caller is told, or in the admin listener.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createTelnyxSide } from '../../testkit/carriers/telnyx-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { linesWith } from '../support/log-lines.ts';
import { speaking } from '../support/running-gateway.ts';
import { type RunningService, startRunningService } from '../support/running-service.ts';
import { type Script, status } from '../support/scripted-upstream.ts';

/** Stands in every text that is spoken, and in all that a caller has for it alone. */
const TEXT = 'Quuxvalewood';
const SENTENCE = `The ${TEXT} lantern glows above the harbour tonight.`;
/** Stands in every key, token and secret. */
const KEY = 'K3yM4rk';
const ANN = `${KEY}-caller-ann`;
const VOICE = 'vox:anna';
/** On a slow machine, too. */
const SOON = { timeout: 50_000 };

/** What this test's speech service does with a text: it repeats it in its refusals, as some do, with the key. */
const answers: Script = (reply) => {
  const { text } = reply.request.body as { text: string };
  const { authorization = '' } = reply.request.headers;
  const echo = JSON.stringify({ errorMessage: `cannot say ${text} with ${authorization}`, errorId: text });
  const json = { 'content-type': 'application/json' };
  if (text.includes('Rejected')) return status(400, json, echo)(reply);
  if (text.includes('Broken')) return status(500, json, echo)(reply);
  if (text.includes('Cut')) {
    reply.start();
    reply.write(new Uint8Array(2000).fill(0x55));
    return reply.reset();
  }
  return speaking(reply);
};
const FAILURES = ['Rejected', 'Broken', 'Cut'] as const;

let service: RunningService;
let hooks: Server;
let hookUrl: string;
/** What callers were told of failures. */
const errors: string[] = [];
const sockets: WebSocket[] = [];

beforeAll(async () => {
  hooks = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url?.includes('gone') ? 410 : 204).end();
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  hookUrl = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/hook?secret=${KEY}-hook`;
  service = await startRunningService({
    script: answers,
    env: {
      VOXGATE_API_KEYS: `ann:${ANN}`,
      VOXGATE_UPSTREAM_KEYS: `user:${KEY}-upstream@100000`,
      VOXGATE_ADMIN_KEY: `${KEY}-admin`,
      VOXGATE_TWILIO_AUTH_TOKEN: `${KEY}-twilio`,
      VOXGATE_PUBLIC_URL: 'http://127.0.0.1:1',
      VOXGATE_PHRASE_CACHE: 'always',
    },
  });
});
afterAll(async () => {
  for (const socket of sockets) socket.terminate();
  await service.close();
  hooks.close();
});

const HEADERS = { authorization: `Bearer ${ANN}`, 'x-user-id': 'ann' };
const ask = async (method: string, path: string, more: Parameters<RunningService['ask']>[2] = {}) => {
  const answer = await service.ask(method, path, { ...more, headers: { ...HEADERS, ...more.headers } });
  if (answer.status >= 400) errors.push(answer.text);
  return answer;
};
const spokenTexts = () => service.upstream.requests.map(({ body }) => (body as { text: string }).text);
const wasAsked = (of: string, from: number) =>
  expect
    .poll(
      () =>
        spokenTexts()
          .slice(from)
          .some((text) => text.includes(of)),
      SOON,
    )
    .toBe(true);
const openSocket = async (target: string, headers: Readonly<Record<string, string>> = {}) => {
  const socket = new WebSocket(`ws://127.0.0.1:${service.port}${target}`, { headers });
  sockets.push(socket);
  const texts: string[] = [];
  socket.on('message', (data, isBinary) => {
    if (!isBinary) texts.push((data as Buffer).toString());
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  return {
    socket,
    texts,
    send: (...all: object[]) => {
      for (const one of all) socket.send(JSON.stringify(one));
    },
  };
};
/** Lines of the log, figures, and what callers and operators were told. */
const told = async (): Promise<string> => {
  const admin = { headers: { authorization: `Bearer ${KEY}-admin` } };
  const figures = await (await fetch(`${service.url}/metrics`, admin)).text();
  const pool = await (await fetch(`${service.url}/v1/pool`, admin)).text();
  return [...service.logLines, figures, pool, ...errors].join('\n');
};
/** `secret-of`: an address or a token that a caller named. */
const expectNothing = async () => {
  const all = await told();
  const found = all.split('\n').filter((line) => line.includes(TEXT) || line.includes(KEY));
  expect(found).toEqual([]);
};
const textOf = (kind: string): string => `${kind} ${SENTENCE}`;

describe('nothing that is spoken and no key is told', () => {
  it('of native sessions, whole, appended, as a dialogue, in their prompts, and when they fail', async () => {
    const probe = await service.session(`pace=burst&captions=words&prompt=${TEXT}`, { headers: HEADERS });
    const { session } = await probe.event('ready');
    probe.send({ type: 'speak', turn: 'whole', text: SENTENCE });
    probe.send({ type: 'append', turn: 'appended', text: SENTENCE }, { type: 'end', turn: 'appended' });
    probe.send({
      type: 'speak',
      turn: 'both',
      dialogue: [
        { speaker: 1, text: SENTENCE },
        { speaker: 2, text: SENTENCE },
      ],
    });
    for (const kind of FAILURES) probe.send({ type: 'speak', turn: kind, text: textOf(kind) });
    for (const turn of ['whole', 'appended', 'both', ...FAILURES]) await probe.ended(turn);
    probe.send(
      { type: SENTENCE, text: SENTENCE },
      { type: 'speak', turn: 'x', voice: TEXT.repeat(40), text: SENTENCE },
    );
    probe.socket.send(`{"type":"speak","text":"${SENTENCE}`);
    await expect.poll(() => probe.events('error').length, SOON).toBeGreaterThanOrEqual(5);
    // What a client itself has sent may be named to it by a field's name, never by its text.
    errors.push(...probe.events('error').map((error) => JSON.stringify(error)));
    probe.socket.close();
    await expect.poll(() => linesWith(service.logLines, 'session_ended', { session }).length, SOON).toBe(1);
    for (const turn of FAILURES)
      expect(linesWith(service.logLines, 'turn_failed', { session, turn })).toHaveLength(1);
    await expectNothing();
  });

  it.each([
    [
      'elevenlabs',
      '/v1/text-to-speech/anna/stream-input',
      { 'xi-api-key': ANN },
      (text: string) => [{ text: ' ' }, { text: `${text} `, flush: true }, { text: '' }],
    ],
    [
      'cartesia',
      `/tts/websocket?api_key=${ANN}&cartesia_version=2025-04-16`,
      {},
      (text: string) => [
        {
          model_id: 'sonic',
          transcript: text,
          context_id: 'c',
          voice: { mode: 'id', id: VOICE },
          output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 8000 },
        },
      ],
    ],
    [
      'deepgram-v1',
      '/v1/speak?encoding=linear16&sample_rate=16000',
      { authorization: `Token ${ANN}` },
      (text: string) => [{ type: 'Speak', text }, { type: 'Flush' }],
    ],
    [
      'deepgram-v2',
      '/v2/speak?model=flux-alexis-en&encoding=linear16&sample_rate=16000',
      { authorization: `Token ${ANN}` },
      (text: string) => [{ type: 'Speak', text }, { type: 'Flush' }],
    ],
    [
      'jambonz',
      '/jambonz/tts?voice=vox:anna',
      { authorization: `Bearer ${ANN}` },
      (text: string) => [{ type: 'stream', text }, { type: 'flush' }],
    ],
  ] as const)('of %s', async (dialect, target, headers, messages) => {
    for (const kind of ['Good', 'Rejected', 'Cut']) {
      const from = spokenTexts().length;
      const { socket, texts, send } = await openSocket(target, headers);
      send(...messages(textOf(`${kind} ${dialect}`)));
      await wasAsked(TEXT, from);
      if (kind !== 'Good')
        await expect
          .poll(() => linesWith(service.logLines, 'turn_failed', { dialect }).length, SOON)
          .toBeGreaterThan(0);
      socket.close();
      // The alignment that one protocol sends holds the text, as it must; its errors do not.
      errors.push(...texts.filter((text) => /error|warning/i.test(text) && !text.includes('"alignment"')));
    }
    await expect.poll(() => linesWith(service.logLines, 'session_ended', { dialect }).length, SOON).toBe(3);
    await expectNothing();
  });

  it('of upgrades that are refused', async () => {
    const before = linesWith(service.logLines, 'upgrade_refused').length;
    for (const [target, headers] of [
      ['/v1/session', { authorization: `Bearer ${KEY}-wrong` }],
      [`/v1/session?token=${KEY}-token`, {}],
      [`/v1/session?voice=${TEXT}&pace=${TEXT}`, HEADERS],
      [`/v1/${TEXT}`, HEADERS],
      [`/v1/session?agent=nobody`, HEADERS],
      [`/v1/legs/telnyx/${KEY}-leg`, {}],
      [`/v1/legs/${KEY}/x`, {}],
      ['/v1/legs/twilio', { 'x-twilio-signature': `${KEY}-signature` }],
      [`/tts/websocket?api_key=${KEY}-wrong`, {}],
    ] as const) {
      const socket = new WebSocket(`ws://127.0.0.1:${service.port}${target}`, { headers });
      await new Promise<void>((resolve, reject) => {
        socket.once('open', () => reject(new Error(`let in: ${target}`)));
        socket.once('unexpected-response', (_request, response) => {
          response.setEncoding('utf8').on('data', (body: string) => void errors.push(body));
          response.on('end', () => resolve());
        });
        socket.on('error', () => {});
      });
    }
    expect(linesWith(service.logLines, 'upgrade_refused').length).toBe(before + 9);
    await expectNothing();
  });

  it('of agents: their profile, greeting and words, and a session with one', async () => {
    const agent = await ask('POST', '/api/v1/agents', {
      json: {
        name: TEXT,
        voice: VOICE,
        greeting: SENTENCE,
        prompt: TEXT,
        pronunciations: [{ written: 'harbour', spoken: TEXT }],
      },
    });
    expect(agent.status).toBe(201);
    const from = spokenTexts().length;
    const probe = await service.session(`agent=${agent.json.id}&pace=burst`, { headers: HEADERS });
    await wasAsked(TEXT, from);
    await probe.ended('greeting');
    probe.socket.close();
    await ask('POST', '/api/v1/agents', {
      json: { name: TEXT, voice: VOICE, greeting: 7, prompt: SENTENCE },
    });
    await expectNothing();
  });

  it('of speech over HTTP, of the service and of other vendors, and when it fails', async () => {
    const vendors = [
      [
        '/v1/audio/speech',
        { authorization: `Bearer ${ANN}` },
        (input: string) => ({ model: 'x', voice: 'anna', input }),
      ],
      ['/v1/text-to-speech/anna', { 'xi-api-key': ANN }, (text: string) => ({ text })],
      ['/v1/speak', { authorization: `Token ${ANN}` }, (text: string) => ({ text })],
      [
        '/jambonz/tts',
        { authorization: `Bearer ${ANN}` },
        (text: string) => ({ text, voice: 'anna', type: 'text', language: 'en-US' }),
      ],
      ['/api/v1/tts/stream', HEADERS, (text: string) => ({ model: 'VoxDialog', voice: VOICE, text })],
    ] as const;
    for (const [path, headers, body] of vendors) {
      for (const kind of ['Good', ...FAILURES]) {
        const post = (json: object, more: Readonly<Record<string, string>> = {}) =>
          fetch(service.url + path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers, ...more },
            body: JSON.stringify(json),
          });
        const answer = await post(body(textOf(`${kind} ${path}`)));
        if (kind === 'Good') expect(answer.status, path).toBe(200);
        const text = await answer.text().catch(() => '');
        if (!answer.ok) errors.push(text);
        // A text where none belongs, and a key that is wrong.
        errors.push(await (await post({ [TEXT]: 1, voice: { [SENTENCE]: TEXT }, speed: SENTENCE })).text());
        const wrong = Object.fromEntries(Object.keys(headers).map((name) => [name, `Bearer ${KEY}-wrong`]));
        errors.push(await (await post(body(SENTENCE), wrong)).text());
      }
    }
    const ended = linesWith(service.logLines, 'request_ended', { outcome: 'complete', status: 200 });
    for (const [path] of vendors) {
      const route = path.replace('anna', ':voice');
      expect(
        ended.some((line) => String(line.route).startsWith(route.split(':')[0]!)),
        path,
      ).toBe(true);
    }
    await expectNothing();
  });

  it('of jobs, their captions, files and webhooks, and when they fail', async () => {
    const job = async (text: string, webHookUrl = hookUrl) =>
      (
        await ask('POST', '/api/v1/tts', {
          json: { model: 'VoxDialog', name: TEXT, voice: VOICE, text, webHookUrl },
        })
      ).json.id;
    const ids = [await job(textOf('Good job')), await job(textOf('Rejected job'), `${hookUrl}&gone`)];
    for (const id of ids)
      await expect.poll(() => linesWith(service.logLines, 'work_ended', { work: id }).length, SOON).toBe(1);
    const { json } = await ask('GET', `/api/v1/tts/${ids[0]}`);
    const { captionsUrl, url } = json.output as { captionsUrl: string; url: string };
    for (const file of [captionsUrl, url]) {
      const { pathname } = new URL(file);
      expect((await fetch(service.url + pathname)).status).toBe(200);
      expect((await fetch(`${service.url}${pathname}${KEY}`)).status).toBe(404);
      // The address of a file opens it: it is a key, too.
      expect(service.logLines.join('\n')).not.toContain(pathname.split('/')[4]);
    }
    await expect.poll(() => linesWith(service.logLines, 'webhook_given_up').length, SOON).toBe(1);
    await ask('GET', '/api/v1/webhooks/deliveries');
    await ask('POST', '/api/v1/tts', { json: { text: SENTENCE, voice: TEXT, webHookUrl: `nowhere ${KEY}` } });
    await expectNothing();
  });

  it('of PlayNotes, and when their source cannot be read', async () => {
    const source = new Blob([`# ${TEXT}\n\n${`${SENTENCE} `.repeat(30)}`], { type: 'text/markdown' });
    const form = (sourceFile: Blob) => ({
      synthesisStyle: 'podcast',
      name: TEXT,
      voice1: VOICE,
      voice1Name: TEXT,
      voice2: 'vox:ben',
      voice2Name: 'Ben',
      sourceFile,
      webHookUrl: hookUrl,
    });
    for (const blob of [source, new Blob([`%PDF-1.4 ${SENTENCE}`], { type: 'application/pdf' })]) {
      const made = await ask('POST', '/api/v1/playnotes', { form: form(blob) });
      expect(made.status, made.text).toBe(201);
      const found = () =>
        linesWith(service.logLines, 'work_ended', { work: made.json.id, kind: 'playnote' }).length;
      await expect.poll(found, SOON).toBe(1);
      const { error } = (await ask('GET', `/api/v1/playnotes/${made.json.id}`)).json;
      errors.push(JSON.stringify(error));
    }
    await expectNothing();
  });

  it('of calls, and of sessions that are watched', async () => {
    const session = await service.session('captions=words', { headers: HEADERS });
    const { session: id, attachToken } = await session.event('ready');
    const issued = await ask('POST', '/v1/tokens', { json: { scope: 'watch', session: id } });
    const token = String(issued.json.token);
    const watching = await fetch(`${service.url}/v1/sessions/${id}/captions.vtt?token=${token}`);
    expect(watching.status).toBe(200);
    session.send({ type: 'attach', leg: { token: attachToken } });
    const carrier = await dial(
      `ws://127.0.0.1:${service.port}/v1/legs/telnyx/${attachToken}`,
      createTelnyxSide({ format: 'mulaw', sampleRate: 8000 }),
      { callId: KEY },
    );
    await session.event('attached');
    session.send({ type: 'speak', turn: 'a', text: SENTENCE });
    await session.event('started');
    carrier.hangUp();
    await session.event('detached');
    session.socket.close();
    await watching.text();
    await expect.poll(() => linesWith(service.logLines, 'leg_ended').length, SOON).toBe(1);
    const all = service.logLines.join('\n');
    expect(all).not.toContain(token);
    expect(all).not.toContain(attachToken);
    await expectNothing();
  });
});
