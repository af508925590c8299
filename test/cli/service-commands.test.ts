// `voxgate job` and `voxgate playnote`: files that are there whole or not at all, progress that can be read by people and by
// programs, and nothing left behind.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Command, type Terminal, UsageError } from '../../src/cli/command.ts';
import { job } from '../../src/cli/job.ts';
import { playnote } from '../../src/cli/playnote.ts';
import { createProgressTeller, fitLine, progressBar } from '../../src/cli/progress-line.ts';
import type { JobRecord, PlayNoteRecord } from '../../src/client/voxgate-client.ts';
import { createFakeTerminal, type FakeTerminal } from '../support/fake-terminal.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { openGate, type Script } from '../support/scripted-upstream.ts';

const VOICE = ['--voice', 'vox:anna'];
const VOICES = ['--voice1', 'vox:anna', '--voice2', 'vox:ben'];
const SOURCE =
  '# Tides\n\nThe sea rises twice a day along most coasts. The moon pulls at the water from far away. ' +
  'Sailors have kept tables of the tides for centuries. A harbour that dries out must be entered at high water.\n';

let gateway: RunningGateway;
let folder: string;
let held: ReturnType<typeof openGate> | undefined;
const heldOrSpeaking: Script = async (reply) => {
  await held?.opened;
  await speaking(reply);
};

beforeAll(async () => {
  folder = scratchFolder('commands');
  writeFileSync(join(folder, 'tides.md'), SOURCE);
  writeFileSync(join(folder, 'empty.md'), 'Too little.');
  mkdirSync(join(folder, 'sub'));
  gateway = await startRunningGateway({
    script: heldOrSpeaking,
    env: { VOXGATE_UPSTREAM_KEYS: 'user:key@10000' },
  });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  held?.open();
  held = undefined;
});

const at = (name: string) => join(folder, name);
const files = () => readdirSync(folder).sort();
const real = (args: readonly string[], input = ''): FakeTerminal => ({
  ...createFakeTerminal(args, input),
  readFile: (path) => readFileSync(path, 'utf8'),
});
const there = () => ['--url', gateway.url];
const run = async (command: Command, args: readonly string[], input?: string) => {
  const terminal = real([...args, ...there()], input);
  return { code: await command.run(terminal), ...terminal };
};
const last = <T>(lines: readonly string[]) => JSON.parse(lines.at(-1)!) as T;

describe('wrong usage', () => {
  const WRONG: [Command, string[], RegExp][] = [
    [job, ['x'], /--out is missing/],
    [job, ['x', '--out', 'x.txt'], /--out is "x\.txt"; allowed: a name that ends in \.wav \.mp3/],
    [job, ['x', '--out', 'x'], /--out is "x"; allowed/],
    [job, ['x', '--out', 'x.mp3', '--format', 'aiff'], /--format is "aiff"; allowed: mp3/],
    [job, ['x', '--out', '/nowhere/x.mp3'], /--out is "\/nowhere\/x\.mp3".*ENOENT/],
    [job, ['x', '--out', 'x.mp3', '--captions', '/nowhere/x.vtt'], /--captions.*ENOENT/],
    [job, ['x', '--out', 'x.mp3', '--file', 'y.txt'], /a text or --file, not both/],
    [job, ['--out', 'x.mp3', '--file', 'y.txt'], /--file is "y\.txt".*ENOENT/],
    [job, ['x', '--out', 'x.mp3', '--colour', 'red'], /--colour[\s\S]*--captions/],
    [job, ['two', 'words', '--out', 'x.mp3'], /"words".*quote/],
    [job, ['x', '--out', 'x.mp3', '--url', 'ftp://here'], /--url is "ftp:\/\/here"; allowed: a ws:/],
    ...['speed', 'seed', 'temperature', 'sample-rate'].map((flag): [Command, string[], RegExp] => [
      job,
      ['x', '--out', 'x.mp3', `--${flag}`, 'fast', ...VOICE, '--url', 'http://127.0.0.1:1'],
      new RegExp(`--${flag} is "fast"; allowed: a number`),
    ]),
    [playnote, [], /Name a file or an address/],
    [playnote, ['/nowhere/report.pdf'], /"\/nowhere\/report\.pdf" cannot be read: .*\(ENOENT\)/],
    [playnote, ['/'], /"\/" cannot be read: .*\(EISDIR\)/],
    [playnote, ['http://h/x', '--style', 'opera'], /--style is "opera"; allowed: podcast, executive/],
    [playnote, ['http://h/x', '--voices', '3'], /--voices is "3"; allowed: 1, 2/],
    [playnote, ['http://h/x', '--out', '/nowhere/x.mp3'], /--out.*ENOENT/],
    [
      playnote,
      ['http://h/x', '--out', 'x.wav'],
      /--out is "x\.wav"; .*mp3: allowed: a name that ends in \.mp3/,
    ],
    [playnote, ['http://h/x', '--captions', '/nowhere/x'], /--captions.*ENOENT/],
    [playnote, ['http://h/x', '--chapters', '/nowhere/x'], /--chapters.*ENOENT/],
    [playnote, ['http://h/x', '--script', '/nowhere/x'], /--script.*ENOENT/],
    [playnote, ['http://h/x', '--url', 'here'], /--url is "here"; allowed/],
    [playnote, ['http://h/x', '--colour'], /--colour[\s\S]*--style/],
  ];
  it.each(WRONG)('%# %j', async (command, args, message) => {
    const wrong = await command.run(createFakeTerminal(args)).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(UsageError);
    expect((wrong as UsageError).message).toMatch(message);
  });

  it('what the gateway refuses is told in its words, which name the field', async () => {
    const made = run(job, ['x', '--out', at('x.mp3'), '--quality', 'best', ...VOICE]);
    await expect(made).rejects.toThrow(/quality/);
    expect(files()).not.toContain('x.mp3');
  });
});

describe('voxgate job', () => {
  it('writes audio and captions, and tells of it in lines of JSON when piped', async () => {
    const args = ['Hello there.', '--out', at('a.wav'), '--captions', at('a.vtt'), ...VOICE];
    const { code, printed } = await run(job, args);
    expect(code).toBe(0);
    const record = last<JobRecord>(printed);
    expect(readFileSync(at('a.wav')).length).toBe(record.output.fileSize);
    expect(readFileSync(at('a.vtt'), 'utf8')).toMatch(/^WEBVTT/);
    for (const line of printed.slice(0, -1))
      expect(Object.keys(JSON.parse(line) as object)).toEqual(['phase', 'progress']);
    expect(files().filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('reads the text from standard input, and every flag reaches the job', async () => {
    const flags = 'language german speed 1.5 seed 7 temperature 0.5 sample-rate 16000 name Title'.split(' ');
    const given = flags.map((word, index) => (index % 2 === 0 ? `--${word}` : word));
    const { printed } = await run(job, ['--out', at('b.ulaw'), ...given, ...VOICE], 'Guten Tag.');
    expect(last<JobRecord>(printed).input).toMatchObject({
      text: 'Guten Tag.',
      outputFormat: 'mulaw',
      language: 'german',
      speed: 1.5,
      seed: 7,
      temperature: 0.5,
      sampleRate: 16_000,
      name: 'Title',
    });
  });

  it('interrupted, it cancels the job and leaves no file', async () => {
    held = openGate();
    const controller = new AbortController();
    const args = ['A long story.', '--out', at('c.mp3'), ...VOICE, ...there()];
    const terminal: Terminal = {
      ...real(args),
      interrupted: controller.signal,
      print: () => controller.abort(),
    };
    await expect(job.run(terminal)).rejects.toThrow();
    const headers = { authorization: 'Bearer local', 'x-user-id': 'local' };
    const listed = await fetch(`${gateway.url}/api/v1/tts?limit=1`, { headers });
    expect(await listed.json()).toMatchObject([{ status: 'cancelled', input: { text: 'A long story.' } }]);
    expect(files()).not.toContain('c.mp3');
  });
});

describe('voxgate playnote', () => {
  it('makes a podcast for two of a file, with all that lies beside it', async () => {
    const beside = ['--captions', at('t.vtt'), '--chapters', at('t.ch.vtt'), '--script', at('t.json')];
    const args = [at('tides.md'), '--out', at('t.mp3'), ...beside, ...VOICES, '--name1', 'Ada'];
    const { code, printed } = await run(playnote, args);
    expect(code).toBe(0);
    expect(last<PlayNoteRecord>(printed)).toMatchObject({
      name: 'Tides',
      synthesisStyle: 'podcast',
      voice2: 'vox:ben',
      status: 'completed',
    });
    expect(readFileSync(at('t.mp3')).length).toBeGreaterThan(10_000);
    expect(readFileSync(at('t.vtt'), 'utf8')).toContain('<v Ada>');
    expect(readFileSync(at('t.ch.vtt'), 'utf8')).toMatch(/^WEBVTT/);
    expect(JSON.parse(readFileSync(at('t.json'), 'utf8'))).toHaveProperty('chapters');
  });

  it('a source that cannot be spoken ends with 1 and says why', async () => {
    const { code, complaints } = await run(playnote, [at('empty.md'), '--out', at('e.mp3'), ...VOICES]);
    expect(code).toBe(1);
    expect(complaints.join()).toMatch(/^(?:"[^"]+"|Standard input) could not be made: [A-Z].*[.]$/);
    expect(files()).not.toContain('e.mp3');
  });

  it('interrupted, it stops the generation, so that the next one may begin', async () => {
    held = openGate();
    const controller = new AbortController();
    const args = [at('tides.md'), '--out', at('i.mp3'), ...VOICES, ...there()];
    const terminal: Terminal = {
      ...real(args),
      interrupted: controller.signal,
      print: () => controller.abort(),
    };
    await expect(playnote.run(terminal)).rejects.toThrow();
    held.open();
    held = undefined;
    const again = await run(playnote, [
      at('tides.md'),
      '--style',
      'executive-briefing',
      '--out',
      at('j.mp3'),
      ...VOICES.slice(0, 2),
    ]);
    expect(again.code).toBe(0);
    expect(files()).not.toContain('i.mp3');
  });
});

it('without --url a gateway of its own makes it, in a folder that is gone afterwards', async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = at('sub');
  try {
    const terminal = real(['Hello.', '--out', at('own.mp3')]);
    expect(await job.run(terminal)).toBe(0);
    expect(existsSync(at('own.mp3'))).toBe(true);
    expect(readdirSync(at('sub'))).toEqual([]);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});

describe('progress', () => {
  it('is a bar of one width, whatever the share', () => {
    expect(progressBar({ phase: 'speaking', progress: 0.5 }, 72_000)).toBe(
      `speaking  [${'█'.repeat(15)}${'░'.repeat(15)}]  50 %  1:12`,
    );
    const widths = [-1, 0, 0.333, 0.999, 1, 7].map(
      (progress) => progressBar({ phase: 'finishing', progress }, 0).length,
    );
    expect(new Set(widths).size).toBe(1);
    expect(progressBar({ phase: 'x', progress: 0.999 }, 0)).toContain(' 99 %');
  });

  it('on a terminal replaces its line', () => {
    const statuses: string[] = [];
    const status = (line: string) => void statuses.push(line);
    const tell = createProgressTeller({ ...createFakeTerminal([]), isInteractive: true, status }, () => 0);
    for (let n = 0; n < 4; n += 1) tell({ phase: 'speaking', progress: n / 1000 });
    expect(statuses.length).toBe(4);
  });

  it('elsewhere is a line for a tenth, a minute, or the first of a phase', () => {
    const terminal = createFakeTerminal([]);
    let now = 0;
    const tell = createProgressTeller(terminal, () => now);
    const lines = () => terminal.printed.splice(0).map((line) => Object.values(JSON.parse(line) as object));
    for (let n = 0; n <= 10_000; n += 1) {
      tell({ phase: 'speaking', progress: n / 10_000 });
      tell({ phase: n < 2 ? 'speaking' : 'waiting (quota)', progress: n / 10_000 });
    }
    const told = lines();
    expect(told.length).toBe(12);
    expect([told[0], told[1], told.at(-1)]).toEqual([
      ['speaking', 0],
      ['waiting (quota)', 0],
      ['speaking', 1],
    ]);
    for (let minute = 0; minute < 3; minute += 1) {
      now += 60_000;
      tell({ phase: 'speaking', progress: 1 });
      tell({ phase: 'waiting (quota)', progress: 1 });
    }
    expect(lines().length).toBe(3);
  });

  it.each([
    ['abcdef', 10, 'abcdef'],
    ['abcdef', 3, 'def'],
    ['abcdef', 0, ''],
    ['日本語の字幕', 5, '字幕'],
    ['ab👍cd', 4, '👍cd'],
    ['ab👍cd', 3, 'cd'],
    ['cafe\u0301', 2, 'fe\u0301'],
  ])('%s in %i columns', (line, columns, shown) => {
    expect(fitLine(line, columns)).toBe(shown);
  });
});
