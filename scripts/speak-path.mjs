// The files that a turn passes on its way from the client's socket to the frame in it, by stack traces of a running gateway:
// one `speak` in µ-law 8000, spoken by a scripted service. Run from the sources, so that files have their names:
//
//   node scripts/speak-path.mjs
//
// Prints the files of each part of the way, how many there are, and whether anything is sent from inside a decoder.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { register } from 'node:module';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { WebSocket } from 'ws';

const SRC = resolve(import.meta.dirname, '../src');
const SPEECH = readFileSync(resolve(import.meta.dirname, '../fixtures/audio/ffmpeg-live-24k.mp3'));
/** Where sound is decoded and encoded. */
const DECODES = /^audio\/(transcoder|mp3\/|dsp\/)/;
const SENDS = /^gateway\/sockets\/frame-writer/;

register('../test/support/typescript-hooks.mjs', import.meta.url);
const { startGateway } = await import('../src/app/start.ts');
const { parseConfig } = await import('../src/settings/config.ts');
const { FrameStore } = await import('../src/audio/frame-store.ts');
const { SynthesisRun } = await import('../src/session/turn/synthesis-run.ts');

Error.stackTraceLimit = 200;
/** By part of the way: the files of all of its stacks, in the order in which they are first entered. */
const parts = new Map();
const sentFromDecoder = new Set();
let isTold = false;

function filesOfStack() {
  const lines = new Error().stack.split('\n').slice(3).reverse();
  return lines.flatMap((line) => {
    const path = /\(?((?:file:\/\/)?\/[^):]+\.ts)/.exec(line)?.[1];
    if (path === undefined) return [];
    const file = relative(SRC, path.startsWith('file:') ? fileURLToPath(path) : path);
    return file.startsWith('..') ? [] : [file];
  });
}
function note(part) {
  if (!isTold) return;
  const files = filesOfStack();
  const known = parts.get(part) ?? new Set();
  for (const file of files) known.add(file);
  parts.set(part, known);
  if (files.some((file) => SENDS.test(file)) && files.some((file) => DECODES.test(file)))
    sentFromDecoder.add(files.join(' → '));
}
/** Notes the stack of each call of `owner[name]` that `partOf` names a part of the way for. */
function watch(owner, name, partOf) {
  const original = owner[name];
  owner[name] = function watched(...args) {
    const part = partOf(new Error().stack);
    if (part !== undefined) note(part);
    return original.apply(this, args);
  };
}
watch(SynthesisRun.prototype, 'begin', () => 'command in');
watch(Pool.prototype, 'dispatch', () => 'request out');
watch(FrameStore.prototype, 'add', (stack) =>
  /body-spool/.test(stack) ? 'bytes in' : /frame-queue/.test(stack) ? 'decoding' : undefined,
);
const toFrameWriter = (stack) => (/frame-writer/.test(stack) ? 'frame out' : undefined);
watch(Uint8Array.prototype, 'set', toFrameWriter); // the frame is laid into the send buffer
watch(Socket.prototype, 'write', toFrameWriter);

const service = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'audio/mpeg' });
  response.end(SPEECH);
});
await new Promise((listening) => service.listen(0, '127.0.0.1', listening));
const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-path-'));
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const parsed = parseConfig({
  env: {
    VOXGATE_PORT: '0',
    VOXGATE_DATA_DIR: dataDir,
    VOXGATE_UPSTREAM_URL: `http://127.0.0.1:${service.address().port}`,
    VOXGATE_UPSTREAM_KEYS: 'path:path',
  },
  flags: [],
  file: () => '',
});
if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
const gateway = await startGateway({
  config: parsed.config,
  log: silent,
  version: 'path',
  searchPath: undefined,
  service: 'off',
});

const client = new WebSocket(`${gateway.sessionUrl}?format=mulaw&sampleRate=8000`, 'voxgate.v1');
const until = (type) =>
  new Promise((come) => {
    const look = (data, isBinary) => {
      if (isBinary || JSON.parse(data).type !== type) return;
      client.off('message', look);
      come();
    };
    client.on('message', look);
  });
await until('ready');
isTold = true;
const heard = until('heard');
client.send(JSON.stringify({ type: 'speak', turn: 't', text: 'One sentence that takes a little while.' }));
await heard;
isTold = false;
client.terminate();
await gateway.stop(0);
service.close();
service.closeAllConnections();
rmSync(dataDir, { recursive: true, force: true });

const all = new Set();
for (const [part, files] of parts) {
  console.log(`${part}, ${files.size} files`);
  for (const file of files) console.log(`  ${all.has(file) ? ' ' : '+'} ${file}`);
  for (const file of files) all.add(file);
}
console.log(`${all.size} files; sent from inside a decoder: ${sentFromDecoder.size === 0 ? 'nothing' : ''}`);
for (const stack of sentFromDecoder) console.log(`  ${stack}`);
process.exit(0);
