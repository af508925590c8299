// `voxgate chaos`: the proxy that breaks connections on purpose, on this machine alone.

import { shownAddress } from '../../src/base/shown-address.ts';
import { type Command, type Flags, JSON_FLAG, type Terminal, UsageError } from '../../src/cli/command.ts';
import { readFlags } from '../../src/cli/read-flags.ts';
import { untilInterrupted } from '../../src/cli/until-interrupted.ts';
import { readToxic, startChaosProxy, TOXIC_HELP } from '../chaos/chaos-proxy.ts';

const FLAGS = {
  ...JSON_FLAG,
  listen: { type: 'string', default: '0' },
  target: { type: 'string' },
  toxic: { type: 'string', multiple: true, default: [] },
  seed: { type: 'string', default: '0' },
} as const satisfies Flags;

const MAX_PORT = 65_535;
const MAX_SEED = 4_294_967_295;

/** What is out of range is told in words that complete "--flag: …". */
async function asUsage<T>(flag: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--${flag}: ${error.message}`);
    throw error;
  }
}

function readWhole(flag: string, given: string, most: number): number {
  if (/^\d{1,10}$/.test(given) && Number(given) <= most) return Number(given);
  throw new UsageError(`--${flag} is ${JSON.stringify(given)}; allowed: a whole number from 0 to ${most}`);
}

async function run(terminal: Terminal): Promise<number> {
  const { values } = readFlags(terminal.args, FLAGS, 'none');
  const { target } = values;
  if (target === undefined) throw new UsageError('--target is missing; allowed: http://host:port');
  const port = readWhole('listen', values.listen, MAX_PORT);
  const seed = readWhole('seed', values.seed, MAX_SEED);
  const toxics = await asUsage('toxic', () => values.toxic.map(readToxic));
  const proxy = await asUsage('target', () => startChaosProxy({ target, seed, toxics, port }));
  const { version } = terminal;
  if (values.json)
    terminal.print(
      JSON.stringify({ version, url: proxy.url, target: shownAddress(target), toxics: values.toxic }),
    );
  else {
    terminal.print(`Voxgate chaos ${version} is listening at ${proxy.url}`);
    terminal.print(`  target     ${shownAddress(target)}`);
    for (const given of values.toxic) terminal.print(`  toxic      ${given}`);
  }
  await untilInterrupted(terminal.interrupted);
  terminal.print(JSON.stringify(proxy.stats()));
  await proxy.close();
  return 0;
}

const toxicLines = TOXIC_HELP.flatMap(({ syntax, summary }) => [`    ${syntax}`, `        ${summary}`]);

export const chaos: Command = {
  flags: FLAGS,
  help: () =>
    [
      'Usage: voxgate chaos --target URL [--listen N] [--toxic NAME[:ATTRIBUTE=VALUE]...[@TOXICITY]]... [--seed N]',
      '',
      '  --target URL      Whom to hand connections on to: http://host:port',
      '  --listen N        Port on loopback; 0 = any free port, printed. Default: 0',
      '  --toxic TOXIC     What to do to them; may be given several times. @TOXICITY, 0 to 1, is the part of the',
      '                    connections (of corrupt and what follows it: of the requests) that meet it. Default: none',
      '  --seed N          Decides which those are, and what else is left to chance. Default: 0',
      '  --json            The address as a line of JSON, too',
      '',
      'When it is stopped it prints what it counted as one line of JSON.',
      '',
      'Toxics, with their defaults:',
      ...toxicLines,
    ].join('\n'),
  run,
};
