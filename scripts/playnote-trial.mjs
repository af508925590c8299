// Real documents through the built program with the embedded engine: each source in each style, uploaded over HTTP and
// heard out. Prints a table; ends with 1 if one failed, states what its source does not, or keeps marks of a page.
//
//   node scripts/build.mjs --if-stale && node scripts/playnote-trial.mjs [--out FOLDER]

import { mkdirSync, mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ANYBODY, startServing } from './serving-gateway.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = ['lighthouses.pdf', 'brot.docx', 'abeilles.epub', 'tides.html'];
const STYLES = ['podcast', 'executive-briefing', 'childrens-story', 'debate'];
const SPEAKERS = { name1: 'Ada', name2: 'Ben', voices: 2 };
const { values } = parseArgs({
  options: { out: { type: 'string' }, program: { type: 'string', default: join(ROOT, 'dist/main.js') } },
});

// The tests' own readers and judges, which are TypeScript.
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { readFixture } = await import('../test/reading/read-fixture.ts');
const { findingsOf } = await import('../test/support/playnote-findings.ts');

const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-trial-'));
const { child, url } = await startServing(values.program, dataDir);
const headers = ANYBODY;
const json = async (path) => (await fetch(new URL(path, url), { headers })).json();

async function make(source, style, voices) {
  const form = new FormData();
  const fields = { synthesisStyle: style, voice1: voices[0], voice1Name: SPEAKERS.name1 };
  for (const [name, value] of Object.entries({ ...fields, voice2: voices[1], voice2Name: SPEAKERS.name2 }))
    form.append(name, value);
  form.append('sourceFile', await openAsBlob(join(ROOT, 'fixtures/documents', source)), source);
  const began = performance.now();
  const created = await fetch(new URL('/api/v1/playnotes', url), { method: 'POST', headers, body: form });
  let record = await created.json();
  if (created.status !== 201) throw new Error(JSON.stringify(record));
  while (record.status === 'generating') {
    await sleep(100);
    record = await json(`/api/v1/playnotes/${record.id}`);
  }
  return { record, seconds: (performance.now() - began) / 1000 };
}

let isGood = true;
try {
  const listed = await json('/api/v1/voices');
  const voices = ['Female', 'Male'].map((gender) => listed.find((voice) => voice.gender === gender).id);
  console.log(
    '| source | style | lines | minutes | seconds to make | × real time | longest turn, s | ungrounded | unanchored | leftovers |',
  );
  console.log('|---|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const source of SOURCES) {
    const document = await readFixture(source);
    for (const style of STYLES) {
      const { record, seconds } = await make(source, style, voices);
      if (record.status !== 'completed') {
        // A style in which the source has nothing to say is refused.
        isGood &&= record.error?.code === 'invalid_source';
        console.log(`| ${source} | ${style} | refused: ${record.error?.message} |`);
        continue;
      }
      const script = await json(record.scriptUrl);
      const found = findingsOf(script, document, SPEAKERS);
      const wrong = [...found.ungrounded, ...found.unanchored, ...found.leftovers];
      isGood &&= wrong.length === 0 && found.repeated === 0;
      const figures = [
        found.lines,
        (record.duration / 60).toFixed(1),
        seconds.toFixed(1),
        (record.duration / seconds).toFixed(0),
        (found.longestTurnMs / 1000).toFixed(0),
        found.ungrounded.length,
        found.unanchored.length,
        found.leftovers.length,
      ];
      console.log(`| ${[source, style, ...figures].join(' | ')} |`);
      for (const problem of wrong) console.error(problem);
      if (values.out !== undefined) {
        mkdirSync(values.out, { recursive: true });
        const name = join(values.out, `${source}-${style}`);
        writeFileSync(`${name}.json`, JSON.stringify(script, undefined, 1));
        writeFileSync(`${name}.mp3`, Buffer.from(await (await fetch(record.audioUrl)).arrayBuffer()));
      }
    }
  }
} finally {
  child.removeAllListeners('exit');
  child.kill();
  await new Promise((ended) => child.once('exit', ended));
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = isGood ? 0 : 1;
