// Tries a built image as its user would: starts what ENTRYPOINT and CMD say, asks its own HEALTHCHECK, speaks
// through it, stops it with its STOPSIGNAL while somebody is listening.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf } from './image-tree.mjs';
import { judgeSpeech, readWav } from './sound.mjs';

const START_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 20_000;
/** The formats that need a codec of their own, by the bytes each file begins with. */
const MAGIC = { ogg: 'OggS', flac: 'fLaC' };
/** TEXT lasts over 2 s: more than twice this in either format. Headers alone are far below. */
const LEAST_ENCODED_BYTES = 8000;
const TEXT = 'The image speaks, and whoever listens hears every word of it.';

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Runs `command` in an image with the image's environment and `variables`. Absolute paths of the image that its
 * own variables name lie below its folder here.
 */
function start({ root, config }, command, variables) {
  const own = Object.fromEntries(
    Object.entries(config.env).map(([name, value]) => [
      name,
      value.startsWith('/') ? join(root, value) : value,
    ]),
  );
  const [program, ...args] = command;
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd: join(root, config.workdir),
    env: environmentOf({ ...own, ...variables }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code: signal ?? code, out, errors }));
  return {
    ended,
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    signal: (name) => child.kill(name),
    /** Resolves with the first match in what was printed. */
    async prints(expression) {
      const deadline = performance.now() + START_DEADLINE_MS;
      for (;;) {
        const match = expression.exec(out);
        if (match !== null) return match;
        if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline)
          throw new Error(`${command.join(' ')} did not print ${expression}\n${out}${errors}`);
        await sleep(20);
      }
    },
  };
}

/** Resolves with what the process ended with; kills it, and throws, when that takes too long. */
async function within(process, deadlineMs, what) {
  const late = Symbol('late');
  const result = await Promise.race([process.ended, sleep(deadlineMs, late, { ref: false })]);
  if (result !== late) return result;
  process.signal('SIGKILL');
  throw new Error(`${what} took longer than ${deadlineMs} ms`);
}

/** What the image does when it is started so: it must end by itself, not with 0, and say `expected` in a line. */
export async function refuses(image, variables, expected) {
  const { entrypoint, cmd } = image.config;
  const gateway = start(image, [...entrypoint, ...cmd], variables);
  const { code, errors } = await within(gateway, START_DEADLINE_MS, 'a start that must be refused');
  const line = errors.split('\n').find((each) => each.includes(expected));
  if ((code !== 1 && code !== 2) || line === undefined)
    throw new Error(`expected a refusal that says ${expected}, got exit code ${code}\n${errors}`);
  return `refused (exit ${code}): ${line}`;
}

/** An engine out of an image, for another image to use; `close` ends it. */
export async function startEngineOf(image, keys) {
  const engine = start(image, [...image.config.entrypoint, 'engine', '--port', '0', '--keys', keys], {});
  const [, url] = await engine.prints(/listening at (\S+)/);
  return {
    url,
    async close() {
      engine.signal('SIGTERM');
      const { code } = await within(engine, STOP_DEADLINE_MS, 'stopping the engine');
      if (code !== 0) throw new Error(`the engine ended with ${code}`);
    },
  };
}

/** A whole life: not healthy before the start, healthy after it, speaks, drains, exit code 0. Yields lines. */
export async function* live(image, { variables, key, scratch }) {
  const { entrypoint, cmd, healthcheck, stopSignal } = image.config;
  const port = variables.VOXGATE_PORT;
  const isHealthy = async () =>
    (await within(start(image, healthcheck, variables), 10_000, 'the health check')).code === 0;
  if (await isHealthy()) throw new Error('the health check passes with nothing running');

  const startedAt = performance.now();
  const gateway = start(image, [...entrypoint, ...cmd], variables);
  try {
    while (!(await isHealthy())) {
      if (performance.now() - startedAt > START_DEADLINE_MS) throw new Error('never became healthy');
      if (gateway.isOver()) throw new Error('ended instead of listening');
    }
    yield `healthy after ${Math.round(performance.now() - startedAt)} ms`;

    const url = `ws://127.0.0.1:${port}/v1/session`;
    const say = (...flags) =>
      start(image, [...entrypoint, 'say', TEXT, '--url', url, '--key', key, ...flags], {});
    const speak = async (format) => {
      const file = join(scratch, `${image.name}.${format}`);
      const turn = say('--format', format, '--out', file);
      const { code, out, errors } = await within(turn, START_DEADLINE_MS, `speaking ${format}`);
      if (code !== 0) throw new Error(`say --format ${format} ended with ${code}\n${out}${errors}`);
      return readFileSync(file);
    };
    yield judgeSpeech('spoken', readWav(await speak('wav'), 'the WAV'), 2);
    for (const [format, magic] of Object.entries(MAGIC)) {
      const bytes = await speak(format);
      if (bytes.toString('latin1', 0, 4) !== magic || bytes.length < LEAST_ENCODED_BYTES)
        throw new Error(`not a spoken ${format}: ${bytes.length} bytes from ${bytes.toString('hex', 0, 4)}`);
      yield `spoken: ${bytes.length} bytes of ${format}`;
    }

    const listener = say();
    await listener.prints(/"type":"started"/);
    const stoppedAt = performance.now();
    gateway.signal(stopSignal);
    const heard = await within(listener, STOP_DEADLINE_MS, 'the turn that was playing');
    if (heard.code !== 0)
      throw new Error(`a playing turn did not survive ${stopSignal}\n${heard.out}${heard.errors}`);
    const { code, errors } = await within(gateway, STOP_DEADLINE_MS, 'stopping');
    if (code !== 0) throw new Error(`ended with ${code} after ${stopSignal}\n${errors}`);
    yield `${stopSignal}: the playing turn was heard out, exit 0 after ${Math.round(performance.now() - stoppedAt)} ms`;
  } catch (error) {
    gateway.signal('SIGKILL');
    const { out, errors } = await gateway.ended;
    throw new Error(`${error.message}\n${out}${errors}`);
  }
}
