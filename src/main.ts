// The program: finds the command, hands it the terminal, turns its end into an exit code. The only file of the
// gateway that reads the environment and the command line, and ends the process.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { type Terminal, UsageError } from './cli/command.ts';
import { COMMANDS } from './cli/commands.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const overview = () =>
  [
    `Voxgate ${version}: text in, paced phone-ready speech out.`,
    '',
    'Usage: voxgate COMMAND [FLAGS]',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`),
    '',
    'voxgate COMMAND --help tells more; voxgate --version the version.',
  ].join('\n');

/** A clone has no `voxgate` in PATH: there the file itself is what node was given. */
function programName(): string {
  const file = process.argv[1] ?? '';
  return basename(file) === 'main.js' ? `node ${relative(process.cwd(), file)}` : 'voxgate';
}

function checkWritable(path: string): void {
  const isNew = !existsSync(path);
  closeSync(openSync(path, 'a'));
  if (isNew) rmSync(path);
}

const interrupt = new AbortController();
const isInteractive = process.stdout.isTTY === true;
const clearLine = () => (isInteractive ? '\r\x1b[K' : '');

const terminal: Omit<Terminal, 'args'> = {
  programName: programName(),
  env: process.env,
  version,
  print: (line) => void process.stdout.write(`${clearLine()}${line}\n`),
  complain: (line) => void process.stderr.write(`${clearLine()}${line}\n`),
  status(line) {
    if (isInteractive) process.stdout.write(`${clearLine()}${line}`);
  },
  isInteractive,
  input: process.stdin,
  interrupted: interrupt.signal,
  readFile: (path) => readFileSync(path, 'utf8'),
  readBytes: (path) => readFileSync(path),
  checkWritable,
  writeFile: (path, bytes) => writeFileSync(path, bytes),
  makeFolder: (path) => void mkdirSync(path, { recursive: true }),
};

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print(overview());
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
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined)
    throw new UsageError(
      `Unknown command ${JSON.stringify(name)}; there are ${Object.keys(COMMANDS).join(', ')}.`,
    );
  if (rest.includes('--version')) {
    terminal.print(version);
    return 0;
  }
  const command = await entry.load();
  if (rest.includes('--help') || rest.includes('-h')) {
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

// Whoever reads our output may leave before its end, as `head` does: there is nobody left to tell.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  terminal.complain(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
