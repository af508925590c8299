// `voxgate serve`: the gateway until it is told to stop.

import type { Gateway } from '../app/gateway.ts';
import { startGateway } from '../app/start.ts';
import { shownAddress } from '../base/addresses/shown-address.ts';
import type { LogSentence } from '../base/log-events.ts';
import { createPinoLog } from '../base/pino-log.ts';
import { helpersYieldToPlayback } from '../base/processes/yield-to-playback.ts';
import { parseConfig } from '../settings/config.ts';
import { PUBLIC_ADDRESSES, SERVICE_KINDS } from '../settings/service-kind-names.ts';
import { type Config, SETTINGS, type SettingName, settingsHelp, toFlag } from '../settings/settings.ts';
import { type Command, FILE, type Flag, JSON_FLAG, STRING, type Terminal, UsageError } from './command.ts';
import { readAllInput } from './input/read-input.ts';
import { STANDARD } from './output/file-endings.ts';
import { untilInterrupted } from './until-interrupted.ts';

const MAX_SHOWN_KIND = 40;

/** `--upstream KIND[:URL]` as the two settings that it is short for. */
export function longUpstream(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    if (args[at - 1] === '--upstream') return [];
    const given = arg === '--upstream' ? args[at + 1] : /^--upstream=(.*)$/s.exec(arg)?.[1];
    if (given === undefined) return [arg];
    const colon = given.indexOf(':');
    const kind = colon < 0 ? given : given.slice(0, colon);
    if (!(SERVICE_KINDS as readonly string[]).includes(kind))
      throw new UsageError(
        `--upstream is KIND or KIND:URL, and "${kind.slice(0, MAX_SHOWN_KIND)}" is no KIND; there are ${SERVICE_KINDS.join(', ')}.`,
      );
    return [`--upstream-kind=${kind}`, ...(colon < 0 ? [] : [`--upstream-url=${given.slice(colon + 1)}`])];
  });
}

async function run(terminal: Terminal): Promise<number> {
  const json = terminal.args.includes('--json');
  const flags = longUpstream(terminal.args.filter((each) => each !== '--json'));
  const file = await filesOf(terminal, flags);
  const parsed = parseConfig({ env: terminal.env, flags, file });
  if (!parsed.ok) throw new UsageError(parsed.problems.join('\n'));
  const { config } = parsed;
  const log = createPinoLog(config.logLevel);
  for (const warning of parsed.warnings) log.warn(warning as LogSentence);

  helpersYieldToPlayback();
  let lose = () => {};
  const lost = new Promise<'lost'>((resolve) => {
    lose = () => resolve('lost');
  });
  // On a slow machine this is the first that somebody sees; programs are told what happened, in one line.
  if (!json && terminal.besideResult.isInteractive)
    terminal.complain(`Voxgate ${terminal.version} is starting`);
  const gateway = await startGateway({
    config,
    log,
    version: terminal.version,
    searchPath: terminal.env.PATH,
    onLost: lose,
  });
  const { url, sessionUrl, playgroundUrl, adminUrl } = gateway;
  const engineUrl = gateway.engineUrl ?? remoteUrl(config);
  if (json) {
    const { version } = terminal;
    const serviceUrl = `${url}/api/v1`;
    terminal.print(
      JSON.stringify({ version, url, sessionUrl, serviceUrl, playgroundUrl, engineUrl, adminUrl }),
    );
  } else tell(terminal, gateway, config);
  log.info('listening', { url: gateway.url });

  const why = await Promise.race([untilInterrupted(terminal.interrupted), lost]);
  log.info('stopping', { drainMs: config.drainMs });
  await gateway.stop(config.drainMs);
  log.info('stopped');
  if (why !== 'lost') return 0;
  terminal.complain(
    `another instance has taken the data folder ${config.dataDir}, so this one has stopped; each instance needs a folder of its own`,
  );
  return 1;
}

function tell(terminal: Terminal, gateway: Gateway, config: Config): void {
  const say = gateway.sessionUrl;
  terminal.print(`Voxgate ${terminal.version} is listening at ${gateway.url}`);
  if (gateway.playgroundUrl !== undefined) terminal.print(`  playground ${gateway.playgroundUrl}`);
  terminal.print(`  sessions   ${say}`);
  terminal.print(`  service    ${gateway.url}/api/v1 (${gateway.url}/openapi.json tells it)`);
  if (config.upstreams.length > 0) terminal.print(`  speech     ${servicesOf(config)}`);
  else terminal.print(`  engine     ${gateway.engineUrl ?? remoteOf(config)}`);
  if (gateway.adminUrl !== undefined) terminal.print(`  operator   ${gateway.adminUrl}`);
  terminal.print(
    `  try        ${terminal.programName} say "Hello from Voxgate." --url ${say} --out hello.wav`,
  );
}

/** In order of preference. */
const servicesOf = ({ upstreams }: Config): string =>
  upstreams.map(({ name, kind }) => (name === kind ? name : `${name} (${kind})`)).join(', ');

/** Of the first service; what is set behind the host may be a secret. */
function remoteUrl({ upstreamUrl, upstreams, upstreamKind }: Config): string | undefined {
  const set = upstreamUrl ?? upstreams[0]?.url;
  return set === undefined ? PUBLIC_ADDRESSES[upstreams[0]?.kind ?? upstreamKind] : shownAddress(set);
}

const remoteOf = (config: Config): string =>
  `${remoteUrl(config)} (${config.upstreamKind === 'speech-service' ? 'remote' : config.upstreamKind})`;

/** Stands for what standard input will say: no problem is told of it. */
const NOT_READ = '';

/** Files of settings, among which `-` is standard input, wherever it was named. Throws a UsageError where two are. */
export async function filesOf(terminal: Terminal, flags: readonly string[]): Promise<Terminal['readFile']> {
  const { env } = terminal;
  // Each is read once: a pipe (`<(sops -d voxgate.yaml)`) is empty the second time.
  const texts = new Map<string, string>();
  const readFile = (path: string): string => {
    const text = texts.get(path) ?? terminal.readFile(path);
    texts.set(path, text);
    return text;
  };
  const readers: string[] = [];
  const read = (text: string) => (path: string, as: string) => {
    if (path !== STANDARD) return readFile(path);
    readers.push(as);
    return text;
  };
  parseConfig({ env, flags, file: read(NOT_READ) });
  if (readers.length === 0) return readFile;
  const checkOne = () => {
    const [first, second] = readers;
    if (second !== undefined)
      throw new UsageError(`${first} and ${second} are both -; standard input can be one of them`);
  };
  checkOne();
  const input = Buffer.from(await readAllInput(terminal)).toString('utf8');
  // A file of settings may name further files.
  readers.length = 0;
  parseConfig({ env, flags, file: read(input) });
  checkOne();
  return (path) => (path === STANDARD ? input : readFile(path));
}

const flagOf = (name: SettingName): readonly [string, Flag] => [
  toFlag(name).slice(2),
  SETTINGS[name].placeholder === 'FILE' ? FILE : STRING,
];

export const serve: Command = {
  flags: {
    config: FILE,
    upstream: STRING,
    ...JSON_FLAG,
    ...Object.fromEntries((Object.keys(SETTINGS) as SettingName[]).map(flagOf)),
  },
  help: () =>
    [
      'Usage: voxgate serve [--config FILE] [--json] [--upstream KIND[:URL]] [--SETTING VALUE …]',
      '',
      'Prints its addresses, with --json as a line of JSON. For a FILE, - is standard input.',
      '',
      settingsHelp(),
    ].join('\n'),
  run,
};
