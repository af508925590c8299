// Three gateways with PostgreSQL, Redis and a folder in common behind HAProxy, under resumable sessions that speak turn after
// turn, calls, jobs and PlayNotes; and one of these acts:
//
//   roll-out   each in turn is told to stop (SIGTERM) and started anew at its port
//   freeze     the first stands still (SIGSTOP) for --seconds
//   redis      the first is cut off from Redis for --seconds: nothing comes through, nothing is refused
//   postgres   the same with PostgreSQL
//
//   apt-get install haproxy redis-server postgresql
//   node scripts/build.mjs --if-stale && node scripts/roll-out-trial.mjs [--act roll-out] [--sessions 60] [--calls 10]
//     [--jobs 20] [--playnotes 5] [--seconds 10] [--drain-ms 20000] [--drain-delay-ms 4000]
//
// Promised: each turn is whole to the byte and ends once, nothing that was acknowledged is lost, each work is made once and told
// of by messages with one id, a user has one PlayNote under way, a token that was taken back is. Exit code 1 when one is broken.

import { once } from 'node:events';
import { loadavg } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { headersOf, speak, startInstances, until } from './instances.mjs';
import { MAX_MS, median, ResumableClient } from './resumable-client.mjs';
import { SOURCE } from './spoken-upstream.mjs';

const { values } = parseArgs({
  options: {
    act: { type: 'string', default: 'roll-out' },
    sessions: { type: 'string', default: '60' },
    calls: { type: 'string', default: '10' },
    jobs: { type: 'string', default: '20' },
    playnotes: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    'drain-ms': { type: 'string', default: '20000' },
    'drain-delay-ms': { type: 'string', default: '4000' },
  },
});
const [SESSIONS, CALLS, JOBS, PLAYNOTES] = ['sessions', 'calls', 'jobs', 'playnotes'].map((name) =>
  Number(values[name]),
);
const ACT_MS = Number(values.seconds) * 1000;
const { dial } = await import('../test/support/fake-carrier.ts');
const { createTelnyxSide } = await import('../testkit/carriers/telnyx-side.ts');

/** 9.5 s of speech. */
const TURN =
  'The last train to the harbour leaves in ten minutes, so please do not wait for me at the gate. '.repeat(2);
/** The speech of works takes its time, so that they are under way whenever something happens. */
const WORK_SPEECH_MS = 1500;

/** Of messages to the webhook: how often each id came, and the ids of each end of a work. */
const [cameOf, idsOf] = [new Map(), new Map()];
async function onHook(request, response) {
  const id = request.headers['webhook-id'];
  const message = JSON.parse(await text(request));
  const of = `${message.data.id} ${message.type}`;
  cameOf.set(id, (cameOf.get(id) ?? 0) + 1);
  if (/completed|failed/.test(message.type)) idsOf.set(of, (idsOf.get(of) ?? new Set()).add(id));
  response.writeHead(204).end();
}
const faults = [];
const fault = (words) => {
  faults.push(words);
  console.error(`FAULT ${words}`);
};

const users = ['ann', ...Array.from({ length: PLAYNOTES }, (_, at) => `maker-${at}`)];
const instances = await startInstances({
  users,
  async script(reply) {
    if (!/harbour|gate/.test(reply.request.body.text)) await pause(WORK_SPEECH_MS);
    return speak(reply);
  },
  onHook,
  files: 'folder',
  env: {
    VOXGATE_UPSTREAM_KEYS: 'user:key@100000',
    VOXGATE_DRAIN_MS: values['drain-ms'],
    VOXGATE_DRAIN_DELAY_MS: values['drain-delay-ms'],
  },
});
const { url, places, ask, serve, allFound, hookUrl: webHookUrl } = instances;
const refusals = {};
/** Until it is answered with one of `statuses`: what is not, or with 5xx, is asked again, as a client does. */
async function askUntil(statuses, ...request) {
  const endMs = performance.now() + MAX_MS;
  for (;;) {
    const answer = await ask(...request).catch((error) => ({ status: error.name, said: error.message }));
    if (statuses.includes(answer.status)) return answer;
    refusals[answer.status] = (refusals[answer.status] ?? 0) + 1;
    if (performance.now() > endMs || (answer.status >= 400 && answer.status < 500))
      throw new Error(`${request[1]} ${request[2]}: ${answer.status} ${answer.said}`);
    await pause(500);
  }
}
// What the load says.
let isOver = false;
const losses = [];
const turns = { sessions: 0, calls: 0 };
const awayMs = [];
const wholeTurn = new ResumableClient(headersOf('ann'));
await wholeTurn.open(url);
wholeTurn.send({ type: 'speak', turn: 'whole', text: TURN });
await wholeTurn.until(({ type }) => type === 'ended');
const wanted = wholeTurn.bytesOf('whole');
wholeTurn.socket.close(1000);

const count = (client, type, turn) =>
  client.messages.filter((each) => each.type === type && each.turn === turn).length;
async function sessionLife(at) {
  const client = new ResumableClient(headersOf('ann'));
  let returning = Promise.resolve();
  const comeBack = () => {
    const acknowledged = client.taken;
    losses.push(performance.now());
    returning = client.comeBack([url]).then(
      () => {
        awayMs.push(client.awayMs);
        if (client.takenAtReturn < acknowledged) fault(`session ${at}: an acknowledged message is lost`);
        if (client.exact !== true) fault(`session ${at}: it does not go on exactly`);
      },
      (error) => fault(`session ${at}: is lost: ${error.message} after ${client.refusals.join(', ')}`),
    );
  };
  await client.open(url);
  client.onLost = comeBack;
  const looking = setInterval(() => {
    if (client.isSilent() && client.socket.readyState === WebSocket.OPEN) client.socket.terminate();
  }, 500);
  for (let n = 0; !isOver; n += 1) {
    await pause(300 + Math.random() * 1200);
    await returning;
    const turn = `t${n}`;
    client.send({ type: 'speak', turn, text: TURN });
    const ended = await client.until((each) => each.type === 'ended' && each.turn === turn);
    if (ended.outcome !== 'complete') fault(`session ${at}: turn ${turn} ended ${ended.outcome}`);
    if (!client.bytesOf(turn).equals(wanted)) {
      fault(`session ${at}: turn ${turn} has ${client.bytesOf(turn).length} bytes of ${wanted.length}`);
    }
    if (count(client, 'started', turn) !== 1 || count(client, 'ended', turn) !== 1)
      fault(`session ${at}: ${turn} begins or ends twice`);
    turns.sessions += 1;
  }
  clearInterval(looking);
  client.onLost = undefined;
  client.socket.close(1000);
}

const cuts = {};
/** A caller and the bot of the call, which opens another session, and is called again, when one of both is gone. */
async function callLife(at) {
  let client;
  let leg;
  let calls = 0;
  let id = '';
  const isLegOpen = () => leg?.isOpen === true;
  while (!isOver) {
    client = new ResumableClient(headersOf('ann'));
    const ready = await until(`a session of call ${at}`, () => client.open(url).catch(() => undefined));
    let lost = '';
    const gone = new Promise((told) => {
      client.onLost = () => {
        lost = `the session was closed with ${client.code}`;
        told();
      };
    });
    if (!isLegOpen()) {
      id = `call-${at}-${calls++}`;
      const side = createTelnyxSide({ format: 'mulaw', sampleRate: 8000 });
      const address = `${url.replace('http', 'ws')}/v1/legs/telnyx/${ready.attachToken}`;
      leg = await until(`leg ${id}`, () => dial(address, side, { callId: id }).catch(() => undefined));
      const mine = leg;
      mine.isOpen = true;
      void mine.closed.then(() => {
        mine.isOpen = false;
      });
    }
    client.send({ type: 'attach', leg: { callSid: id } });
    const legGone = leg.closed.then((code) => {
      lost ||= `the leg was closed with ${code}`;
    });
    const attached = client.until(({ type }) => type === 'attached' || type === 'error');
    attached.catch(() => {});
    await Promise.race([attached, gone, legGone]);
    // The call may be at an instance that stops: it is brought anew when that has let it go.
    if (client.messages.some(({ type }) => type === 'error')) await Promise.race([gone, legGone]);
    for (let n = 0; !isOver && lost === ''; n += 1) {
      await pause(300 + Math.random() * 1200);
      const mayStay = !client.messages.some(({ type }) => type === 'goaway');
      if (!mayStay || lost !== '') break;
      const turn = `t${n}`;
      client.send({ type: 'speak', turn, text: TURN });
      const isHeard = (each) => each.type === 'heard' && each.turn === turn;
      const heard = client.until(isHeard);
      heard.catch(() => {});
      await Promise.race([heard, gone, legGone]);
      const told = client.messages.find(isHeard);
      if (told?.remainingText === '') turns.calls += 1;
      // What it says after it was told to go is not taken.
      else if (client.messages.some((each) => each.type === 'started' && each.turn === turn)) {
        const because =
          lost || `detached: ${JSON.stringify(client.messages.filter(({ type }) => type === 'detached'))}`;
        const rest = `${told === undefined ? 'nothing told' : `${told.remainingText.length} characters unheard`}`;
        fault(`call ${at}: a turn is cut (${rest}): ${because}`);
      }
    }
    if (!isOver) {
      if (lost === '') await Promise.race([gone, legGone, pause(MAX_MS / 2)]);
      cuts[lost] = (cuts[lost] ?? 0) + 1;
      client.onLost = undefined;
      client.socket.close(1000);
    }
  }
  client.onLost = undefined;
  client.send({ type: 'hangup' });
  await Promise.race([leg.closed, pause(2000)]);
  client.socket.terminate();
}

const works = [];
function playNoteForm() {
  const form = new FormData();
  form.set('sourceFile', new Blob([SOURCE], { type: 'text/plain' }), 'source.txt');
  form.set('synthesisStyle', 'podcast');
  form.set('voice1', 'voice://a');
  form.set('voice1Name', 'Ann');
  form.set('webHookUrl', webHookUrl);
  return form;
}
async function createWork(kind, user, key) {
  const headers = { 'idempotency-key': key };
  const json = { model: 'VoxDialog', text: SOURCE.repeat(8), voice: 'voice://a', webHookUrl };
  const body = kind === 'tts' ? { json, headers } : { form: playNoteForm, headers };
  const answer = await askUntil([201], user, 'POST', `/api/v1/${kind}`, body);
  works.push({ kind, user, id: answer.json.id });
}
async function worksUnderWay(actMs) {
  await Promise.all(users.slice(1).map((user, at) => createWork('playnotes', user, `note-${at}`)));
  for (let at = 0; at < JOBS; at += 1) {
    void createWork('tts', 'ann', `job-${at}`).catch((error) => fault(error.message));
    await pause(actMs / JOBS);
  }
}

// What happens to the instances.
const drains = [];
let seconds = 0;
async function rollOut() {
  for (const place of places) {
    const [atMs, first] = [performance.now(), losses.length];
    const ended = once(place.child, 'exit');
    place.child.kill('SIGTERM');
    const [code] = await ended;
    const mine = losses.slice(first).map((each) => each - atMs);
    const mostInASecond = Math.max(
      0,
      ...mine.map((from) => mine.filter((each) => each >= from && each < from + 1000).length),
    );
    drains.push({
      code,
      seconds: Math.round((performance.now() - atMs) / 100) / 10,
      lost: mine.length,
      firstS: Math.round(Math.min(...mine) / 100) / 10,
      lastS: Math.round(Math.max(...mine) / 100) / 10,
      mostInASecond,
      load: Math.round(loadavg()[0]),
    });
    console.error(JSON.stringify(drains.at(-1)));
    await serve(place);
    await allFound();
    await pause(3000);
  }
}
/** A token that is taken back, and a second PlayNote of a user who has one, asked for at the others meanwhile. */
async function standStill(begin, end) {
  const { json: token } = await askUntil([200, 201], 'ann', 'POST', '/v1/tokens', {
    json: { scope: 'speak', expiresInSeconds: 900 },
  });
  begin();
  const endMs = performance.now() + ACT_MS;
  await askUntil([200, 204], 'ann', 'DELETE', `/v1/tokens/${token.id}`, { base: places[1].url });
  while (performance.now() < endMs) {
    await pause(1000);
    for (const { kind, user, id } of works) {
      if (kind !== 'playnotes') continue;
      const base = places[2].url;
      const { json } = await ask(user, 'GET', `/api/v1/playnotes/${id}`, { base });
      if (/completed|failed/i.test(json.status)) continue;
      const second = await ask(user, 'POST', '/api/v1/playnotes', { base, form: playNoteForm });
      if (second.status !== 403) fault(`a second PlayNote of ${user} is answered with ${second.status}`);
      else seconds += 1;
    }
  }
  end();
  await pause(1000);
  for (const { at, url: base } of places) {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/v1/session`, [
      'voxgate.v1',
      `token.${token.token}`,
    ]);
    socket.on('error', () => {});
    const answer = await Promise.race([
      once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
      once(socket, 'open').then(() => 'open'),
    ]);
    socket.terminate();
    if (answer !== 401) fault(`a token that was taken back is answered with ${answer} at instance ${at}`);
  }
  await allFound();
}

const [first] = places;
const cutOff = (path) =>
  standStill(
    () => path.cut('silent'),
    () => path.mend(),
  );
const ACTS = {
  'roll-out': rollOut,
  freeze: () =>
    standStill(
      () => first.child.kill('SIGSTOP'),
      () => first.child.kill('SIGCONT'),
    ),
  redis: () => cutOff(first.redis),
  postgres: () => cutOff(first.postgres),
};
const began = performance.now();
const load = [loadavg()[0]];
const lives = [
  ...Array.from({ length: SESSIONS }, (_, at) =>
    sessionLife(at).catch((error) => fault(`session ${at}: ${error.message}`)),
  ),
  ...Array.from({ length: CALLS }, (_, at) =>
    callLife(at).catch((error) => fault(`call ${at}: ${error.message}`)),
  ),
];
await pause(5000);
const working = worksUnderWay(values.act === 'roll-out' ? 60_000 : ACT_MS);
await pause(1000);
await ACTS[values.act]();
load.push(loadavg()[0]);
await pause(10_000);
isOver = true;
await Promise.all([working, ...lives]);
await until('works', async () => {
  for (const work of works) {
    const { json } = await askUntil([200], work.user, 'GET', `/api/v1/${work.kind}/${work.id}`);
    work.status = json.status;
    work.why = json.error ?? json.errorMessage;
  }
  return works.every(({ status }) => /completed|failed/i.test(status));
});
await pause(3000); // their last messages
for (const { kind, id, status, why } of works)
  if (status !== 'completed') fault(`${kind} ${id} is ${status}: ${JSON.stringify(why)}`);
for (const user of users)
  for (const kind of ['tts', 'playnotes']) {
    const { json } = await askUntil([200], user, 'GET', `/api/v1/${kind}?limit=100`);
    const own = works.filter((work) => work.user === user && work.kind === kind);
    if (json.length !== own.length) fault(`${user} has ${json.length} ${kind} instead of ${own.length}`);
  }
for (const [of, ids] of idsOf) if (ids.size !== 1) fault(`${of} is told by ${ids.size} messages`);
if (idsOf.size < works.length) fault(`${idsOf.size} ends are told of ${works.length} works`);

await instances.close();
console.log(
  JSON.stringify({
    ...{ trial: 'roll-out', act: values.act, sessions: SESSIONS, calls: CALLS, works: works.length },
    seconds: Math.round((performance.now() - began) / 1000),
    ...{ load, drains, turns, returns: awayMs.length },
    backMs: { median: Math.round(median(awayMs) ?? 0), most: Math.round(Math.max(0, ...awayMs)) },
    ...{ callsOpenedAgain: cuts, refusals, refusedSeconds: seconds },
    messages: { ids: cameOf.size, repeated: [...cameOf.values()].filter((times) => times > 1).length },
    faults,
  }),
);
process.exit(faults.length === 0 ? 0 : 1);
