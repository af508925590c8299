// Every command of the program under what happens to programs: `-` as a file, --json, no terminal, NO_COLOR, SIGTERM, a reader
// that leaves, a named pipe, a full disk. One gateway serves all rows, a second one whose speech never ends those that are stopped.
// A process costs a second or two: what a process adds nothing to runs in this one (`runHere`), from the same words of a command line.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../testkit/carriers/free-port.ts';
import {
  buildProgram,
  type Ended,
  type HereOptions,
  type ProgramOptions,
  type RunningProgram,
  runProgram,
  startInside,
  startProgram,
} from '../support/program.ts';
import { speaking, spoken } from '../support/running-gateway.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import {
  type Script,
  type ScriptedUpstream,
  stallAfter,
  startScriptedUpstream,
} from '../support/scripted-upstream.ts';

const TEXT = 'The tide turns twice a day.';
const SOURCE = `# Tides\n\nThe sea rises twice a day along most coasts. The moon pulls at the water from far away. Sailors have kept tables of the tides for centuries. A harbour that dries out must be entered at high water.\n`;
const VOICE = ['--voice', 'vox:anna'];
const VOICES = ['--voice1', 'vox:anna', '--voice2', 'vox:ben'];
const ESCAPES = '\u001b';
/** What sets a colour (ECMA-48, SGR). */
const COLOUR = new RegExp(`${ESCAPES}\\[[0-9;]*m`);
const NO_ROOM = /could not be written: no space is left on the device \(ENOSPC\)$/;
const isFullThere = existsSync('/dev/full');

const folder = scratchFolder('every-command');
const at = (name: string) => join(folder, name);
const TIDES = at('tides.md');
// A hundred programs on a machine that does something else as well.
vi.setConfig({ testTimeout: 240_000 });

type Served = { readonly program: RunningProgram; readonly upstream: ScriptedUpstream; readonly url: string };
let gateway: Served;
let endless: Served;
let adminUrl: string;

/** The built program, before a scripted speech service. */
async function serve(name: string, script: Script, flags: readonly string[] = []): Promise<Served> {
  const upstream = await startScriptedUpstream(script);
  const env = {
    VOXGATE_UPSTREAM_URL: upstream.url.origin,
    VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
    VOXGATE_WORD_TIMES: 'never',
    // Jobs of all rows at once, and no process for each of them that yields to everything else.
    VOXGATE_FFMPEG: 'off',
    VOXGATE_WORKS_AT_ONCE: '8',
    VOXGATE_BUSY_AT: '0',
    VOXGATE_DATA_DIR: at(name),
  };
  const quiet = ['--port', '0', '--log-level', 'silent', '--json'];
  const program = startProgram(['serve', ...quiet, ...flags], { cwd: folder, env });
  const [line] = await program.printed(/^.*\n/);
  return { program, upstream, url: (JSON.parse(line) as { url: string }).url };
}

beforeAll(async () => {
  buildProgram();
  writeFileSync(TIDES, SOURCE);
  const adminPort = await freePort();
  adminUrl = `http://127.0.0.1:${adminPort}`;
  [gateway, endless] = await Promise.all([
    serve('data-speaking', speaking, ['--admin-port', String(adminPort)]),
    serve('data-endless', stallAfter(spoken(3))),
  ]);
});
afterAll(async () => {
  for (const { program, upstream } of [gateway, endless]) {
    program.child.kill('SIGKILL');
    await Promise.all([program.ended, upstream.close()]);
  }
  rmSync(folder, { recursive: true, force: true });
});

let users = 0;
/** One user has one PlayNote under way; each row is a user of its own. */
const anotherUser = () => {
  users += 1;
  return { VOXGATE_URL: gateway.url, VOXGATE_USER: `user-${users}` };
};
const run = (args: readonly string[], options: ProgramOptions = {}): Promise<Ended> =>
  runProgram(args, {
    ...options,
    cwd: folder,
    env: { ...anotherUser(), NO_COLOR: '1', ...options.env },
  });
const startHere = (args: readonly string[], options: HereOptions = {}) =>
  startInside(args, { ...options, env: { ...anotherUser(), ...options.env } });
/** As `run`, without a process: files are named by their whole path. */
const runHere = (args: readonly string[], options?: HereOptions) => startHere(args, options).ended;
const RUN = { process: run, here: runHere };
const jsonLines = (stdout: string): Record<string, unknown>[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** No process beside it that costs the machine a second: no engine, and none that looks for words. */
const NO_ENGINE = [
  ...['--upstream-url', 'http://127.0.0.1:9', '--upstream-keys', 'user:key', '--word-times', 'never'],
];
/** Those that run until they are stopped. */
const SERVERS = {
  serve: ['--port', '0', '--data-dir', at('data'), '--log-level', 'silent', ...NO_ENGINE],
  engine: ['--port', '0', '--log-level', 'silent'],
  chaos: ['--target', 'http://127.0.0.1:9'],
};
const SETTINGS = `port: 0\ndataDir: ${at('piped')}\n`;
const SERVER_ROWS = Object.entries(SERVERS).map(([name, flags]) => [name, [name, ...flags]] as const);

describe.concurrent('- is standard input and standard output', () => {
  it.each([
    ['process', ['say', '-', '--out', '-'], TEXT, 'RIFF', 0],
    ['here', ['say', TEXT, '--pace', 'burst', '--captions', '-'], '', 'WEBVTT', 0],
    ['here', ['say', '--out', '-', '--format', 'flac'], TEXT, 'fLaC', 0],
    ['process', ['narrate', '-', '--out', '-'], SOURCE, 'RIFF', 0],
    // This gateway looks for no words, which is told, and ends with 1.
    ['here', ['narrate', TIDES, '--out', at('n.mp3'), '--vtt', '-'], '', 'WEBVTT', 1],
    ['here', ['narrate', TIDES, '--out', at('m.mp3'), '--srt', '-'], '', '1\n00:', 1],
    ['process', ['job', '-', '--out', '-', ...VOICE], TEXT, 'RIFF', 0],
    ['here', ['job', '--file', '-', '--out', '-', '--format', 'flac', ...VOICE], SOURCE, 'fLaC', 0],
    ['here', ['job', TEXT, '--out', at('j.mp3'), '--captions', '-', ...VOICE], '', 'WEBVTT', 0],
    ['process', ['playnote', '-', '--out', '-', ...VOICES], SOURCE, 'ID3', 0],
    ['process', ['simulate', 'twilio', '--say', '-', '--out', '-'], 'Good morning.', 'RIFF', 0],
    ['here', ['voices', '--json', '--key-file', '-'], 'anybody', '[', 0],
  ] as const)('%s: %j', async (how, args, input, head, code) => {
    const told = await RUN[how](args, { input });
    expect([told.code, told.stdout.slice(0, head.length), told.stderr]).toEqual([
      code,
      head,
      expect.any(String),
    ]);
    expect(told.stderr).toMatch(
      code === 0 ? /^$|^\d+ of \d+ words were not found in [^\n]*\n$/ : /were not found in the audio/,
    );
  });

  it.each([
    ['say', ['say', '-'], /^TEXT and VOXGATE_KEY_FILE are both -/],
    [
      'say',
      ['say'],
      /^VOXGATE_KEY_FILE is -, and TEXT comes from standard input, too, where it is not given/,
    ],
    ['say', ['say', '--key-file', '-'], /^--key-file is -, and TEXT comes/],
    ['job', ['job', '--out', 'x.mp3'], /^VOXGATE_KEY_FILE is -, and TEXT comes/],
    ['job', ['job', '--out', 'x.mp3', '--key-file', '/dev/stdin'], /^--key-file is -, and TEXT comes/],
    ['narrate', ['narrate', '-', '--out', 'x.mp3'], /^FILE and VOXGATE_KEY_FILE are both -/],
    ['playnote', ['playnote', '/dev/stdin', '--out', 'x.mp3'], /^FILE and VOXGATE_KEY_FILE are both -/],
    ['simulate', ['simulate', 'twilio', '--say', '-'], /^--say and VOXGATE_KEY_FILE are both -/],
  ] as const)('%s %# reads nothing where two are to be read from there', async (_name, args, words) => {
    const { code, stderr } = await runHere(args, { env: { VOXGATE_KEY_FILE: '-' } });
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  it.each([
    [['--config', '-', '--api-keys-file', '-'], {}, ''],
    [['--config', '-'], { VOXGATE_API_KEYS_FILE: '-' }, ''],
    [[], { VOXGATE_API_KEYS_FILE: '-', VOXGATE_WEBHOOK_SECRETS_FILE: '-' }, ''],
    [['--config', '-'], {}, 'apiKeysFile: "-"\n'],
  ])('serve %j with %j neither', async (flags, env, input) => {
    const { code, stderr } = await runHere(['serve', ...flags, ...NO_ENGINE], { env, input });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/ and .* are both -; standard input can be/)]);
  });

  it.each([
    [['say', '-', '--key-file', '-'], /^TEXT and --key-file are both -; standard input can be one of them$/],
    [['job', '--file', '-', '--key-file', '-', '--out', 'x.mp3'], /^--file and --key-file are both -/],
    [
      ['say', TEXT, '--out', '-', '--captions', '-'],
      /^--out and --captions are both -; standard output takes/,
    ],
    [['playnote', '-', '--out', '-', '--script', '-'], /^--out and --script are both -/],
    [
      ['narrate', '-', '--out', 'x.wav', '--format', 'mp3'],
      /^--out is "x\.wav", which says wav, and --format is mp3/,
    ],
    [
      ['job', 'x', '--out', 'x.wav', '--format', 'mp3'],
      /^--out is "x\.wav", which says wav, and --format is mp3/,
    ],
    [['simulate', 'twilio', '--say', 'x', '--out', 'x.mp3'], /^--out is "x\.mp3"; .*\.wav$/m],
  ] as const)('%j is refused', async (args, words) => {
    const { code, stdout, stderr } = await runHere(args, { input: TEXT });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim()).toMatch(words);
  });
});

describe.concurrent('without a terminal, and with --json', () => {
  it.each([
    ['here', ['say', TEXT, '--json'], 'type'],
    ['process', ['say', TEXT], 'type'],
    ['here', ['narrate', TIDES, '--out', at('p.mp3'), '--json'], 'outcome'],
    ['here', ['job', TEXT, '--out', at('p.wav'), '--json', ...VOICE], 'status'],
    ['here', ['simulate', 'twilio', '--say', 'Good morning.', '--json'], 'faults'],
    ['process', ['help', '--json'], 'commands'],
  ] as const)('%s: %j prints lines of JSON, and nothing that moves', async (how, args, field) => {
    const { code, stdout, stderr } = await RUN[how](args);
    expect([code, stderr]).toEqual([0, '']);
    expect(jsonLines(stdout).at(-1)).toHaveProperty(field);
    expect(stdout).not.toContain(ESCAPES);
  });

  it('say tells in the end what was heard', async () => {
    const last = jsonLines((await runHere(['say', TEXT])).stdout).at(-1);
    expect(last).toMatchObject({ type: 'heard', spokenText: TEXT, remainingText: '' });
  });

  it('say ends with the file, whose burst nobody hears, and a gateway of its own has not the last word', async () => {
    const env = {
      VOXGATE_URL: '',
      VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
      VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
      VOXGATE_WORD_TIMES: 'never',
    };
    const [kept, own] = await Promise.all([
      runHere(['say', TEXT, '--out', at('s.wav')]),
      run(['say', TEXT], { env }),
    ]);
    const lines = jsonLines(kept.stdout);
    const bytes = readFileSync(at('s.wav')).length;
    expect(lines.at(-1)).toEqual({
      file: at('s.wav'),
      outcome: 'complete',
      seconds: expect.any(Number),
      bytes,
    });
    expect(lines.map(({ type }) => type)).not.toContain('underrun');
    expect(jsonLines(own.stdout).at(-1)).toMatchObject({ type: 'heard', spokenText: TEXT });
  });

  it('keys: the pool', async () => {
    const { code, stdout } = await runHere(['keys', '--json', '--url', adminUrl]);
    expect([code, Object.keys(jsonLines(stdout)[0]!)]).toEqual([
      0,
      expect.arrayContaining(['keys', 'waiting']),
    ]);
    const table = await runHere(['keys', '--url', adminUrl]);
    expect([table.code, table.stdout]).toEqual([0, expect.stringMatching(/^key .*state/)]);
  });

  // What they read from standard input: settings, keys by a variable, keys by a flag, nothing.
  it.each([
    ['serve', ['--config', '-', '--log-level', 'silent', ...NO_ENGINE], {}, SETTINGS, '/v1/sessions', 200],
    ['serve', SERVERS.serve, { VOXGATE_API_KEYS_FILE: '-' }, 'ann:secret\n', '/v1/sessions', 401],
    ['engine', [...SERVERS.engine, '--keys-file', '-'], {}, 'ann:key@60\n', '/api/v1/voices', 401],
    ['chaos', SERVERS.chaos, {}, '', undefined, undefined],
  ] as const)('%s: its addresses, and SIGTERM is its end', async (name, args, env, input, path, status) => {
    const program = startProgram([name, ...args, '--json'], {
      cwd: folder,
      env: { VOXGATE_KEY: 'known and ignored', ...env },
      input,
    });
    const [line] = await program.printed(/^.*\n/);
    const { url } = JSON.parse(line) as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    if (status !== undefined) expect((await fetch(url + path)).status).toBe(status);
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('demo: its files', async () => {
    const { code, stdout } = await run(['demo', '--json']);
    expect([code, jsonLines(stdout)]).toEqual([
      0,
      [expect.objectContaining({ files: ['demo.wav', 'demo.ulaw'] })],
    ]);
  });
});

describe.concurrent('help', () => {
  // What each of them tells is held to the table of commands elsewhere.
  it.each(['serve', 'say', 'keys', 'completions'])('of %s, both ways', async (name) => {
    const [asked, flagged] = await Promise.all([runHere(['help', name]), runHere([name, '--help'])]);
    expect(asked).toEqual(flagged);
    expect(asked).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(`^Usage: voxgate ${name}`),
    });
  });

  it.each([
    [['sya', 'x'], /^Unknown command "sya"\. Did you mean say\? There are serve, engine/],
    [['help', 'narate'], /Did you mean narrate\?/],
    [['playnotes'], /Did you mean playnote\?/],
    [['say', 'x', '--voce', 'anna'], /^--voce is not a flag of this command; did you mean --voice\?/],
    [['serve', '--prot', '1'], /--prot is not a flag of Voxgate; did you mean --port\?/],
  ])('%j is told what is near', async (args, words) => {
    expect(await runHere(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(words) });
  });

  it('is not what a text behind -- asks for', async () => {
    const { code, stdout } = await runHere(['say', '--pace', 'burst', '--', '--help']);
    expect([code, jsonLines(stdout)[0]]).toEqual([0, expect.objectContaining({ type: 'ready' })]);
  });
});

/** Those that make something, from a service that never finishes. */
const WORKERS: readonly (readonly [name: string, args: readonly string[], shown: RegExp])[] = [
  ['say', ['say', TEXT], /"started"/],
  ['narrate', ['narrate', TIDES, '--out', at('stopped.wav')], /"speaking"/],
  ['job', ['job', TEXT, '--out', at('stopped-j.mp3'), ...VOICE], /"phase"/],
  ['playnote', ['playnote', TIDES, '--out', at('stopped-p.mp3'), ...VOICES], /"phase"/],
];

describe.concurrent('SIGTERM', () => {
  it.each(WORKERS.slice(0, 1))('%s: the process gives its work up', async (_name, args, shown) => {
    const program = startProgram(args, { cwd: folder, env: { VOXGATE_URL: endless.url } });
    await program.printed(shown);
    program.child.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^(Interrupted\.\n)?$/)]);
  });

  it.each(WORKERS)('%s: the work is given up, and the code is 1', async (_name, args, shown) => {
    const command = startHere(args, { env: { VOXGATE_URL: endless.url } });
    await command.printed(shown);
    command.interrupt();
    const { code, stderr } = await command.ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^(Interrupted\.\n)?$/)]);
  });

  it('say, while it waits for a text that does not come', async () => {
    const program = startProgram(['say'], { env: { VOXGATE_URL: gateway.url }, input: null });
    await program.printed(/"configured"/);
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 1, stderr: '' });
  });

  it.each([['narrate'], ['job'], ['playnote']])('%s, while it reads what does not end', async (name) => {
    const input = new PassThrough();
    const command = startHere([name, '-', '--out', at(`unread-${name}.mp3`)], { input });
    input.write(SOURCE);
    await expect.poll(() => input.readableLength).toBe(0); // it has begun to read
    command.interrupt();
    expect((await command.ended).code).toBe(1);
  });

  it('voices, keys: nobody waits for a gateway that says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const asked = once(silent, 'connection');
    const program = startProgram(['voices', '--json'], { env: { VOXGATE_URL: url } });
    const [socket] = (await asked) as [Socket];
    await once(socket, 'data');
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 1, stdout: '', stderr: 'Interrupted.\n' });
    silent.close();
  });

  it('keys --watch, simulate: that was all that was wanted', async () => {
    const watch = startProgram(['keys', '--watch', '--json', '--url', adminUrl]);
    await watch.printed(/"keys"/);
    watch.child.kill('SIGTERM');
    expect((await watch.ended).code).toBe(0);
    const said = 'Calls go on until somebody hangs up.';
    const call = startHere(['simulate', 'twilio', '--say', said, '--repeat', '100']);
    const isAsked = () =>
      gateway.upstream.requests.some(({ body }) => (body as { text: string }).text === said);
    await expect.poll(isAsked, { timeout: 30_000 }).toBe(true);
    call.interrupt();
    expect(await call.ended).toMatchObject({ stdout: expect.stringContaining('"faults"') });
  });
});

describe.concurrent('a reader that leaves', () => {
  it.each([
    ['help', ['help']],
    ['completions', ['completions', 'bash']],
    ['say', ['say', TEXT]],
    ['say', ['say', TEXT, '--out', '-']],
    ['narrate', ['narrate', TIDES, '--out', 'left.wav']],
    ['narrate', ['narrate', TIDES, '--out', '-']],
    ['job', ['job', TEXT, '--out', 'left.mp3', ...VOICE]],
    ['job', ['job', TEXT, '--out', '-', ...VOICE]],
    ['playnote', ['playnote', TIDES, '--out', 'left-p.mp3', ...VOICES]],
    ['playnote', ['playnote', TIDES, '--out', '-', ...VOICES]],
    ['simulate', ['simulate', 'twilio', '--say', 'Good morning.']],
    ['keys', ['keys', '--json']],
    ['voices', ['voices', '--json']],
    ...SERVER_ROWS,
  ] as const)('%s %# ends quietly, with 1', async (name, args) => {
    const all = name === 'keys' ? [...args, '--url', adminUrl] : args;
    const program = startProgram(all, { cwd: folder, env: anotherUser() });
    program.child.stdout!.destroy();
    expect(await program.ended).toMatchObject({ code: 1, stderr: '' });
  });
});

const WRITERS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['say', ['say', TEXT, '--format', 'wav', '--out']],
  ['narrate', ['narrate', TIDES, '--format', 'wav', '--out']],
  ['job', ['job', TEXT, '--format', 'wav', ...VOICE, '--out']],
  ['playnote', ['playnote', TIDES, '--json', ...VOICES, '--out']],
  ['simulate', ['simulate', 'twilio', '--say', 'Good morning.', '--out']],
];

describe.concurrent('a named pipe', () => {
  const makePipe = (name: string) => {
    execFileSync('mkfifo', [at(name)]);
    return at(name);
  };

  it.each(WRITERS)('%s writes to its reader', async (name, args) => {
    const pipe = makePipe(`read-${name}`);
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    reader.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const over = once(reader, 'close');
    const { code, stdout, stderr } = await runHere([...args, pipe]);
    if (code !== 0) reader.kill(); // nobody has opened the other end
    await over;
    expect([code, stderr]).toEqual([0, '']);
    expect(Buffer.concat(chunks).toString('latin1', 0, 4)).toMatch(/^(RIFF|ID3)/);
    expect(statSync(pipe).isFIFO()).toBe(true);
    expect(jsonLines(stdout).length).toBeGreaterThan(0);
  });

  it.each(WRITERS.slice(0, 2))('%s waits for one until it is told to end', async (name, args) => {
    const pipe = makePipe(`unread-${name}`);
    const command = startHere([...args, pipe]);
    command.interrupt();
    expect((await command.ended).code).toBe(1);
  });

  it('is read from, too', async () => {
    const pipe = makePipe('text');
    const writer = spawn('sh', ['-c', `cat ${TIDES} > ${pipe}`], { cwd: folder });
    expect(await runHere(['narrate', pipe, '--out', at('from-pipe.wav')])).toMatchObject({
      code: 0,
      stderr: '',
    });
    writer.kill();
  });
});

describe.skipIf(!isFullThere)('a full disk', { concurrent: true }, () => {
  it.each(WRITERS)('%s says so, and ends with 1', async (_name, args) => {
    const { code, stderr } = await runHere([...args, '/dev/full']);
    expect([code, stderr.trim()]).toEqual([1, expect.stringMatching(NO_ROOM)]);
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
  });

  it.each([
    ['say', ['say', TEXT, '--pace', 'burst', '--captions']],
    ['narrate', ['narrate', TIDES, '--out', at('full.wav'), '--srt']],
    ['job', ['job', TEXT, '--out', at('full.mp3'), ...VOICE, '--captions']],
  ] as const)('%s, where captions are to go there', async (name, args) => {
    const path = name === 'say' ? at('captions.vtt') : '/dev/full';
    if (name === 'say') execFileSync('ln', ['-s', '/dev/full', path]);
    const { code, stderr } = await runHere([...args, path]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no space is left on the device \(ENOSPC\)/)]);
  });

  it.each([
    ['help', ['help']],
    ['completions', ['completions', 'fish']],
    ['say', ['say', TEXT]],
    ['say', ['say', TEXT, '--out', '-']],
    ['job', ['job', TEXT, '--out', '-', ...VOICE]],
    ['voices', ['voices', '--json']],
    ...SERVER_ROWS,
  ] as const)('%s %#, where standard output is on it', async (_name, args) => {
    const full = openSync('/dev/full', 'w');
    const { code, stderr } = await run(args, { stdout: full });
    closeSync(full);
    expect([code, stderr]).toEqual([
      1,
      'Standard output could not be written: no space is left on the device (ENOSPC)\n',
    ]);
  });
});

describe.skipIf(process.platform !== 'linux')('on a terminal', { concurrent: true }, () => {
  const PLAYER = `#!/bin/sh\nexec cat > ${at('heard')}\n`;
  /** util-linux gives it a terminal of its own. */
  const onTerminal = (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const command = ['node', 'dist/main.js', ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm', VOXGATE_URL: gateway.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let shown = '';
    child.stdout.on('data', (part: Buffer) => {
      shown += part.toString();
    });
    return new Promise<{ code: number | null; shown: string }>((resolve) => {
      child.once('close', (code) => resolve({ code, shown }));
    });
  };

  it('say is heard through a player, shows the words, and tells what was heard', async () => {
    execFileSync('mkdir', ['-p', at('bin')]);
    writeFileSync(at('bin/ffplay'), PLAYER, { mode: 0o755 });
    const { code, shown } = await onTerminal(['say', TEXT], { PATH: `${at('bin')}:${process.env.PATH}` });
    expect([code, shown]).toEqual([0, expect.stringMatching(/heard: \d\.\d s, all of it/)]);
    // 16-bit samples of 24000 Hz, more than a second of them.
    expect(readFileSync(at('heard')).length).toBeGreaterThan(48_000);
    expect(shown).toContain('twice a day.');
  });

  it('nothing is coloured, with NO_COLOR or without; a dumb terminal gets lines alone', async () => {
    const said = ['say', TEXT, '--no-play', '--pace', 'burst'];
    const shown = await Promise.all([
      onTerminal(said, { NO_COLOR: '1' }),
      onTerminal(said, { FORCE_COLOR: '1' }),
      onTerminal(said, { TERM: 'dumb' }),
    ]);
    for (const { code } of shown) expect(code).toBe(0);
    const [plain, forced, dumb] = shown.map((each) => each.shown);
    for (const each of [plain, forced]) expect(each).not.toMatch(COLOUR);
    expect(plain).toContain(`\r${ESCAPES}[K`);
    expect(dumb).not.toContain(ESCAPES);
  });

  it('say tells what it has kept', async () => {
    const { code, shown } = await onTerminal(['say', TEXT, '--out', at('kept.wav')], {});
    const bytes = readFileSync(at('kept.wav')).length;
    expect([code, shown]).toEqual([
      0,
      expect.stringMatching(new RegExp(`kept\\.wav: \\d\\.\\d s, ${bytes} bytes\\r?\\n$`)),
    ]);
  });

  it('audio is not written to it', async () => {
    expect(await onTerminal(['say', TEXT, '--out', '-'], {})).toMatchObject({
      code: 2,
      shown: expect.stringContaining('--out is -, and standard output is a terminal'),
    });
  });
});
