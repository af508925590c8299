// The commands of the program. Each is loaded when it is asked for: loading the whole program takes a small machine some
// seconds, and `--version` or a short text to speak should not wait for it.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, type CommandEntry, UsageError } from './command.ts';

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
