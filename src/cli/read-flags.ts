// Flags of a command by node's own parser; its complaints become usage errors.

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ readonly args: string[]; readonly options: O; readonly allowPositionals: true }>
>;

/** `positionals`: how many words that are no flags the command takes. */
export function readFlags<const O extends Options>(
  args: readonly string[],
  options: O,
  positionals: 'none' | 'one',
): Parsed<O> {
  let parsed: Parsed<O>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(`${(error as Error).message}\nFlags: ${known.join(', ')}`);
  }
  if (parsed.positionals.length > (positionals === 'one' ? 1 : 0)) {
    throw new UsageError(
      `Unexpected argument ${JSON.stringify(parsed.positionals.at(-1))}; quote a text of several words.`,
    );
  }
  return parsed;
}
