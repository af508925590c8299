// `voxgate engine`: the embedded speech engine alone, for others to call.

import { createFaultPlan } from '../../testkit/faults/fault-plan.ts';
import { FAULT_HELP, readFault } from '../../testkit/faults/fault-table.ts';
import { systemClock } from '../base/clock.ts';
import { createPinoLog } from '../base/pino-log.ts';
import { listening } from '../base/processes/listen-fault.ts';
import { systemRandom } from '../base/random.ts';
import { startEngine } from '../engine/engine-server.ts';
import { upstreamKeyList } from '../settings/credential-lists.ts';
import { isLoopback } from '../settings/setting.ts';
import { SETTINGS } from '../settings/settings.ts';
import { type Command, FILE, type Flags, JSON_FLAG, type Terminal, UsageError } from './command.ts';
import { readInputFile } from './input/read-input.ts';
import { passInterruptOn, systemWords } from './output/system-words.ts';
import { readFlags } from './read-flags.ts';
import { untilInterrupted } from './until-interrupted.ts';

const FLAGS = {
  ...JSON_FLAG,
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8090' },
  keys: { type: 'string', default: '' },
  'keys-file': { ...FILE, default: '' },
  fault: { type: 'string', multiple: true, default: [] },
  'fault-seed': { type: 'string', default: '0' },
  canned: { type: 'boolean', default: false },
  'canned-speed': { type: 'string' },
  'canned-first-byte': { type: 'string' },
  report: { type: 'boolean', default: false },
  'log-level': { type: 'string', default: 'info' },
} as const satisfies Flags;

const MAX_SEED = 4_294_967_295;
const MAX_CANNED_SPEED = 1000;
const MAX_FIRST_BYTE_MS = 600_000;

async function run(terminal: Terminal): Promise<number> {
  const { values } = readFlags(terminal.args, FLAGS, 'none');
  const port = readWhole('port', values.port, 65_535, ', 0 = any free port');
  const faultSeed = readWhole('fault-seed', values['fault-seed'], MAX_SEED, '');
  const faults = values.fault.map(readFaultFlag);
  const canned = readCanned(values);
  const level = SETTINGS.logLevel.read(values['log-level']);
  if (!level.ok) throw new UsageError(`--log-level ${level.wrong}; allowed: ${SETTINGS.logLevel.allowed}`);
  const host = SETTINGS.host.read(values.host);
  if (!host.ok) throw new UsageError(`--host ${host.wrong}; allowed: ${SETTINGS.host.allowed}`);
  const keys = await chooseKeys(terminal, values.keys, values['keys-file']);
  if (keys.length === 0 && !isLoopback(host.value))
    throw new UsageError(
      `--host is ${host.value}, which others can reach, but there are no keys, so anybody could use the engine; set --keys-file or use 127.0.0.1`,
    );
  const log = createPinoLog(level.value);
  const engine = await listening(
    startEngine({
      host: host.value,
      port,
      keys,
      log,
      clock: systemClock,
      random: systemRandom,
      faults: createFaultPlan({ faults, seed: faultSeed, clock: systemClock, unixMs: Date.now }),
      ...(canned !== undefined && { canned }),
      ...(values.report && { report: 'served' }),
    }),
    { host: host.value, port, portSetting: '--port', hostSetting: '--host' },
  );
  if (values.json) {
    const served = values.report ? `${engine.url}/report` : undefined;
    terminal.print(JSON.stringify({ version: terminal.version, url: engine.url, report: served }));
  } else tell(terminal, values, { url: engine.url, keys: keys.length, canned });
  await untilInterrupted(terminal.interrupted);
  await engine.close();
  return 0;
}

type Told = { readonly url: string; readonly keys: number; readonly canned: ReturnType<typeof readCanned> };

function tell(
  terminal: Terminal,
  { report, fault }: { readonly report: boolean; readonly fault: readonly string[] },
  { url, keys, canned }: Told,
): void {
  terminal.print(`Voxgate engine ${terminal.version} is listening at ${url}`);
  terminal.print(`  speak      POST ${url}/api/v1/tts/stream`);
  terminal.print(`  voices     GET  ${url}/api/v1/voices`);
  if (keys === 0) terminal.print('  keys       none: any non-empty Authorization and X-USER-ID are taken');
  if (report) terminal.print(`  report     GET  ${url}/report`);
  if (canned !== undefined)
    terminal.print(`  canned     ${canned.paceFactor} × real time after ${canned.firstByteMs} ms`);
  for (const given of fault) terminal.print(`  fault      ${given}`);
}

function readWhole(flag: string, given: string, most: number, note: string): number {
  const value = Number(given);
  if (/^\d{1,10}$/.test(given) && value <= most) return value;
  throw new UsageError(
    `--${flag} is ${JSON.stringify(given)}; allowed: a whole number from 0 to ${most}${note}`,
  );
}

type CannedFlags = {
  readonly canned: boolean;
  readonly 'canned-speed'?: string | undefined;
  readonly 'canned-first-byte'?: string | undefined;
};

function readCanned({ canned, 'canned-speed': speed, 'canned-first-byte': firstByte }: CannedFlags) {
  if (!canned && (speed ?? firstByte) !== undefined)
    throw new UsageError('--canned-speed and --canned-first-byte are for --canned, which is not set');
  const paceFactor = readWhole('canned-speed', speed ?? '5', MAX_CANNED_SPEED, ', 0 = all at once');
  const firstByteMs = readWhole('canned-first-byte', firstByte ?? '200', MAX_FIRST_BYTE_MS, '');
  return canned ? { paceFactor, firstByteMs } : undefined;
}

function readFaultFlag(given: string) {
  const reading = readFault(given);
  if (!reading.ok) throw new UsageError(`--fault is ${reading.wrong}`);
  return reading.fault;
}

async function chooseKeys(terminal: Terminal, list: string, path: string) {
  if (list !== '' && path !== '')
    throw new UsageError('--keys and --keys-file are both set; set one of them');
  if (list !== '') return readKeys('--keys', list);
  return path === '' ? [] : readKeys('the file of --keys-file', await readKeysFile(terminal, path));
}

async function readKeysFile(terminal: Terminal, path: string): Promise<string> {
  try {
    return Buffer.from(await readInputFile(terminal, path))
      .toString('utf8')
      .trim();
  } catch (error) {
    passInterruptOn(error);
    throw new UsageError(
      `--keys-file is ${JSON.stringify(path)}, which cannot be read: ${systemWords(error)}`,
    );
  }
}

function readKeys(as: string, given: string) {
  const reading = upstreamKeyList('').read(given);
  const nameless = reading.ok ? reading.value.findIndex(({ userId }) => userId === '') : -1;
  if (reading.ok && nameless < 0) return reading.value;
  if (reading.ok)
    throw new UsageError(
      `${as} entry ${nameless + 1} has no colon (value not shown); allowed: userId:apiKey[@perMinute][,…]`,
    );
  throw new UsageError(`${as} ${reading.wrong}; allowed: userId:apiKey[@perMinute], separated by commas`);
}

const faultLines = FAULT_HELP.flatMap(({ syntax, summary }) => [`    ${syntax}`, `        ${summary}`]);

export const engine: Command = {
  flags: FLAGS,
  help: () =>
    [
      'Usage: voxgate engine [--port N] [--host ADDRESS] [--keys-file FILE] [--log-level LEVEL]',
      '                      [--fault NAME[=VALUE][@SHARE]]... [--fault-seed N]',
      '                      [--canned [--canned-speed N] [--canned-first-byte MS]] [--report]',
      '',
      '  --port N          0 = any free port, printed. Default: 8090',
      '  --host ADDRESS    Another than loopback needs keys. Default: 127.0.0.1',
      '  --keys-file FILE  userId:apiKey[@perMinute], one a line or separated by commas; with a number, more requests',
      '                    a minute are answered 429. - is standard input. Default: none, any non-empty credentials are taken',
      '  --keys LIST       The same as text, which others can read in the list of processes',
      '  --json            The addresses as a line of JSON',
      '  --log-level LEVEL Default: info',
      '  --fault FAULT     Does something wrong, to test its callers; may be given several times. @SHARE, above 0',
      '                    and at most 1, is the part of the requests that meet it. Default: none',
      '  --fault-seed N    Decides which requests those are, and what else is left to chance. Default: 0',
      '  --canned          Answers with prebuilt sound of the right length instead of speech: for load tests. mp3 only',
      '  --canned-speed N  So many times faster than it plays; 0 = all at once. Default: 5',
      '  --canned-first-byte MS',
      '                    From the request to the first byte. Default: 200',
      '  --report          Serves what it counted, by key and by request, at /report for programs on this machine',
      '',
      'Faults:',
      ...faultLines,
    ].join('\n'),
  run,
};
