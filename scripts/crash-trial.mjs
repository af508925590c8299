// Kills `voxgate serve` again and again while it takes on and makes jobs and PlayNotes, and counts what that costs:
//
//   node scripts/crash-trial.mjs [--kills 50] [--seed 1]
//
// Promised: nothing is lost, nothing is stuck, the service answers within 60 s of each start, and a webhook never tells
// of two different ends of one work. A message may come twice, under the same id. Exit code 1 when a promise is broken.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seededBelow } from './seeded.mjs';

const PROGRAM = resolve(import.meta.dirname, '../dist/main.js');
/** So many are under way at once; each new one takes the place of one that has ended. */
const UNDER_WAY = 6;
const ENDED = { tts: ['completed', 'failed', 'cancelled'], playnotes: ['completed', 'failed'] };
const START_DEADLINE_MS = 60_000;
const END_DEADLINE_MS = 240_000;
const SENTENCE = 'The harbour was quiet that morning, and the boats lay still. ';
/** Of a job; with its sound some minutes long. */
const SENTENCES = 60;
const SOURCE = `# The harbour

The harbour of Lund lies between two hills and was built in 1834. Forty boats leave it every morning and bring herring
to the market. A storm broke the old pier in 1901, and the town paid for a new one of stone.

## The lighthouse

The lighthouse stands on a rock a mile from the shore. Its lamp was lit by hand until 1952, when a cable was laid.
Visitors may climb its ninety steps on Sundays in summer, and they see three islands from there.
`;

async function openReceiver() {
  /** Terminal messages of each work: id of the message → how often it came. */
  const told = new Map();
  const take = async (request, response) => {
    try {
      const { type, data } = JSON.parse(await text(request));
      if (!type.endsWith('.progress')) {
        const ids = told.get(data.id) ?? new Map();
        const id = request.headers['webhook-id'];
        told.set(data.id, ids.set(id, (ids.get(id) ?? 0) + 1));
      }
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    told,
    url: `http://127.0.0.1:${server.address().port}/hook`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Resolves when the service answers; `tookMs` from its start on. */
async function startService(dataDir) {
  const startedAt = performance.now();
  const flags = [
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--private-addresses',
    'allowed',
    '--log-level',
    'error',
  ];
  const limits = ['--make-per-minute', '0', '--ask-per-minute', '0'];
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...flags, ...limits], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  let [printed, complaints] = ['', ''];
  child.stderr.on('data', (part) => {
    complaints += part;
  });
  const url = await new Promise((listening, failed) => {
    const late = setTimeout(() => failed(new Error('it did not start in time')), START_DEADLINE_MS);
    child.stdout.on('data', (part) => {
      printed += part;
      const found = / is listening at (\S+)/.exec(printed);
      if (found === null) return;
      clearTimeout(late);
      listening(found[1]);
    });
    void exited.then(() => {
      clearTimeout(late);
      failed(new Error(`it ended at its start: ${complaints}`));
    });
  }).catch(async (error) => {
    child.kill('SIGKILL');
    await exited;
    throw error;
  });
  const answer = await fetch(`${url}/readyz`);
  if (!answer.ok) throw new Error(`/readyz answered ${answer.status}`);
  const tookMs = performance.now() - startedAt;
  return {
    url,
    tookMs,
    complaints: () => complaints,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Voices of the engine, named as the interface names them. */
async function voicesOf(url) {
  const voices = await (await fetch(`${url}/api/v1/voices`, { headers: headersOf('anybody') })).json();
  return voices.slice(0, 2).map(({ id }) => id);
}

const headersOf = (owner) => ({ authorization: 'Bearer key', 'x-user-id': owner });

function createWork({ url, kind, owner, voices, hook, jobText }) {
  if (kind === 'tts')
    return fetch(`${url}/api/v1/tts`, {
      method: 'POST',
      headers: { ...headersOf(owner), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'VoxDialog', text: jobText, voice: voices[0], webHookUrl: hook }),
    });
  const form = new FormData();
  form.set('sourceFile', new Blob([SOURCE], { type: 'text/markdown' }), 'harbour.md');
  form.set('synthesisStyle', 'podcast');
  for (const [index, voice] of voices.entries()) {
    form.set(`voice${index + 1}`, voice);
    form.set(`voice${index + 1}Name`, ['Ann', 'Bob'][index]);
  }
  form.set('webHookUrl', hook);
  return fetch(`${url}/api/v1/playnotes`, { method: 'POST', headers: headersOf(owner), body: form });
}

/**
 * `tell` hears of every kill. Answers with what was counted; `faults` names broken promises.
 * A client creates and asks the whole time; whatever is under way at a kill may fail for him, but what he was told is so.
 */
export async function crashTrial({
  kills,
  seed,
  underWay = UNDER_WAY,
  sentences = SENTENCES,
  tell = () => {},
}) {
  const below = seededBelow(seed);
  const jobText = SENTENCE.repeat(sentences);
  const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-crash-'));
  const receiver = await openReceiver();
  const works = [];
  const counts = { refused: 0, cut: 0 };
  let slowestStartMs = 0;
  let complaints = '';
  let service = await startService(dataDir);
  const voices = await voicesOf(service.url);

  const record = async ({ kind, id, owner }) => {
    const answer = await fetch(`${service.url}/api/v1/${kind}/${id}`, { headers: headersOf(owner) });
    return answer.ok ? await answer.json() : { missing: answer.status };
  };
  const look = async (work) => {
    const found = await record(work);
    work.last = found.missing === undefined ? found.status : `missing (${found.missing})`;
    work.error = found.error;
    work.isOver = found.missing !== undefined || ENDED[work.kind].includes(found.status);
  };
  const createOne = async () => {
    const kind = below(2) === 0 ? 'tts' : 'playnotes';
    const owner = `user-${works.length}-${below(1e6)}`;
    const answer = await createWork({ url: service.url, kind, owner, voices, hook: receiver.url, jobText });
    if (answer.status !== 201) {
      counts.refused += 1;
      tell(`refused: ${answer.status} ${(await answer.text()).slice(0, 200)}`);
      await pause(1000);
      return;
    }
    // The status line is the promise, whether or not the rest of the answer arrives.
    const id = answer.headers.get('location').split('/').at(-1);
    works.push({ kind, owner, id, isOver: false });
    await answer.body?.cancel();
  };
  let phase = 'busy';
  const client = async () => {
    while (phase === 'busy') {
      try {
        for (const work of works.filter(({ isOver }) => !isOver)) await look(work);
        while (phase === 'busy' && works.filter(({ isOver }) => !isOver).length < underWay) await createOne();
      } catch {
        counts.cut += 1; // the service was killed under it
      }
      await pause(50);
    }
  };

  try {
    const clients = client();
    for (let killed = 0; killed < kills; killed += 1) {
      await pause(100 + below(below(4) === 0 ? 4000 : 1200));
      await service.kill();
      complaints += service.complaints();
      service = await startService(dataDir);
      slowestStartMs = Math.max(slowestStartMs, service.tookMs);
      tell(`kill ${killed + 1}: up after ${Math.round(service.tookMs)} ms, ${works.length} taken on`);
    }
    phase = 'over';
    await clients;

    const untilMs = performance.now() + END_DEADLINE_MS;
    const isQuiet = () => works.every(({ id, isOver }) => isOver && receiver.told.has(id));
    for (;;) {
      for (const work of works) if (!work.isOver) await look(work);
      if (isQuiet() || performance.now() > untilMs) break;
      await pause(200);
    }
    for (const work of works) await look(work); // of each, once more: nothing that had ended is gone
    complaints += service.complaints();
  } finally {
    await service.kill();
    receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }

  const having = (test) => works.filter(test).length;
  const messagesOf = ({ id }) => receiver.told.get(id) ?? new Map();
  const result = {
    kills,
    works: works.length,
    jobs: having(({ kind }) => kind === 'tts'),
    playNotes: having(({ kind }) => kind === 'playnotes'),
    completed: having(({ last }) => last === 'completed'),
    interrupted: having(({ error }) => error?.code === 'interrupted'),
    failed: having(({ last, error }) => last === 'failed' && error?.code !== 'interrupted'),
    lost: having(({ last }) => last.startsWith('missing')),
    stuck: having(({ isOver }) => !isOver),
    untold: having((work) => messagesOf(work).size === 0),
    toldTwice: having((work) => messagesOf(work).size > 1),
    repeated: having((work) => [...messagesOf(work).values()].some((times) => times > 1)),
    refused: counts.refused,
    slowestStartMs: Math.round(slowestStartMs),
  };
  for (const { kind, error } of works)
    if (error != null && error.code !== 'interrupted')
      tell(`${kind} failed: ${error.code}, ${error.message}`);
  const faults = ['failed', 'lost', 'stuck', 'untold', 'toldTwice', 'refused'].filter(
    (name) => result[name] > 0,
  );
  if (slowestStartMs > START_DEADLINE_MS) faults.push('slowestStartMs');
  return { ...result, faults, complaints };
}

const MEANINGS = {
  kills: 'kills with SIGKILL, each followed by a start',
  works: 'works that a client saw taken on (201)',
  jobs: '  of these jobs',
  playNotes: '  of these PlayNotes',
  completed: 'completed',
  interrupted: 'failed as `interrupted`: begun three times and killed each time',
  failed: 'failed with anything else',
  lost: 'lost: no record of it',
  stuck: 'stuck: never ended',
  untold: 'ended without a message to its webhook',
  toldTwice: 'ended with two messages of different ids',
  repeated: 'message repeated under the same id (allowed)',
  refused: 'creations refused',
  slowestStartMs: 'slowest start to the first answer, ms',
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { kills: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
  });
  const { faults, complaints, ...result } = await crashTrial({
    kills: Number(values.kills),
    seed: Number(values.seed),
    tell: (line) => console.error(line),
  });
  for (const [name, meaning] of Object.entries(MEANINGS))
    console.log(`${String(result[name]).padStart(7)}  ${meaning}`);
  if (complaints !== '') console.log(`\nerrors in the log:\n${complaints}`);
  for (const fault of faults) console.log(`  FAULT: ${fault}`);
  console.log(JSON.stringify({ trial: 'crash', seed: Number(values.seed), ...result, faults }));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
