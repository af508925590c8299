// The program: finds the command, hands it the terminal, turns its end into an exit code. The only file of the
// gateway that reads the environment and the command line, and ends the process.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { type Command, type Messages, ReaderLeft, type Terminal, UsageError } from './cli/command.ts';
import { COMMANDS } from './cli/commands.ts';
import { checkWritable } from './cli/output/out-target.ts';
import { fitLine } from './cli/progress-line.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** How long a command has to end by itself when its reader has left. */
const LEAVE_MS = 2000;

const overview = () =>
  [
    `Voxgate ${version}: text in, paced phone-ready speech out.`,
    '',
    'Usage: voxgate COMMAND [FLAGS]',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`),
    '',
    'voxgate help COMMAND tells more; voxgate --version the version.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage.',
  ].join('\n');

const overviewJson = () =>
  JSON.stringify({
    version,
    commands: Object.entries(COMMANDS).map(([name, { summary }]) => ({ name, summary })),
  });

/** A clone has no `voxgate` in PATH: there the file itself is what node was given. */
function programName(): string {
  const file = process.argv[1] ?? '';
  return basename(file) === 'main.js' ? `node ${relative(process.cwd(), file)}` : 'voxgate';
}

const interrupt = new AbortController();
let hasReader = true;

/** What others have said, a gateway or a text, does not command the terminal of whoever reads it. */
const CONTROLS = /(?![\n\t])\p{Cc}/gu;
const printable = (line: string): string => line.replace(CONTROLS, '\ufffd');

/** Lines that replace one another need a terminal that can. Nothing is coloured, so NO_COLOR asks for nothing more. */
function messagesOn(stream: NodeJS.WriteStream): Messages {
  const isInteractive = stream.isTTY === true;
  const replaces = isInteractive && process.env.TERM !== 'dumb';
  const clearLine = replaces ? '\r\x1b[K' : '';
  return {
    isInteractive,
    print: (line) => void stream.write(`${clearLine}${isInteractive ? printable(line) : line}\n`),
    status(line) {
      if (replaces) stream.write(`${clearLine}${fitLine(printable(line), (stream.columns || 80) - 1)}`);
    },
  };
}

const messages = messagesOn(process.stdout);
const besideResult = messagesOn(process.stderr);

const terminal: Omit<Terminal, 'args'> = {
  ...messages,
  programName: programName(),
  env: process.env,
  version,
  complain(line) {
    if (!hasReader) return;
    messages.status('');
    besideResult.print(printable(line));
  },
  besideResult,
  output: process.stdout,
  input: process.stdin,
  interrupted: interrupt.signal,
  readFile: (path) => readFileSync(path, 'utf8'),
  checkWritable,
  writeFile: (path, bytes) => writeFileSync(path, bytes),
  makeFolder: (path) => void mkdirSync(path, { recursive: true }),
};

/** Throws a UsageError that names what is near. */
async function findCommand(name: string): Promise<Command> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry !== undefined) return entry.load();
  const { shownArgument } = await import('./base/addresses/shown-address.ts');
  const { nearestName } = await import('./base/shown-value.ts');
  const near = nearestName(name, Object.keys(COMMANDS));
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new UsageError(
    `Unknown command ${JSON.stringify(shownArgument(name))}.${meant} There are ${Object.keys(COMMANDS).join(', ')}.`,
  );
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  // What stands behind -- is text, whatever it looks like.
  const flags = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  const asked = name === 'help' ? flags.find((each) => !each.startsWith('-')) : undefined;
  if (asked !== undefined) {
    terminal.print((await findCommand(asked)).help());
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print(flags.includes('--json') ? overviewJson() : overview());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    terminal.print(version);
    return 0;
  }
  if (name === 'player') {
    // What `serve` forks, and nobody types.
    const { play } = await import('./app/player.ts');
    const played = play();
    if (played !== undefined) {
      await played;
      return 0;
    }
  }
  if (flags.includes('--version') && Object.hasOwn(COMMANDS, name)) {
    terminal.print(version);
    return 0;
  }
  const command = await findCommand(name);
  if (flags.includes('--help') || flags.includes('-h')) {
    terminal.print(command.help());
    return 0;
  }
  return command.run({ ...terminal, args: rest });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second signal is meant: whoever sends it does not want to wait for playing turns.
    if (interrupt.signal.aborted) process.exit(1);
    interrupt.abort();
  });
}

/** Ends what runs; there may be nobody left to tell. */
function leave(): void {
  process.exitCode = 1;
  interrupt.abort();
  setTimeout(() => process.exit(1), LEAVE_MS).unref();
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads our output may leave before its end, as `head` does.
  if (error.code === 'EPIPE') hasReader = false;
  else if (!interrupt.signal.aborted)
    void import('./cli/output/system-words.ts').then(({ systemWords }) => {
      terminal.complain(`Standard output could not be written: ${systemWords(error)}`);
    });
  leave();
});
process.stderr.on('error', () => process.exit(1));

/** What is said of an error that ended the command; undefined: nothing. */
function wordsOf(error: unknown): string | undefined {
  if (error instanceof ReaderLeft) return undefined;
  if (interrupt.signal.aborted && (error as Error).name === 'AbortError') return 'Interrupted.';
  return error instanceof Error ? error.message : String(error);
}

try {
  const code = await main(process.argv.slice(2));
  process.exitCode ??= code;
} catch (error) {
  const words = wordsOf(error);
  if (words !== undefined) terminal.complain(words);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
