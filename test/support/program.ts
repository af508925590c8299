// The built program as a child process: what a person types, and what comes of it.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { Terminal } from '../../src/cli/command.ts';
import type { runCommandLine } from '../../src/cli/commands.ts';
import { checkWritable } from '../../src/cli/output/out-target.ts';
import { createFakeTerminal } from './fake-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'dist/main.js');

/** Builds when the sources are newer than what was built. */
export const buildProgram = (): void =>
  void execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs'), '--if-stale'], { stdio: 'pipe' });

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type RunningProgram = {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The first match in what was printed, come or coming; rejects when the program ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
};

export type ProgramOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; undefined is nothing, null leaves it to the test. */
  readonly input?: string | null;
  /** A file that standard output is, instead of a pipe to the test. */
  readonly stdout?: number;
};

/** Only these of the tester's own environment reach the program. */
const { PATH, HOME } = process.env;

export function startProgram(args: readonly string[], options: ProgramOptions = {}): RunningProgram {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: options.cwd,
    env: { PATH, HOME, ...options.env },
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
  });
  child.stdin!.on('error', () => {}); // the program may end without having read all
  if (options.input !== null) child.stdin!.end(options.input ?? '');
  let [stdout, stderr] = ['', ''];
  let ended: Ended | undefined;
  const waiters: (() => void)[] = [];
  const look = () => {
    for (const waiter of waiters) waiter();
  };
  child.stdout?.on('data', (part: Buffer) => {
    stdout += part.toString();
    look();
  });
  child.stderr!.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(stdout);
          if (match !== null) resolve(match);
          else if (ended !== undefined) reject(new Error(`ended with ${ended.code}: ${stderr}`));
        };
        waiters.push(check);
        check();
      }),
    ended: new Promise((resolve) => {
      child.on('close', (code) => {
        ended = { code, stdout, stderr };
        look();
        resolve(ended);
      });
    }),
  };
}

export const runProgram = (args: readonly string[], options?: ProgramOptions): Promise<Ended> =>
  startProgram(args, options).ended;

export type HereOptions = {
  readonly input?: string | Terminal['input'];
  readonly env?: Readonly<Record<string, string>>;
};

/** The built program as one file, where the sources would be hundreds; `buildProgram` comes before. */
const builtParts = () =>
  import(join(ROOT, 'dist/bench/program-parts.js')) as Promise<{ runCommandLine: typeof runCommandLine }>;

/**
 * As `startProgram`, without a process, which costs a second: for what is neither about standard input and output nor about
 * signals as such. Files are named by their whole path, and SIGTERM is `interrupt`.
 */
export function startInside(args: readonly string[], { input, env = {} }: HereOptions = {}) {
  const interrupt = new AbortController();
  const terminal = createFakeTerminal([], typeof input === 'string' ? input : '');
  const lines = (said: readonly string[]) => said.map((line) => `${line}\n`).join('');
  const run = async (): Promise<Ended> => {
    const parts = await builtParts();
    const code = await parts.runCommandLine(args, {
      ...terminal,
      ...(typeof input === 'object' ? { input } : {}),
      env: { PATH, ...env },
      interrupted: interrupt.signal,
      readFile: (path) => readFileSync(path, 'utf8'),
      checkWritable,
      writeFile: (path, bytes) => writeFileSync(path, bytes),
      makeFolder: (path) => void mkdirSync(path, { recursive: true }),
    });
    const stdout = `${lines(terminal.printed)}${terminal.result().toString('latin1')}`;
    return { code, stdout, stderr: lines(terminal.complaints) };
  };
  return {
    printed: (pattern: RegExp) => expect.poll(() => lines(terminal.printed)).toMatch(pattern),
    interrupt: () => interrupt.abort(),
    ended: run(),
  };
}
