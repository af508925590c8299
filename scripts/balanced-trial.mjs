// Three gateways with PostgreSQL, Redis and a folder in common behind HAProxy, which hands each request and each connection to
// the next of them, with nothing sticky; what two instances without these did not know of each other is asked again and again.
//
//   apt-get install haproxy redis-server postgresql
//   node scripts/build.mjs --if-stale && node scripts/balanced-trial.mjs [--times 48]
//
// Prints a row for each: how often it was asked, and what came of it. Exit code 1 unless all is right.

import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { startBalancer } from './balancer.mjs';
import { endOfTrial, startServing } from './serving-gateway.mjs';
import { listen, SOURCE, startSpokenUpstream } from './spoken-upstream.mjs';

const PROGRAM = resolve(import.meta.dirname, '../dist/main.js');
const INSTANCES = 3;
const AT_ONCE = 8;
const WAIT_MS = 90_000;
const ADMIN = 'key-of-the-operator';
const TEXT = 'Good morning, this is the office.';
const { values } = parseArgs({ options: { times: { type: 'string', default: '48' } } });
const TIMES = Number(values.times);

// The tests' own servers and carriers, which are TypeScript.
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { startPostgres } = await import('../test/support/postgres-server.ts');
const { freePort, startRedis } = await import('../test/support/redis-server.ts');
const { dial } = await import('../test/support/fake-carrier.ts');
const { createTelnyxSide } = await import('../testkit/carriers/telnyx-side.ts');

const folder = mkdtempSync(join(tmpdir(), 'voxgate-balanced-'));
const [postgres, redis, upstream] = [await startPostgres(), await startRedis(), await startSpokenUpstream()];
const messages = [];
const hook = await listen(async (request, response) => {
  messages.push({ headers: request.headers, body: await text(request) });
  response.writeHead(204).end();
});
const port = await freePort();
const users = Array.from({ length: 40 }, (_, at) => `user-${at}`);
const shared = {
  VOXGATE_API_KEYS: users.map((user) => `${user}:key-of-${user}`).join(','),
  VOXGATE_ADMIN_KEY: ADMIN,
  VOXGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
  VOXGATE_DATABASE_URL: await postgres.database('balanced'),
  VOXGATE_FILES_URL: `file://${join(folder, 'shared')}`,
  VOXGATE_SECRET: randomBytes(32).toString('base64'),
  VOXGATE_REDIS_URL: redis.url,
  VOXGATE_UPSTREAM_URL: upstream.url,
  VOXGATE_UPSTREAM_KEYS: 'user:key@100000',
  VOXGATE_WORD_TIMES: 'never',
  VOXGATE_ENDINGS: 'sound',
  VOXGATE_FFMPEG: 'off',
  VOXGATE_PRIVATE_ADDRESSES: 'allowed',
  VOXGATE_WORKS_AT_ONCE: '1',
  // Whether this machine has time to spare is no part of it.
  VOXGATE_BUSY_AT: '0',
  VOXGATE_LOG_LEVEL: 'error',
};
const children = [];
const close = endOfTrial({ children, servers: [upstream, hook, redis, postgres], folder });
const instances = await Promise.all(
  Array.from({ length: INSTANCES }, async (_, at) => {
    const peerPort = await freePort();
    const peer = { VOXGATE_PEER_PORT: `${peerPort}`, VOXGATE_PEER_URL: `http://127.0.0.1:${peerPort}` };
    const instance = await startServing(PROGRAM, join(folder, `${at}`), { ...shared, ...peer });
    children.push(instance.child);
    return instance;
  }),
);
const balancer = startBalancer({ folder, port, urls: instances.map((each) => each.url) });
children.push(balancer);
const url = `http://127.0.0.1:${port}`;

const headersOf = (user) => ({ authorization: `Bearer key-of-${user}`, 'x-user-id': user });
async function ask(user, method, path, { json, form, headers = {} } = {}) {
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(new URL(path, url), {
    method,
    headers: { ...(user === undefined ? {} : headersOf(user)), ...type, ...headers },
    body: form ?? (json === undefined ? undefined : JSON.stringify(json)),
  });
  const said = await response.text();
  return { status: response.status, json: /^[[{]/.test(said) ? JSON.parse(said) : undefined, said };
}
async function until(what, isSo) {
  const endMs = performance.now() + WAIT_MS;
  for (;;) {
    const found = await isSo();
    if (found) return found;
    if (performance.now() > endMs) throw new Error(`still waiting: ${what}`);
    await pause(100);
  }
}
/** A connection through the balancer: its messages, and how it is answered. */
async function open(path, { protocols = ['voxgate.v1'], headers } = {}) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, protocols, { headers });
  const events = [];
  socket.on('message', (data, isBinary) => {
    if (!isBinary) events.push(JSON.parse(/** @type {Buffer} */ (data).toString()));
  });
  socket.on('error', () => {});
  const answer = await Promise.race([
    once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode),
    once(socket, 'open').then(() => 'open'),
  ]);
  const event = (type, turn) =>
    until(`${type} of ${path}`, () =>
      events.find((each) => each.type === type && (turn === undefined || each.turn === turn)),
    );
  return { socket, answer, event, send: (message) => socket.send(JSON.stringify(message)) };
}

const table = [];
/** Asks `times` times, a bounded number at a time; each answers with what came of it, of which `right` is right. */
async function row(name, times, right, task) {
  const answers = {};
  let next = 0;
  const lane = async () => {
    while (next < times) {
      const answer = String(await task(next++).catch((error) => error.message));
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const isRight = Object.entries(right).every(([answer, count]) => answers[answer] === count);
  table.push({
    name,
    times,
    answers,
    isRight: isRight && Object.keys(answers).length === Object.keys(right).length,
  });
  console.log(`${isRight ? ' ' : '!'} ${name.padEnd(62)} ${JSON.stringify(answers)}`);
}

await until('three instances', async () => {
  const { said } = await ask(undefined, 'GET', '/metrics', {
    headers: { authorization: `Bearer ${ADMIN}` },
  }).catch(() => ({ said: '' }));
  return said.includes(`\nvoxgate_instances ${INSTANCES}\n`);
});

const jobOf = (words = TEXT) => ({
  model: 'VoxDialog',
  text: words,
  voice: 'voice://a',
  webHookUrl: `${hook.url}/`,
});
const [ann, bob, cat, dan, eve] = users;
const job = (await ask(ann, 'POST', '/api/v1/tts', { json: jobOf() })).json;
await row(
  'a job: polled',
  TIMES,
  { 200: TIMES },
  async () => (await ask(ann, 'GET', `/api/v1/tts/${job.id}`)).status,
);
await row('a job: in the list', TIMES, { listed: TIMES }, async () =>
  (await ask(ann, 'GET', '/api/v1/tts')).json?.some(({ id }) => id === job.id) ? 'listed' : 'not listed',
);
const { output } = await until('a finished job', async () => {
  const { json } = await ask(ann, 'GET', `/api/v1/tts/${job.id}`);
  return json.status === 'completed' ? json : undefined;
});
await row('its file', TIMES, { 200: TIMES }, async () => (await ask(undefined, 'GET', output.url)).status);
await row('one Idempotency-Key and body, three times at once', TIMES, { '1 job': TIMES }, async (at) => {
  const headers = { 'idempotency-key': `key-${at}` };
  const answers = await Promise.all(
    [1, 2, 3].map(() => ask(bob, 'POST', '/api/v1/tts', { json: jobOf(), headers })),
  );
  const taken = answers.filter(({ status }) => status < 300);
  const jobs = `${new Set(taken.map(({ json }) => json.id)).size} job`;
  const refused = answers
    .filter(({ status }) => status >= 300)
    .map(({ status, said }) => `${status} ${said}`);
  return [jobs, ...refused].join(', ');
});
const agent = (await ask(cat, 'POST', '/api/v1/agents', { json: { name: 'Clerk', voice: 'voice://a' } }))
  .json;
await row(
  'an agent: GET',
  TIMES,
  { 200: TIMES },
  async () => (await ask(cat, 'GET', `/api/v1/agents/${agent.id}`)).status,
);
await row('an agent: a session with it', TIMES, { open: TIMES }, async () => {
  const { socket, answer } = await open(`/v1/session?agent=${agent.id}`, { headers: headersOf(cat) });
  socket.terminate();
  return answer;
});
const issue = async (user, json) => (await ask(user, 'POST', '/v1/tokens', { json })).json;
await row('a token to speak', TIMES, { open: TIMES }, async () => {
  const { token } = await issue(dan, { scope: 'speak' });
  const { socket, answer } = await open('/v1/session', { protocols: ['voxgate.v1', `token.${token}`] });
  socket.terminate();
  return answer;
});
await row('a token that was taken back', TIMES, { 401: TIMES }, async () => {
  const { id, token } = await issue(dan, { scope: 'speak' });
  await ask(dan, 'DELETE', `/v1/tokens/${id}`);
  // Known to all that live within a moment: news of it are told, not asked for.
  await pause(500);
  const { socket, answer } = await open('/v1/session', { protocols: ['voxgate.v1', `token.${token}`] });
  socket.terminate();
  return answer;
});
const watched = await open('/v1/session', { headers: headersOf(eve) });
const { session } = await watched.event('ready');
const look = async (path, headers) => {
  const response = await fetch(new URL(path, url), { headers });
  await response.body?.cancel();
  return response.status;
};
await row('a token to watch', TIMES, { 200: TIMES }, async () => {
  const { token } = await issue(eve, { scope: 'watch', session });
  return look(`/v1/sessions/${session}/captions.vtt?token=${token}`);
});
await row('an onlooker by key', TIMES, { 200: TIMES }, () =>
  look(`/v1/sessions/${session}/events`, headersOf(eve)),
);
await row('GET /v1/sessions', TIMES, { listed: TIMES }, async () =>
  (await ask(eve, 'GET', '/v1/sessions')).json.sessions.some(({ id }) => id === session)
    ? 'listed'
    : 'not listed',
);
watched.socket.terminate();
await row('a resume token, after a drop', TIMES, { session_resumed: TIMES }, async (at) => {
  const lost = await open('/v1/session?resumable=1', { headers: headersOf(users[5 + (at % 8)]) });
  const { resume } = await lost.event('ready');
  lost.socket.terminate();
  const back = await open(`/v1/session?after=1&resume=${resume.token}`);
  if (back.answer !== 'open') return back.answer;
  await back.event('session_resumed');
  back.socket.terminate();
  return 'session_resumed';
});
await row(
  'a leg with an attach token, spoken to and hung up',
  TIMES,
  { 'heard, 1000': TIMES },
  async (at) => {
    const speaker = await open('/v1/session', { headers: headersOf(users[13 + (at % 8)]) });
    const { attachToken } = await speaker.event('ready');
    const side = createTelnyxSide({ format: 'mulaw', sampleRate: 8000 });
    const call = await dial(`ws://127.0.0.1:${port}/v1/legs/telnyx/${attachToken}`, side, {
      callId: `CA${at}`,
    });
    speaker.send({ type: 'attach', leg: { callSid: `CA${at}` } });
    call.announceTurn();
    speaker.send({ type: 'speak', turn: 'a', text: TEXT });
    const heard = await speaker.event('heard', 'a');
    speaker.send({ type: 'hangup' });
    const code = await call.closed;
    speaker.socket.terminate();
    const faults = call.faults.length === 0 ? '' : `, ${call.faults.length} faults`;
    return `${heard.playedBy === 'mark' && heard.remainingText === '' ? 'heard' : 'not heard'}, ${code}${faults}`;
  },
);
const secretOf = async (user) => (await ask(user, 'GET', '/api/v1/webhooks/secret')).json.secret;
const secrets = { [ann]: await secretOf(ann), [bob]: await secretOf(bob) };
await row('the secret of webhooks', TIMES, { 'the same': TIMES }, async () =>
  (await secretOf(ann)) === secrets[ann] ? 'the same' : 'another',
);
await until('messages', () => messages.length > TIMES);
const signed = messages.slice(0, TIMES);
await row('signatures of webhooks', TIMES, { right: TIMES }, async (at) => {
  const { headers, body } = signed[at];
  const isBy = (secret) =>
    headers['webhook-signature'] ===
    `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
      .digest('base64')}`;
  return Object.values(secrets).some(isBy) ? 'right' : 'wrong';
});
const { json: busy } = await ask(users[21], 'POST', '/api/v1/agents', { json: { name: 'Busy' } });
await row(
  '70 agent GETs within a minute',
  70,
  { 200: 60, 429: 10 },
  async () => (await ask(users[21], 'GET', `/api/v1/agents/${busy.id}`)).status,
);

// One PlayNote for each instance to be at; then one of them dies.
const playNote = (user) => {
  const form = new FormData();
  form.set('sourceFile', new Blob([SOURCE], { type: 'text/plain' }), 'source.txt');
  form.set('synthesisStyle', 'podcast');
  form.set('voice1', 'voice://a');
  form.set('voice1Name', 'Ann');
  return ask(user, 'POST', '/api/v1/playnotes', { form });
};
upstream.answers = 'never';
const makers = users.slice(22, 22 + INSTANCES);
const notes = await Promise.all(makers.map(async (user) => ({ user, id: (await playNote(user)).json.id })));
await until('all are being made', async () => {
  const all = await Promise.all(notes.map(({ user, id }) => ask(user, 'GET', `/api/v1/playnotes/${id}`)));
  return all.every(({ json }) => !/waiting|pending/i.test(json.status));
}).catch(() => {});
await row(
  'a second PlayNote of a user who has one',
  TIMES,
  { 403: TIMES },
  async (at) => (await playNote(makers[at % INSTANCES])).status,
);
instances[0].child.kill('SIGKILL');
upstream.answers = 'whole';
await row('a PlayNote after an instance has died: polled', TIMES, { 200: TIMES }, async (at) => {
  const { user, id } = notes[at % INSTANCES];
  return (await ask(user, 'GET', `/api/v1/playnotes/${id}`)).status;
});
await row(
  '… finished by the others, and its user may have another',
  INSTANCES,
  { 'completed, 201': INSTANCES },
  async (at) => {
    const { user, id } = notes[at];
    let last;
    const ended = await until('a PlayNote', async () => {
      last = (await ask(user, 'GET', `/api/v1/playnotes/${id}`)).json;
      return /completed|failed/.test(last.status) ? last.status : undefined;
    }).catch(({ message }) => `${message} (${last.phase})`);
    return `${ended}, ${(await playNote(user)).status}`;
  },
);

await close();
const wrong = table.filter(({ isRight }) => !isRight).map(({ name }) => name);
console.log(
  JSON.stringify({ trial: 'balanced', instances: INSTANCES, rows: table.length, times: TIMES, wrong }),
);
process.exit(wrong.length === 0 ? 0 : 1);
