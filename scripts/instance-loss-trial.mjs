// Three gateways on one Redis, resumable sessions at the first, some with a call: kill -9, and what becomes of them at the other two. Prints
// figures as JSON; ends with 1 if something that was acknowledged is lost, or bytes differ from those of a session that nothing happened to.
//
//   node scripts/build.mjs --if-stale && node scripts/instance-loss-trial.mjs [--sessions 60] [--calls 10] [--kills 5] [--kill-after 3000]

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { startServing } from './serving-gateway.mjs';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '60' },
    /** So many of them with a call at the killed instance, and as many with one at another. */
    calls: { type: 'string', default: '10' },
    kills: { type: 'string', default: '5' },
    'kill-after': { type: 'string', default: '3000' },
    program: { type: 'string', default: resolve(import.meta.dirname, '../dist/main.js') },
  },
});
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { startRedis, freePort } = await import('../test/support/redis-server.ts');
const { startScriptedUpstream } = await import('../test/support/scripted-upstream.ts');
const { speaking } = await import('../test/support/running-gateway.ts');
const { dial } = await import('../test/support/fake-carrier.ts');
const { createTelnyxSide } = await import('../testkit/carriers/telnyx-side.ts');

const KEY = 'key-of-ann';
const TEXT_A =
  'The last train to the harbour leaves in ten minutes, so please do not wait for me at the gate. '.repeat(2);
const TEXT_B = 'And this one was acknowledged before the instance died.';
const MAX_MS = 60_000;

const redis = await startRedis();
const upstream = await startScriptedUpstream(speaking);
const folder = mkdtempSync(join(tmpdir(), 'voxgate-loss-'));
const secret = randomBytes(32).toString('base64');
let instances = 0;
const start = async () => {
  const peer = await freePort();
  return startServing(values.program, join(folder, `${instances++}`), {
    VOXGATE_API_KEYS: `ann:${KEY}`,
    VOXGATE_UPSTREAM_URL: upstream.url.origin,
    VOXGATE_UPSTREAM_KEYS: 'user:key@100000',
    VOXGATE_UPSTREAM_MAX_IN_FLIGHT_PER_KEY: '200',
    VOXGATE_REDIS_URL: redis.url,
    VOXGATE_SECRET: secret,
    VOXGATE_PEER_PORT: `${peer}`,
    VOXGATE_PEER_URL: `http://127.0.0.1:${peer}`,
    // What it tells of other instances has addresses as well.
    VOXGATE_LOG_LEVEL: 'warn',
    VOXGATE_WORD_TIMES: 'never',
    VOXGATE_BUSY_AT: '0',
  });
};
const others = [await start(), await start()];

/** A client that does what docs/protocol.md says. */
class Client {
  messages = [];
  audio = new Map();
  sent = [];
  taken = 0;
  after = 0;
  /** @type {string | undefined} */
  turn = undefined;
  back = [];
  awayMs = undefined;
  waiters = [];

  open(url, resume) {
    const query = resume ?? 'resumable=1';
    const headers = resume === undefined ? { authorization: `Bearer ${KEY}` } : {};
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/session?${query}`, 'voxgate.v1', {
      headers,
    });
    this.socket = socket;
    return new Promise((opened, refused) => {
      socket.on('error', refused);
      socket.on('message', (data, isBinary) => {
        if (isBinary) return this.audio.get(this.turn).push(data);
        const message = JSON.parse(/** @type {Buffer} */ (data).toString());
        this.take(message);
        opened(message);
      });
      socket.on('close', () => this.onLost?.());
    });
  }
  take(message) {
    if (message.n !== undefined) this.after = message.n;
    if (message.type === 'ack') this.taken = message.n;
    if (message.resume?.token !== undefined) this.token = message.resume.token;
    if (message.type === 'started') {
      this.turn = message.turn;
      if (!this.audio.has(message.turn)) this.audio.set(message.turn, []);
    }
    if (message.type === 'ended' && message.turn === this.turn) this.turn = undefined;
    this.messages.push(message);
    for (const waiter of this.waiters) waiter();
  }
  send(message) {
    this.sent.push(JSON.stringify(message));
    this.socket.send(this.sent.at(-1));
  }
  bytesOf(turn) {
    return Buffer.concat(this.audio.get(turn) ?? []);
  }
  until(fits) {
    return new Promise((found, late) => {
      const look = () => {
        const message = this.messages.find(fits);
        if (message !== undefined) found(message);
      };
      this.waiters.push(look);
      setTimeout(() => late(new Error(`late: ${fits}`)), MAX_MS).unref();
      look();
    });
  }
  /** Back at one of `urls`, as soon as one of them lets it in. */
  async comeBack(urls) {
    const lostAt = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      const claim =
        this.turn === undefined ? '' : `&turn=${this.turn}&received=${this.bytesOf(this.turn).length}`;
      try {
        const query = `after=${this.after}${claim}&resume=${this.token}`;
        const first = await this.open(urls[attempt % urls.length], query);
        this.awayMs = performance.now() - lostAt;
        this.exact = first.exact;
        this.takenAtReturn = first.taken;
        for (const text of this.sent.slice(first.taken)) this.socket.send(text);
        return;
      } catch (error) {
        if (/ 4\d\d$/.test(error.message) || performance.now() - lostAt > MAX_MS) throw error;
        await pause(Math.min(200 * 2 ** attempt, 2000) * (0.5 + Math.random() / 2));
      }
    }
  }
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const speak = (client) => {
  client.send({ type: 'speak', turn: 'a', text: TEXT_A });
  client.send({ type: 'speak', turn: 'b', text: TEXT_B });
};
const ended = (client, turn) => client.until((each) => each.type === 'ended' && each.turn === turn);

const whole = new Client();
await whole.open(others[0].url);
speak(whole);
await ended(whole, 'b');
whole.socket.close(1000);
const wanted = new Map(['a', 'b'].map((turn) => [turn, whole.bytesOf(turn)]));
const wantedMs = (wanted.get('a').length + wanted.get('b').length) / 8;

const call = async (client, { url }, id) => {
  const ready = client.messages[0];
  const at = `${url.replace('http', 'ws')}/v1/legs/telnyx/${ready.attachToken}`;
  const leg = await dial(at, createTelnyxSide({ format: 'mulaw', sampleRate: 8000 }), { callId: id });
  client.send({ type: 'attach', leg: { callSid: id } });
  await client.until(({ type }) => type === 'attached');
  return leg;
};
const commandsOf = async () =>
  Number(/cmdstat_eval:calls=(\d+)/.exec(await redis.call('INFO', 'commandstats'))?.[1] ?? 0);

async function round(number) {
  const first = await start();
  await pause(2500); // they know each other
  const count = Number(values.sessions);
  const inCalls = Number(values.calls);
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const client = new Client();
      await client.open(first.url);
      return client;
    }),
  );
  const legs = await Promise.all(
    clients
      .slice(0, 2 * inCalls)
      .map((client, at) => call(client, at < inCalls ? others[at % 2] : first, `call-${number}-${at}`)),
  );
  const before = await commandsOf();
  for (const client of clients) speak(client);
  await Promise.all(
    clients.map((client) => client.until(({ type, n }) => type === 'ack' && n >= client.sent.length)),
  );
  await pause(Number(values['kill-after']));
  const commands = (await commandsOf()) - before;
  const acknowledged = clients.map((client) => client.taken);
  const back = Promise.all(
    clients.map(
      (client, at) =>
        new Promise((done, failed) => {
          client.onLost = () => {
            client.onLost = undefined;
            client.comeBack([others[at % 2].url, others[(at + 1) % 2].url]).then(done, failed);
          };
        }),
    ),
  );
  first.child.kill('SIGKILL');
  await back;
  const [held, gone, plain] = [
    clients.slice(0, inCalls),
    clients.slice(inCalls, 2 * inCalls),
    clients.slice(2 * inCalls),
  ];
  await Promise.all([...held, ...plain].map((client) => ended(client, 'b')));
  await Promise.all(gone.map((client) => client.until(({ type }) => type === 'detached')));
  await pause(1500);
  const heardMs = legs
    .slice(0, inCalls)
    .map(({ playout }) => playout.heard.reduce((sum, { bytes }) => sum + bytes.length / 8, 0));
  const exact = (client) => ['a', 'b'].every((turn) => client.bytesOf(turn).equals(wanted.get(turn)));
  const awayMs = clients.map((client) => client.awayMs);
  for (const client of clients) client.socket.close(1000);
  return {
    backMs: { median: Math.round(median(awayMs)), most: Math.round(Math.max(...awayMs)) },
    exact: `${plain.filter(exact).length} of ${plain.length}`,
    saidExact: plain.filter((client) => client.exact === true).length,
    lost: clients.filter((client, at) => client.takenAtReturn < acknowledged[at]).length,
    callsGoOn: held.filter((client) => !client.messages.some(({ type }) => type === 'detached')).length,
    callsHeardTwiceMs: heardMs.map((ms) => Math.round(ms - wantedMs)),
    instanceLost: gone.filter((client) => client.messages.some(({ reason }) => reason === 'instance_lost'))
      .length,
    evalsForEachSession: Math.round((10 * commands) / count) / 10,
  };
}

const rounds = [];
for (let number = 0; number < Number(values.kills); number += 1) {
  rounds.push(await round(number));
  console.error(JSON.stringify(rounds.at(-1)));
}
const plain = Number(values.sessions) - 2 * Number(values.calls);
console.log(
  JSON.stringify({
    backMs: median(rounds.map(({ backMs }) => backMs.median)),
    most: Math.max(...rounds.map(({ backMs }) => backMs.most)),
    rounds,
  }),
);
for (const { child } of others) child.kill('SIGKILL');
await upstream.close();
await redis.close();
rmSync(folder, { recursive: true, force: true });
process.exit(rounds.every(({ exact, lost }) => exact === `${plain} of ${plain}` && lost === 0) ? 0 : 1);
