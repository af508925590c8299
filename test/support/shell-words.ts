// What a block of shell would run, without running it: words as bash splits them, with stand-ins for programs.

import { execFileSync } from 'node:child_process';

/** Throws when bash cannot read it. */
export const checkShell = (text: string): void =>
  void execFileSync('bash', ['-n'], { input: text, stdio: 'pipe' });

/** The commands of a block, as words with their quotes: comments left out, continued lines joined. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  return lines
    .map((line) => line.replace(/(^|\s)#.*$/, ''))
    .flatMap((line) => line.split(/&&|\|(?!\|)|;|(?<!&)&(?!&)/))
    .map((command) => command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [])
    .filter((words) => words.length > 0);
}

/** Runs a block in which nothing but `program` is called: each call's arguments as the program would have got them. */
export function argumentsOf(program: string, text: string, env: Readonly<Record<string, string>> = {}) {
  const script = `PATH=
${program}() { printf '%s\\0' "$@"; printf '\\1\\0'; }\n${text}`;
  const printed = execFileSync('bash', ['--norc', '-euc', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  const calls: string[][] = [[]];
  for (const word of printed.split('\0').slice(0, -1)) {
    if (word === '\x01') calls.push([]);
    else calls.at(-1)!.push(word);
  }
  return calls.slice(0, -1);
}
