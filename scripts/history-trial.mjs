// Three gateways behind HAProxy round robin, with PostgreSQL, Redis and S3, hurt one after the other (now and then two at once) in an order
// that follows from a seed, under random calls of clients; what they were told is kept and judged.
//
//   apt-get install haproxy redis-server postgresql
//   node scripts/build.mjs --if-stale && node scripts/history-trial.mjs [--minutes 30] [--seed S] [--sessions 10] [--calls 3]
//     [--makers 3] [--per-minute 150] [--history FILE] [--only kill,stop,freeze,redis,postgres,s3]
//
// Acts at an instance: kill (SIGKILL, started anew), stop (SIGTERM, started anew), freeze (SIGSTOP for 10 s), and for up to 60, 30
// and 30 s no way to Redis, PostgreSQL or S3, silent or reset. Promised, and a violation otherwise (exit code 1):
//
//   works     what was acknowledged (201) is never 404, completes, is one for its key wherever that comes again, and is told to the webhook
//             with one end and one id; its file is the same at every instance
//   PlayNotes of one user one is under way: an older one that was acknowledged has ended before another is
//   tokens    one that was taken back (204) is refused everywhere within 1 s, by an instance that was frozen or cut off 10 s after that
//   quota     the speech service counts strictly in any 60 s, and refuses nothing
//   turns     begin once at most, end once, and `heard` follows; whole texts are exact to the byte over all returns, nothing that was
//             acknowledged is lost, `n` has no gap, nothing is heard outside a turn
//   calls     end with their instance (kill, stop, freeze, 6 s without Redis) only; not more is told as heard than was played (0.15 s; by
//             an instance that stood still 0.5 s, as no mark comes back)
//
// Allowed: a refusal or silence of an instance that is or was just hurt, then asked again; a session that is gone with nothing
// acknowledged, or told `goaway` with `resume: false`; what was said within 300 ms of an instance's death once more, or no `heard`;
// turns that are `busy` while the quota cannot be shared; appended text that goes on at a word; `instance_lost` of a call whose
// session's instance was frozen; a change at any instance that waits up to 10 s for a lock of one that is hurt.

import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createAsking } from './history/asking.mjs';
import { createCalls } from './history/calls.mjs';
import { createDraw, History, hurt, isHurt, watchOwnTime } from './history/history.mjs';
import { createSessions, isOfSession, measureTexts } from './history/sessions.mjs';
import { createTokens } from './history/tokens.mjs';
import { createHook, createWorks } from './history/works.mjs';
import { speak, startInstances } from './instances.mjs';

const { createRequestWindow } = await import('../testkit/faults/request-windows.ts');

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: `${Date.now()}` },
    sessions: { type: 'string', default: '10' },
    calls: { type: 'string', default: '3' },
    makers: { type: 'string', default: '3' },
    'per-minute': { type: 'string', default: '150' },
    only: { type: 'string', default: 'kill,stop,freeze,redis,postgres,s3' },
    history: { type: 'string' },
  },
});
const { seed } = values;
const PER_MINUTE = Number(values['per-minute']);
/** The speech of works takes its time, so that they are under way whenever something happens. */
const WORK_SPEECH_MS = 1000;
const FREEZE_MS = 10_000;
const BACK_MS = 60_000;
const USERS = ['ann', ...Array.from({ length: Number(values.makers) }, (_, at) => `maker-${at}`)];

const history = new History();
console.error(`seed ${seed}`);

// The speech service: two keys, each with a strict count of its own.
const keys = new Map();
async function script(reply) {
  const { authorization } = reply.request.headers;
  const key = keys.get(authorization) ?? {
    take: createRequestWindow('strict'),
    taken: 0,
    refused: 0,
    most: 0,
  };
  keys.set(authorization, key);
  const { allowed, remaining } = key.take({ nowMs: performance.now(), unixMs: Date.now() }, PER_MINUTE);
  if (!allowed) {
    key.refused += 1;
    history.violation(`the speech service refuses a request of ${authorization.slice(-1)}`);
    reply.start(429, { 'retry-after': '5' });
    return reply.end();
  }
  key.taken += 1;
  key.most = Math.max(key.most, PER_MINUTE - remaining);
  if (!isOfSession(reply.request.body.text)) await pause(WORK_SPEECH_MS);
  return speak(reply);
}

const hook = createHook(history, createDraw(seed, 'hook'));
const instances = await startInstances({
  users: USERS,
  script,
  onHook: (...message) => hook.take(...message),
  files: 's3',
  env: {
    VOXGATE_UPSTREAM_KEYS: `user:a@${PER_MINUTE},user:b@${PER_MINUTE}`,
    VOXGATE_DRAIN_MS: '16000',
    VOXGATE_DRAIN_DELAY_MS: '4000',
    VOXGATE_MAX_INSTANCES: '3',
  },
});
const { url, places } = instances;
watchOwnTime(places, history);

let isOver = false;
let areActsOver = false;
const shared = { url, places, instances, history, hook, isOver: () => isOver };
const asking = createAsking(shared);
const sessions = createSessions({ ...shared, measured: await measureTexts(url, 'ann') });
const calls = createCalls(shared);
const works = createWorks({ ...shared, asking });
const tokens = createTokens({ ...shared, asking });

async function startedAnew(place, signal, draw) {
  const ended = once(place.child, 'exit');
  place.child.kill(signal);
  const [code] = await ended;
  if (signal === 'SIGTERM' && code !== 0)
    history.violation(`instance ${place.at} stops with exit code ${code}`);
  await pause(draw.between(300, 5000));
  await instances.serve(place);
}
const cutOff = (name, maxMs) => async (place, draw) => {
  const kind = draw.of(['silent', 'silent', 'closed']);
  const ms = draw.between(3000, maxMs);
  history.note('cut', { instance: place.at, from: name, kind, ms: Math.round(ms) });
  place[name].cut(kind);
  await pause(ms);
  place[name].mend();
};
const ACTS = {
  kill: (place, draw) => startedAnew(place, 'SIGKILL', draw),
  stop: (place, draw) => startedAnew(place, 'SIGTERM', draw),
  async freeze({ child }) {
    child.kill('SIGSTOP');
    await pause(FREEZE_MS);
    child.kill('SIGCONT');
  },
  redis: cutOff('redis', 60_000),
  postgres: cutOff('postgres', 30_000),
  s3: cutOff('s3', 30_000),
};
async function act(draw) {
  const place = draw.of(places.filter((each) => !isHurt(each)));
  const kind = draw.of(values.only.split(','));
  history.count(`acts_${kind}`);
  const over = hurt(place, kind, history);
  const log = (words) =>
    console.error(
      `${Math.round(history.now() / 1000)} s: ${kind} at ${place.at}${words}, load ${loadavg()[0]}`,
    );
  log('');
  await ACTS[kind](place, draw);
  over();
  log(' is over');
}
async function hurtThem(draw) {
  while (!areActsOver) {
    await pause(draw.between(2000, 8000));
    const isDouble = draw.isIn(0.2);
    const second = async () => {
      await pause(draw.between(0, 5000));
      history.count('actsAtOnce');
      await act(draw);
    };
    await Promise.all([act(draw), ...(isDouble ? [second()] : [])]);
    await instances.allFound(BACK_MS).catch((error) => history.violation(error.message));
  }
}

const watch = (name, life) =>
  life(createDraw(seed, name)).catch((error) => history.violation(`${name}: ${error.stack}`));
const times = (count, name, life) =>
  Array.from({ length: Number(count) }, (_, at) => watch(`${name} ${at}`, (draw) => life(at, draw)));
const hurting = watch('acts', hurtThem);
const lives = [
  ...times(values.sessions, 'session', (at, draw) => sessions.live(at, draw)),
  ...times(values.calls, 'call', (at, draw) => calls.live(at, draw)),
  ...times(values.makers, 'maker', (at, draw) => works.makeNotes(`maker-${at}`, draw)),
  ...times(2, 'polls', (_, draw) => works.poll(draw)),
  ...times(2, 'tokens', (_, draw) => tokens.live(draw)),
  watch('jobs', (draw) => works.makeJobs(draw)),
];
// Of a trial that is broken off it is there as well.
if (values.history !== undefined) setInterval(() => history.write(values.history), 30_000).unref();
await pause(Number(values.minutes) * 60_000);
areActsOver = true;
await hurting;
await pause(15_000);
isOver = true;
await Promise.all(lives);
await watch('works', (draw) => works.judge(USERS, draw));

if (values.history !== undefined) history.write(values.history);
await instances.close();
console.log(
  JSON.stringify({
    ...{ trial: 'history', seed, minutes: Math.round(history.now() / 6000) / 10, load: loadavg() },
    counts: Object.fromEntries(Object.entries(history.counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    quota: [...keys.values()].map(({ taken, refused, most }) => ({
      taken,
      refused,
      mostInAMinute: most,
      of: PER_MINUTE,
    })),
    violations: history.violations,
  }),
);
process.exit(history.violations.length === 0 ? 0 : 1);
