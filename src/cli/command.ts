// What a command of the program gets, what it tells of itself, and how it says that it was called wrongly.

import type { Writable } from 'node:stream';
import type { ParseArgsConfig } from 'node:util';

/** Where a command talks to whoever called it. */
export type Messages = {
  /** One line. */
  readonly print: (line: string) => void;
  /** Replaces the line that a terminal shows last; nothing where lines cannot be replaced. */
  readonly status: (line: string) => void;
  /** A person reads along. */
  readonly isInteractive: boolean;
};

/** Of standard output, unless a result goes there. */
export type Terminal = Messages & {
  /** What to type in this folder to start the program as it was started. */
  readonly programName: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** One line to standard error. */
  readonly complain: (line: string) => void;
  /** Standard error, for what is said while a result goes to standard output. */
  readonly besideResult: Messages;
  /** Standard output, for a result. */
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly input: AsyncIterable<Buffer> & { readonly isTTY?: boolean; destroy?(): void };
  /** Aborted by SIGINT or SIGTERM, and when whoever read our output has left. */
  readonly interrupted: AbortSignal;
  readonly readFile: (path: string) => string;
  /** Throws when `path` could not be written, and leaves it as it was. */
  readonly checkWritable: (path: string) => void;
  readonly writeFile: (path: string, bytes: Uint8Array) => void;
  /** With those above it; nothing when it is there. */
  readonly makeFolder: (path: string) => void;
};

/** What a shell offers in the place of a value: names of files or folders, these words, or nothing. */
export type Completes = 'file' | 'folder' | readonly string[];

export type Flag = NonNullable<ParseArgsConfig['options']>[string] & {
  readonly completes?: Completes;
  /** Where no other check of the value says so better. */
  readonly empty?: 'refused';
};
export type Flags = Readonly<Record<string, Flag>>;

export const STRING = { type: 'string' } as const;
export const NOT_EMPTY = { type: 'string', empty: 'refused' } as const;
export const FILE = { type: 'string', completes: 'file' } as const;
/** Whether a program reads what is printed. */
export const JSON_FLAG = { json: { type: 'boolean', default: false } } as const;

export type Command = {
  readonly help: () => string;
  readonly flags: Flags;
  /** What a shell offers in the place of the word that is no flag; absent: the command takes none, or a text. */
  readonly operand?: Completes;
  /** Resolves to the exit code: 0 done, 1 failed. Throws a UsageError for 2. */
  run(terminal: Terminal): Promise<number>;
};

/** The command was called in a way that it does not know; the message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A program of its own, loaded when it is asked for. */
export type CommandEntry = {
  readonly summary: string;
  readonly load: () => Promise<Command>;
};

/** Whoever read our output has left before its end: nothing more is said of it. */
export class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft';
}
