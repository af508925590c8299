// How exactly a long narration tells its words: a gateway of the compiled program asks a service for speech that knows its own word
// times (the embedded engine, in this process, or a voice of flite or festival where they are installed), sends the turn in a
// burst, and lists its words in the end, as `voxgate narrate --vtt` has it. Prints a line of JSON for each voice and length; ends
// with 1 if an aim is missed.
//
//   node scripts/build.mjs --if-stale && node scripts/narration-words-trial.mjs [--minutes 15,60] [--dist DIR] [--seed N]
//        [--voices embedded,flite:slt,festival:kal_diphone]

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listForeignVoices } from './foreign-speech.mjs';
import { startServing } from './serving-gateway.mjs';
import { embeddedNarrator, foreignNarrator } from './word-times/narrators.mjs';
import { openProgram } from './word-times/program.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const CHARS_PER_MINUTE = 880;
/** Between requests the gateway rests for one of these. */
const RESTS_MS = [0, 200, 300, 400];
const AIMS = { medianMs: 40, p95Ms: 150, mostMs: 1000 };
const FOREIGN_AIMS = { medianMs: 45, p95Ms: 180, mostMs: 2000 };

const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: resolve(ROOT, 'dist') },
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: '1' },
    voices: { type: 'string', default: 'embedded' },
  },
});
const program = await openProgram(resolve(values.dist));
const drawn = program.seededNumbers(Number(values.seed), 0);
const draw = (below) => Math.min(below - 1, Math.floor(drawn() * below));

/** Paragraphs of sentences, half of them with figures where the voice can say those. */
function textOf(minutes, { sentences, mayHaveFigures }) {
  const paragraphs = [];
  for (let chars = 0; chars < minutes * CHARS_PER_MINUTE; ) {
    const said = Array.from({ length: 2 + draw(5) }, () => sentences[draw(sentences.length)]);
    if (mayHaveFigures && draw(2) === 0)
      said.push(
        `In ${1900 + draw(120)} it was ${2 + draw(990)}.${draw(10)} km, ${2 + draw(97)} % more than the ${(1000 + draw(9_000_000)).toLocaleString('en')} of before.`,
      );
    const paragraph = said.join(' ');
    paragraphs.push(paragraph);
    chars += paragraph.length + 2;
  }
  return paragraphs.join('\n\n');
}

/** Requests in the order in which they were asked for, with what the engine tells of its words. */
let requests = [];
let narrator;
async function answer(request, response) {
  if (request.method !== 'POST') {
    response.writeHead(404).end();
    return;
  }
  const parts = [];
  for await (const part of request) parts.push(part);
  const asked = JSON.parse(Buffer.concat(parts).toString());
  const known = { text: asked.text, told: [], heardMs: 0 };
  requests.push(known);
  const write = async (chunk) => {
    if (!response.write(chunk)) await new Promise((drained) => response.once('drain', drained));
  };
  Object.assign(known, await narrator.speak(asked, (headers) => response.writeHead(200, headers), write));
  response.end();
}
// A request that is hung up on is none of the trial's.
const service = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
await new Promise((listening) => service.listen(0, '127.0.0.1', listening));

const dataDir = mkdtempSync(join(tmpdir(), 'narration-words-'));
const gateway = await startServing(join(resolve(values.dist), 'main.js'), dataDir, {
  VOXGATE_UPSTREAM_URL: `http://127.0.0.1:${service.address().port}`,
  VOXGATE_UPSTREAM_KEYS: 'trial:trial',
  VOXGATE_UPSTREAM_HEDGING: 'off',
});

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
const unspaced = (points, to) => points.slice(0, to).filter((point) => !/\s/.test(point)).length;

async function narrate(text) {
  const listed = [];
  const client = await program.connectSession({
    url: `${gateway.url.replace('http', 'ws')}/v1/session`,
    headers: { authorization: 'Bearer trial', 'x-user-id': 'trial' },
    onEvent(event) {
      if (event.type === 'words')
        listed.push(...event.words.map((word) => ({ ...word, withinMs: event.withinMs })));
      if (event.type === 'error') throw new Error(`${event.code}: ${event.message}`);
    },
    onAudio() {},
  });
  client.send({
    type: 'configure',
    pace: 'burst',
    wordList: 'final',
    format: 'raw',
    sampleRate: 24_000,
    voice: narrator.voice,
  });
  await client.next('configured');
  const ended = client.next('ended');
  const last = client.next('words', ({ more }) => !more);
  client.send({ type: 'speak', turn: 'book', text });
  const { outcome, audioMs } = await ended;
  await last;
  client.close();
  return { outcome, audioMs, listed };
}

/** How far each word that the engine tells of is off. */
function errorsOf(text, listed) {
  const points = [...text];
  const places = new Int32Array(points.length + 1);
  for (let at = 0; at < points.length; at += 1) places[at + 1] = places[at] + (/\s/.test(points[at]) ? 0 : 1);
  const words = new Map(listed.map((word) => [places[word.charStart], word]));
  const errors = [];
  let before = 0;
  let baseMs = 0;
  // A request that was late was sent again: the last one was heard.
  const heard = [...new Map(requests.map((request) => [request.text, request])).values()];
  for (const { text: said, told, heardMs } of heard) {
    const own = [...said];
    const found = told.flatMap(({ startMs, charStart }) => {
      const word = words.get(before + unspaced(own, charStart));
      return word === undefined ? [] : [{ trueMs: startMs, word }];
    });
    const offs = found.map(({ trueMs, word }) => word.startMs - baseMs - trueMs).sort((a, b) => a - b);
    const restMs =
      baseMs === 0 || offs.length === 0
        ? 0
        : RESTS_MS.toSorted(
            (a, b) => Math.abs(a - quantile(offs, 0.5)) - Math.abs(b - quantile(offs, 0.5)),
          )[0];
    baseMs += restMs;
    for (const { trueMs, word } of found) errors.push(Math.abs(word.startMs - baseMs - trueMs));
    baseMs += heardMs;
    before += unspaced(own, own.length);
  }
  return { errors: errors.sort((a, b) => a - b), lengthMs: baseMs };
}

/** By name: `embedded`, or as `node scripts/foreign-speech.mjs --list` has it. */
async function narratorOf(name) {
  if (name === 'embedded') return embeddedNarrator(program, ROOT, draw);
  const foreign = listForeignVoices().find(({ engine, voice }) => `${engine}:${voice}` === name);
  if (foreign === undefined) throw new Error(`${name} is not installed`);
  return foreignNarrator(program, ROOT, foreign);
}
async function measure(minutes) {
  requests = [];
  const text = textOf(minutes, narrator);
  const beganMs = performance.now();
  const { outcome, audioMs, listed } = await narrate(text);
  const seconds = (performance.now() - beganMs) / 1000;
  const { errors, lengthMs } = errorsOf(text, listed);
  const figures = {
    medianMs: Math.round(quantile(errors, 0.5)),
    p95Ms: Math.round(quantile(errors, 0.95)),
    mostMs: Math.round(errors.at(-1)),
  };
  const aims = narrator.name === 'embedded' ? AIMS : FOREIGN_AIMS;
  const missed = Object.keys(aims).filter((aim) => figures[aim] > aims[aim]);
  if (missed.length > 0 || outcome !== 'complete') process.exitCode = 1;
  console.log(
    JSON.stringify({
      voice: narrator.name,
      minutes: Math.round(audioMs / 600) / 100,
      outcome,
      requests: requests.length,
      words: listed.length,
      told: errors.length,
      notFound: listed.filter(({ withinMs }) => withinMs === undefined).length,
      ...figures,
      lengthOffMs: Math.round(audioMs - lengthMs),
      seconds: Math.round(seconds),
      missed,
    }),
  );
}

try {
  for (const name of values.voices.split(',')) {
    narrator = await narratorOf(name);
    for (const minutes of values.minutes.split(',').map(Number)) await measure(minutes);
  }
} finally {
  gateway.child.kill('SIGTERM');
  await new Promise((ended) => gateway.child.once('exit', ended));
  rmSync(dataDir, { recursive: true, force: true });
  service.close();
  await program.close();
}
process.exit();
