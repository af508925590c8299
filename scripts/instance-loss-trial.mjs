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
import { median, ResumableClient } from './resumable-client.mjs';
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
const HEADERS = { authorization: `Bearer ${KEY}` };
const TEXT_A =
  'The last train to the harbour leaves in ten minutes, so please do not wait for me at the gate. '.repeat(2);
const TEXT_B = 'And this one was acknowledged before the instance died.';

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
    // A killed gateway's places are free when their lease is over: those of several kills are held at once.
    VOXGATE_UPSTREAM_MAX_IN_FLIGHT_PER_KEY: '1000',
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

const speak = (client) => {
  client.send({ type: 'speak', turn: 'a', text: TEXT_A });
  client.send({ type: 'speak', turn: 'b', text: TEXT_B });
};
const tally = (names) => {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
/** Of the messages that tell of an end or a failure. */
const endOf = ({ type, outcome, code }) =>
  type === 'ended' ? [outcome] : type === 'error' || type === 'warning' ? [`${type} ${code}`] : [];
const ended = (client, turn) => client.until((each) => each.type === 'ended' && each.turn === turn);

const whole = new ResumableClient(HEADERS);
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
      const client = new ResumableClient(HEADERS);
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
    ends: tally(clients.flatMap(({ messages }) => messages).flatMap(endOf)),
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
