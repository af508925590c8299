// The embedded engine as `voxgate serve` has it: a process of its own, whose death is a pause and whose end is its parent's.
// The built program, real processes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type RunningProgram, startProgram } from '../support/program.ts';
import { openProbe, type SessionProbe } from '../support/session-probe.ts';

const DEADLINE_MS = 30_000;
const folder = mkdtempSync(join(tmpdir(), 'voxgate-engine-test-'));
const running: RunningProgram[] = [];
const probes: SessionProbe[] = [];

beforeAll(buildProgram);
afterEach(async () => {
  for (const probe of probes.splice(0)) probe.terminate();
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function serve(...flags: string[]) {
  const program = startProgram(
    ['serve', '--port', '0', '--data-dir', mkdtempSync(join(folder, 'data-')), ...flags],
    { env: { VOXGATE_LOG_LEVEL: 'debug' } },
  );
  running.push(program);
  const [, url] = await program.printed(/listening at (http:\S+)/);
  return { program, url: url!, pid: program.child.pid! };
}

async function open(url: string): Promise<SessionProbe> {
  const probe = await openProbe(`${url.replace('http', 'ws')}/v1/session?format=mulaw`);
  probes.push(probe);
  return probe;
}

type Process = { readonly pid: number; readonly parent: number; readonly command: string };

/** All that runs and is no zombie. */
const processes = (): Process[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, state, parent] = /^\d+ \(.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))!;
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), command }];
    } catch {
      return [];
    }
  });
const engineOf = (pid: number): Process | undefined =>
  processes().find(({ parent, command }) => parent === pid && command.includes('engine-process'));
const isAlive = (pid: number): boolean => processes().some((each) => each.pid === pid);

async function until<T>(look: () => T | undefined): Promise<T> {
  for (const endMs = Date.now() + DEADLINE_MS; ; await sleep(50)) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error('it has not come in time');
  }
}
const gone = (pid: number) => until(() => (isAlive(pid) ? undefined : 'gone'));

describe.runIf(platform() === 'linux')('the embedded engine of a gateway', () => {
  it('is a process without a key in its arguments or environment, and speaks', async () => {
    const { program, url, pid } = await serve();
    const engine = engineOf(pid)!;
    const probe = await open(url);
    probe.send({ type: 'speak', turn: 't', text: 'Hello from a process.' });
    expect((await probe.event('ended')).outcome).toBe('complete');
    const environment = readFileSync(`/proc/${engine.pid}/environ`, 'utf8');
    const names = environment.split('\0').map((each) => each.split('=')[0]);
    const allowed = ['PATH', 'LANG', 'TMPDIR', 'TEMP', 'SystemRoot', ''];
    // The one that Node needs for the channel, and how it is written on it.
    const foreign = names.filter((name) => !allowed.includes(name!) && !name!.startsWith('NODE_CHANNEL_'));
    expect(foreign).toEqual([]);
    expect(
      engine.command
        .split(' ')
        .filter((part) => part !== '')
        .at(-1),
    ).toMatch(/engine-process\.js$/);
    // Its lines are in the log, once and without what it says.
    const lines = program
      .stderr()
      .split('\n')
      .filter((line) => line.includes('engine_speaks'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 20, sentences: 1 });
    expect(program.stderr()).not.toContain('Hello');
  });

  it('has all of its voices: another is refused in the same words on every way in, and opens no turn', async () => {
    const { url } = await serve();
    const words =
      /there is no such voice here \(got "annna"\); GET \/api\/v1\/voices lists [^;]*; did you mean [Aa]nna\?/;
    const headers = { authorization: 'Bearer me', 'x-user-id': 'me', 'content-type': 'application/json' };
    const post = (path: string, fields: object) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(fields) });
    for (const [path, fields] of [
      ['/api/v1/tts/stream', { model: 'VoxDialog', text: 'Hi.', voice: 'annna' }],
      ['/api/v1/tts', { text: 'Hi.', voice: 'annna' }],
      ['/v1/audio/speech', { input: 'Hi.', voice: 'annna' }],
      ['/v1/text-to-speech/annna', { text: 'Hi.' }],
      ['/v1/speak?model=annna', { text: 'Hi.' }],
    ] as const) {
      const refused = await post(path, fields);
      expect([path, refused.status]).toEqual([path, 400]);
      expect(JSON.stringify(JSON.parse(await refused.text())).replaceAll('\\"', '"')).toMatch(words);
    }
    const probe = await open(url);
    for (const message of [
      { type: 'configure', voice: 'annna' },
      { type: 'speak', turn: 'a', text: 'Hi.', voice: 'annna' },
      { type: 'append', turn: 'a', text: 'Hi.', voice2: 'annna' },
    ]) {
      probe.send(message);
      const { code, message: told } = await probe.event('error');
      expect([code, told]).toEqual(['invalid_request', expect.stringMatching(words) as string]);
    }
    probe.send({ type: 'speak', turn: 'a', text: 'Hello.', voice: 'anna' });
    expect((await probe.event('ended')).outcome).toBe('complete');
    for (const path of [
      '/v1/session?voice=annna',
      '/v1/speak?model=annna',
      '/v1/text-to-speech/annna/stream-input',
    ])
      await expect(openProbe(url.replace('http', 'ws') + path)).rejects.toThrow(words.source.slice(0, 20));

    // What else a caller is told of it, and the port that is taken.
    const fields = { model: 'VoxDialog', text: 'Ola.', voice: 'anna', language: 'galician' };
    const spoken = await post('/api/v1/tts/stream', fields);
    expect([spoken.status, spoken.headers.get('x-voxgate-spoken-as')]).toEqual([200, 'portuguese']);
    await spoken.body!.cancel();
    const { port } = new URL(url);
    const second = startProgram(['serve', '--port', port, '--data-dir', mkdtempSync(join(folder, 'data-'))]);
    running.push(second);
    const { code, stderr } = await second.ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`VOXGATE_PORT is ${port}, and .* listens there already \\(EADDRINUSE\\)`),
      ) as string,
    ]);
  });

  it('is started again when it dies: turns wait, and readiness says so meanwhile', async () => {
    const { url, pid } = await serve();
    const first = engineOf(pid)!;
    // Asked all the while: it is started again within a second or so.
    const notReady = (async () => {
      for (;;) {
        const answer = await fetch(`${url}/readyz`);
        const told: unknown = await answer.json();
        if (answer.status !== 200) return [answer.status, told];
      }
    })();
    process.kill(first.pid, 'SIGKILL');
    expect(await notReady).toEqual([503, { status: 'unavailable', reason: 'engine-restarting' }]);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const probe = await open(url);
    probe.send({ type: 'speak', turn: 't', text: 'Hello again.' });
    expect((await probe.event('ended')).outcome).toBe('complete');
    expect(engineOf(pid)?.pid).not.toBe(first.pid);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it('goes on with a turn when it dies in the middle of it', async () => {
    const { url, pid } = await serve();
    const probe = await open(url);
    const text = 'This is a first sentence that is spoken. '.repeat(5);
    probe.send({ type: 'speak', turn: 't', text });
    await probe.event('started');
    process.kill(engineOf(pid)!.pid, 'SIGKILL');
    expect((await probe.event('ended')).outcome).toBe('complete');
  });

  it('is gone when the gateway was killed', async () => {
    const { pid } = await serve();
    const engine = engineOf(pid)!;
    const speaker = processes().find(({ parent }) => parent === engine.pid)!;
    expect(speaker.command).toContain('espeak-entry');
    process.kill(pid, 'SIGKILL');
    await gone(engine.pid);
    await gone(speaker.pid);
  });

  it('ends behind the gateway’s last turn, also when it was told to end itself', async () => {
    const { program, url, pid } = await serve();
    const engine = engineOf(pid)!;
    const probe = await open(url);
    probe.send({ type: 'speak', turn: 't', text: 'This turn is heard to its end. '.repeat(3) });
    await probe.event('started');
    process.kill(engine.pid, 'SIGTERM');
    process.kill(pid, 'SIGTERM');
    expect((await probe.event('ended')).outcome).toBe('complete');
    expect((await program.ended).code).toBe(0);
    expect(isAlive(engine.pid)).toBe(false);
  });

  it('is one for all processes of a gateway, and the primary’s', async () => {
    const { url, pid } = await serve('--processes', '2');
    const probe = await open(url);
    probe.send({ type: 'speak', turn: 't', text: 'Hello from two.' });
    expect((await probe.event('ended')).outcome).toBe('complete');
    const family = processes().filter(({ command }) => command.includes('engine-process'));
    const players = processes().filter(
      ({ parent, command }) => parent === pid && command.includes(' player'),
    );
    expect(players).toHaveLength(2);
    expect(family.filter(({ parent }) => [pid, ...players.map((each) => each.pid)].includes(parent))).toEqual(
      [engineOf(pid)],
    );
  });
});
