// The program: hands the command line its terminal, signals and exit code. The only file of the
// gateway that reads the environment and the command line, and ends the process.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import type { Messages, Terminal } from './cli/command.ts';
import { runCommandLine } from './cli/commands.ts';
import { checkWritable } from './cli/output/out-target.ts';
import { fitLine } from './cli/progress-line.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** How long a command has to end by itself when its reader has left. */
const LEAVE_MS = 2000;

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

const args = process.argv.slice(2);
// What `serve` forks, and nobody types.
const played = args[0] === 'player' ? (await import('./app/player.ts')).play() : undefined;
const code = played === undefined ? await runCommandLine(args, terminal) : await played.then(() => 0);
// It is set where the reader of our output has left.
process.exitCode ??= code;
