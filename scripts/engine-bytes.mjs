// Same request, same seed, same bytes: asks the built engine for the fixed requests of
// fixtures/engine/same-bytes.json, starts it anew and asks again, and holds the SHA-256 of every reply against the
// one that is written there. The expected sums hold for every Node version and machine.
//
//   node scripts/engine-bytes.mjs           check; prints one sum over all replies, expected or not
//   node scripts/engine-bytes.mjs --write   write the sums anew, after a change that is meant to be heard

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(import.meta.dirname, '..');
const FIXTURE = join(ROOT, 'fixtures/engine/same-bytes.json');
const DEADLINE_MS = 60_000;

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

async function urlOf(engine) {
  for await (const line of createInterface({ input: engine.stdout })) {
    const url = /listening at (\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the engine did not start');
}

async function speak(url, request) {
  const response = await fetch(`${url}/api/v1/tts/stream`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'x-user-id': 'any', 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200)
    throw new Error(`the engine answered ${response.status} ${bytes.toString('utf8')}`);
  return sha256(bytes);
}

/** The sums of all replies of one life of the engine, in the order of `requests`. */
async function sumsOfOneLife(requests) {
  const command = ['dist/main.js', 'engine', '--port', '0', '--log-level', 'error'];
  const engine = spawn(process.execPath, command, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(engine, 'close');
  try {
    const url = await urlOf(engine);
    const sums = [];
    for (const request of requests) sums.push(await speak(url, request));
    return sums;
  } finally {
    engine.kill('SIGTERM');
    await ended;
  }
}

const cases = JSON.parse(readFileSync(FIXTURE, 'utf8'));
const requests = cases.map(({ request }) => request);
try {
  const sums = await sumsOfOneLife(requests);
  const again = await sumsOfOneLife(requests);
  const wanted = process.argv.includes('--write') ? sums : cases.map((each) => each.sha256);
  for (const [index, sum] of sums.entries()) {
    if (sum !== again[index]) throw new Error(`request ${index + 1} gives other bytes after a restart`);
  }
  if (process.argv.includes('--write')) {
    const written = requests.map((request, index) => ({ request, sha256: sums[index] }));
    writeFileSync(FIXTURE, `${JSON.stringify(written, null, 2)}\n`);
  }
  console.log(sha256(sums.join()));
  const changed = sums.flatMap((sum, index) =>
    sum === wanted[index] ? [] : [`request ${index + 1}: ${sum}`],
  );
  if (changed.length > 0) throw new Error(`not the bytes that are expected\n${changed.join('\n')}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
