// docs/cli.md against the table of commands: every command has its part, and every flag is named in it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bench } from '../../bench/bench-command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { PLAYERS } from '../../src/cli/sound/players.ts';
import { toEnv } from '../../src/settings/settings.ts';
import { SETTING_NAMES } from '../support/settings.ts';

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
const partOf = (command: string) => new RegExp(`\n## ${command}\n([\\s\\S]*?)(?=\n## |$)`).exec(page)?.[1];
const CALLER = ['url', 'key', 'key-file', 'user'];
/** Told by reference: the settings of serve, what each bench takes, and the flags of sound, which are those of say. */
const ELSEWHERE: Readonly<Record<string, (flag: string) => boolean>> = {
  serve: (flag) => flag !== 'config' && flag !== 'json',
  bench: (flag) => flag !== 'json',
  narrate: (flag) => flag !== 'out' && flag !== 'vtt' && flag !== 'srt',
  job: (flag) => partOf('say')!.includes(`--${flag}\``),
};

describe('docs/cli.md', () => {
  it.each(Object.keys(COMMANDS))('tells %s with its flags', async (name) => {
    // The benchmarks are loaded from where they were built, which sources are not.
    const { flags } = name === 'bench' ? bench : await COMMANDS[name]!.load();
    const part = partOf(name);
    expect(part).toBeDefined();
    const callers = name === 'keys' ? [] : CALLER;
    const untold = Object.keys(flags).filter(
      (flag) =>
        !callers.includes(flag) &&
        ELSEWHERE[name]?.(flag) !== true &&
        !new RegExp(`--${flag}(?![a-z-])`).test(part!),
    );
    expect(untold).toEqual([]);
    expect(page).toContain(`[\`${name}\`](#${name})`);
  });

  it('names the players in their order, and no variable that is not read', () => {
    expect(page).toContain(PLAYERS.map(({ program }) => `\`${program}\``).join(', '));
    const known = [
      ...SETTING_NAMES.map(toEnv),
      ...CALLER.map((flag) => `VOXGATE_${flag.toUpperCase().replace('-', '_')}`),
    ];
    const named = [...page.matchAll(/VOXGATE_[A-Z_]+/g)].map(([name]) => name);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});
