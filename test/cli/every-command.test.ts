// Every command of the built program under what happens to programs: `-` as a file, --json, no terminal, NO_COLOR, SIGTERM, a reader
// that leaves, a named pipe, a full disk. One gateway serves all rows, a second one whose speech never ends those that are stopped.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../testkit/carriers/free-port.ts';
import {
  buildProgram,
  type Ended,
  type ProgramOptions,
  type RunningProgram,
  runProgram,
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
  writeFileSync(at('tides.md'), SOURCE);
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
/** What it printed, whatever it is: text, WAV. */
async function outputOf(
  args: readonly string[],
  input: string,
): Promise<{ code: number; head: string; stderr: string }> {
  const { code, stdout, stderr } = await run(args, { input });
  return { code: code ?? -1, head: stdout.slice(0, 6), stderr };
}
const jsonLines = (stdout: string): Record<string, unknown>[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const NO_ENGINE = ['--upstream-url', 'http://127.0.0.1:9', '--upstream-keys', 'user:key'];
/** Those that run until they are stopped. */
const SERVERS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['serve', ['serve', '--port', '0', '--data-dir', at('data'), '--log-level', 'silent', ...NO_ENGINE]],
  ['engine', ['engine', '--port', '0', '--log-level', 'silent']],
  ['chaos', ['chaos', '--target', 'http://127.0.0.1:9']],
];

describe.concurrent('- is standard input and standard output', () => {
  it.each([
    ['say', ['say', '-', '--out', '-'], TEXT, 'RIFF', 0],
    ['say', ['say', TEXT, '--pace', 'burst', '--captions', '-'], '', 'WEBVTT', 0],
    ['say', ['say', '--out', '-', '--format', 'flac'], TEXT, 'fLaC', 0],
    ['narrate', ['narrate', '-', '--out', '-'], SOURCE, 'RIFF', 0],
    // This gateway looks for no words, which is told, and ends with 1.
    ['narrate', ['narrate', 'tides.md', '--out', 'n.mp3', '--vtt', '-'], '', 'WEBVTT', 1],
    ['narrate', ['narrate', 'tides.md', '--out', 'm.mp3', '--srt', '-'], '', '1\n00:', 1],
    ['job', ['job', '-', '--out', '-', ...VOICE], TEXT, 'RIFF', 0],
    ['job', ['job', '--file', '-', '--out', '-', '--format', 'flac', ...VOICE], SOURCE, 'fLaC', 0],
    ['job', ['job', TEXT, '--out', 'j.mp3', '--captions', '-', ...VOICE], '', 'WEBVTT', 0],
    ['playnote', ['playnote', '-', '--out', '-', ...VOICES], SOURCE, 'ID3', 0],
    ['simulate', ['simulate', 'twilio', '--say', '-', '--out', '-'], 'Good morning.', 'RIFF', 0],
  ] as const)('%s %#', async (_name, args, input, head, code) => {
    const told = await outputOf(args, input);
    expect([told.code, told.head.slice(0, head.length)]).toEqual([code, head]);
    expect(told.stderr).toMatch(
      code === 0 ? /^$|^\d+ of \d+ words were not found in [^\n]*\n$/ : /were not found in the audio/,
    );
  });

  it('of serve and engine: settings and keys', async () => {
    const server = startProgram(['serve', '--config', '-', '--log-level', 'silent', ...NO_ENGINE], {
      cwd: folder,
      input: `port: 0\ndataDir: ${at('piped')}\n`,
    });
    const engine = startProgram(['engine', '--port', '0', '--keys-file', '-', '--log-level', 'silent'], {
      input: 'ann:key@60\n',
    });
    await Promise.all([server.printed(/try /), engine.printed(/voices /)]);
    for (const { child } of [server, engine]) child.kill('SIGTERM');
    expect([(await server.ended).code, (await engine.ended).code]).toEqual([0, 0]);
    expect(engine.stdout()).not.toMatch(/keys +none/);
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
    const { code, stderr } = await run(args, { input: null, env: { VOXGATE_KEY_FILE: '-' } });
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  it.each([
    [['--config', '-', '--api-keys-file', '-'], {}, ''],
    [['--config', '-'], { VOXGATE_API_KEYS_FILE: '-' }, ''],
    [[], { VOXGATE_API_KEYS_FILE: '-', VOXGATE_WEBHOOK_SECRETS_FILE: '-' }, ''],
    [['--config', '-'], {}, 'apiKeysFile: "-"\n'],
  ])('serve %j with %j neither', async (flags, env, input) => {
    const { code, stderr } = await run(['serve', ...flags, ...NO_ENGINE], {
      env,
      input: input === '' ? null : input,
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/ and .* are both -; standard input can be/)]);
  });

  it('of serve: keys, by a variable', async () => {
    const server = startProgram(['serve', '--port', '0', '--log-level', 'silent', ...NO_ENGINE], {
      cwd: folder,
      env: { VOXGATE_API_KEYS_FILE: '-', VOXGATE_DATA_DIR: at('keyed') },
      input: 'ann:secret\n',
    });
    const [, url] = await server.printed(/listening at (\S+)/);
    expect((await fetch(`${url}/api/v1/voices`)).status).toBe(401);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
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
    const { code, stdout, stderr } = await run(args, { input: TEXT });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim()).toMatch(words);
  });
});

describe.concurrent('without a terminal, and with --json', () => {
  it.each([
    ['say', ['say', TEXT, '--json'], 'type'],
    ['say', ['say', TEXT], 'type'],
    ['narrate', ['narrate', 'tides.md', '--out', 'p.mp3', '--json'], 'outcome'],
    ['job', ['job', TEXT, '--out', 'p.wav', '--json', ...VOICE], 'status'],
    ['simulate', ['simulate', 'twilio', '--say', 'Good morning.', '--json'], 'faults'],
    ['help', ['help', '--json'], 'commands'],
  ] as const)('%s %# prints lines of JSON, and nothing that moves', async (_name, args, field) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(jsonLines(stdout).at(-1)).toHaveProperty(field);
    expect(stdout).not.toContain(ESCAPES);
  });

  it('say tells in the end what was heard', async () => {
    const last = jsonLines((await run(['say', TEXT])).stdout).at(-1);
    expect(last).toMatchObject({ type: 'heard', spokenText: TEXT, remainingText: '' });
  });

  it('keys: the pool', async () => {
    const { code, stdout } = await run(['keys', '--json', '--url', adminUrl]);
    expect([code, Object.keys(jsonLines(stdout)[0]!)]).toEqual([
      0,
      expect.arrayContaining(['keys', 'waiting']),
    ]);
    const table = await run(['keys', '--url', adminUrl]);
    expect([table.code, table.stdout]).toEqual([0, expect.stringMatching(/^key .*state/)]);
  });

  it.each(SERVERS)('%s: its addresses, and SIGTERM is its end', async (_name, args) => {
    const program = startProgram([...args, '--json'], {
      cwd: folder,
      env: { VOXGATE_KEY: 'known and ignored' },
    });
    const [line] = await program.printed(/^.*\n/);
    expect(JSON.parse(line)).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
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
    const [asked, flagged] = await Promise.all([run(['help', name]), run([name, '--help'])]);
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
    expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(words) });
  });

  it('is not what a text behind -- asks for', async () => {
    const { code, stdout } = await run(['say', '--pace', 'burst', '--', '--help']);
    expect([code, jsonLines(stdout)[0]]).toEqual([0, expect.objectContaining({ type: 'ready' })]);
  });
});

/** Those that make something, from a service that never finishes. */
const WORKERS: readonly (readonly [name: string, args: readonly string[], shown: RegExp])[] = [
  ['say', ['say', TEXT], /"started"/],
  ['narrate', ['narrate', 'tides.md', '--out', 'stopped.wav'], /"speaking"/],
  ['job', ['job', TEXT, '--out', 'stopped-j.mp3', ...VOICE], /"phase"/],
  ['playnote', ['playnote', 'tides.md', '--out', 'stopped-p.mp3', ...VOICES], /"phase"/],
];

describe.concurrent('SIGTERM', () => {
  it.each(WORKERS)('%s: the work is given up, and the code is 1', async (_name, args, shown) => {
    const program = startProgram(args, { cwd: folder, env: { VOXGATE_URL: endless.url } });
    await program.printed(shown);
    program.child.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^(Interrupted\.\n)?$/)]);
  });

  it('say, while it waits for a text that does not come', async () => {
    const program = startProgram(['say'], { env: { VOXGATE_URL: gateway.url }, input: null });
    await program.printed(/"configured"/);
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 1, stderr: '' });
  });

  it.each([['narrate'], ['job'], ['playnote']])('%s, while it reads what does not end', async (name) => {
    const program = startProgram([name, '-', '--out', `unread-${name}.mp3`], { cwd: folder, input: null });
    program.child.stdin!.write(SOURCE);
    // It says nothing while it reads, and answers a signal once it can.
    const timer = setInterval(() => program.child.kill('SIGTERM'), 500);
    expect((await program.ended).code).not.toBe(0);
    clearInterval(timer);
  });

  it('keys --watch, simulate: that was all that was wanted', async () => {
    const watch = startProgram(['keys', '--watch', '--json', '--url', adminUrl]);
    await watch.printed(/"keys"/);
    watch.child.kill('SIGTERM');
    expect((await watch.ended).code).toBe(0);
    const said = 'Calls go on until somebody hangs up.';
    const call = startProgram(['simulate', 'twilio', '--say', said, '--repeat', '100'], {
      env: { VOXGATE_URL: gateway.url },
    });
    const isAsked = () =>
      gateway.upstream.requests.some(({ body }) => (body as { text: string }).text === said);
    await expect.poll(isAsked, { timeout: 30_000 }).toBe(true);
    call.child.kill('SIGTERM');
    expect(await call.ended).toMatchObject({ stdout: expect.stringContaining('"faults"') });
  });
});

describe.concurrent('a reader that leaves', () => {
  it.each([
    ['help', ['help']],
    ['completions', ['completions', 'bash']],
    ['say', ['say', TEXT]],
    ['say', ['say', TEXT, '--out', '-']],
    ['narrate', ['narrate', 'tides.md', '--out', 'left.wav']],
    ['narrate', ['narrate', 'tides.md', '--out', '-']],
    ['job', ['job', TEXT, '--out', 'left.mp3', ...VOICE]],
    ['job', ['job', TEXT, '--out', '-', ...VOICE]],
    ['playnote', ['playnote', 'tides.md', '--out', 'left-p.mp3', ...VOICES]],
    ['simulate', ['simulate', 'twilio', '--say', 'Good morning.']],
    ['keys', ['keys', '--json']],
    ...SERVERS,
  ] as const)('%s %# ends quietly, with 1', async (name, args) => {
    const all = name === 'keys' ? [...args, '--url', adminUrl] : args;
    const program = startProgram(all, { cwd: folder, env: anotherUser() });
    program.child.stdout!.destroy();
    expect(await program.ended).toMatchObject({ code: 1, stderr: '' });
  });
});

const WRITERS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['say', ['say', TEXT, '--format', 'wav', '--out']],
  ['narrate', ['narrate', 'tides.md', '--format', 'wav', '--out']],
  ['job', ['job', TEXT, '--format', 'wav', ...VOICE, '--out']],
  ['playnote', ['playnote', 'tides.md', '--json', ...VOICES, '--out']],
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
    const { code, stdout, stderr } = await run([...args, pipe]);
    if (code !== 0) reader.kill(); // nobody has opened the other end
    await over;
    expect([code, stderr]).toEqual([0, '']);
    expect(Buffer.concat(chunks).toString('latin1', 0, 4)).toMatch(/^(RIFF|ID3)/);
    expect(statSync(pipe).isFIFO()).toBe(true);
    expect(jsonLines(stdout).length).toBeGreaterThan(0);
  });

  it.each(WRITERS.slice(0, 2))('%s waits for one until it is told to end', async (name, args) => {
    const pipe = makePipe(`unread-${name}`);
    const program = startProgram([...args, pipe], { cwd: folder, env: { VOXGATE_URL: gateway.url } });
    // The first signal that it can hear is enough.
    const timer = setInterval(() => program.child.kill('SIGTERM'), 1000);
    const { code } = await program.ended;
    clearInterval(timer);
    expect(code === 1 || code === null).toBe(true);
  });

  it('is read from, too', async () => {
    const pipe = makePipe('text');
    const writer = spawn('sh', ['-c', `cat tides.md > ${pipe}`], { cwd: folder });
    expect(await run(['narrate', pipe, '--out', 'from-pipe.wav'])).toMatchObject({ code: 0, stderr: '' });
    writer.kill();
  });
});

describe.skipIf(!isFullThere)('a full disk', { concurrent: true }, () => {
  it.each(WRITERS)('%s says so, and ends with 1', async (_name, args) => {
    const { code, stderr } = await run([...args, '/dev/full']);
    expect([code, stderr.trim()]).toEqual([1, expect.stringMatching(NO_ROOM)]);
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
  });

  it.each([
    ['say', ['say', TEXT, '--pace', 'burst', '--captions']],
    ['narrate', ['narrate', 'tides.md', '--out', 'full.wav', '--srt']],
    ['job', ['job', TEXT, '--out', 'full.mp3', ...VOICE, '--captions']],
  ] as const)('%s, where captions are to go there', async (name, args) => {
    const path = name === 'say' ? at('captions.vtt') : '/dev/full';
    if (name === 'say') execFileSync('ln', ['-s', '/dev/full', path]);
    const { code, stderr } = await run([...args, path]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no space is left on the device \(ENOSPC\)/)]);
  });

  it.each([
    ['help', ['help']],
    ['completions', ['completions', 'fish']],
    ['say', ['say', TEXT]],
    ['say', ['say', TEXT, '--out', '-']],
    ['job', ['job', TEXT, '--out', '-', ...VOICE]],
    ...SERVERS,
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

  it('audio is not written to it', async () => {
    expect(await onTerminal(['say', TEXT, '--out', '-'], {})).toMatchObject({
      code: 2,
      shown: expect.stringContaining('--out is -, and standard output is a terminal'),
    });
  });
});
