// Flags of a command by node's own parser; its complaints become usage errors that name the flag and what is near it.

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { shownArgument } from '../base/addresses/shown-address.ts';
import { meantName } from '../base/shown-value.ts';
import { type Flags, UsageError } from './command.ts';

type Parsed<O extends Flags> = ReturnType<
  typeof parseArgs<{ readonly args: string[]; readonly options: O; readonly allowPositionals: true }>
>;

/** What is wrong about flags, in our words; undefined: nothing is. */
function faultOf(args: readonly string[], flags: Flags): string | undefined {
  const config = { args: [...args], options: flags as ParseArgsConfig['options'], allowPositionals: true };
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true });
  const known = Object.keys(flags).map((name) => `--${name}`);
  const list = known.length === 0 ? 'It takes none.' : `Flags: ${known.join(', ')}`;
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) {
      const dash = rawName.startsWith('--') ? '' : '. A text that begins with a dash is written behind --';
      return `${rawName} is not a flag of this command${meantName(rawName, known)}${dash}\n${list}`;
    }
    if (flag.type === 'boolean' && value !== undefined) return `${rawName} takes no value`;
    if (flag.type === 'string' && value === undefined)
      return `${rawName} has no value; allowed: ${rawName} VALUE`;
    if (flag.empty === 'refused' && value === '')
      return `${rawName} is ""; allowed: a value that is not empty. A command in its place, "$(…)", may have printed nothing`;
    if (flag.type === 'string' && inlineValue === false && /^-./.test(value ?? ''))
      return `${rawName} has no value; one that begins with a dash is written as ${rawName}=VALUE`;
  }
  return undefined;
}

/** `positionals`: how many words that are no flags the command takes. */
export function readFlags<const O extends Flags>(
  args: readonly string[],
  flags: O,
  positionals: 'none' | 'one',
): Parsed<O> {
  const fault = faultOf(args, flags);
  if (fault !== undefined) throw new UsageError(fault);
  const parsed: Parsed<O> = parseArgs({ args: [...args], options: flags, allowPositionals: true });
  if (parsed.positionals.length > (positionals === 'one' ? 1 : 0)) {
    throw new UsageError(
      `Unexpected argument ${JSON.stringify(shownArgument(parsed.positionals.at(-1)!))}; quote a text of several words.`,
    );
  }
  return parsed;
}
