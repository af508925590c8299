// The program as a person types it: exit codes, help, what is said about wrong flags, and what `say` leaves behind.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram, startInside, startProgram } from '../support/program.ts';
import {
  type RunningGateway,
  SPEECH_MS,
  speaking,
  spoken,
  startRunningGateway,
} from '../support/running-gateway.ts';
import { audio, stallAfter } from '../support/scripted-upstream.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

let gateway: RunningGateway;
let folder: string;

beforeAll(async () => {
  buildProgram();
  gateway = await startRunningGateway();
  folder = mkdtempSync(join(tmpdir(), 'voxgate-say-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
});

const say = (args: readonly string[]) =>
  runProgram(['say', '--url', gateway.sessionUrl, ...args], { cwd: folder });
const inside = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  startInside(args, env === undefined ? {} : { env }).ended;

describe.concurrent('the program', () => {
  it.each([['--help'], ['help'], ['say', 'text', '--help']])(
    'voxgate %s %s: help, exit code 0',
    async (...args) => {
      const { code, stdout, stderr } = await inside(args);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/Usage: voxgate/);
    },
  );

  it.each([[['--version']], [['serve', '--version']]])('voxgate %j: the version alone', async (args) => {
    expect(await runProgram(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    [[], /Usage/],
    [
      ['sing'],
      /"sing".*serve, engine, say, narrate, job, playnote, keys, migrate, voices, demo, bench, chaos/,
    ],
    [['__proto__'], /"__proto__".*serve/],
    [
      ['serve', '--port', 'http'],
      /^--port is "http"; allowed: a whole number from 0 to 65535, 0 = any free port/,
    ],
  ] as [string[], RegExp][])('voxgate %j: what is wrong, exit code 2, no stack', async (args, message) => {
    const { code, stdout, stderr } = await inside(args);
    expect([code, stdout + stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('a rate that the format has not is told by its flag', async () => {
    const flags = ['--format', 'mp3', '--sample-rate', '9000'];
    const { code, stderr } = await inside(['say', 'x', '--url', gateway.sessionUrl, ...flags]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^--sample-rate: must be a rate that mp3 has: 8000, .*\(got 9000\)/),
    ]);
  });

  it('a port that is taken: exit code 1, saying which', async () => {
    const { code, stderr } = await runProgram(['engine', '--port', String(gateway.port)]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(`--port is ${gateway.port}, and .*EADDRINUSE.*set --port to another`),
    ]);
  });
});

describe('serve', () => {
  it('a port for AudioSocket that is taken: exit code 1, saying which', async () => {
    const taken = String(gateway.port);
    const { code, stderr } = await inside(['serve', '--port', '0', '--audiosocket-port', taken], {
      VOXGATE_DATA_DIR: join(folder, 'taken'),
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(`VOXGATE_AUDIOSOCKET_PORT is ${taken}, and .*EADDRINUSE`),
    ]);
  });

  it('names a command that works where it was started', async () => {
    const env = {
      VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
      VOXGATE_UPSTREAM_KEYS: 'user:key',
      VOXGATE_DATA_DIR: folder,
    };
    const root = resolve(import.meta.dirname, '../..');
    const program = startProgram(['serve', '--port', '0'], { cwd: root, env });
    await program.printed(/try +node dist\/main\.js say "Hello/);
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });
});

describe('say', () => {
  it('piped, prints one JSON message a line, and writes a WAV file whose header is true', async () => {
    const { code, stdout, stderr } = await say(['Hello.', '--out', 'hello.wav', '--sample-rate', '16000']);
    expect([code, stderr]).toEqual([0, '']);
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(expect.arrayContaining(['ready', 'configured', 'started', 'caption', 'ended']));
    const wav = readFileSync(join(folder, 'hello.wav'));
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect([wav.readUInt32LE(4), wav.readUInt32LE(40)]).toEqual([wav.length - 8, wav.length - 44]);
    expect([wav.readUInt32LE(24), wav.readUInt16LE(22), wav.readUInt16LE(34)]).toEqual([16_000, 1, 16]);
    const seconds = (wav.length - 44) / 2 / 16_000;
    expect(seconds).toBeGreaterThan(SPEECH_MS / 1000 - 0.5);
    expect(seconds).toBeLessThan(SPEECH_MS / 1000 + 0.1);
  });

  it('speaks tokens from standard input while they come', async () => {
    const before = gateway.upstream.requests.length;
    const program = startProgram(['say', '--url', gateway.sessionUrl, '--pace', 'burst'], { input: null });
    await program.printed(/"configured"/);
    program.child.stdin!.write('The first sentence is here. And the ');
    await program.printed(/"started"/);
    program.child.stdin!.end('second follows later.');
    const { code } = await program.ended;
    expect(code).toBe(0);
    const texts = gateway.upstream.requests.slice(before).map(({ body }) => (body as { text: string }).text);
    expect(texts.join(' ').replace(/\s+/g, ' ')).toContain('And the second follows later.');
  });

  it('loses nothing of an input that is longer than may wait', async () => {
    const patient = await startRunningGateway({
      script: speaking,
      env: { VOXGATE_PENDING_TEXT_CHARS: '1000' },
    });
    // What waits is asked for as it is heard: at five times the speed this takes seconds.
    const sentences = Array.from({ length: 40 }, (_, n) => `This is the sentence of the number ${n}. `);
    const { code, stderr } = await runProgram(
      ['say', '--url', patient.sessionUrl, '--pace', 'burst', '--speed', '5'],
      { input: sentences.join('') },
    );
    const spokenTexts = patient.upstream.requests.map(({ body }) => (body as { text: string }).text);
    await patient.close();
    expect([code, stderr]).toEqual([0, '']);
    const spokenNumbers = [...spokenTexts.join('').matchAll(/number (\d+)/g)].map((match) =>
      Number(match[1]),
    );
    expect(spokenNumbers).toEqual(sentences.map((_, n) => n));
  });

  it('leaves a file as it was when nothing came to replace it', async () => {
    writeFileSync(join(folder, 'kept.wav'), 'before');
    const nobody = ['say', 'x', '--url', 'ws://127.0.0.1:9/v1/session', '--out'];
    expect((await inside([...nobody, join(folder, 'kept.wav')])).code).toBe(1);
    expect(readFileSync(join(folder, 'kept.wav'), 'utf8')).toBe('before');
    expect((await inside([...nobody, join(folder, 'new.wav')])).code).toBe(1);
    expect(existsSync(join(folder, 'new.wav'))).toBe(false);
  });

  it('fails with 1, saying why, when nobody is there, the key is wrong, or the turn fails', async () => {
    const nobody = await runProgram(['say', 'x', '--url', 'ws://127.0.0.1:9/v1/session']);
    expect([nobody.code, nobody.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^ws:\/\/127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\); nothing listens there: .*\n$/,
      ),
    ]);
    const wrongPath = await inside(['say', 'x', '--url', `${gateway.sessionUrl}/x`]);
    expect([wrongPath.code, wrongPath.stderr]).toEqual([1, expect.stringMatching(/refused.*404/)]);
    const broken = await startRunningGateway({ script: audio(Buffer.alloc(5000)) });
    const failed = await inside(['say', 'x', '--url', broken.sessionUrl]);
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('upstream_bad_audio')]);
    await broken.close();
  });

  it('stops at Ctrl-C: the turn is cancelled, the exit code is 1', async () => {
    const endless = await startRunningGateway({ script: stallAfter(spoken(3)) });
    const program = startProgram(['say', 'x', '--url', endless.sessionUrl]);
    await program.printed(/"started"/);
    program.child.kill('SIGINT');
    const { code, stdout } = await program.ended;
    expect(code).toBe(1);
    expect(stdout).toContain('"outcome":"cancelled"');
    await endless.close();
  });

  it('ends quietly when its reader leaves', async () => {
    const program = startProgram(['say', 'x', '--url', gateway.sessionUrl]);
    await program.printed(/"ready"/);
    program.child.stdout!.destroy();
    expect((await program.ended).stderr).not.toMatch(/EPIPE|\n\s+at /);
  });

  it('without --url starts a gateway of its own, whatever service the environment is set up for', async () => {
    writeFileSync(join(folder, 'not-a-cert'), '');
    const env = {
      VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
      VOXGATE_UPSTREAM_KEYS: 'user:key',
      VOXGATE_ENDINGS: 'sound', // on a busy machine words are late, and a line says so
      VOXGATE_API_KEYS: 'ann:key',
      VOXGATE_HOST: '0.0.0.0',
      VOXGATE_PORT: String(gateway.port),
      VOXGATE_TLS_CERT: 'not-a-cert',
      VOXGATE_TLS_KEY: 'not-a-cert',
    };
    const { code, stderr } = await runProgram(['say', 'Alone.', '--out', 'alone.ulaw'], { cwd: folder, env });
    expect([code, stderr]).toEqual([0, '']);
    expect(readFileSync(join(folder, 'alone.ulaw')).length / 8000).toBeGreaterThan(SPEECH_MS / 1000 - 0.5);
  });
});
