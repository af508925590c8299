// Three whole gateways, one real Redis and a service that counts its open requests by account and refuses one too many: accounts of 2, 5
// and 15 at once, each a group of two keys of two services. More callers than there is room for, one gateway with twice as many;
// then callers that interrupt; then a gateway is killed. The service's own count decides. Prints a table and a line of JSON; ends with 1
// if an aim is missed.
//
//   node scripts/build.mjs --if-stale && node scripts/places-trial.mjs [--seconds 60] [--request-ms 1000]

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ANYBODY, startServing } from './serving-gateway.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    'request-ms': { type: 'string', default: '1000' },
    program: { type: 'string', default: join(ROOT, 'dist/main.js') },
  },
});
const CAPS = [2, 5, 15];
const GATEWAYS = 3;
const PHASE_MS = Number(values.seconds) * 1000;
const REQUEST_MS = Number(values['request-ms']);
const FULL_WITHIN_MS = 60_000;
/** In this time its sockets are closed, and what is full again counts. */
const KILLED_GONE_MS = 300;
/** What an instance had is free after this (docs/decisions/0082), and a pool asks again in a quarter of a second. */
const LEASE_MS = 5000;
/** By the service's count, which notices an abort some milliseconds later. */
const AIMS = { used: 0.95, heldMs: 80, freeMs: LEASE_MS + 500 };

register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { startRedis } = await import('../test/support/redis-server.ts');
const { openProbe } = await import('../test/support/session-probe.ts');

const SPEECH = readFileSync(join(ROOT, 'fixtures/audio/ffmpeg-live-24k.mp3'));
const accounts = new Map(
  CAPS.map((cap) => [
    cap,
    {
      cap,
      now: 0,
      most: 0,
      accepted: 0,
      refused: 0,
      busyMs: 0,
      lookedAtMs: 0,
      fullAtMs: 0,
      aborts: [],
      begins: [],
    },
  ]),
);
function look(account) {
  const nowMs = performance.now();
  account.busyMs += account.now * (nowMs - account.lookedAtMs);
  account.lookedAtMs = nowMs;
  return nowMs;
}
const PARTS = 11;
/** Sends its audio over `REQUEST_MS`; a place is free when the answer is over. */
function answer(request, response) {
  const key = request.headers.authorization ?? '';
  const account = accounts.get(Number(/cap-(\d+)-/.exec(key)?.[1]));
  // It lists no voices.
  if (account === undefined || request.method !== 'POST') return response.writeHead(404).end();
  if (account.now >= account.cap) {
    account.refused += 1;
    return response
      .writeHead(429, { 'content-type': 'application/json' })
      .end('{"error":"too many at once"}');
  }
  const wasFull = account.now === account.cap - 1;
  account.begins.push({ atMs: look(account), wasFull });
  account.now += 1;
  account.accepted += 1;
  account.most = Math.max(account.most, account.now);
  if (account.now === account.cap) account.fullAtMs = account.lookedAtMs;
  response.writeHead(200, { 'content-type': 'audio/mpeg' });
  // Without a pause in it that would be taken for a stall.
  const part = Math.ceil(SPEECH.length / PARTS);
  let sent = 0;
  const send = () => {
    response.write(SPEECH.subarray(sent * part, (sent + 1) * part));
    sent += 1;
    if (sent === PARTS) response.end();
  };
  send();
  const timer = setInterval(send, REQUEST_MS / (PARTS - 1));
  response.once('close', () => {
    clearInterval(timer);
    const atMs = look(account);
    if (!response.writableFinished) account.aborts.push({ atMs, wasFull: account.now === account.cap });
    account.now -= 1;
  });
}
const service = createServer((request, response) => {
  request.resume().once('end', () => answer(request, response));
});
await new Promise((listening) => service.listen(0, '127.0.0.1', listening));
const address = `http://127.0.0.1:${service.address().port}`;

const redis = await startRedis();
const folder = mkdtempSync(join(tmpdir(), 'voxgate-places-'));
const upstreams = CAPS.flatMap((cap) =>
  ['a', 'b'].map((half) => ({
    ...{ kind: 'openai', name: `of-${cap}-${half}`, url: `${address}/v1`, group: `account-${cap}` },
    keys: [{ key: `cap-${cap}-${half}`, atOnce: cap }],
  })),
);
const env = {
  VOXGATE_REDIS_URL: redis.url,
  VOXGATE_MAX_INSTANCES: String(GATEWAYS),
  VOXGATE_UPSTREAMS: JSON.stringify(upstreams),
  // One sound for all texts: its words are not theirs, and nothing of it is kept.
  VOXGATE_ENDINGS: 'sound',
  VOXGATE_WORD_TIMES: 'never',
  VOXGATE_PHRASE_CACHE: 'off',
  VOXGATE_UPSTREAM_HEDGING: 'off',
  VOXGATE_BUSY_AT: '0',
  VOXGATE_UPSTREAM_MAX_WAIT_MS: '120000',
};
const gateways = await Promise.all(
  Array.from({ length: GATEWAYS }, (_, n) => startServing(values.program, join(folder, `${n}`), env)),
);

let phase = 'full';
const turns = gateways.map(() => 0);
const failed = [];
let killed = -1;
/** One after another, each as soon as the last one is over; in the second phase every third is interrupted. */
async function caller(n, cap, number) {
  const query = `format=mulaw&pace=burst&upstream=of-${cap}-${number % 2 === 0 ? 'a' : 'b'}`;
  const probe = await openProbe(`${gateways[n].url.replace('http', 'ws')}/v1/session?${query}`, {
    headers: ANYBODY,
  });
  for (let at = 1; phase !== 'over'; at += 1) {
    const turn = `t${at}`;
    probe.send({ type: 'speak', turn, text: `This is what caller ${number} has to say.` });
    if (phase === 'interrupted' && (at + number) % 3 === 0) {
      probe
        .event('started', (started) => started.turn === turn)
        .then(
          () => setTimeout(() => probe.send({ type: 'cancel', turn }), REQUEST_MS / 4),
          () => {},
        );
    }
    const { outcome } = await probe.ended(turn);
    if (outcome === 'complete') turns[n] += 1;
    else if (outcome === 'failed') failed.push(probe.events('error').at(-1)?.code ?? 'unknown');
  }
  probe.terminate();
}
const callers = CAPS.flatMap((cap) =>
  gateways.flatMap((_, n) =>
    Array.from({ length: n === 0 ? 2 * cap : cap }, (_one, number) =>
      caller(n, cap, number).catch((fault) => {
        // A gateway that is killed takes its sessions with it.
        if (n !== killed) failed.push(String(fault));
      }),
    ),
  ),
);

const all = [...accounts.values()];
const areFull = () => all.every(({ now, cap }) => now === cap);
async function until(is, deadlineMs) {
  const untilMs = performance.now() + deadlineMs;
  while (!is()) {
    if (performance.now() > untilMs)
      throw new Error(
        `the places were not all taken in time: ${all.map(({ cap, now, most }) => `${now} of ${cap}, at most ${most}`).join('; ')}; ${failed.join(', ')}`,
      );
    await pause(5);
  }
}
/** The share of its places that each account has under way. */
async function measure(ms) {
  for (const account of all) look(account);
  const fromMs = performance.now();
  const before = all.map(({ busyMs }) => busyMs);
  await pause(ms);
  for (const account of all) look(account);
  const tookMs = performance.now() - fromMs;
  return all.map(({ busyMs, cap }, at) => (busyMs - before[at]) / (cap * tookMs));
}

let used;
let spoken;
let usedInterrupted;
let held;
let freeMs;
let usedByTwo;
try {
  await until(areFull, FULL_WITHIN_MS);
  used = await measure(PHASE_MS);
  spoken = [...turns];
  phase = 'interrupted';
  await pause(2 * REQUEST_MS);
  for (const account of all) account.aborts.length = 0;
  usedInterrupted = await measure(PHASE_MS);
  /** Of places that were left while all were taken: until the next request that took the last place. */
  held = all.flatMap(({ aborts, begins }) =>
    aborts.flatMap(({ atMs, wasFull }) => {
      const next = begins.find((begin) => begin.atMs > atMs);
      return wasFull && next?.wasFull ? [next.atMs - atMs] : [];
    }),
  );
  phase = 'full';
  await pause(2 * REQUEST_MS);
  await until(areFull, FULL_WITHIN_MS);
  killed = GATEWAYS - 1;
  const killedAtMs = performance.now();
  gateways[killed].child.kill('SIGKILL');
  await pause(KILLED_GONE_MS);
  /** Places that the killed one had; undefined where it had none. */
  freeMs = await Promise.all(
    all.map(async (account) => {
      if (!account.aborts.some(({ atMs }) => atMs >= killedAtMs)) return undefined;
      const fromMs = performance.now();
      await until(() => account.fullAtMs > fromMs, FULL_WITHIN_MS);
      return account.fullAtMs - killedAtMs;
    }),
  );
  usedByTwo = await measure(PHASE_MS / 2);
  phase = 'over';
  await Promise.race([Promise.all(callers), pause(20_000)]);
} finally {
  for (const { child } of gateways) child.kill('SIGKILL');
  service.closeAllConnections();
  service.close();
  await redis.close();
  rmSync(folder, { recursive: true, force: true });
}

const sorted = held.sort((one, other) => one - other);
const heldMs = { count: sorted.length, least: sorted[0], median: sorted[sorted.length >> 1] };
const percent = (share) => `${(100 * share).toFixed(1)} %`;
console.log('at once  accepted  refused  most  used   with interruptions  by two  all used again after');
for (const [at, { cap, accepted, refused, most }] of all.entries())
  console.log(
    String(cap).padStart(7),
    String(accepted).padStart(9),
    String(refused).padStart(8),
    String(most).padStart(5),
    percent(used[at]).padStart(7),
    percent(usedInterrupted[at]).padStart(18),
    percent(usedByTwo[at]).padStart(7),
    (freeMs[at] === undefined ? 'had none' : `${(freeMs[at] / 1000).toFixed(2)} s`).padStart(21),
  );
const rounded = (numbers) => numbers.map((number) => Math.round(number * 1000) / 1000);
console.log(
  JSON.stringify({
    trial: 'places',
    requestMs: REQUEST_MS,
    refused: all.map(({ refused }) => refused),
    used: rounded(used),
    usedInterrupted: rounded(usedInterrupted),
    usedByTwo: rounded(usedByTwo),
    heldMs: { ...heldMs, least: Math.round(heldMs.least), median: Math.round(heldMs.median) },
    freeMs: freeMs.map((ms) => (ms === undefined ? null : Math.round(ms))),
    turnsByGateway: spoken,
    failed,
  }),
);
const isReached =
  all.every(({ refused, cap, most }) => refused === 0 && most === cap) &&
  used.every((share) => share >= AIMS.used) &&
  heldMs.least >= AIMS.heldMs &&
  freeMs.every((ms) => ms === undefined || ms <= AIMS.freeMs) &&
  failed.length === 0;
process.exit(isReached ? 0 : 1);
