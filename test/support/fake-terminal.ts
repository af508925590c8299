// A terminal for a command under test: nothing of the real process, everything printed is kept.

import { Readable, Writable } from 'node:stream';
import type { Terminal } from '../../src/cli/command.ts';

export type FakeTerminal = Terminal & {
  readonly printed: string[];
  readonly complaints: readonly string[];
  /** What came to standard output as a result. */
  readonly result: () => Buffer;
};

export function createFakeTerminal(args: readonly string[], input: string | Uint8Array = ''): FakeTerminal {
  const printed: string[] = [];
  const complaints: string[] = [];
  const output: Buffer[] = [];
  return {
    programName: 'voxgate',
    args,
    env: {},
    version: '0.0.0-test',
    print: (line) => void printed.push(line),
    complain: (line) => void complaints.push(line),
    status() {},
    isInteractive: false,
    besideResult: { print: (line) => void complaints.push(line), status() {}, isInteractive: false },
    output: new Writable({
      write(chunk: Buffer, _encoding, done) {
        output.push(chunk);
        done();
      },
    }),
    input: Readable.from([Buffer.from(input)]),
    interrupted: new AbortController().signal,
    readFile(path) {
      throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    },
    checkWritable(path) {
      if (path.startsWith('/nowhere/')) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    },
    writeFile() {},
    makeFolder() {},
    printed,
    complaints,
    result: () => Buffer.concat(output),
  };
}
