// The scripts by which bash, zsh and fish complete: each holds the whole table, so that no key stroke starts the program.

import type { Completes } from '../command.ts';
import type { CommandSpec, FlagSpec } from './completions.ts';

/** In single quotes, as bash and zsh read it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** As fish reads it. */
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const names = (specs: readonly CommandSpec[]) => specs.map(({ name }) => name).join(' ');

const isWords = (completes: Completes | undefined): completes is readonly string[] =>
  typeof completes === 'object';

// bash, from 3.2 on, which is what macOS has; without the package bash-completion.

const bashAction = (completes: Completes | undefined): string => {
  if (completes === undefined) return ':';
  return isWords(completes) ? `words=${quoted(completes.join(' '))}` : `kind=${completes}`;
};

/** A word of the line that is completed. */
const bashWord = (at: string): string => `\${COMP_WORDS[${at}]}`;

function bashCommand({ name, flags, operand }: CommandSpec): readonly string[] {
  const withValue = flags.filter(({ takes }) => takes === 'value');
  const offered = quoted(flags.map((flag) => `--${flag.name}`).join(' '));
  return [
    `    ${name})`,
    '      case $prev in',
    ...withValue.map((flag) => `        --${flag.name}) ${bashAction(flag.completes)} ;;`),
    '        *)',
    operand === undefined
      ? `          words=${offered}`
      : `          if [[ $cur == -* ]]; then words=${offered}; else ${bashAction(operand)}; fi`,
    '          ;;',
    '      esac',
    '      ;;',
  ];
}

export const bashScript = (specs: readonly CommandSpec[]): string =>
  [
    '# Completion of voxgate for bash, made by `voxgate completions bash`.',
    '_voxgate() {',
    `  local cur=${bashWord('COMP_CWORD')} prev= words= kind= command=`,
    '  COMPREPLY=()',
    `  (( COMP_CWORD > 0 )) && prev=${bashWord('COMP_CWORD-1')}`,
    '  # The shell takes --flag=value apart.',
    "  if [[ $cur == '=' ]]; then cur=",
    `  elif [[ $prev == '=' ]]; then prev=${bashWord('COMP_CWORD-2')}`,
    '  fi',
    `  (( COMP_CWORD > 1 )) && command=${bashWord('1')}`,
    '  case $command in',
    `    '') words=${quoted(`${names(specs)} --help --version`)} ;;`,
    ...specs.flatMap(bashCommand),
    '  esac',
    "  local IFS=$' \\t\\n'",
    '  if [[ -n $words ]]; then',
    '    COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '  elif [[ -n $kind ]]; then',
    "    IFS=$'\\n'",
    '    compopt -o filenames 2>/dev/null',
    '    if [[ $kind == folder ]]; then COMPREPLY=($(compgen -d -- "$cur"))',
    '    else COMPREPLY=($(compgen -f -- "$cur"))',
    '    fi',
    '  fi',
    '}',
    'complete -F _voxgate voxgate',
    '',
  ].join('\n');

// zsh. A colon parts a name from its description, and brackets hold one.

const zshPlain = (text: string): string => text.replace(/[:[\]\\]/g, '\\$&');
const zshAction = (completes: Completes | undefined): string => {
  if (completes === undefined) return ' ';
  if (isWords(completes)) return `(${completes.join(' ')})`;
  return completes === 'folder' ? '_files -/' : '_files';
};

function zshCommand({ name, flags, operand }: CommandSpec): readonly string[] {
  const flag = ({ name: flagName, takes, completes }: FlagSpec) =>
    quoted(takes === 'nothing' ? `--${flagName}` : `*--${flagName}=:value:${zshAction(completes)}`);
  const rest = operand === undefined ? [] : [quoted(`*:value:${zshAction(operand)}`)];
  return [
    `    ${name})`,
    `      _arguments ${[...flags.map(flag), ...rest].join(' \\\n        ')}`,
    '      ;;',
  ];
}

export const zshScript = (specs: readonly CommandSpec[]): string =>
  [
    '#compdef voxgate',
    '# Completion of voxgate for zsh, made by `voxgate completions zsh`.',
    '_voxgate() {',
    '  if (( CURRENT == 2 )); then',
    '    local -a commands',
    '    commands=(',
    ...specs.map(({ name, summary }) => `      ${quoted(`${name}:${zshPlain(summary)}`)}`),
    '    )',
    '    _describe command commands',
    '    return',
    '  fi',
    '  local command=$words[2]',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case $command in',
    ...specs.filter(({ flags, operand }) => flags.length > 0 || operand !== undefined).flatMap(zshCommand),
    '  esac',
    '}',
    'if [[ $funcstack[1] == _voxgate ]]; then _voxgate "$@"; else compdef _voxgate voxgate; fi',
    '',
  ].join('\n');

// fish, from 3.0 on.

const fishAction = (completes: Completes | undefined): string => {
  if (completes === undefined) return '-x';
  if (isWords(completes)) return `-x -a ${fishQuoted(completes.join(' '))}`;
  return completes === 'folder' ? "-x -a '(__fish_complete_directories)'" : '-r -F';
};
const fishOperand = (completes: Completes): string =>
  isWords(completes) ? `-a ${fishQuoted(completes.join(' '))}` : '-F';

function fishCommand({ name, flags, operand }: CommandSpec): readonly string[] {
  const line = (rest: string) => `complete -c voxgate -n '__voxgate_is ${name}' ${rest}`;
  return [
    ...flags.map(({ name: flag, takes, completes }) =>
      line(takes === 'nothing' ? `-l ${flag}` : `-l ${flag} ${fishAction(completes)}`),
    ),
    ...(operand === undefined ? [] : [line(fishOperand(operand))]),
  ];
}

export const fishScript = (specs: readonly CommandSpec[]): string =>
  [
    '# Completion of voxgate for fish, made by `voxgate completions fish`.',
    'function __voxgate_is',
    '  set -l words (commandline -opc)',
    '  test (count $words) -gt 1; and test $words[2] = $argv[1]',
    'end',
    'function __voxgate_none',
    '  test (count (commandline -opc)) -eq 1',
    'end',
    'complete -c voxgate -f',
    ...specs.map(
      ({ name, summary }) => `complete -c voxgate -n __voxgate_none -a ${name} -d ${fishQuoted(summary)}`,
    ),
    ...specs.flatMap(fishCommand),
    '',
  ].join('\n');
