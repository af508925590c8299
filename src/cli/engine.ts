// `voxgate engine`: the embedded speech engine alone, for others to call.

import type { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { systemRandom } from '../base/random.ts';
import { upstreamKeyList } from '../credential-lists.ts';
import { startEngine } from '../engine/engine-server.ts';
import { createPinoLog } from '../pino-log.ts';
import { SETTINGS } from '../settings.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readFlags } from './read-flags.ts';
import { untilInterrupted } from './until-interrupted.ts';

const OPTIONS = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8090' },
  keys: { type: 'string', default: '' },
  'log-level': { type: 'string', default: 'info' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

async function run(terminal: Terminal): Promise<number> {
  const { values } = readFlags(terminal.args, OPTIONS, 'none');
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535) {
    throw new UsageError(
      `--port is ${JSON.stringify(values.port)}; allowed: a whole number from 0 to 65535, 0 = any free port`,
    );
  }
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
  });
  terminal.print(`Voxgate engine ${terminal.version} is listening at ${engine.url}`);
  terminal.print(`  speak      POST ${engine.url}/api/v1/tts/stream`);
  terminal.print(`  voices     GET  ${engine.url}/api/v1/voices`);
  if (keys.length === 0)
    terminal.print('  keys       none: any non-empty Authorization and X-USER-ID are taken');
  await untilInterrupted(terminal.interrupted);
  await engine.close();
  return 0;
}

function readKeys(given: string) {
  const reading = upstreamKeyList('').read(given);
  if (!reading.ok)
    throw new UsageError(`--keys ${reading.wrong}; allowed: userId:apiKey[@perMinute], separated by commas`);
  return reading.value;
}

export const engine: Command = {
  summary: 'run the embedded speech engine alone',
  help: () =>
    [
      'Usage: voxgate engine [--port N] [--host ADDRESS] [--keys LIST] [--log-level LEVEL]',
      '',
      '  --port N          0 = any free port, printed. Default: 8090',
      '  --host ADDRESS    Default: 127.0.0.1',
      '  --keys LIST       userId:apiKey[@perMinute], separated by commas; with a number, more requests a minute',
      '                    are answered 429. Default: none, any non-empty credentials are taken',
      '  --log-level LEVEL Default: info',
    ].join('\n'),
  run,
};
