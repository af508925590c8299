// `voxgate engine`: the embedded speech engine alone, for others to call.

import type { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { systemRandom } from '../base/random.ts';
import { upstreamKeyList } from '../credential-lists.ts';
import { FAULT_HELP, readFault, startEngine } from '../engine/engine-server.ts';
import { createPinoLog } from '../pino-log.ts';
import { SETTINGS } from '../settings.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readFlags } from './read-flags.ts';
import { untilInterrupted } from './until-interrupted.ts';

const OPTIONS = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8090' },
  keys: { type: 'string', default: '' },
  fault: { type: 'string', multiple: true, default: [] },
  'fault-seed': { type: 'string', default: '0' },
  'log-level': { type: 'string', default: 'info' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

const MOST_SEED = 4_294_967_295;

async function run(terminal: Terminal): Promise<number> {
  const { values } = readFlags(terminal.args, OPTIONS, 'none');
  const port = readWhole('port', values.port, 65_535, ', 0 = any free port');
  const faultSeed = readWhole('fault-seed', values['fault-seed'], MOST_SEED, '');
  const faults = values.fault.map(readFaultFlag);
  const level = SETTINGS.logLevel.read(values['log-level']);
  if (!level.ok) throw new UsageError(`--log-level ${level.wrong}; allowed: ${SETTINGS.logLevel.allowed}`);
  const keys = values.keys === '' ? [] : readKeys(values.keys);
  const log = createPinoLog(level.value);
  const engine = await startEngine({
    host: values.host,
    port,
    keys,
    log,
    clock: systemClock,
    random: systemRandom,
    faults,
    faultSeed,
  });
  terminal.print(`Voxgate engine ${terminal.version} is listening at ${engine.url}`);
  terminal.print(`  speak      POST ${engine.url}/api/v1/tts/stream`);
  terminal.print(`  voices     GET  ${engine.url}/api/v1/voices`);
  if (keys.length === 0)
    terminal.print('  keys       none: any non-empty Authorization and X-USER-ID are taken');
  for (const given of values.fault) terminal.print(`  fault      ${given}`);
  await untilInterrupted(terminal.interrupted);
  await engine.close();
  return 0;
}

function readWhole(flag: string, given: string, most: number, note: string): number {
  const value = Number(given);
  if (/^\d{1,10}$/.test(given) && value <= most) return value;
  throw new UsageError(
    `--${flag} is ${JSON.stringify(given)}; allowed: a whole number from 0 to ${most}${note}`,
  );
}

function readFaultFlag(given: string) {
  const reading = readFault(given);
  if (!reading.ok) throw new UsageError(`--fault is ${reading.wrong}`);
  return reading.fault;
}

function readKeys(given: string) {
  const reading = upstreamKeyList('').read(given);
  if (!reading.ok)
    throw new UsageError(`--keys ${reading.wrong}; allowed: userId:apiKey[@perMinute], separated by commas`);
  return reading.value;
}

const faultLines = FAULT_HELP.flatMap(({ syntax, summary }) => [`    ${syntax}`, `        ${summary}`]);

export const engine: Command = {
  summary: 'run the embedded speech engine alone',
  help: () =>
    [
      'Usage: voxgate engine [--port N] [--host ADDRESS] [--keys LIST] [--log-level LEVEL]',
      '                      [--fault NAME[=VALUE][@SHARE]]... [--fault-seed N]',
      '',
      '  --port N          0 = any free port, printed. Default: 8090',
      '  --host ADDRESS    Default: 127.0.0.1',
      '  --keys LIST       userId:apiKey[@perMinute], separated by commas; with a number, more requests a minute',
      '                    are answered 429. Default: none, any non-empty credentials are taken',
      '  --log-level LEVEL Default: info',
      '  --fault FAULT     Does something wrong, to test who calls it; may be given several times. @SHARE, above 0',
      '                    and at most 1, is the part of the requests that meet it. Default: none',
      '  --fault-seed N    Decides which requests those are, and what else is left to chance. Default: 0',
      '',
      'Faults:',
      ...faultLines,
    ].join('\n'),
  run,
};
