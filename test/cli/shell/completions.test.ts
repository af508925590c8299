// Completion in the shells themselves: bash is there wherever the tests are; zsh and fish are asked where they are.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bench } from '../../../bench/bench-command.ts';
import { type CommandEntry, UsageError } from '../../../src/cli/command.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { completionsOf, specsOf } from '../../../src/cli/shell/completions.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const isThere = (shell: string) => spawnSync(shell, ['-c', ':']).status === 0;
const folder = scratchFolder('completions');
/** The benchmarks are loaded from where they were built, which sources are not. */
const TABLE: Readonly<Record<string, CommandEntry>> = {
  ...COMMANDS,
  bench: { ...COMMANDS.bench!, load: async () => bench },
};

beforeAll(async () => {
  mkdirSync(join(folder, 'my folder'));
  writeFileSync(join(folder, 'my text.txt'), '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    const terminal = createFakeTerminal([shell]);
    expect(await completionsOf(TABLE).run(terminal)).toBe(0);
    writeFileSync(join(folder, `script.${shell}`), `${terminal.printed.join('\n')}\n`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

type Row = readonly [line: string, offered: readonly string[], not?: string];
/** What is offered at the end of a line, among others; and what is not. */
const ROWS: readonly Row[] = [
  ['voxgate sa', ['say']],
  ['voxgate s', ['serve', 'say', 'simulate'], 'keys'],
  ['voxgate help nar', ['narrate']],
  ['voxgate say --fo', ['--format'], '--out'],
  ['voxgate say --format ', ['mulaw', 'alaw', 'raw', 'wav', 'mp3', 'ogg', 'flac']],
  ['voxgate say --pace re', ['realtime'], 'burst'],
  ['voxgate narrate my', ['my text.txt']],
  ['voxgate job --model Vox', ['VoxDialog', 'VoxDialog-turbo']],
  ['voxgate playnote --style pod', ['podcast']],
  ['voxgate simulate twi', ['twilio'], 'telnyx'],
  ['voxgate serve --upstream-k', ['--upstream-keys', '--upstream-keys-file']],
  ['voxgate serve --config my', ['my text.txt']],
  ['voxgate keys --w', ['--watch']],
  ['voxgate bench pac', ['pacing']],
  ['voxgate completions f', ['fish']],
  ['voxgate chaos --to', ['--toxic']],
  ['voxgate engine --keys', ['--keys', '--keys-file']],
];

const expectOffer = (offer: readonly string[], [line, offered, not]: Row) => {
  expect([line, offer]).toEqual([line, expect.arrayContaining([...offered])]);
  if (not !== undefined) expect([line, offer]).not.toEqual([line, expect.arrayContaining([not])]);
};

describe('bash', () => {
  /** As readline asks, with one word more where the line ends in a space. */
  const complete = (lines: readonly (readonly string[])[]): string[][] => {
    const asked = lines.map((words) => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}; _voxgate; printf '%s\\n' "\${COMPREPLY[@]}" ---`;
    });
    const script = `source ./script.bash\n${asked.join('\n')}`;
    const told = execFileSync('bash', ['--norc', '-c', script], { cwd: folder, encoding: 'utf8' });
    return told.split('---\n').map((each) => each.trim().split('\n'));
  };

  it('offers what fits', () => {
    const offers = complete(ROWS.map(([line]) => line.split(' ')));
    for (const [at, row] of ROWS.entries()) expectOffer(offers[at]!, row);
  });

  it('offers values behind =, which it takes apart', () => {
    const [all, some] = complete([
      ['voxgate', 'say', '--pace', '='],
      ['voxgate', 'say', '--pace', '=', 'b'],
    ]);
    expect([all, some]).toEqual([['realtime', 'burst'], ['burst']]);
  });

  it('offers no words where a text or an address stands', () => {
    expect(complete([['voxgate', 'say', '--voice', '']])[0]).toEqual(['']);
  });
});

describe('fish', () => {
  it.skipIf(!isThere('fish'))('offers what fits', () => {
    const asked = ROWS.map(([line]) => `complete -C '${line}'; echo ---`);
    const script = `source script.fish\n${asked.join('\n')}`;
    const told = execFileSync('fish', ['--no-config', '-c', script], { cwd: folder, encoding: 'utf8' });
    const offers = told.split('---\n');
    for (const [at, row] of ROWS.entries())
      expectOffer(
        offers[at]!.split('\n').map((each) => each.split('\t')[0]!),
        row,
      );
  });
});

describe('zsh', () => {
  // What is offered shows on a terminal alone, so the shell gets one of its own.
  const ASK = String.raw`
zmodload zsh/zpty
cd $1
zpty shell zsh -f -i
read-until() { local got= part=; while [[ $got != *$1* ]]; do zpty -r -t shell part || sleep 0.05; got+=$part; part=; done; print -rn -- $got }
zpty -w shell "PS1=; unset zle_bracketed_paste; autoload -Uz compinit; compinit -D -u; source ./script.zsh"
zpty -w shell "zstyle ':completion:*' list-colors ''; zstyle ':completion:*' verbose no; LISTMAX=1000; setopt nolistambiguous noautomenu nobeep; print rea''dy"
read-until ready > /dev/null
zpty -w -n shell "$2"$'\C-d'
told=
for ((look = 0; look < 400; look++)); do
  [[ $told == *$3* ]] && break
  zpty -r -t shell part && told+=$part || sleep 0.05
done
print -rn -- $told
zpty -d shell
`;
  it.skipIf(!isThere('zsh'))('reads the script and offers what fits', () => {
    execFileSync('zsh', ['-n', join(folder, 'script.zsh')]);
    /** Looks until `wanted` is shown, at most 20 s. */
    const offer = (line: string, wanted: string) =>
      execFileSync('zsh', ['-f', '-c', ASK, 'ask', folder, line, wanted], { encoding: 'utf8' });
    expect(offer('voxgate s', 'simulate')).toMatch(/simulate/);
    expect(offer('voxgate say --format ', 'mulaw')).toMatch(/mulaw/);
    expect(offer('voxgate simulate t', 'telnyx')).toMatch(/telnyx/);
  });
});

describe('the command', () => {
  it('refuses what is no shell', async () => {
    const run = (args: readonly string[]) => completionsOf(TABLE).run(createFakeTerminal(args));
    await expect(run([])).rejects.toThrow(new UsageError('Name a shell; allowed: bash, zsh, fish'));
    await expect(run(['csh'])).rejects.toThrow('There is no shell "csh"; allowed: bash, zsh, fish');
  });

  it('knows every command with its flags; one that is not installed has none', async () => {
    const missing = {
      ...TABLE,
      bench: { ...TABLE.bench!, load: () => Promise.reject(new UsageError('no')) },
    };
    const specs = await specsOf(missing);
    expect(specs.map(({ name }) => name)).toEqual([...Object.keys(COMMANDS), 'help']);
    expect(specs.find(({ name }) => name === 'bench')?.flags.map(({ name }) => name)).toEqual(['help']);
    expect(specs.find(({ name }) => name === 'say')?.flags.length).toBeGreaterThan(15);
  });
});
