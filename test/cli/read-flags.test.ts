// What is said about flags that a command does not take.
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { readFlags } from '../../src/cli/read-flags.ts';

const FLAGS = {
  format: { type: 'string' },
  out: { type: 'string' },
  'key-file': { type: 'string', completes: 'file' },
  token: { type: 'string', empty: 'refused' },
  json: { type: 'boolean', default: false },
} as const;
const ALL = 'Flags: --format, --out, --key-file, --token, --json';
const EMPTY =
  '--token is ""; allowed: a value that is not empty. A command in its place, "$(…)", may have printed nothing';
const read = (args: readonly string[]) => readFlags(args, FLAGS, 'one');

describe('flags', () => {
  it('are read with their values in either form, - among them', () => {
    const { values, positionals } = read(['--format=wav', '--out', '-', '-', '--json']);
    expect({ ...values }).toEqual({ format: 'wav', out: '-', json: true });
    expect(positionals).toEqual(['-']);
    expect(read(['--out=-x', '--', '--json']).positionals).toEqual(['--json']);
    expect(read(['--format', '']).values.format).toBe('');
  });

  it.each([
    [['--fromat', 'wav'], `--fromat is not a flag of this command; did you mean --format?\n${ALL}`],
    [['--keyfile=x'], `--keyfile is not a flag of this command; did you mean --key-file?\n${ALL}`],
    [['--colour'], `--colour is not a flag of this command\n${ALL}`],
    [['--constructor'], `--constructor is not a flag of this command\n${ALL}`],
    [
      ['-o', 'x'],
      `-o is not a flag of this command. A text that begins with a dash is written behind --\n${ALL}`,
    ],
    [['--token', ''], EMPTY],
    [['--token='], EMPTY],
    [['--out'], '--out has no value; allowed: --out VALUE'],
    [['--out', '--json'], '--out has no value; one that begins with a dash is written as --out=VALUE'],
    [['--json=yes'], '--json takes no value'],
    [['two', 'words'], 'Unexpected argument "words"; quote a text of several words.'],
  ])('%j', (args, words) => {
    expect(() => read(args)).toThrow(new UsageError(words));
  });

  it('of a command without any are refused, too', () => {
    expect(() => readFlags(['--x'], {}, 'none')).toThrow('--x is not a flag of this command\nIt takes none.');
    expect(() => readFlags(['x'], {}, 'none')).toThrow('Unexpected argument "x"');
  });
});
