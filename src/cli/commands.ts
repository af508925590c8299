// The commands of the program, and what the words of a command line ask for. Each command is loaded when it is asked for: loading
// the whole program takes a small machine some seconds, and `--version` or a short text to speak should not wait for it.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, type CommandEntry, ReaderLeft, type Terminal, UsageError } from './command.ts';

/** The benchmarks are a part of the repository, not of the package, and are loaded from where they were built. */
const BENCH_PROGRAM = new URL('../../bench/bench-command.js', import.meta.url);

/** Throws a UsageError where the program was installed without them. */
async function loadBench(): Promise<Command> {
  if (!existsSync(fileURLToPath(BENCH_PROGRAM)))
    throw new UsageError('The benchmarks are run from a clone of the repository: npm run bench -- NAME');
  return ((await import(BENCH_PROGRAM.href)) as { readonly bench: Command }).bench;
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'run the gateway, with the embedded engine unless an upstream is set',
    load: async () => (await import('./serve.ts')).serve,
  },
  engine: {
    summary: 'run the embedded speech engine alone',
    load: async () => (await import('./engine.ts')).engine,
  },
  say: {
    summary: 'speak a text through a gateway',
    load: async () => (await import('./say.ts')).say,
  },
  narrate: {
    summary: 'a text file, as long as a chapter of a book, as audio with captions',
    load: async () => (await import('./narrate.ts')).narrate,
  },
  job: {
    summary: 'make an audio file of a text',
    load: async () => (await import('./job.ts')).job,
  },
  playnote: {
    summary: 'make a podcast, briefing, story or debate of a document',
    load: async () => (await import('./playnote.ts')).playnote,
  },
  keys: {
    summary: 'show the state of a running pool of keys',
    load: async () => (await import('./keys.ts')).keys,
  },
  migrate: {
    summary: 'carry a data folder to PostgreSQL and the files of several instances, and back',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  voices: {
    summary: 'list the voices of the speech services',
    load: async () => (await import('./caller/voices.ts')).voices,
  },
  demo: {
    summary: 'speak a dialogue and a turn of tokens, and write demo.wav and demo.ulaw',
    load: async () => (await import('./demo.ts')).demo,
  },
  bench: {
    summary:
      'measure this machine: first frame, pacing, overload, formats side by side, captions, endings, onlookers, transcoding, cancel, stalled readers, jobs, narration, quotas',
    load: async () => loadBench(),
  },
  chaos: {
    summary: 'put a proxy in between that spoils connections on purpose',
    load: async () => (await import('../../testkit/cli/chaos.ts')).chaos,
  },
  simulate: {
    summary: 'dial a gateway as a telephony platform would, and judge what comes',
    load: async () => (await import('../../testkit/cli/simulate.ts')).simulate,
  },
  completions: {
    summary: 'print what bash, zsh or fish needs to complete commands and flags',
    load: async () => (await import('./shell/completions.ts')).completionsOf(COMMANDS),
  },
};

const overview = (version: string) =>
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

const overviewJson = (version: string) =>
  JSON.stringify({
    version,
    commands: Object.entries(COMMANDS).map(([name, { summary }]) => ({ name, summary })),
  });

/** Throws a UsageError that names what is near. */
async function findCommand(name: string): Promise<Command> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry !== undefined) return entry.load();
  const { shownArgument } = await import('../base/addresses/shown-address.ts');
  const { nearestName } = await import('../base/shown-value.ts');
  const near = nearestName(name, Object.keys(COMMANDS));
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new UsageError(
    `Unknown command ${JSON.stringify(shownArgument(name))}.${meant} There are ${Object.keys(COMMANDS).join(', ')}.`,
  );
}

async function runCommand(args: readonly string[], terminal: Omit<Terminal, 'args'>): Promise<number> {
  const [name, ...rest] = args;
  // What stands behind -- is text, whatever it looks like.
  const flags = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  const asked = name === 'help' ? flags.find((each) => !each.startsWith('-')) : undefined;
  if (asked !== undefined) {
    terminal.print((await findCommand(asked)).help());
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print((flags.includes('--json') ? overviewJson : overview)(terminal.version));
    return name === undefined ? 2 : 0;
  }
  const isVersion = name === '--version' || name === '-v';
  if (isVersion || (flags.includes('--version') && Object.hasOwn(COMMANDS, name))) {
    terminal.print(terminal.version);
    return 0;
  }
  const command = await findCommand(name);
  if (flags.includes('--help') || flags.includes('-h')) {
    terminal.print(command.help());
    return 0;
  }
  return command.run({ ...terminal, args: rest });
}

/** What is said of an error that ended the command; undefined: nothing. */
function wordsOf(error: unknown, interrupted: AbortSignal): string | undefined {
  if (error instanceof ReaderLeft) return undefined;
  if (interrupted.aborted && (error as Error).name === 'AbortError') return 'Interrupted.';
  return error instanceof Error ? error.message : String(error);
}

/** Does what the words of a command line ask for. Resolves to the exit code; what goes wrong is told on `terminal`. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Omit<Terminal, 'args'>,
): Promise<number> {
  try {
    return await runCommand(args, terminal);
  } catch (error) {
    const words = wordsOf(error, terminal.interrupted);
    if (words !== undefined) terminal.complain(words);
    return error instanceof UsageError ? 2 : 1;
  }
}
