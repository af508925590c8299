// What a command of the program gets, and how it says that it was called wrongly.

export type Terminal = {
  /** What to type in this folder to start the program as it was started. */
  readonly programName: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** One line to standard output. */
  readonly print: (line: string) => void;
  /** One line to standard error. */
  readonly complain: (line: string) => void;
  /** Replaces the line that a terminal shows last; nothing when the output is piped. */
  readonly status: (line: string) => void;
  readonly isInteractive: boolean;
  readonly input: AsyncIterable<Buffer> & { readonly isTTY?: boolean; destroy?(): void };
  /** Aborted by SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
  readonly readFile: (path: string) => string;
  /** What is in a file, whatever it is. */
  readonly readBytes: (path: string) => Uint8Array;
  /** Throws when `path` could not be written, and leaves it as it was. */
  readonly checkWritable: (path: string) => void;
  readonly writeFile: (path: string, bytes: Uint8Array) => void;
  /** With those above it; nothing when it is there. */
  readonly makeFolder: (path: string) => void;
};

export type Command = {
  readonly help: () => string;
  /** Resolves to the exit code: 0 done, 1 failed. Throws a UsageError for 2. */
  run(terminal: Terminal): Promise<number>;
};

/** The command was called in a way that it does not know; the message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
