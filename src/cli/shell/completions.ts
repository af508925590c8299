// `voxgate completions`: what a shell needs to complete commands, flags and their values, made from the table of commands.

import { type Command, type CommandEntry, type Completes, type Terminal, UsageError } from '../command.ts';
import { readFlags } from '../read-flags.ts';
import { bashScript, fishScript, zshScript } from './completion-scripts.ts';

export type FlagSpec = {
  readonly name: string;
  readonly takes: 'nothing' | 'value';
  readonly completes: Completes | undefined;
};
export type CommandSpec = {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  readonly operand: Completes | undefined;
};

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

type Table = Readonly<Record<string, CommandEntry>>;

const HELP: FlagSpec = { name: 'help', takes: 'nothing', completes: undefined };

/** Of every command, by loading it; one that is not installed has no flags. */
export async function specsOf(commands: Table): Promise<readonly CommandSpec[]> {
  const specs: CommandSpec[] = [];
  for (const [name, { summary, load }] of Object.entries(commands)) {
    let command: Pick<Command, 'flags' | 'operand'>;
    try {
      command = await load();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      command = { flags: {} };
    }
    const flags = Object.entries(command.flags).map(
      ([flag, { type, completes }]): FlagSpec => ({
        name: flag,
        takes: type === 'boolean' ? 'nothing' : 'value',
        completes,
      }),
    );
    specs.push({ name, summary, flags: [...flags, HELP], operand: command.operand });
  }
  const help = { name: 'help', summary: 'tell more of a command', flags: [], operand: Object.keys(commands) };
  return [...specs, help];
}

async function run(terminal: Terminal, commands: Table): Promise<number> {
  const { positionals } = readFlags(terminal.args, {}, 'one');
  const shell = SHELLS.find((each) => each === positionals[0]);
  if (shell === undefined)
    throw new UsageError(
      `${positionals[0] === undefined ? 'Name a shell' : `There is no shell ${JSON.stringify(positionals[0])}`}; allowed: ${SHELLS.join(', ')}`,
    );
  terminal.print(SCRIPTS[shell](await specsOf(commands)).trimEnd());
  return 0;
}

export const completionsOf = (commands: Table): Command => ({
  flags: {},
  operand: SHELLS,
  help: () =>
    [
      `Usage: voxgate completions ${SHELLS.join('|')}`,
      '',
      'Prints a script for the shell. Once for good:',
      '',
      "  bash   echo 'source <(voxgate completions bash)' >> ~/.bashrc",
      '  zsh    voxgate completions zsh > $fpath[1]/_voxgate',
      '  fish   voxgate completions fish > ~/.config/fish/completions/voxgate.fish',
    ].join('\n'),
  run: (terminal) => run(terminal, commands),
});
