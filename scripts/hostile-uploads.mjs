// Every file of test/reading/hostile-files.ts and near-bound-files.ts uploaded as a PlayNote to the built program, while a
// phone call plays on beside it. Prints what came of each, how long it took and how far the program's memory rose; ends
// with 1 if one was not refused in time (one near the bounds: refused, or brought as far as its script) or with too much
// memory, or if the call ran dry or broke. Linux: memory is read from /proc.
//
//   node scripts/build.mjs --if-stale && node scripts/hostile-uploads.mjs

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ANYBODY, startServing } from './serving-gateway.mjs';

const MOST_SECONDS = 2;
const MOST_MB = 100;
const BETWEEN_LOOKS_MS = 10;
const ROOT = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { program: { type: 'string', default: join(ROOT, 'dist/main.js') }, only: { type: 'string' } },
});

register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { HOSTILE } = await import('../test/reading/hostile-files.ts');
const { NEAR_BOUND } = await import('../test/reading/near-bound-files.ts');
const { openProbe } = await import('../test/support/session-probe.ts');

const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-hostile-'));
// This script looks a hundred times a second.
const { child, url } = await startServing(values.program, dataDir, { VOXGATE_ASK_PER_MINUTE: '0' });
const headers = ANYBODY;
const ask = async (path, method = 'GET') => (await fetch(new URL(path, url), { method, headers })).text();
const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
const nameOf = (what) =>
  what.startsWith('Markdown') ? 'a.md' : what.startsWith('a table') ? 'a.csv' : 'upload.bin';

const isSpoken = ({ status, phase }) =>
  status === 'completed' || (status === 'generating' && (phase === 'speaking' || phase === 'finishing'));

async function upload(what, bytes) {
  const form = new FormData();
  form.append('synthesisStyle', 'podcast');
  form.append('voice1', voice);
  form.append('voice1Name', 'null');
  form.append('sourceFile', new Blob([bytes]), nameOf(what));
  let mostMb = residentMb();
  const before = mostMb;
  const looking = setInterval(() => {
    mostMb = Math.max(mostMb, residentMb());
  }, BETWEEN_LOOKS_MS);
  const began = performance.now();
  const answer = await fetch(new URL('/api/v1/playnotes', url), { method: 'POST', headers, body: form });
  let seconds;
  let record = await answer.json();
  let outcome = `${answer.status} ${record.errorId}`;
  if (answer.status === 201) {
    const path = `/api/v1/playnotes/${record.id}`;
    // What is spoken is no longer the file's doing.
    while (record.status === 'generating' && !isSpoken(record)) {
      await sleep(BETWEEN_LOOKS_MS);
      record = JSON.parse(await ask(path));
    }
    outcome = isSpoken(record) ? 'taken' : (record.error?.code ?? record.status);
    seconds = (performance.now() - began) / 1000;
    await ask(path, 'DELETE');
  }
  seconds ??= (performance.now() - began) / 1000;
  clearInterval(looking);
  return { outcome, seconds, roseMb: mostMb - before };
}

const voice = JSON.parse(await ask('/api/v1/voices'))[0].id;
const call = await openProbe(`${url.replace('http', 'ws')}/v1/session?format=mulaw`);
let turn = 0;
const talk = () => {
  turn += 1;
  const id = `t${turn}`;
  call.send({ type: 'speak', turn: id, text: 'The tide comes in, goes out, and comes in again. '.repeat(8) });
  call.ended(id).then(talk, (cause) => {
    if (!isOver) callFailure ??= cause;
  });
};
let isOver = false;
let callFailure;
talk();
await call.nextAudio();
const dry = async () =>
  Number(/^voxgate_playback_underruns_total (\d+)/m.exec(await ask('/metrics'))?.[1] ?? 0);

let isGood = true;
try {
  console.log('| file | outcome | seconds | memory, MB |\n|---|---|--:|--:|');
  for (const [what, build] of Object.entries({ ...HOSTILE, ...NEAR_BOUND })) {
    if (values.only !== undefined && !what.includes(values.only)) continue;
    const { outcome, seconds, roseMb } = await upload(what, build());
    const isDealtWith =
      /^(413|415|422|invalid_source)/.test(outcome) || (outcome === 'taken' && what in NEAR_BOUND);
    const isFine = isDealtWith && seconds <= MOST_SECONDS && roseMb <= MOST_MB;
    isGood &&= isFine;
    console.log(
      `| ${what} | ${outcome}${isFine ? '' : ' !'} | ${seconds.toFixed(2)} | ${roseMb.toFixed(0)} |`,
    );
  }
  const underruns = await dry();
  isGood &&= underruns === 0 && callFailure === undefined;
  console.log(`\nThe call meanwhile: ${turn} turns, ${underruns} underruns.`);
  if (callFailure !== undefined) console.error('The call broke:', callFailure);
} finally {
  isOver = true;
  call.terminate();
  child.removeAllListeners('exit');
  child.kill();
  await new Promise((ended) => child.once('exit', ended));
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = isGood ? 0 : 1;
